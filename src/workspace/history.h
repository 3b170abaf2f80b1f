// History: the changes that tools made to a workspace, as its journal tells them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "workspace/change.h"

namespace helve::workspace {

struct PastFile {
  Changed::What what = Changed::What::created;
  std::string path;     // as the workspace shows it
  std::string to = {};  // moved: where to
  bool is_directory = false;
  bool undone = false;
  // Lines; nothing when the contents are not known any more, or are no text.
  std::optional<size_t> added = {}, removed = {};
};
struct PastChange {
  std::string id;
  std::string tool;
  std::string session;
  std::int64_t time_ms = 0;
  bool undone = false;         // all of it
  bool partly_undone = false;  // some of its files
  std::vector<std::string> undoes = {};
  std::vector<PastFile> files = {};
};
struct PastQuery {
  std::string session = {};  // empty: all
  std::string path = {};     // a file or directory; empty: all
  size_t limit = 20;
};
struct Past {
  std::vector<PastChange> changes;  // newest first
  bool more = false;
};

// Which changes are meant: one, those of a session, those after one, or the newest.
struct Selection {
  std::string id = {};
  std::string session = {};
  std::string since = {};  // an id; it is not included
  std::string path = {};   // only this file, or what is in this directory
  // When none is named: the newest of this session, or of all if it has none and `any` is set.
  std::string own_session = {};
  bool any = false;
};

// A file before and after the selected changes. Nothing where there was no file.
struct Difference {
  std::string path;
  std::optional<std::string> before, after;
  std::string note = {};          // why there is no content
  std::string renamed_from = {};  // by which name the file was known before
  // As git has them (0100644, 0100755, 0120000 of a link, whose content is where it leads); 0 where
  // there is no content.
  std::uint32_t old_mode = 0, new_mode = 0;
};
struct Differences {
  std::vector<std::string> ids;  // newest first
  std::vector<Difference> files;
  std::uint64_t bytes = 0;  // of all contents
};

struct Undone {
  Applied applied;
  std::vector<std::string> ids;    // what was undone, newest first
  std::vector<std::string> tools;  // that made them
  std::vector<Difference> files;
  std::vector<std::string> passed_over = {};  // newer ones, before which all was as it is
};
enum class Rehearsal : bool { no, yes };

}  // namespace helve::workspace
