// RecoveredFile: one file of a change whose process was killed. What became of it is told by who
// bears which name: files are known by their inodes, as the record has them.
#pragma once

#include <optional>
#include <string>

#include "workspace/journal.h"
#include "workspace/spot.h"

namespace helve::workspace {

// What became of taking one file back.
struct TakenBack {
  std::string problem = {};  // empty: it is as it was
  bool again = false;        // the next start must try again
  bool elsewhere = false;    // what was put aside is in a directory that is gone, not with us
};

// The record and the journal must outlive it. Holds no descriptor between two calls.
class RecoveredFile {
 public:
  RecoveredFile(const Journal& journal, const Record& record, size_t index, Spot spot,
                std::optional<Spot> to)
      : journal_(journal),
        file_(record.files[index]),
        kept_name_(record.kept_name(index)),
        spot_(std::move(spot)),
        to_(std::move(to)) {}

  const Record::File& file() const { return file_; }

  // Whether its step was done; unknown when somebody else acted since. Fails when it cannot be told
  // now.
  enum class Progress : unsigned char { not_done, done, unknown };
  sys::OrErrno<Progress> progress();
  // Whether what was there has its temporary name: then at least something was done.
  sys::OrErrno<bool> is_put_aside() const;
  // When what was removed got its temporary name, which only helve knows. Fails when it did not.
  sys::OrErrno<std::int64_t> put_aside_ns() const;

  // What came to its place goes, if it is what was staged, and nobody changed it.
  TakenBack take_away();
  // Then what made way comes back.
  TakenBack bring_back();
  // Then what was staged goes. Also when nothing was done.
  TakenBack discard();
  // The change is made: what was there goes into the journal from beside the new file.
  sys::OrErrno<void> take_in();

 private:
  // Who bears the names now.
  struct Seen {
    std::optional<sys::Fd> directory = {};
    std::optional<sys::FileStatus> here = {};   // at its path
    std::optional<sys::FileStatus> aside = {};  // under the temporary name
    std::optional<sys::FileStatus> there = {};  // where it is moved to
  };
  sys::OrErrno<Seen> look() const;
  const sys::Fd& aside(const Seen& seen) const {
    return file_.beside ? *seen.directory : journal_.kept();
  }
  bool is_stageable() const {
    return file_.what == Changed::What::created || file_.what == Changed::What::replaced;
  }
  // Whether the temporary name went away with its directory, and with it what was there.
  bool may_be_elsewhere(const Seen& seen) const;
  bool is_old(const std::optional<sys::FileStatus>& status) const;
  bool is_moved(const std::optional<sys::FileStatus>& status) const;
  bool is_staged(const std::optional<sys::FileStatus>& status) const;
  bool is_as_staged(const sys::Fd& directory, const std::string& name,
                    const std::optional<sys::FileStatus>& status) const;
  Progress progress_of(const Seen& seen) const;
  sys::OrErrno<void> mend_links() const;

  TakenBack unmake(const Seen& seen) const;
  TakenBack exchange_back(const Seen& seen) const;
  TakenBack move_back(const Seen& seen) const;
  TakenBack put_back(const Seen& seen, const sys::Fd& from, const std::string& name,
                     const std::string& as) const;
  TakenBack keep(const Seen& seen, std::string why) const;
  TakenBack later(std::errc number, std::string_view action) const;

  const Journal& journal_;
  const Record::File& file_;
  std::string kept_name_;
  Spot spot_;
  std::optional<Spot> to_;
};

}  // namespace helve::workspace
