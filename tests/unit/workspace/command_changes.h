// Commands whose changes are noted: what a witness would tell of them is told by pictures of the
// tree.
#pragma once

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "sys/process.h"
#include "unit/workspace/fixture.h"
#include "workspace/command_change.h"

namespace helve::workspace {

class CommandChanges : public WorkspaceTest {
 protected:
  std::map<std::string, Found> picture() const {
    std::map<std::string, Found> all;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(tree.path("in"))) {
      const std::string path = entry.path().string();
      const auto is_left_out = [&](const std::string& name) {
        return path.find(name + "/") != path.npos || path.ends_with(name);
      };
      if (is_left_out("/.git") || is_left_out("/.helve")) continue;
      const auto parent = sys::open_directory(entry.path().parent_path().string());
      const std::string name = entry.path().filename().string();
      all[path] = {*sys::status_at(*parent, name),
                   entry.is_symlink() ? std::filesystem::read_symlink(entry.path()).string() : ""};
    }
    return all;
  }

  CommandNote during(const std::function<void()>& work) {
    const std::map<std::string, Found> before = picture();
    CommandChange change;
    if (tree.exists("in/.git/index")) {
      const auto git = sys::open_directory(tree.path("in/.git"));
      change.repositories.push_back({tree.path("in"), tree.path("in/.git"),
                                     std::make_shared<const sys::Fd>(std::move(
                                         *sys::open_beneath(*git, "index", sys::Open::read)))});
    }
    work();
    const std::map<std::string, Found> after = picture();
    std::map<std::string, CommandFile> files;
    for (const auto& [path, found] : before) files[path].before = found;
    for (const auto& [path, found] : after) files[path].after = found;
    for (auto& [path, file] : files) {
      file.path = path;
      const auto stamp = [](const std::optional<Found>& found) {
        return found ? std::to_string(found->status.changed_ns) + "." +
                           std::to_string(found->status.inode)
                     : "";
      };
      const bool is_directory = file.before && file.after &&
                                file.before->status.kind == sys::FileKind::directory &&
                                file.after->status.kind == sys::FileKind::directory;
      if (!is_directory && stamp(file.before) != stamp(file.after) && !others_.contains(path))
        change.files.push_back(file);
    }
    change.others = others_;
    return files_->note_command(change, author_);
  }

  // What the session has read.
  void see(const std::string& path) { files_->saw(author_.session, *files_->read_whole(path)); }

  // The notes of an undo, or why there was none.
  std::vector<std::string> undo(const Selection& selection = {.own_session = "s"}) {
    auto undone = files_->undo(selection, Rehearsal::no, {.tool = "undo", .session = "s"});
    return undone ? undone->applied.notes : std::vector<std::string>{describe(undone.error())};
  }

  void git(std::vector<std::string> words) const {
    words.insert(words.begin(), {"git", "-c", "user.name=n", "-c", "user.email=e"});
    const auto done = sys::run({.argv = words,
                                .env = {"PATH=/usr/local/bin:/usr/bin:/bin",
                                        "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1"},
                                .cwd = tree.path("in")});
    ASSERT_TRUE(done && done->exit_code == 0) << (done ? done->err : describe(done.error()));
  }
  // Files that git knows, from long before its index was written.
  void commit(const std::map<std::string, std::string>& contents) const {
    for (const auto& [name, content] : contents) {
      tree.file("in/" + name, content);
      std::filesystem::last_write_time(
          tree.path("in/" + name),
          std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
    }
    git({"init", "-q"});
    git({"add", "."});
    git({"commit", "-qm", "first"});
  }

  std::unique_ptr<Workspace> files_ = journaled();
  const Author author_{.tool = "exec", .call_id = "c_1", .session = "s"};
  std::set<std::string> others_;  // what tools change while a command works
};

}  // namespace helve::workspace
