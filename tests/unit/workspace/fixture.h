// A workspace over a new directory `in`, with a neighbour `out` that must stay as it is.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "unit/workspace/temp_tree.h"
#include "workspace/workspace.h"

namespace helve::workspace {

struct Written {
  bool created = false;
};
// One file as a change of its own.
inline Result<Written> write_file(Workspace& files, const std::string& path,
                                  std::string_view content,
                                  OnConflict on_conflict = OnConflict::overwrite) {
  const Change change{.path = path, .content = std::string(content), .on_conflict = on_conflict};
  const Applied applied = TRY(files.apply({&change, 1}, {}));
  return Written{applied.files.at(0).what == Changed::What::created};
}

class WorkspaceTest : public testing::Test {
 protected:
  WorkspaceTest() {
    tree.directory("in");
    tree.file("out/secret", "secret");
  }

  // The tests are about what happens, not about power failures: nothing is synced unless asked for.
  std::unique_ptr<Workspace> open(Durability durability = Durability::unsynced) const {
    auto made = Workspace::make({.roots = {{tree.path("in")}}, .durability = durability});
    if (!made) ADD_FAILURE() << describe(made.error());
    return made ? std::move(*made) : nullptr;
  }

  // The same with a journal, which the next one opened so finds again.
  std::unique_ptr<Workspace> journaled(const std::string& journal = "",
                                       JournalLimits limits = {}) const {
    auto made =
        Workspace::make({.roots = {{tree.path("in")}},
                         .durability = Durability::unsynced,
                         .journal_directory = journal.empty() ? tree.path("journal") : journal,
                         .journal_limits = limits});
    if (!made) ADD_FAILURE() << describe(made.error());
    return made ? std::move(*made) : nullptr;
  }

  Error read_error(const std::string& path) const {
    auto file = open()->open_file(path);
    return file ? Error{Code::internal, "it was opened"} : file.error();
  }
  Error write_error(const std::string& path, OnConflict on_conflict = OnConflict::overwrite) const {
    auto written = write_file(*open(), path, "new", on_conflict);
    return written ? Error{Code::internal, "it was written"} : written.error();
  }

  TempTree tree;
};

// Code and type in one string, for comparisons that show both.
inline std::string kind_of(const Error& error) {
  return std::string(name_of(error.code)) + " " + std::string(error.type_name());
}

inline bool has(std::string_view text, std::string_view part) {
  return text.find(part) != text.npos;
}

}  // namespace helve::workspace
