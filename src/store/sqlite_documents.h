// Documents in SQLite.
#pragma once

#include <string>

#include "store/documents.h"
#include "store/sqlite_database.h"

namespace helve::sys {
class Clock;
}

namespace helve::store {

class SqliteDocuments final : public Documents {
 public:
  // Borrows the database and the clock.
  SqliteDocuments(Database& database, std::string shelf, Durability durability,
                  const sys::Clock& clock)
      : database_(database), name_(std::move(shelf)), durability_(durability), clock_(clock) {}

  Result<std::vector<DocumentVersion>> write(std::span<const Draft> drafts) override;
  Result<void> restore(std::span<const Draft> versions) override;
  Result<DocumentVersion> find(std::string_view path, std::optional<std::uint64_t> number) override;
  Result<std::string> content(const DocumentVersion& version) override;
  Result<void> read(const DocumentVersion& version, const LongText::Take& take) override;
  Result<std::vector<DocumentVersion>> list(const DocumentFilter& filter) override;
  Result<std::vector<DocumentVersion>> versions(std::string_view path, size_t limit) override;
  Result<Totals> totals(std::string_view under) override;
  Result<ShelfState> state() override;
  Result<std::vector<DocumentVersion>> changed_after(std::int64_t change, size_t limit) override;
  Result<Forgotten> forget(const Forget& what) override;

 private:
  struct Place {  // of a document; without a key there is none
    std::int64_t key = 0;
    std::uint64_t number = 0;
    bool is_removed = true;
  };
  Result<std::int64_t> shelf();  // its key; 0: there is none yet
  Result<std::optional<DocumentVersion>> latest(std::string_view path);

  // These run inside a transaction.
  Result<std::int64_t> make_shelf();
  Result<Place> place_of(std::string_view path);
  Result<Place> make_place(std::string_view path);
  Result<void> add_version(const Place& place, DocumentVersion& version, const Draft& draft);
  Result<void> add_content(const DocumentVersion& version, const Draft& draft);

  Database& database_;
  const std::string name_;
  const Durability durability_;
  const sys::Clock& clock_;
};

}  // namespace helve::store
