#include "config/trust.h"

#include <fmt/format.h>

#include "base/hash.h"
#include "base/text.h"
#include "config/files.h"
#include "sys/file.h"

namespace helve::config {
namespace {

constexpr size_t kMaxTrustBytes = 1u << 20;
constexpr size_t kHashDigits = 64;
constexpr std::chrono::seconds kLockWait{5};
constexpr std::string_view kGap = "  ";

}  // namespace

Result<std::vector<TrustStore::Entry>> TrustStore::list() const {
  std::vector<Entry> entries;
  const std::optional<std::string> text =
      TRY(read_own_file(file_, kMaxTrustBytes, sys::Writers::owner));
  if (!text) return entries;
  size_t number = 0;
  for (std::string_view line : split(*text, '\n')) {
    ++number;
    if (line.empty()) continue;
    const bool whole = line.size() > kHashDigits + kGap.size() &&
                       line.substr(kHashDigits).starts_with(kGap) &&
                       line.find_first_not_of("0123456789abcdef") == kHashDigits;
    if (!whole) {
      return Error{
          Code::conflict,
          fmt::format("'{}', line {}, is not an entry of trust", escape_for_display(file_), number),
          "remove the line, then trust the workspace again", "invalid_trust"};
    }
    entries.push_back({std::string(line.substr(kHashDigits + kGap.size())),
                       std::string(line.substr(0, kHashDigits))});
  }
  return entries;
}

Result<bool> TrustStore::is_trusted(std::string_view path, std::string_view content) const {
  const std::vector<Entry> entries = TRY(list());
  const std::string hash = entries.empty() ? "" : sha256_hex(content);
  return std::any_of(entries.begin(), entries.end(),
                     [&](const Entry& entry) { return entry.path == path && entry.hash == hash; });
}

Result<void> TrustStore::trust(const std::string& path, std::string_view content) {
  if (!path.starts_with('/') || path.find('\n') != path.npos) {
    return Error{Code::invalid_argument,
                 fmt::format("'{}' cannot be trusted", escape_for_display(path)),
                 "the path must be absolute and on one line", "invalid_path"};
  }
  const sys::Fd turn = TRY(lock());
  std::vector<Entry> entries = TRY(list());
  std::erase_if(entries, [&](const Entry& entry) { return entry.path == path; });
  entries.push_back({path, sha256_hex(content)});
  return save(entries);
}

Result<bool> TrustStore::untrust(const std::string& path) {
  // Where nothing was ever trusted, nothing is made.
  if (TRY(list()).empty()) return false;
  const sys::Fd turn = TRY(lock());
  std::vector<Entry> entries = TRY(list());
  if (std::erase_if(entries, [&](const Entry& entry) { return entry.path == path; }) == 0)
    return false;
  TRY(save(entries));
  return true;
}

// Held while the file is read, changed and replaced: an entry of another process must not be lost.
Result<sys::Fd> TrustStore::lock() const {
  const size_t slash = file_.rfind('/');
  if (slash != file_.npos && slash > 0) TRY(sys::make_directories(file_.substr(0, slash), 0700));
  return sys::lock_file(file_ + ".lock", kLockWait);
}

Result<void> TrustStore::save(const std::vector<Entry>& entries) const {
  std::string text;
  for (const Entry& entry : entries) text += fmt::format("{}{}{}\n", entry.hash, kGap, entry.path);
  return sys::replace_file(file_, text, 0600);
}

}  // namespace helve::config
