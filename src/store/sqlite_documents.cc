#include "store/sqlite_documents.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/diff.h"
#include "base/hash.h"
#include "base/text.h"
#include "store/sqlite_store.h"
#include "sys/clock.h"

namespace helve::store {
namespace {

constexpr std::uint64_t kWrittenAtOnce = 1u << 20;  // bytes of a content

std::int64_t signed_of(std::uint64_t number) { return static_cast<std::int64_t>(number); }
std::uint64_t unsigned_of(std::int64_t number) { return static_cast<std::uint64_t>(number); }

// A row of document_log.
DocumentVersion version_at(const Statement& row) {
  return {.path = row.bytes_at(0),
          .number = unsigned_of(row.integer_at(1)),
          .mime_type = row.bytes_at(2),
          .source = {.kind = row.bytes_at(3),
                     .from = row.bytes_at(4),
                     .modified_ms = row.integer_at(5),
                     .hash = row.bytes_at(6)},
          .note = row.bytes_at(7),
          .agent = row.bytes_at(8),
          .session = row.bytes_at(9),
          .created_ms = row.integer_at(10),
          .is_removed = row.integer_at(11) != 0,
          .bytes = unsigned_of(row.integer_at(12)),
          .lines = unsigned_of(row.integer_at(13)),
          .hash = row.bytes_at(14),
          .change = row.integer_at(15),
          .is_latest = row.integer_at(15) == row.integer_at(16)};
}

Result<std::vector<DocumentVersion>> rows_of(Statement query) {
  std::vector<DocumentVersion> found;
  while (TRY(query.step())) found.push_back(version_at(query));
  return found;
}

std::string shown(std::string_view path) { return escape_for_display(preview(path, 200)); }

Error unknown_document(std::string_view path) {
  return {.code = Code::not_found,
          .message = fmt::format("no document '{}'", shown(path)),
          .hint = "kb_list shows what there is, kb_search finds it by its content",
          .type = "unknown_document"};
}

Error removed_document(std::string_view path, std::uint64_t number) {
  return {.code = Code::not_found,
          .message = fmt::format("the document '{}' was removed", shown(path)),
          .hint = number > 1 ? fmt::format("version {} has what it held", number - 1)
                             : "kb_list shows what there is",
          .type = "unknown_document"};
}

Error no_content(const DocumentVersion& version) {
  if (version.is_removed) return removed_document(version.path, version.number);
  return {.code = Code::not_found,
          .message = fmt::format("version {} of '{}' was just forgotten", version.number,
                                 shown(version.path)),
          .hint = "kb_versions shows those that are kept",
          .type = "unknown_version"};
}

// `number` is 0 where there is nothing.
Result<void> check_expected(const Draft& draft, std::uint64_t number) {
  const std::string path = shown(draft.version.path);
  switch (draft.expected.what) {
    case Expected::What::anything:
      if (draft.version.is_removed && number == 0) return unknown_document(draft.version.path);
      return {};
    case Expected::What::nothing:
      if (number == 0) return {};
      return Error{
          .code = Code::conflict,
          .message = fmt::format("there is a document '{}' already: version {}", path, number),
          .hint =
              "look at it first: kb_read shows it; then choose another path, or pass "
              "on_conflict=overwrite for a new version",
          .type = "path_conflict"};
    case Expected::What::version:
      if (number == draft.expected.number) return {};
      if (number == 0) return unknown_document(draft.version.path);
      return version_conflict({.path = draft.version.path, .number = number},
                              draft.expected.number);
  }
  return {};
}

// What a draft holds, in pieces or in one.
class ContentOf final : public LongText {
 public:
  explicit ContentOf(const Draft& draft) : draft_(draft) {}
  void read(const Take& take) const override {
    if (draft_.long_content)
      draft_.long_content->read(take);
    else
      take(draft_.content);
  }

 private:
  const Draft& draft_;
};

Result<DocumentVersion> measured(const Draft& draft) {
  DocumentVersion version = draft.version;
  version.bytes = version.lines = 0;
  Sha256 hash;
  bool ends_line = true;
  ContentOf(draft).read([&](std::string_view piece) {
    version.bytes += piece.size();
    if (version.bytes > kMaxDocumentBytes) return false;
    hash.add(piece);
    version.lines += count_newlines(piece);
    if (!piece.empty()) ends_line = piece.ends_with('\n');
    return true;
  });
  if (version.bytes > kMaxDocumentBytes)
    return Error{Code::too_large,
                 fmt::format("'{}' would have {}", shown(version.path), human_size(version.bytes)),
                 fmt::format("a document has at most {}", human_size(kMaxDocumentBytes))};
  if (!ends_line) ++version.lines;
  version.hash = version.is_removed ? "" : hash.hex();
  return version;
}

// Text sorts before bytes, so that no path comes after these.
void bind_under(Statement& query, int lowest, int beyond, std::string_view under,
                std::string& end) {
  query.text(lowest, under);
  end = fmt::format("{}0", under);  // what comes after the slash
  if (under.empty())
    query.blob(beyond, "");
  else
    query.text(beyond, end);
}

}  // namespace

std::unique_ptr<Documents> SqliteStore::documents(std::string shelf) {
  return std::make_unique<SqliteDocuments>(*database_, std::move(shelf), promised_, clock_);
}

Result<std::int64_t> SqliteDocuments::shelf() {
  Statement query = TRY(database_.prepare("SELECT key FROM shelves WHERE name = ?1"));
  return TRY(query.blob(1, name_).step()) ? query.integer_at(0) : 0;
}

Result<std::int64_t> SqliteDocuments::make_shelf() {
  if (const std::int64_t known = TRY(shelf()); known != 0) return known;
  if (name_.size() > kMaxPath)
    return Error{Code::invalid_argument, "the path of the workspace is too long for a shelf",
                 fmt::format("at most {} bytes", kMaxPath)};
  Statement insert = TRY(database_.prepare(
      "INSERT INTO shelves (name, documents, forgets) VALUES (?1, 0, 0) RETURNING key"));
  TRY(insert.blob(1, name_).step());
  const std::int64_t key = insert.integer_at(0);
  TRY(insert.run());
  return key;
}

Result<std::optional<DocumentVersion>> SqliteDocuments::latest(std::string_view path) {
  Statement query = TRY(database_.prepare(
      "SELECT * FROM document_log WHERE shelf = ?1 AND path = ?2 AND change = latest"));
  if (!TRY(query.integer(1, TRY(shelf())).text(2, path).step())) return std::nullopt;
  return version_at(query);
}

Result<SqliteDocuments::Place> SqliteDocuments::place_of(std::string_view path) {
  Statement query = TRY(database_.prepare(R"sql(
SELECT document, number, removed FROM document_log
WHERE shelf = (SELECT key FROM shelves WHERE name = ?1) AND path = ?2 AND change = latest)sql"));
  if (!TRY(query.blob(1, name_).text(2, path).step())) return Place{};
  return Place{.key = query.integer_at(0),
               .number = unsigned_of(query.integer_at(1)),
               .is_removed = query.integer_at(2) != 0};
}

Result<SqliteDocuments::Place> SqliteDocuments::make_place(std::string_view path) {
  const std::int64_t shelf = TRY(make_shelf());
  Statement count = TRY(database_.prepare(
      "UPDATE shelves SET documents = documents + 1 WHERE key = ?1 RETURNING documents"));
  TRY(count.integer(1, shelf).step());
  if (unsigned_of(count.integer_at(0)) > kMaxDocuments)
    return Error{
        Code::too_large,
        fmt::format("there are {} documents already, removed ones among them", kMaxDocuments),
        "kb_prune forgets what was removed"};
  TRY(count.run());
  Statement insert = TRY(database_.prepare(
      "INSERT INTO documents (shelf, path, latest, number) VALUES (?1, ?2, 0, 0) RETURNING key"));
  TRY(insert.integer(1, shelf).text(2, path).step());
  Place place{.key = insert.integer_at(0)};
  TRY(insert.run());
  return place;
}

Result<void> SqliteDocuments::add_version(const Place& place, DocumentVersion& version,
                                          const Draft& draft) {
  if (version.number > kMaxVersionNumber)
    return Error{Code::too_large,
                 fmt::format("'{}' has version {}, and none can follow it", shown(version.path),
                             kMaxVersionNumber),
                 "kb_move takes what it holds to another path"};
  if (version.number > kMaxVersions) {
    Statement count =
        TRY(database_.prepare("SELECT count(*) FROM document_versions WHERE document = ?1"));
    TRY(count.integer(1, place.key).step());
    if (unsigned_of(count.integer_at(0)) >= kMaxVersions)
      return Error{Code::too_large,
                   fmt::format("'{}' has {} versions already", shown(version.path), kMaxVersions),
                   "kb_prune forgets old versions"};
  }
  Statement insert = TRY(database_.prepare(R"sql(
INSERT INTO document_versions (document, number, mime_type, source, source_from, source_ms,
  source_hash, note, agent, session, created_ms, removed, bytes, lines, hash)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15) RETURNING change)sql"));
  insert.integer(1, place.key).integer(2, signed_of(version.number));
  insert.text(3, cut_utf8(version.mime_type, kMaxName)).text(4, version.source.kind);
  insert.blob(5, cut_utf8(version.source.from, kMaxPath)).integer(6, version.source.modified_ms);
  insert.text(7, cut_utf8(version.source.hash, kMaxName));
  insert.blob(8, cut_utf8(version.note, kMaxChangeNote));
  insert.text(9, cut_utf8(version.agent, kMaxName)).text(10, cut_utf8(version.session, kMaxName));
  insert.integer(11, version.created_ms).integer(12, version.is_removed ? 1 : 0);
  insert.integer(13, signed_of(version.bytes)).integer(14, signed_of(version.lines));
  TRY(insert.text(15, version.hash).step());
  version.change = insert.integer_at(0);
  TRY(insert.run());
  if (!version.is_removed) TRY(add_content(version, draft));
  Statement update =
      TRY(database_.prepare("UPDATE documents SET latest = ?2, number = ?3 WHERE key = ?1"));
  update.integer(1, place.key).integer(2, version.change).integer(3, signed_of(version.number));
  return update.run();
}

// SQLite holds a row as a whole before it writes it, unless it is filled afterwards.
Result<void> SqliteDocuments::add_content(const DocumentVersion& version, const Draft& draft) {
  Statement keep =
      TRY(database_.prepare("INSERT INTO document_contents (version, content) VALUES (?1, ?2)"));
  keep.integer(1, version.change);
  if (!draft.long_content && version.bytes <= kWrittenAtOnce)
    return keep.blob(2, draft.content).run();
  TRY(keep.zeros(2, version.bytes).run());
  return database_.fill({"document_contents", "content", version.change}, ContentOf(draft));
}

Result<std::vector<DocumentVersion>> SqliteDocuments::write(std::span<const Draft> drafts) {
  std::vector<DocumentVersion> written;
  for (const Draft& draft : drafts) {
    DocumentVersion& version = written.emplace_back(TRY(measured(draft)));
    version.created_ms = clock_.unix_ms();
    version.is_latest = true;
  }
  Transaction transaction = TRY(Transaction::begin(database_, durability_));
  for (size_t i = 0; i < drafts.size(); ++i) {
    Place place = TRY(place_of(written[i].path));
    TRY(check_expected(drafts[i], place.is_removed ? 0 : place.number));
    if (place.key == 0) place = TRY(make_place(written[i].path));
    written[i].number = place.number + 1;
    TRY(add_version(place, written[i], drafts[i]));
  }
  TRY(transaction.commit());
  return written;
}

Result<void> SqliteDocuments::restore(std::span<const Draft> versions) {
  std::vector<DocumentVersion> restored;
  for (const Draft& draft : versions) restored.push_back(TRY(measured(draft)));
  Transaction transaction = TRY(Transaction::begin(database_, durability_));
  Place place;
  for (size_t i = 0; i < restored.size(); ++i) {
    const bool goes_on = i > 0 && restored[i].path == restored[i - 1].path;
    const std::uint64_t before = goes_on ? restored[i - 1].number : 0;
    if (restored[i].number <= before || restored[i].number > kMaxVersionNumber)
      return Error{Code::invalid_argument,
                   fmt::format("the versions of '{}' are out of order: {} after {}",
                               shown(restored[i].path), restored[i].number, before),
                   fmt::format("they grow, up to {}", kMaxVersionNumber)};
    if (!goes_on) {
      if (TRY(place_of(restored[i].path)).key != 0)
        return Error{
            .code = Code::conflict,
            .message = fmt::format("there is a document '{}' already", shown(restored[i].path)),
            .type = "path_conflict"};
      place = TRY(make_place(restored[i].path));
    }
    TRY(add_version(place, restored[i], versions[i]));
  }
  return transaction.commit();
}

Result<DocumentVersion> SqliteDocuments::find(std::string_view path,
                                              std::optional<std::uint64_t> number) {
  std::optional<DocumentVersion> found = TRY(latest(path));
  if (!found) return unknown_document(path);
  if (!number) {
    if (found->is_removed) return removed_document(path, found->number);
    return std::move(*found);
  }
  Statement query = TRY(database_.prepare(
      "SELECT * FROM document_log WHERE shelf = ?1 AND path = ?2 AND number = ?3"));
  query.integer(1, TRY(shelf())).text(2, path).integer(3, signed_of(*number));
  if (TRY(query.step())) return version_at(query);
  return Error{
      .code = Code::not_found,
      .message = fmt::format("'{}' has no version {}", shown(path), *number),
      .hint = fmt::format("the latest is {}; kb_versions shows those that are kept", found->number),
      .type = "unknown_version"};
}

Result<std::string> SqliteDocuments::content(const DocumentVersion& version) {
  Statement query =
      TRY(database_.prepare("SELECT content FROM document_contents WHERE version = ?1"));
  if (TRY(query.integer(1, version.change).step())) return query.bytes_at(0);
  return no_content(version);
}

Result<void> SqliteDocuments::read(const DocumentVersion& version, const LongText::Take& take) {
  // While it stands at the row, nobody takes that away.
  Statement query = TRY(database_.prepare("SELECT 1 FROM document_contents WHERE version = ?1"));
  if (!TRY(query.integer(1, version.change).step())) return no_content(version);
  return database_.read({"document_contents", "content", version.change}, take);
}

Result<std::vector<DocumentVersion>> SqliteDocuments::list(const DocumentFilter& filter) {
  Statement query = TRY(database_.prepare(R"sql(
SELECT * FROM document_log
WHERE shelf = ?1 AND change = latest AND path >= ?2 AND path < ?3 AND path > ?4
  AND (removed = 0 OR ?5)
  AND (?2 = '' OR path = ?2 OR substr(path, 1, length(?2) + 1) = ?2 || '/')
ORDER BY path LIMIT ?6)sql"));
  std::string end;
  bind_under(query, 2, 3, filter.under, end);
  query.integer(1, TRY(shelf())).text(4, filter.after).integer(5, filter.removed ? 1 : 0);
  query.integer(6, signed_of(std::min(filter.limit, kMaxDocumentsListed)));
  return rows_of(std::move(query));
}

Result<std::vector<DocumentVersion>> SqliteDocuments::versions(std::string_view path,
                                                               size_t limit) {
  Statement query = TRY(database_.prepare(R"sql(
SELECT * FROM document_log WHERE shelf = ?1 AND path = ?2 ORDER BY number DESC LIMIT ?3)sql"));
  query.integer(1, TRY(shelf())).text(2, path).integer(3, signed_of(limit));
  std::vector<DocumentVersion> found = TRY(rows_of(std::move(query)));
  if (found.empty()) return unknown_document(path);
  return found;
}

Result<Totals> SqliteDocuments::totals(std::string_view under) {
  Statement query = TRY(database_.prepare(R"sql(
SELECT count(*) FILTER (WHERE change = latest AND removed = 0),
       count(*) FILTER (WHERE change = latest AND removed = 1), count(*),
       coalesce(sum(bytes) FILTER (WHERE change = latest), 0), coalesce(sum(bytes), 0)
FROM document_log
WHERE shelf = ?1 AND path >= ?2 AND path < ?3
  AND (?2 = '' OR path = ?2 OR substr(path, 1, length(?2) + 1) = ?2 || '/'))sql"));
  std::string end;
  bind_under(query, 2, 3, under, end);
  TRY(query.integer(1, TRY(shelf())).step());
  return Totals{.documents = unsigned_of(query.integer_at(0)),
                .removed = unsigned_of(query.integer_at(1)),
                .versions = unsigned_of(query.integer_at(2)),
                .bytes = unsigned_of(query.integer_at(3)),
                .stored_bytes = unsigned_of(query.integer_at(4))};
}

// Of all shelves: whoever sees that another has changed looks once in vain.
Result<ShelfState> SqliteDocuments::state() {
  Statement query = TRY(database_.prepare(R"sql(
SELECT (SELECT coalesce(max(change), 0) FROM document_versions),
       coalesce((SELECT forgets FROM shelves WHERE name = ?1), 0))sql"));
  TRY(query.blob(1, name_).step());
  return ShelfState{.change = query.integer_at(0), .forgets = query.integer_at(1)};
}

Result<std::vector<DocumentVersion>> SqliteDocuments::changed_after(std::int64_t change,
                                                                    size_t limit) {
  Statement query = TRY(database_.prepare(R"sql(
SELECT * FROM document_log WHERE shelf = ?1 AND change > ?2 ORDER BY change LIMIT ?3)sql"));
  query.integer(1, TRY(shelf())).integer(2, change);
  query.integer(3, signed_of(std::min(limit, kMaxDocumentsListed)));
  return rows_of(std::move(query));
}

}  // namespace helve::store
