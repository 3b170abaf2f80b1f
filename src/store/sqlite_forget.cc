// Forgetting versions of documents in SQLite.
#include "base/result.h"
#include "store/sqlite_documents.h"

namespace helve::store {

// The changes to forget are collected first: what is a document's latest version, and how old it
// is, must not be asked while they go. Versions are counted, as their numbers may have gaps.
Result<Forgotten> SqliteDocuments::forget(const Forget& what) {
  // For good: what is forgotten is overwritten in the file, which not every SQLite does by itself.
  TRY(database_.execute("PRAGMA secure_delete=ON"));
  Transaction transaction = TRY(Transaction::begin(database_, durability_));
  const std::int64_t shelf = TRY(this->shelf());
  TRY(database_.execute(
      "CREATE TEMP TABLE IF NOT EXISTS forgotten "
      "(change INTEGER PRIMARY KEY, document INTEGER, whole INTEGER, bytes INTEGER);"
      "DELETE FROM temp.forgotten"));
  Statement choose = TRY(database_.prepare(R"sql(
INSERT INTO temp.forgotten
SELECT change, document, whole, bytes FROM (
  SELECT change, document, bytes, latest, EXISTS (
           SELECT 1 FROM document_versions AS l
           WHERE l.change = latest AND l.removed = 1 AND l.created_ms < ?4) AS whole,
         row_number() OVER (PARTITION BY document ORDER BY number DESC) AS place
  FROM document_log
  WHERE shelf = ?1
    AND (?2 = '' OR path = ?2 OR substr(path, 1, length(?2) + 1) = ?2 || '/'))
WHERE whole OR (change <> latest AND place > ?3))sql"));
  choose.integer(1, shelf).text(2, what.under);
  choose.integer(3, what.keep ? static_cast<std::int64_t>(*what.keep) : INT64_MAX);
  TRY(choose.integer(4, what.removed_before_ms.value_or(INT64_MIN)).run());

  Forgotten forgotten;
  {
    Statement count = TRY(database_.prepare(R"sql(
SELECT count(*), count(DISTINCT CASE WHEN whole THEN document END), coalesce(sum(bytes), 0)
FROM temp.forgotten)sql"));
    TRY(count.step());
    forgotten = {.versions = static_cast<std::uint64_t>(count.integer_at(0)),
                 .documents = static_cast<std::uint64_t>(count.integer_at(1)),
                 .bytes = static_cast<std::uint64_t>(count.integer_at(2))};
  }
  if (what.rehearse || forgotten.versions == 0) return forgotten;
  TRY(database_.execute(
      "DELETE FROM document_contents WHERE version IN (SELECT change FROM temp.forgotten);"
      "DELETE FROM document_versions WHERE change IN (SELECT change FROM temp.forgotten);"
      "DELETE FROM documents WHERE key IN (SELECT document FROM temp.forgotten WHERE whole)"));
  Statement count = TRY(database_.prepare(
      "UPDATE shelves SET forgets = forgets + 1, documents = documents - ?2 WHERE key = ?1"));
  TRY(count.integer(1, shelf).integer(2, static_cast<std::int64_t>(forgotten.documents)).run());
  TRY(transaction.commit());
  return forgotten;
}

}  // namespace helve::store
