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

// Devices may be numbered anew after a restart.
bool is_old(const Record::File& file, const sys::OrErrno<sys::FileStatus>& now) {
  if (!now || now->kind != file.kind || now->inode != file.old.inode) return false;
  return file.kind == sys::FileKind::directory ||
         (now->size == file.old.size && now->modified_ns == file.old.modified_ns);
}

class RecoveredFile {
 public:
  RecoveredFile(const Journal& journal, const Record::File& file, Spot spot, Spot to)
      : journal_(journal), file_(file), spot_(std::move(spot)), to_(std::move(to)) {}

  bool is_done() {
    switch (file_.what) {
      case Changed::What::created:
        return !aside_status() && has_new_content();
      case Changed::What::replaced:
        mend_links();
        return is_old(file_, aside_status());
      case Changed::What::removed:
        return is_old(file_, aside_status());
      case Changed::What::moved:
        return is_old(file_, to_.status());
    }
    return false;
  }

  // For one that is done. What stands in the way, if something does.
  std::optional<std::string> take_back() {
    switch (file_.what) {
      case Changed::What::created:
        (void)sys::remove_file_at(*spot_.directory, spot_.name);
        return {};
      case Changed::What::replaced:
        return exchange_back();
      case Changed::What::removed:
        return put_back(*aside(), file_.temporary, spot_);
      case Changed::What::moved:
        if (!to_.directory) return "it is gone";
        return put_back(*to_.directory, to_.name, spot_);
    }
    return {};
  }
  // What was staged.
  void discard() {
    if (file_.temporary.empty() || !aside() || is_old(file_, aside_status())) return;
    (void)remove_tree_at(*aside(), file_.temporary);
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

  bool has_new_content() const {
    const auto status = spot_.status();
    if (!status || !file_.new_digest) return false;
    if (status->kind == sys::FileKind::symlink) {
      const auto target = sys::read_link_at(*spot_.directory, spot_.name);
      return target && digest_of(*target, journal_.seed()) == *file_.new_digest;
    }
    if (status->kind != sys::FileKind::file || status->size != file_.new_digest->size) return false;
    const auto opened =
        sys::open_beneath(*spot_.directory, spot_.name, sys::Open::read, sys::Links::refuse);
    if (!opened) return false;
    std::string content(status->size, 0);
    const auto got = sys::read_at(*opened, content, 0);
    return got && *got == content.size() &&
           digest_of(content, journal_.seed()) == *file_.new_digest;
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

  std::optional<std::string> exchange_back() {
    if (!has_new_content()) return keep("somebody else has changed it since");
    auto done = sys::rename_between(*aside(), file_.temporary, *spot_.directory, spot_.name,
                                    sys::Rename::exchange);
    if (!done && done.error() == std::errc::invalid_argument) {
      done = sys::rename_between(*aside(), file_.temporary, *spot_.directory, spot_.name,
                                 sys::Rename::replace);
    }
    if (!done) return keep(sys::to_error(done.error(), "restore", file_.path).message);
    return {};
  }

  std::optional<std::string> put_back(const sys::Fd& from, const std::string& name,
                                      const Spot& to) {
    if (!to.directory) return keep("its directory is gone");
    const auto done = rename_new(from, name, *to.directory, to.name);
    if (done) return {};
    return keep(sys::to_error(done.error(), "restore", file_.path).message);
  }

  // Nothing that may be the only copy is removed.
  std::string keep(std::string why) {
    if (!spot_.directory || file_.temporary.empty()) return why;
    const std::string kept = fmt::format(".helve-kept-{:016x}", sys::random_number());
    if (sys::rename_between(*aside(), file_.temporary, *spot_.directory, kept,
                            sys::Rename::no_replace)) {
      why += fmt::format("; what was there before is beside it as '{}'", kept);
    }
    return why;
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
    if (std::ranges::find(done, false) == done.end()) {
      return journal_.commit(record, Journal::Kept::beside).has_value();
    }
    for (size_t i = files.size(); i-- > 0;) {
      if (!done[i]) continue;
      if (const auto why = files[i].take_back()) {
        notices.push_back(
            fmt::format("'{}' was not restored after a change that was interrupted: {}",
                        escape_for_display(record.files[i].path), *why));
      }
    }
    for (RecoveredFile& file : files) file.discard();
    for (size_t i = record.made.size(); i-- > 0;) {
      const auto spot = find(roots_, record.made[i]);
      if (spot && spot->directory) (void)sys::remove_directory_at(*spot->directory, spot->name);
    }
    journal_.abandon(record);
    return false;
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
