// Documents: texts under logical paths, kept in versions. Every write is a new version and nothing
// that was acknowledged goes by itself: a removed document is one whose latest version says so, and
// only prune() forgets.
//
// A Documents is one shelf: paths are keys in it, not files. Whole documents are written or none:
// after a kill there is no half of one. Two writers are safe; who builds on a version says which,
// and is told when another was faster.
//
// Thread rule: that of the Store that it comes from, which must outlive it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tool/long_text.h"

namespace helve::store {

constexpr size_t kMaxDocumentPath = 1'024;                     // bytes
constexpr size_t kMaxDocumentBytes = 256u << 20;               // of one version
constexpr std::uint64_t kMaxDocuments = 1'000'000;             // of a shelf
constexpr std::uint64_t kMaxVersions = 10'000;                 // of a document
constexpr std::uint64_t kMaxVersionNumber = (1ull << 53) - 1;  // exact in any JSON
constexpr size_t kMaxChangeNote = 1'000;                       // bytes; the rest is cut
constexpr size_t kMaxDocumentsListed = 10'000;                 // of one answer

// The path as the key it is: "./a//b/" is "a/b". An error names what is wrong with it.
Result<std::string> document_path(std::string_view path);

// Where a version's content came from, to be read again when that has changed.
struct Source {
  // inline, file, edit (of a file's text, whose source it keeps), result, pipe, query, copy, move,
  // import
  std::string kind = "inline";
  std::string from = {};         // a file's path, a result's id, a tool and its arguments, …
  std::int64_t modified_ms = 0;  // of a file
  std::string hash = {};         // of what was read, before it was converted

  // Whether there is a file that may have changed since.
  bool is_of_file() const { return kind == "file" || kind == "edit"; }
  bool operator==(const Source&) const = default;
};

struct DocumentVersion {
  std::string path;
  std::uint64_t number = 0;  // from 1; given by the store
  std::string mime_type = "text/plain";
  Source source = {};
  std::string note = {};  // what was changed, and why
  std::string agent = {}, session = {};
  std::int64_t created_ms = 0;
  bool is_removed = false;  // it has no content

  // Told by the store.
  std::uint64_t bytes = 0;
  std::uint64_t lines = 0;
  std::string hash = {};    // SHA-256 of the content
  std::int64_t change = 0;  // grows with every version that is written to the store
  bool is_latest = true;
};

// What a writer expects to be there.
struct Expected {
  enum class What : unsigned char { anything, nothing, version } what = What::anything;
  std::uint64_t number = 0;  // version

  static Expected anything() { return {}; }
  static Expected nothing() { return {What::nothing, 0}; }
  static Expected version(std::uint64_t number) { return {What::version, number}; }
};

struct Draft {
  DocumentVersion version;  // its path is a key
  std::string_view content = {};
  Expected expected = {};
  const LongText* long_content = nullptr;  // instead of the content
};

struct DocumentFilter {
  std::string under = {};  // that path and what lies below it; empty: all
  std::string after = {};  // only greater paths: to go on where a listing ended
  bool removed = false;    // also documents that were removed
  size_t limit = kMaxDocumentsListed;
};

struct Totals {
  std::uint64_t documents = 0;  // without the removed ones
  std::uint64_t removed = 0;
  std::uint64_t versions = 0;
  std::uint64_t bytes = 0;         // of the latest versions
  std::uint64_t stored_bytes = 0;  // of all
};

// What is forgotten: of every document below `under` the versions before its latest `keep`, and
// those that were removed before `removed_before_ms` as a whole. Never a latest version that has
// content.
struct Forget {
  std::string under = {};
  std::optional<std::uint64_t> keep = {};  // at least 1; empty: all
  std::optional<std::int64_t> removed_before_ms = {};
  bool rehearse = false;  // only count
};
struct Forgotten {
  std::uint64_t versions = 0;
  std::uint64_t documents = 0;  // as a whole
  std::uint64_t bytes = 0;
};

// Tells whether something changed since it was asked before.
struct ShelfState {
  std::int64_t change = 0;   // of the latest version
  std::int64_t forgets = 0;  // how often versions were forgotten

  bool operator==(const ShelfState&) const = default;
};

class Documents {
 public:
  virtual ~Documents() = default;

  // All or none; each path at most once. What was expected and is not there is a conflict:
  // path_conflict where there was to be nothing, version_conflict otherwise.
  virtual Result<std::vector<DocumentVersion>> write(std::span<const Draft> drafts) = 0;
  // Versions with their numbers and times, of documents that are not there: as they were written
  // elsewhere, those of a document together and in order. All or none; path_conflict where one is
  // there.
  virtual Result<void> restore(std::span<const Draft> versions) = 0;

  // The latest version, or that one. not_found (unknown_document, unknown_version) also for a
  // document that was removed, unless a version is named.
  virtual Result<DocumentVersion> find(std::string_view path,
                                       std::optional<std::uint64_t> number = {}) = 0;
  virtual Result<std::string> content(const DocumentVersion& version) = 0;
  // The same in pieces, as long as `take` wants more.
  virtual Result<void> read(const DocumentVersion& version, const LongText::Take& take) = 0;

  // In the order of their paths.
  virtual Result<std::vector<DocumentVersion>> list(const DocumentFilter& filter) = 0;
  // The newest first, also of a document that was removed.
  virtual Result<std::vector<DocumentVersion>> versions(std::string_view path, size_t limit) = 0;
  virtual Result<Totals> totals(std::string_view under) = 0;

  virtual Result<ShelfState> state() = 0;
  // What was written after that change, the oldest first.
  virtual Result<std::vector<DocumentVersion>> changed_after(std::int64_t change, size_t limit) = 0;

  virtual Result<Forgotten> forget(const Forget& what) = 0;
};

// Of a writer that builds on another version than the latest.
Error version_conflict(const DocumentVersion& latest, std::uint64_t expected);

// One document.
Result<DocumentVersion> write_document(Documents& documents, const Draft& draft);

}  // namespace helve::store
