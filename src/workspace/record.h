// Record: what one change set did, as the journal keeps it. Written before anything is staged, and
// completed before the first name changes, so that whoever finds it after a crash can finish the
// change or take it back.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "workspace/change.h"
#include "workspace/digest.h"

namespace helve::workspace {

constexpr std::uint64_t kMaxKeptFile = kMaxWrite;  // bytes of one file; larger ones are not kept
constexpr size_t kMaxRecord = 16u << 20;           // bytes

struct Record {
  struct File {
    Changed::What what = Changed::What::created;
    sys::FileKind kind = sys::FileKind::file;
    std::string path;     // absolute, without links
    std::string to = {};  // moved: likewise
    // What was there before, or what is staged: this name in the journal, or beside the path.
    std::string temporary = {};
    bool beside = false;
    Version old = {};  // unless it was created
    std::uint32_t old_mode = 0;
    std::optional<std::uint32_t> new_mode = {};  // replaced: when it is not the old one
    std::optional<Digest> old_digest = {};       // once it was taken into the objects
    std::optional<Digest> new_digest = {};       // of a file that was created or replaced
    // A file that a command changed, whose old content is in a repository of git.
    std::string old_blob = {};
    std::string repository = {};         // absolute
    bool undoable = true;                // false: what was there was too large to be kept
    std::optional<Version> staged = {};  // of a file that was created or replaced
  };

  std::string id;
  std::string tool = {};
  std::string call_id = {};
  std::string session = {};
  std::string owner = {};    // sys::process_identity()
  std::string machine = {};  // sys::machine_identity(); empty: an earlier helve wrote the record
  // Since 1970; no two changes of a process have the same. A newer change has a later one, even
  // when the clock was set back. Of one that is made the name of its file tells it.
  std::int64_t time_ns = 0;
  std::int64_t begun_ns = 0;  // an earlier time, by which it was named until it was made; 0: none
  std::int64_t clock_ns = 0;  // what the clock said; 0: the same
  std::vector<Undoing> undoes = {};
  std::vector<std::string> made = {};  // directories, absolute, outermost first
  std::vector<std::string> left = {};  // directories that go when they are empty, innermost first
  std::vector<File> files = {};
  // A file that was written anew by another name, and removed: what its author meant as a move.
  struct Rename {
    std::string from, to;  // absolute
  };
  std::vector<Rename> renames = {};
  // The same where `to` took the place of another file, or another one took that of `from`: to undo
  // one of the two alone would leave what `from` held in no file.
  std::vector<Rename> handed_on = {};
  // Absolute paths that a command changed besides, and that cannot be restored.
  std::vector<std::string> unknown = {};
  bool is_of_this_version = true;  // false: read from a file that another helve wrote

  // When it was made, by the clock.
  std::int64_t made_ns() const { return clock_ns == 0 ? time_ns : clock_ns; }
  std::int64_t time_ms() const { return made_ns() / 1'000'000; }
  // Of the file that holds it: the order of names is that of time.
  std::string name() const;
  std::string begun_name() const;
  // Of what file `index` was before, in the journal.
  std::string kept_name(size_t index) const;
  std::string text() const;
  // What follows the text once all is staged.
  std::string staged_text() const;
  // Nothing when the text was not written to its end. What follows it counts only as a whole.
  // Whether the text, which cannot be parsed, begins as a record of a version that is not known
  // yet.
  static bool is_of_version_to_come(std::string_view text);
  static std::optional<Record> parse(std::string_view text);
};

}  // namespace helve::workspace
