// Files that a command changed or would change, as tools show them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "search/witness.h"
#include "tool/make.h"
#include "workspace/workspace.h"

namespace helve::tools {

enum class ChangeOfFile : unsigned char { created, changed, removed, renamed, mode };
enum class KindOfFile : unsigned char { file, directory, symlink, other };
KindOfFile kind_of(sys::FileKind kind);

struct ChangedFile {
  std::string path;
  ChangeOfFile change = ChangeOfFile::created;
  KindOfFile kind = KindOfFile::file;
  std::optional<std::string> from;
  std::optional<std::int64_t> files;
  std::optional<std::int64_t> added, removed;
  std::optional<std::string> old_mode, new_mode;

  static constexpr auto schema() {
    return object("What becomes of one path.", arg<&ChangedFile::path>("Relative to the workspace"),
                  arg<&ChangedFile::change>("What happens to it; mode: only to its permissions"),
                  arg<&ChangedFile::kind>("What it is; a new directory stands for all it holds"),
                  opt<&ChangedFile::from>("The name it had before"),
                  opt<&ChangedFile::files>("In a directory that came or went"),
                  opt<&ChangedFile::added>("Lines"), opt<&ChangedFile::removed>("Lines"),
                  opt<&ChangedFile::old_mode>("Its permissions before, in octal, when they change"),
                  opt<&ChangedFile::new_mode>("The new ones"));
  }
};

// What was seen, in as few lines as tell it: a directory stands for all that came or went with it.
std::vector<ChangedFile> changed_files(const std::vector<search::Sighting>& sightings,
                                       const workspace::Workspace& files);

// "created a.txt (+3)", a line each.
std::string text_of(const std::vector<ChangedFile>& files);
// "M a.c"
std::string short_text(const ChangedFile& file);

}  // namespace helve::tools
