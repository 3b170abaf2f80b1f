#include "workspace/recover.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "sys/id.h"
#include "workspace/path.h"
#include "workspace/step.h"
#include "workspace/take_in.h"
#include "workspace/tree.h"

namespace helve::workspace {
namespace {

constexpr std::chrono::milliseconds kLongestWait(5000);

// A name below a root. Without a directory when that does not exist.
struct Spot {
  std::optional<sys::Fd> directory;
  std::string name;

  sys::OrErrno<sys::FileStatus> status() const {
    if (!directory) return std::unexpected(std::errc::no_such_file_or_directory);
    return sys::status_at(*directory, name);
  }
};

// Nothing when the path is not below a writable root.
std::optional<Spot> find(std::span<const Root> roots, std::string_view path) {
  const auto [directory, name] = split_name(path);
  for (const Root& root : roots) {
    const auto rest = below(root.path, directory);
    if (!rest || root.access != Access::writable) continue;
    auto opened = sys::open_beneath(root.directory, rest->empty() ? "." : *rest,
                                    sys::Open::directory, sys::Links::refuse);
    Spot spot{.name = std::string(name)};
    if (opened) spot.directory = std::move(*opened);
    return spot;
  }
  return {};
}

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

class RecoveredFile {
 public:
  RecoveredFile(const Journal& journal, const Record::File& file, Spot spot, Spot to)
      : journal_(journal), file_(file), spot_(std::move(spot)), to_(std::move(to)) {}

  bool is_created() const { return file_.what == Changed::What::created; }
  bool exists() const { return spot_.status().has_value(); }

  // Whatever somebody did to the new file since. A new file was staged before anything was done,
  // so it is done when its staged name is gone; see also finish_or_take_back.
  bool is_done() {
    switch (file_.what) {
      case Changed::What::created:
        return !aside_status();
      case Changed::What::replaced:
        mend_links();
        return is_old(file_, aside_status());
      case Changed::What::removed:
        return is_old(file_, aside_status());
      case Changed::What::moved:
        return is_old(file_, to_.status()) ||
               (!is_old(file_, spot_.status()) && !is_old(file_, aside_status()));
    }
    return false;
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
    return put_back(*to_.directory, to_.name, is_direct ? spot_.name : file_.temporary);
  }
  // Then what made way comes back.
  TakenBack bring_back() {
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
    if (!file_.beside || !is_old(file_, aside_status())) return {};
    if (file_.undoable) {
      const auto copied = copy_into(*aside(), file_.temporary, journal_.kept(), name);
      if (!copied) return copied;
    }
    return remove_tree_at(*aside(), file_.temporary);
  }

 private:
  const sys::Fd* aside() const {
    if (!file_.beside) return &journal_.kept();
    return spot_.directory ? &*spot_.directory : nullptr;
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
    if (!spot_.directory || !exists()) return {};
    if (!has_new_content(*spot_.directory, spot_.name)) {
      return {.problem = "it is new, and stays since somebody else has changed it"};
    }
    const auto done = rename_new(*spot_.directory, spot_.name, *spot_.directory, file_.temporary);
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
    if (!spot_.directory) return keep("its directory is gone");
    if (!has_new_content(*spot_.directory, spot_.name)) {
      if (!exists()) return put_back(*aside(), file_.temporary, spot_.name);
      return keep("somebody else has changed it since");
    }
    auto done = sys::rename_between(*aside(), file_.temporary, *spot_.directory, spot_.name,
                                    sys::Rename::exchange);
    if (!done && done.error() == std::errc::invalid_argument) {
      done = sys::rename_between(*aside(), file_.temporary, *spot_.directory, spot_.name,
                                 sys::Rename::replace);
    }
    if (!done) return keep(sys::to_error(done.error(), "restore", file_.path).message);
    return {};
  }

  TakenBack put_back(const sys::Fd& from, const std::string& name, const std::string& as) {
    if (!spot_.directory) return keep("its directory is gone");
    const auto done = rename_new(from, name, *spot_.directory, as);
    if (done) return {};
    return keep(sys::to_error(done.error(), "restore", file_.path).message);
  }

  // Nothing that may be the only copy is removed: it gets a name beside the file, or stays.
  TakenBack keep(std::string why) {
    if (file_.temporary.empty()) {
      why += fmt::format("; it is now '{}'", escape_for_display(file_.to));
      return {.problem = std::move(why)};
    }
    const std::string kept = fmt::format(".helve-kept-{:016x}", sys::random_number());
    if (spot_.directory && sys::rename_between(*aside(), file_.temporary, *spot_.directory, kept,
                                               sys::Rename::no_replace)) {
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
    std::vector<RecoveredFile> files;
    for (const Record::File& file : record.files) {
      auto spot = find(roots_, file.path);
      auto to = file.to.empty() ? Spot() : find(roots_, file.to);
      if (!spot || !to) return;  // it waits for a workspace that has this root
      files.emplace_back(journal_, file, std::move(*spot), std::move(*to));
    }
    if (!pending.made && !finish_or_take_back(record, files)) return;
    bool all_in = true;
    for (size_t i = 0; i < files.size(); ++i) {
      all_in &= files[i].take_in(record.kept_name(i)).has_value();
    }
    if (all_in) (void)journal_.settle(record);
  }

  std::vector<std::string> notices;

 private:
  // Whether the change is made now.
  bool finish_or_take_back(const Record& record, std::vector<RecoveredFile>& files) {
    std::vector<bool> done;
    for (RecoveredFile& file : files) done.push_back(file.is_done());
    // When there are only new files, and none, then nothing was staged yet.
    const bool has_begun = std::ranges::any_of(
        files, [](const RecoveredFile& file) { return !file.is_created() || file.exists(); });
    if (has_begun && std::ranges::find(done, false) == done.end()) {
      return journal_.commit(record, Journal::Kept::beside).has_value();
    }
    take_back(record, files, done);
    return false;
  }

  void take_back(const Record& record, std::vector<RecoveredFile>& files,
                 const std::vector<bool>& done) {
    bool again = false;
    const size_t problems = notices.size();
    bool was_begun = false;
    for (size_t i = 0; i < files.size(); ++i) {
      was_begun |= done[i] && (!files[i].is_created() || files[i].exists());
    }
    const auto note = [&](size_t i, const TakenBack& taken) {
      again |= taken.again;
      if (!taken.problem.empty()) not_restored(record.files[i], taken.problem);
    };
    for (size_t i = files.size(); i-- > 0;) {
      if (done[i]) note(i, files[i].take_away());
    }
    for (size_t i = files.size(); i-- > 0;) note(i, files[i].bring_back());
    if (again) return;
    for (size_t i = 0; i < files.size(); ++i) {
      if (const auto kept = files[i].discard()) not_restored(record.files[i], *kept);
    }
    for (size_t i = record.made.size(); i-- > 0;) {
      const auto spot = find(roots_, record.made[i]);
      if (spot && spot->directory) (void)sys::remove_directory_at(*spot->directory, spot->name);
    }
    journal_.abandon(record);
    if (was_begun && notices.size() == problems) {
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
