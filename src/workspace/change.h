// Change: what is to become of one file. Several of them are one change set, which Workspace::apply
// makes as a whole or not at all.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sys/file_at.h"

namespace helve::workspace {

constexpr size_t kMaxWrite = 64u << 20;         // bytes of one file
constexpr size_t kMaxChanges = 4096;            // of one set
constexpr size_t kMaxChangeBytes = 512u << 20;  // of all contents of one set
constexpr size_t kMaxRemovedEntries = 4095;     // of a directory: undo copies each of them
constexpr size_t kMaxMovedEntries = 100'000;    // of a directory that moves, or is taken back

// Which content a file had. Two versions that are equal are the same bytes, unless somebody took
// pains to hide a change.
struct Version {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t size = 0;
  std::int64_t modified_ns = 0;
  std::int64_t changed_ns = 0;  // 0: not known

  static Version of(const sys::FileStatus& status) {
    return {status.device, status.inode, status.size, status.modified_ns, status.changed_ns};
  }
  // Whether the file with this version is still as `expected`.
  bool is(const Version& expected) const {
    return same_content(expected) &&
           (expected.changed_ns == 0 || expected.changed_ns == changed_ns);
  }
  // The same content, although it may have got another name, owner or mode since.
  bool same_content(const Version& other) const {
    return device == other.device && inode == other.inode && size == other.size &&
           modified_ns == other.modified_ns;
  }
};

// A whole file as it was read.
struct Snapshot {
  std::string content;
  Version version;
  std::string real_path;  // the same for every path that leads to the file
};

enum class OnConflict : unsigned char { overwrite, error };

struct Change {
  enum class Kind : unsigned char {
    write,    // a file, created or replaced
    remove,   // a file or a link; a directory with all it holds when `tree` is set
    move,     // a file, a link or a directory, within one file system
    restore,  // a copy of what the journal kept, where nothing is
  };
  Kind kind = Kind::write;
  std::string path;
  std::string content = {};  // write: the whole new content; restore: what tells it apart
  std::string to = {};       // move: where to; never over another, unless `replace` is set
  std::string like = {};     // write of a new file: takes owner, mode and attributes of this one
  // write: it is what `like` was until now; another change of the set removes or replaces that.
  bool is_rename = false;
  OnConflict on_conflict = OnConflict::overwrite;  // write
  std::optional<Version> expected = {};  // write, remove, move: anything else is a conflict
  // write: of a new file, or of one that does not keep its own.
  std::optional<std::uint32_t> mode = {};
  // write: also of a file that its mode protects. For a change that is about the mode.
  bool even_read_only = false;
  bool tree = false;  // remove
  // remove of a tree that is known to be as a change made it: also one with a repository in it, or
  // with more entries than are removed otherwise.
  bool takes_back = false;
  // write, remove, restore: also a prompt or a skill in the .helve of a root (is_guidance), which
  // file tools do not touch. Only for what knows what these may hold.
  bool even_guidance = false;
  bool replace = false;  // move: a file that has the new path is removed first
  // remove, move: before all others, so that another change of the set may take the path.
  bool makes_way = false;
  // restore: a name in a directory, which must stay open.
  const sys::Fd* kept_in = nullptr;
  std::string kept = {};
  sys::FileKind kind_kept = sys::FileKind::file;
};

// What a change takes back: another one, or some paths of it.
struct Undoing {
  std::string id;
  std::vector<std::string> paths = {};  // absolute; none: all of it

  bool operator==(const Undoing&) const = default;
};

// Who changes something, for the journal and for what a session has seen.
struct Author {
  std::string_view tool = {};
  std::string_view call_id = {};
  std::string_view session = {};
  std::vector<Undoing> undoes = {};
  std::int64_t after_ns = 0;  // the change comes after those until then, whatever the clock says
  // Directories, absolute and innermost first, that go with the change when nothing is left in
  // them.
  std::vector<std::string> leaves = {};
};

struct Changed {
  enum class What : unsigned char { created, replaced, removed, moved } what = What::created;
  std::string path;      // as the workspace shows it
  std::string to = {};   // moved: where to, likewise
  Version version = {};  // of the file as it is now
  Version old = {};      // of what was there, unless it was created
};

struct Applied {
  std::string id = {};  // names the change in the journal; empty when there is none
  // In the order asked for; what a move replaced comes before it.
  std::vector<Changed> files = {};
  std::vector<std::string> notes = {};  // what cannot be undone, and why
};

}  // namespace helve::workspace
