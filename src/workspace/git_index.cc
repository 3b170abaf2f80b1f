#include "workspace/git_index.h"

#include <fmt/core.h>

#include <optional>

namespace helve::workspace {
namespace {

constexpr std::string_view kSignature = "DIRC";
constexpr size_t kHash = 20;
constexpr std::uint16_t kExtended = 0x4000, kStage = 0x3000;
constexpr std::uint16_t kIntentToAdd = 0x2000;  // of the further flags
constexpr std::uint32_t kTypeMask = 0170000, kPlainFile = 0100000;

class IndexReader {
 public:
  explicit IndexReader(std::string_view text) : text_(text) {}

  bool read_header() {
    if (!text_.starts_with(kSignature)) return false;
    at_ = kSignature.size();
    version_ = number();
    left_ = number();
    return !failed_ && version_ >= 2 && version_ <= 4;
  }
  bool failed() const { return failed_; }
  const std::string& name() const { return name_; }

  // The next entry, by name(); nothing at the end, or when it is broken.
  std::optional<IndexEntry> next() {
    if (left_ == 0 || failed_) return {};
    --left_;
    const size_t begin = at_;
    IndexEntry entry;
    entry.changed_ns = time();
    entry.modified_ns = time();
    (void)number();  // the device
    entry.inode = number();
    entry.mode = number();
    (void)number(), (void)number();  // user and group
    entry.size = number();
    hash_ = bytes(kHash);
    const std::uint16_t flags = short_number();
    const std::uint16_t more = (flags & kExtended) != 0 ? short_number() : 0;
    is_plain_ = (flags & kStage) == 0 && (more & kIntentToAdd) == 0 &&
                (entry.mode & kTypeMask) == kPlainFile;
    read_name(begin);
    if (failed_) return {};
    return entry;
  }
  // Whether the last one is a file whose content is known, and which that is.
  bool is_plain() const { return is_plain_; }
  std::string blob() const {
    std::string blob;
    for (const char c : hash_) blob += fmt::format("{:02x}", static_cast<unsigned char>(c));
    return blob;
  }

 private:
  std::string_view bytes(size_t count) {
    if (failed_ || text_.size() - at_ < count) {
      failed_ = true;
      return {};
    }
    at_ += count;
    return text_.substr(at_ - count, count);
  }
  std::uint32_t number() {
    std::uint32_t value = 0;
    for (const char c : bytes(4)) value = value << 8 | static_cast<unsigned char>(c);
    return value;
  }
  std::uint16_t short_number() {
    std::uint16_t value = 0;
    for (const char c : bytes(2))
      value = static_cast<std::uint16_t>(value << 8 | static_cast<unsigned char>(c));
    return value;
  }
  std::int64_t time() {
    const std::int64_t seconds = number();
    return seconds * 1'000'000'000 + number();
  }
  // How much of the last name the next one drops.
  size_t offset() {
    size_t value = 0;
    for (int i = 0; i < 5; ++i) {
      const std::string_view byte = bytes(1);
      if (failed_) return 0;
      const auto c = static_cast<unsigned char>(byte[0]);
      value = value << 7 | (c & 0x7f);
      if ((c & 0x80) == 0) return value;
      ++value;
    }
    failed_ = true;
    return 0;
  }
  void read_name(size_t begin) {
    std::string name;
    if (version_ == 4) {
      const size_t dropped = offset();
      if (dropped > name_.size()) failed_ = true;
      if (!failed_) name = name_.substr(0, name_.size() - dropped);
    }
    const size_t end = failed_ ? text_.npos : text_.find('\0', at_);
    if (end == text_.npos) {
      failed_ = true;
      return;
    }
    name += text_.substr(at_, end - at_);
    at_ = end + 1;
    // Up to a multiple of eight bytes, and one at least.
    if (version_ != 4) (void)bytes((8 - (at_ - begin) % 8) % 8);
    // Their order tells that it is not something else: another hash, or a part of an index.
    if (name < name_ || name.empty()) failed_ = true;
    name_ = std::move(name);
  }

  const std::string_view text_;
  size_t at_ = 0;
  std::uint32_t version_ = 0, left_ = 0;
  bool failed_ = false, is_plain_ = false;
  std::string_view hash_;
  std::string name_;
};

}  // namespace

bool IndexEntry::tells(const sys::FileStatus& status, std::int64_t index_modified_ns) const {
  return status.kind == sys::FileKind::file && status.modified_ns == modified_ns &&
         status.changed_ns == changed_ns && static_cast<std::uint32_t>(status.inode) == inode &&
         static_cast<std::uint32_t>(status.size) == size && modified_ns < index_modified_ns &&
         ((status.mode ^ mode) & 0100) == 0;
}

std::map<std::string, IndexEntry> index_entries(std::string_view index,
                                                const std::set<std::string>& wanted) {
  std::map<std::string, IndexEntry> found;
  IndexReader reader(index);
  if (!reader.read_header()) return found;
  while (const std::optional<IndexEntry> entry = reader.next()) {
    if (!reader.is_plain() || !wanted.contains(reader.name())) continue;
    IndexEntry& known = found[reader.name()] = *entry;
    known.blob = reader.blob();
  }
  return reader.failed() ? std::map<std::string, IndexEntry>() : found;
}

}  // namespace helve::workspace
