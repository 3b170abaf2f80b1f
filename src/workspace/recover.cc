#include "workspace/recover.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <memory>

#include "base/text.h"
#include "sys/clock.h"
#include "sys/id.h"
#include "workspace/path.h"
#include "workspace/step.h"
#include "workspace/take_in.h"
#include "workspace/tree.h"

namespace helve::workspace {
namespace {

constexpr std::chrono::milliseconds kLongestWait(5000);
constexpr std::int64_t kGiveUp =
    30ll * 24 * 60 * 60 * 1000;  // ms after which nothing is tried again

// The directory is not there, which is something else than not to be looked at just now.
bool is_gone(std::errc number) {
  return number == std::errc::no_such_file_or_directory || number == std::errc::not_a_directory ||
         number == std::errc::too_many_symbolic_link_levels;
}

// The directories that a record names, below writable roots. It may name more of them than a
// process may have open.
class Directories {
 public:
  explicit Directories(std::span<const Root> roots) : roots_(roots) {}

  using Opened = sys::OrErrno<std::shared_ptr<const sys::Fd>>;
  bool has(std::string_view path) const { return root_of(path) != nullptr; }
  Opened open(const std::string& path) {
    constexpr size_t kMost = 64;
    if (const auto known = open_.find(path); known != open_.end()) return known->second;
    if (open_.size() == kMost) open_.clear();
    return open_.emplace(path, open_anew(path)).first->second;
  }

 private:
  const Root* root_of(std::string_view path) const {
    const auto root = std::ranges::find_if(roots_, [&](const Root& one) {
      return one.access == Access::writable && below(one.path, path);
    });
    return root == roots_.end() ? nullptr : &*root;
  }
  Opened open_anew(const std::string& path) const {
    const Root* root = root_of(path);
    if (!root) return std::unexpected(std::errc::permission_denied);
    const std::string_view rest = *below(root->path, path);
    auto opened = sys::open_beneath(root->directory, rest.empty() ? "." : rest,
                                    sys::Open::directory, sys::Links::refuse);
    if (!opened) return std::unexpected(opened.error());
    return std::make_shared<const sys::Fd>(std::move(*opened));
  }

  std::span<const Root> roots_;
  std::map<std::string, Opened> open_;
};

// A name in a directory.
class Spot {
 public:
  Spot(Directories& directories, std::string_view path)
      : directories_(directories), path_(split_name(path).directory), name(split_name(path).name) {}

  bool is_writable() const { return directories_.has(path_); }
  Directories::Opened open() const { return directories_.open(path_); }
  // Null when it is gone.
  std::shared_ptr<const sys::Fd> directory() const { return open().value_or(nullptr); }
  sys::OrErrno<sys::FileStatus> status() const {
    const auto directory = open();
    if (!directory) return std::unexpected(directory.error());
    return sys::status_at(**directory, name);
  }

 private:
  Directories& directories_;
  std::string path_;

 public:
  std::string name;
};

// Devices may be numbered anew after a restart. Somebody who has the file open may still have
// written to it, so neither size nor time count.
bool is_old(const Record::File& file, const sys::OrErrno<sys::FileStatus>& now) {
  return now && now->kind == file.kind && now->inode == file.old.inode;
}

// What became of taking one file back.
struct TakenBack {
  std::string problem = {};  // empty: it is as it was
  bool again = false;        // the next start must try again: the old file has only its aside name
};

// Whether a file was exchanged. What has no name any more does not tell.
enum class Done : unsigned char { no, yes, unknown };

class RecoveredFile {
 public:
  RecoveredFile(const Journal& journal, const Record::File& file, Directories& directories)
      : journal_(journal), file_(file), spot_(directories, file.path), to_(directories, file.to) {}

  bool is_created() const { return file_.what == Changed::What::created; }
  bool exists() const { return spot_.status().has_value(); }
  bool is_writable() const {
    return spot_.is_writable() && (file_.to.empty() || to_.is_writable());
  }
  // Why nothing can be said about it now.
  std::optional<std::errc> obstacle() const {
    for (const Spot* spot : {&spot_, file_.to.empty() ? &spot_ : &to_}) {
      const auto directory = spot->open();
      if (!directory && !is_gone(directory.error())) return directory.error();
    }
    return {};
  }
  // What bore the temporary name went away with its directory.
  bool is_out_of_reach() const {
    return file_.beside && !file_.temporary.empty() && !spot_.directory();
  }

  // Only for what was staged. Whatever somebody did to the new file since.
  Done is_done() {
    if (is_out_of_reach()) return Done::unknown;
    switch (file_.what) {
      case Changed::What::created:
        if (aside_status()) return Done::no;
        return exists() ? Done::yes : Done::unknown;
      case Changed::What::replaced:
        mend_links();
        [[fallthrough]];
      case Changed::What::removed:
        return is_old(file_, aside_status()) ? Done::yes : Done::no;
      case Changed::What::moved:
        break;
    }
    if (is_old(file_, to_.status())) return Done::yes;
    if (exists() || is_old(file_, aside_status())) return Done::no;
    // Somebody may have replaced it where it came to.
    return to_.status() ? Done::yes : Done::unknown;
  }

  // For one that is done: what came to its place goes. Each step leaves a state from which another
  // start can go on.
  TakenBack take_away() {
    switch (file_.what) {
      case Changed::What::created:
        return unmake();
      case Changed::What::replaced:
        return exchange_back();
      case Changed::What::removed:
        return {};
      case Changed::What::moved:
        break;
    }
    if (!is_old(file_, to_.status())) return {.problem = "what was moved is gone"};
    const bool is_direct = file_.temporary.empty();
    return put_back(*to_.directory(), to_.name, is_direct ? spot_.name : file_.temporary);
  }
  // Then what made way comes back.
  TakenBack bring_back() {
    if (is_out_of_reach()) {
      if (is_created()) return {.problem = "its directory is gone; a new file may be in it"};
      return {.problem = fmt::format("its directory is gone, and what was there before in it as "
                                     "'{}'; the next start tries again",
                                     file_.temporary),
              .again = true};
    }
    if (is_created() || file_.what == Changed::What::replaced) return {};
    if (file_.temporary.empty() || !is_old(file_, aside_status())) return {};
    return put_back(*aside(), file_.temporary, spot_.name);
  }
  // What was staged. What is not known to be ours is the only copy of something.
  std::optional<std::string> discard() {
    if (file_.temporary.empty() || file_.what == Changed::What::moved) return {};
    if (file_.what == Changed::What::removed || !aside_status()) return {};
    const bool is_ours =
        is_created() || is_old(file_, spot_.status()) || has_new_content(*aside(), file_.temporary);
    if (is_ours && !is_old(file_, aside_status())) {
      (void)remove_tree_at(*aside(), file_.temporary);
      return {};
    }
    return keep("somebody else has changed it since").problem;
  }
  // What was there goes into the journal from beside the new file.
  sys::OrErrno<void> take_in(const std::string& name) {
    if (is_out_of_reach() && !is_created()) {
      return std::unexpected(std::errc::no_such_file_or_directory);
    }
    if (!file_.beside || !is_old(file_, aside_status())) return {};
    if (file_.undoable) {
      const auto copied = copy_into(*aside(), file_.temporary, journal_.kept(), name);
      if (!copied) return copied;
    }
    return remove_tree_at(*aside(), file_.temporary);
  }

 private:
  // Not the owner: the journal's own.
  std::shared_ptr<const sys::Fd> aside() const {
    if (file_.beside) return spot_.directory();
    return {std::shared_ptr<const sys::Fd>(), &journal_.kept()};
  }
  sys::OrErrno<sys::FileStatus> aside_status() const {
    if (!aside()) return std::unexpected(std::errc::no_such_file_or_directory);
    return sys::status_at(*aside(), file_.temporary);
  }

  bool has_new_content(const sys::Fd& directory, const std::string& name) const {
    const auto status = sys::status_at(directory, name);
    if (!status || !file_.new_digest) return false;
    const auto is_it = [&](std::string_view essence) {
      return digest_of(essence, journal_.seed()) == *file_.new_digest;
    };
    if (status->kind == sys::FileKind::symlink) {
      const auto target = sys::read_link_at(directory, name);
      return target && is_it(*target);
    }
    const bool is_tree = status->kind == sys::FileKind::directory;
    const auto opened = sys::open_beneath(
        directory, name, is_tree ? sys::Open::directory : sys::Open::read, sys::Links::refuse);
    if (!opened) return false;
    if (is_tree) {
      const auto outline = outline_of(*opened, file_.new_digest->size);
      return outline && is_it(*outline);
    }
    if (status->kind != sys::FileKind::file || status->size != file_.new_digest->size) return false;
    std::string content(status->size, 0);
    const auto got = sys::read_at(*opened, content, 0);
    return got && *got == content.size() && is_it(content);
  }

  // A new file gets its staged name again.
  TakenBack unmake() {
    const auto directory = spot_.directory();
    if (!directory || !exists()) return {};
    if (!has_new_content(*directory, spot_.name)) {
      return {.problem = "it is new, and stays since somebody else has changed it"};
    }
    const auto done = rename_new(*directory, spot_.name, *directory, file_.temporary);
    if (done) return {};
    return {.problem = sys::to_error(done.error(), "remove", file_.path).message, .again = true};
  }

  // An exchange by links that was interrupted.
  void mend_links() {
    const std::string second = file_.temporary + std::string(kSecondName);
    if (!aside() || !is_old(file_, sys::status_at(*aside(), second))) return;
    if (is_old(file_, spot_.status())) {
      (void)sys::remove_file_at(*aside(), second);
    } else {
      (void)sys::rename_at(*aside(), second, file_.temporary, sys::Rename::replace);
    }
  }

  TakenBack exchange_back() {
    const auto directory = spot_.directory();
    if (!directory) return keep("its directory is gone");
    if (!has_new_content(*directory, spot_.name)) {
      if (!exists()) return put_back(*aside(), file_.temporary, spot_.name);
      return keep("somebody else has changed it since");
    }
    // Where files cannot be exchanged, the old one takes the place.
    for (const sys::Rename how : {sys::Rename::exchange, sys::Rename::replace}) {
      const auto done = sys::rename_between(*aside(), file_.temporary, *directory, spot_.name, how);
      if (done) break;
      if (how == sys::Rename::exchange && done.error() == std::errc::invalid_argument) continue;
      return keep(sys::to_error(done.error(), "restore", file_.path).message);
    }
    return {};
  }

  TakenBack put_back(const sys::Fd& from, const std::string& name, const std::string& as) {
    const auto directory = spot_.directory();
    if (!directory) return keep("its directory is gone");
    const auto done = rename_new(from, name, *directory, as);
    if (done) return {};
    return keep(sys::to_error(done.error(), "restore", file_.path).message);
  }

  // Nothing that may be the only copy is removed: it gets a name beside the file, or stays.
  TakenBack keep(std::string why) {
    if (file_.temporary.empty() || is_old(file_, to_.status())) {
      why += fmt::format("; it is now '{}'", escape_for_display(file_.to));
      return {.problem = std::move(why)};
    }
    const std::string kept = fmt::format(".helve-kept-{:016x}", sys::random_number());
    const auto directory = spot_.directory();
    if (directory &&
        sys::rename_between(*aside(), file_.temporary, *directory, kept, sys::Rename::no_replace)) {
      why += fmt::format("; what was there before is beside it as '{}'", kept);
      return {.problem = std::move(why)};
    }
    const auto place = sys::path_of(*aside());
    why += fmt::format("; what was there before is '{}/{}', and the next start tries again",
                       place ? escape_for_display(*place) : "kept", file_.temporary);
    return {.problem = std::move(why), .again = true};
  }

  const Journal& journal_;
  const Record::File& file_;
  Spot spot_, to_;
};

class Recovery {
 public:
  Recovery(Journal& journal, std::span<const Root> roots) : journal_(journal), roots_(roots) {}

  void handle(const Journal::Pending& pending) {
    const Record& record = pending.record;
    Directories directories(roots_);
    std::vector<RecoveredFile> files;
    for (const Record::File& file : record.files) {
      files.emplace_back(journal_, file, directories);
      if (!files.back().is_writable()) return;  // it waits for a workspace that has this root
    }
    is_last_try_ = sys::RealClock().unix_ms() - record.time_ms() > kGiveUp;
    if (!can_look(record, files)) return;
    if (pending.stage != Journal::Stage::made &&
        !finish_or_take_back(pending, files, directories)) {
      return;
    }
    bool all_in = true;
    for (size_t i = 0; i < files.size(); ++i) {
      all_in &= files[i].take_in(record.kept_name(i)).has_value();
    }
    if (all_in || is_last_try_) (void)journal_.settle(record);
  }

  std::vector<std::string> notices;

 private:
  // Nothing is decided before everything can be looked at.
  bool can_look(const Record& record, const std::vector<RecoveredFile>& files) {
    for (size_t i = 0; i < files.size(); ++i) {
      const auto obstacle = files[i].obstacle();
      if (!obstacle) continue;
      not_restored(record.files[i],
                   sys::to_error(*obstacle, "look at", record.files[i].path).message +
                       "; the next start tries again");
      return false;
    }
    return true;
  }

  // Whether the change is made now.
  bool finish_or_take_back(const Journal::Pending& pending, std::vector<RecoveredFile>& files,
                           Directories& directories) {
    const Record& record = pending.record;
    std::vector<Done> done;
    bool has_begun = pending.stage == Journal::Stage::staged || files.size() == 1;
    for (RecoveredFile& file : files) {
      done.push_back(file.is_done());
      has_begun |= done.back() == Done::yes && !file.is_created();
    }
    // What is there by the name of a new file is somebody else's.
    if (!has_begun) std::ranges::fill(done, Done::no);
    conclude(record, done);
    if (std::ranges::all_of(done, [](Done one) { return one == Done::yes; })) {
      return journal_.commit(record, Journal::Kept::beside).has_value();
    }
    take_back(record, files, done, has_begun, directories);
    return false;
  }

  // Files are exchanged in their order, so what comes before one that was exchanged was, too.
  static void conclude(const Record& record, std::vector<Done>& done) {
    bool later = false;
    for (size_t i = done.size(); i-- > 0;) {
      if (done[i] == Done::unknown && later) done[i] = Done::yes;
      later |= done[i] == Done::yes && !may_have_made_way(record, i);
    }
  }
  // What makes way does so before all others.
  static bool may_have_made_way(const Record& record, size_t index) {
    const Record::File& file = record.files[index];
    if (file.what != Changed::What::removed) return false;
    return std::ranges::any_of(record.files, [&](const Record::File& other) {
      return &other != &file && (other.path == file.path || other.to == file.path);
    });
  }

  void take_back(const Record& record, std::vector<RecoveredFile>& files,
                 const std::vector<Done>& done, bool has_begun, Directories& directories) {
    bool again = false;
    const size_t problems = notices.size();
    const auto note = [&](size_t i, const TakenBack& taken) {
      again |= taken.again;
      if (!taken.problem.empty()) not_restored(record.files[i], taken.problem);
    };
    for (size_t i = files.size(); has_begun && i-- > 0;) {
      if (done[i] == Done::yes) note(i, files[i].take_away());
    }
    for (size_t i = files.size(); has_begun && i-- > 0;) note(i, files[i].bring_back());
    if (again && !is_last_try_) return;
    for (size_t i = 0; i < files.size(); ++i) {
      if (const auto kept = files[i].discard()) not_restored(record.files[i], *kept);
    }
    for (size_t i = record.made.size(); i-- > 0;) {
      const Spot spot(directories, record.made[i]);
      if (const auto parent = spot.directory()) (void)sys::remove_directory_at(*parent, spot.name);
    }
    journal_.abandon(record);
    if (std::ranges::find(done, Done::yes) != done.end() && notices.size() == problems) {
      notices.push_back(
          fmt::format("a change by {} that was interrupted was taken back, all {} of "
                      "its files",
                      record.tool.empty() ? "a tool" : record.tool, files.size()));
    }
  }

  void not_restored(const Record::File& file, std::string_view why) {
    notices.push_back(fmt::format("'{}' was not restored after a change that was interrupted: {}",
                                  escape_for_display(file.path), why));
  }

  Journal& journal_;
  std::span<const Root> roots_;
  bool is_last_try_ = false;
};

}  // namespace

std::vector<std::string> recover(Journal& journal, std::span<const Root> roots) {
  if (journal.abandoned().empty()) return {};
  const Result<sys::Fd> lock = journal.lock("recover.lock", kLongestWait);
  if (!lock) return {lock.error().message};
  Recovery recovery(journal, roots);
  // Another process may have been faster.
  for (const Journal::Pending& pending : journal.abandoned()) recovery.handle(pending);
  return std::move(recovery.notices);
}

}  // namespace helve::workspace
