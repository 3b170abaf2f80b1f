// The part of workspace/journal.h about its size: objects, what they replace, and what is
// forgotten.
#include <fmt/core.h>
#include <zstd.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "sys/directory.h"
#include "sys/file.h"
#include "sys/owner.h"
#include "workspace/journal.h"
#include "workspace/take_in.h"
#include "workspace/tree.h"

namespace helve::workspace {
namespace {

constexpr int kLevel = 3;
constexpr std::int64_t kPause = 60 * 60 * 1000;  // ms between two that tidy
constexpr std::string_view kLock = "tidy.lock";
constexpr size_t kPerPass = 20'000;              // names that are looked at
constexpr std::uint64_t kMaxPacked = 64u << 20;  // bytes in one go; whoever ends waits for it

Error damaged(const Digest& digest) {
  return {Code::internal, fmt::format("what the journal kept under '{}' is damaged", digest.text()),
          "it cannot be restored", "journal_damaged"};
}

// Temporary files of those who were killed.
void sweep(const sys::Fd& directory, std::int64_t now_ms) {
  std::vector<std::string> found;
  (void)sys::for_each_entry(directory, [&](const sys::DirectoryEntry& entry) {
    if (entry.name.starts_with(".helve-tmp-")) found.emplace_back(entry.name);
    return found.size() < kPerPass;
  });
  for (const std::string& name : found) {
    const auto status = sys::status_at(directory, name);
    if (status && now_ms - status->modified_ms() > kPause) {
      (void)sys::remove_file_at(directory, name);
    }
  }
}

sys::OrErrno<std::vector<std::string>> names_in(const sys::Fd& directory) {
  std::vector<std::string> names;
  const auto read = sys::for_each_entry(directory, [&](const sys::DirectoryEntry& entry) {
    names.emplace_back(entry.name);
    return names.size() < kPerPass;
  });
  if (!read) return std::unexpected(read.error());
  return names;
}

std::uint64_t size_at(const sys::Fd& directory, const std::string& name) {
  const auto status = sys::status_at(directory, name);
  if (!status) return 0;
  if (status->kind != sys::FileKind::directory) return status->size;
  const auto inner = sys::open_beneath(directory, name, sys::Open::directory, sys::Links::refuse);
  std::uint64_t bytes = 0;
  if (inner) {
    (void)walk_tree(*inner, [&](const TreeEntry& entry) {
      if (const auto one = sys::status_at(entry.directory, entry.name)) bytes += one->size;
      return true;
    });
  }
  return bytes;
}

// Whether content and mode are all that the file has: then nothing is lost when only they are kept.
bool is_plain(const sys::Fd& directory, const std::string& name) {
  const auto file = sys::open_beneath(directory, name, sys::Open::read, sys::Links::refuse);
  if (!file) return false;
  const auto status = sys::status(*file);
  return status && status->user == sys::effective_user() &&
         status->group == sys::effective_group() && (status->mode & 07000) == 0 &&
         status->links == 1 && !sys::has_extended_attributes(*file);
}

}  // namespace

Result<void> Journal::write_object(const Digest& digest, std::string_view content) {
  // After a power failure a name may have come without its content.
  if (sys::status_at(objects_, digest.text()) && read_object(digest)) return {};
  std::string packed(ZSTD_compressBound(content.size()), 0);
  const size_t size =
      ZSTD_compress(packed.data(), packed.size(), content.data(), content.size(), kLevel);
  if (ZSTD_isError(size)) return damaged(digest);
  const std::string name = sys::temporary_name();
  auto file = sys::create_new(objects_, name);
  if (!file) return sys::to_error(file.error(), "write the journal", path_);
  auto done = sys::write_all(*file, std::string_view(packed).substr(0, size));
  if (done) done = sys::rename_at(objects_, name, digest.text(), sys::Rename::replace);
  if (done) return {};
  (void)sys::remove_file_at(objects_, name);
  return sys::to_error(done.error(), "write the journal", path_);
}

Result<std::string> Journal::read_object(const Digest& digest) {
  const auto file = sys::open_beneath(objects_, digest.text(), sys::Open::read, sys::Links::refuse);
  if (!file) {
    return Error{Code::not_found, "what was there before is not kept any more",
                 "the journal keeps as much as its limits allow", "not_kept"};
  }
  const auto status = sys::status(*file);
  if (!status || digest.size > kMaxKeptFile || status->size > ZSTD_compressBound(kMaxKeptFile)) {
    return damaged(digest);
  }
  std::string packed(status->size, 0), content(digest.size, 0);
  const auto got = sys::read_at(*file, packed, 0);
  if (!got || *got != packed.size()) return damaged(digest);
  const size_t size = ZSTD_decompress(content.data(), content.size(), packed.data(), packed.size());
  if (ZSTD_isError(size) || size != content.size()) return damaged(digest);
  if (digest_of(content, seed_) != digest) return damaged(digest);
  return content;
}

// Files only: a directory or a link is kept as it is. The names in kept/ that are not needed once
// the record is amended.
std::vector<std::string> Journal::pack(Record& record, std::uint64_t& budget) {
  std::vector<std::string> packed;
  for (size_t i = 0; i < record.files.size(); ++i) {
    Record::File& file = record.files[i];
    const bool had_file =
        file.what == Changed::What::replaced || file.what == Changed::What::removed;
    if (!had_file || file.kind != sys::FileKind::file || file.old_digest || !file.undoable)
      continue;
    if (file.old.size > budget || !is_plain(kept_, record.kept_name(i))) continue;
    const Result<std::string> content = old_content(record, i, kMaxKeptFile);
    if (!content) continue;
    budget -= std::min<std::uint64_t>(budget, content->size());
    const Digest digest = digest_of(*content, seed_);
    if (!write_object(digest, *content)) continue;
    file.old_digest = digest;
    packed.push_back(record.kept_name(i));
  }
  return packed;
}

// What replaces the only copy must be there after a power failure, too.
void Journal::drop_packed(const std::vector<Record>& records,
                          const std::vector<std::string>& packed) {
  if (packed.empty() || !sys::sync_file_system(objects_)) return;
  const Result<sys::Fd> held = lock_records();
  if (!held) return;
  for (const Record& record : records) {
    // It may have been amended since it was loaded.
    std::optional<Record> now = load_name(record.name());
    if (!now || now->files.size() != record.files.size()) return;
    for (size_t i = 0; i < record.files.size(); ++i) {
      now->files[i].old_digest = record.files[i].old_digest;
    }
    if (!amend(*now)) return;
  }
  if (!sys::sync_file_system(objects_)) return;
  for (const std::string& name : packed) (void)sys::remove_file_at(kept_, name);
}

bool Journal::is_due(std::int64_t now_ms) {
  const auto status = sys::status_at(directory_, "tidied");
  if (!status) {
    // A new journal has nothing to tidy.
    (void)sys::replace_file(path_ + "/tidied", "", 0600);
    return false;
  }
  return now_ms - status->modified_ms() > kPause || status->modified_ms() > now_ms;
}

void Journal::forget(const Record& record) {
  remember_ahead(0);
  (void)sys::remove_file_at(entries_, record.name());
  for (size_t i = 0; i < record.files.size(); ++i) {
    (void)remove_tree_at(kept_, record.kept_name(i));
  }
}

void Journal::drop_unreferenced(const std::vector<Record>& records, std::int64_t now_ms) {
  std::set<std::string> used, known;
  for (const Record& record : records) {
    known.insert(record.begun_name());
    for (const Record::File& file : record.files) {
      if (file.old_digest) used.insert(file.old_digest->text());
    }
  }
  const auto objects = names_in(objects_), pending = names_in(pending_), kept = names_in(kept_);
  // What is not known may be in use.
  if (!objects || !kept || !pending || pending->size() == kPerPass) return;
  for (const std::string& name : *objects) {
    if (!used.contains(name)) (void)sys::remove_file_at(objects_, name);
  }
  // A change that is being made right now has no entry yet, and its name may come later than this
  // look: what is young stays.
  std::set<std::string> begun;
  for (const std::string& name : *pending) begun.insert(change_in(name));
  for (const std::string& name : *kept) {
    const auto status = sys::status_at(kept_, name);
    const bool young = !status || now_ms - status->changed_ns / 1'000'000 < kPause;
    const std::string change = change_in(name);
    bool settled = known.contains(change);
    if (!settled) {
      // A start may have settled it after the records were listed.
      const auto entry = sys::status_at(entries_, change);
      settled = entry || entry.error() != std::errc::no_such_file_or_directory;
    }
    // A copy that was not finished belongs to nobody once its change is settled.
    const bool is_used = begun.contains(change) || (settled && !is_part(name));
    if (!young && !is_used) (void)remove_tree_at(kept_, name);
  }
}

void Journal::tidy(When when, std::int64_t now_ms) {
  if (!exists() || (when == When::due && !is_due(now_ms))) return;
  const Result<sys::Fd> held = lock(kLock, std::chrono::milliseconds(0));
  if (!held) return;
  (void)sys::replace_file(path_ + "/tidied", "", 0600);
  const auto names = list_names();
  if (!names) return;
  // Newest first: what comes after the limit goes.
  std::uint64_t total = 0, budget = kMaxPacked;
  bool all_known = names->size() < kMaxEntries;  // beyond it there may be more
  std::vector<Record> remaining, amended;
  std::vector<std::string> packed;
  for (const std::string& name : *names) {
    std::optional<Record> record = load_name(name);
    if (!record) {
      all_known = false;
      continue;
    }
    const bool is_young = now_ms - record->time_ms() <= limits_.max_age_ms;
    if (is_young && total <= limits_.max_bytes) {
      const std::vector<std::string> done = pack(*record, budget);
      packed.insert(packed.end(), done.begin(), done.end());
      total += size_of(*record);
      if (!done.empty()) amended.push_back(*record);
    }
    if (is_young && total <= limits_.max_bytes) {
      remaining.push_back(std::move(*record));
    } else {
      forget(*record);
    }
  }
  drop_packed(amended, packed);
  // What a record that cannot be read refers to is not known.
  if (all_known) drop_unreferenced(remaining, now_ms);
  sweep(directory_, now_ms);
  sweep(objects_, now_ms);
}

std::uint64_t Journal::size_of(const Record& record) const {
  std::uint64_t bytes = 0;
  for (size_t i = 0; i < record.files.size(); ++i) {
    const auto& digest = record.files[i].old_digest;
    bytes += digest ? size_at(objects_, digest->text()) : size_at(kept_, record.kept_name(i));
  }
  return bytes;
}

}  // namespace helve::workspace
