#include "edit/plan.h"

#include <fmt/format.h>

#include <map>

#include "base/text.h"
#include "edit/lines.h"

namespace helve::edit {

namespace {

using Kind = FilePatch::Kind;

class Planner {
 public:
  Planner(std::vector<FilePatch> patches, const PlanFiles& files)
      : patches_(std::move(patches)), files_(files) {}

  Result<std::vector<PlannedFile>> run() {
    join_updates();
    TRY(check_names());
    std::vector<PlannedFile> planned;
    for (const FilePatch& patch : patches_) planned.push_back(TRY(plan(patch)));
    return planned;
  }

 private:
  // A file may be updated in several sections, and deleted before it is added anew.
  void join_updates() {
    std::map<std::string, size_t, std::less<>> first;
    std::vector<FilePatch> joined;
    for (FilePatch& patch : patches_) {
      const auto [entry, fresh] = first.emplace(files_.name(patch.path), joined.size());
      FilePatch* const before = fresh ? nullptr : &joined[entry->second];
      if (before && before->kind == Kind::update && patch.kind == Kind::update &&
          patch.to.empty() && !before->copies) {
        std::move(patch.hunks.begin(), patch.hunks.end(), std::back_inserter(before->hunks));
      } else if (before && before->kind == Kind::remove && patch.kind == Kind::add) {
        patch.replaces = true;
        *before = std::move(patch);
      } else {
        joined.push_back(std::move(patch));
      }
    }
    patches_ = std::move(joined);
  }

  static Error named_twice(const std::string& path, size_t first, size_t second) {
    return {Code::invalid_argument,
            fmt::format("{} is named twice in the patch, on lines {} and {}",
                        escape_for_display(path), first, second),
            "say once what becomes of each file", "named_twice"};
  }

  // Each file is changed once and each name given once.
  Result<void> check_names() {
    std::map<std::string, size_t, std::less<>> sources;
    std::map<std::string, size_t, std::less<>> targets;
    for (const FilePatch& patch : patches_) {
      if (!patch.to.empty() && files_.name(patch.to) == files_.name(patch.path)) {
        return Error{Code::invalid_argument,
                     fmt::format("line {} of the patch moves {} onto itself", patch.patch_line,
                                 escape_for_display(patch.path)),
                     "leave out the move", "same_file"};
      }
      if (!patch.copies) {
        const auto [source, fresh] = sources.emplace(files_.name(patch.path), patch.patch_line);
        if (!fresh) return named_twice(patch.path, source->second, patch.patch_line);
      }
      if (patch.kind == Kind::remove) continue;
      const std::string& target = patch.to.empty() ? patch.path : patch.to;
      const auto [entry, fresh] = targets.emplace(files_.name(target), patch.patch_line);
      if (!fresh) return named_twice(target, entry->second, patch.patch_line);
    }
    for (const FilePatch& patch : patches_) {
      const std::string inside = files_.name(patch.path) + "/";
      const auto next = targets.lower_bound(inside);
      if (next == targets.end() || !next->first.starts_with(inside)) continue;
      return Error{Code::unsupported,
                   fmt::format("line {} of the patch makes a directory of {}, which is a file on "
                               "line {}",
                               next->second, escape_for_display(patch.path), patch.patch_line),
                   "make two patches: the first deletes or moves the file", "file_to_directory"};
    }
    return {};
  }

  Result<PlannedFile> plan(const FilePatch& patch) {
    switch (patch.kind) {
      case Kind::add:
        return plan_add(patch);
      case Kind::remove:
        return plan_remove(patch);
      case Kind::update:
        return plan_update(patch);
    }
    return Error{};
  }

  Result<PlannedFile> plan_add(const FilePatch& patch) {
    const std::optional<std::string> there = TRY(files_.read(patch.path));
    if (there && !patch.replaces) {
      return Error{Code::conflict, fmt::format("{} exists already", escape_for_display(patch.path)),
                   "the patch says that it is new; change it with a patch against what it holds",
                   "path_conflict"};
    }
    Patched made = TRY(apply_hunks("", patch.hunks, patch.path));
    PlannedFile file{.kind = PlannedFile::Kind::add,
                     .path = patch.path,
                     .content = std::move(made.content),
                     .overwrites = there.has_value(),
                     .executable = patch.executable,
                     .added = made.added,
                     .note = patch.note};
    if (there) {
      file.removed = LineIndex(*there).size();
      file.note += file.note.empty() ? "" : "; ";
      file.note += "it replaces what was there";
      if (patch.executable) file.note.append("; ").append(kModeIsLeft);
    }
    return file;
  }

  Result<std::string> existing(const FilePatch& patch, std::string_view action) {
    std::optional<std::string> content = TRY(files_.read(patch.path));
    if (content) return std::move(*content);
    return Error{Code::not_found,
                 fmt::format("line {} of the patch {} {}, which does not exist", patch.patch_line,
                             action, escape_for_display(patch.path)),
                 "paths are relative to the workspace; `ls` or `glob` shows what there is", ""};
  }

  Result<PlannedFile> plan_remove(const FilePatch& patch) {
    Result<std::string> found = existing(patch, "deletes");
    if (!found && found.error().type == "is_directory") {
      found.error().message = fmt::format("cannot delete '{}': it is a directory",
                                          escape_for_display(files_.name(patch.path)));
      found.error().hint = "a patch deletes files; `delete` with recursive deletes directories";
    }
    std::string content = TRY(std::move(found));
    PlannedFile file{.kind = PlannedFile::Kind::remove, .path = patch.path};
    if (patch.hunks.empty()) return file;
    const Patched rest = TRY(apply_hunks(std::move(content), patch.hunks, patch.path));
    if (!rest.content.empty()) {
      return Error{
          Code::conflict,
          fmt::format("{} has more in it than the patch deletes", escape_for_display(patch.path)),
          "delete it as a whole with '*** Delete File: p'", "hunk_not_found"};
    }
    file.removed = rest.removed;
    return file;
  }

  Result<PlannedFile> plan_update(const FilePatch& patch) {
    std::string content = TRY(existing(patch, patch.to.empty() ? "updates"
                                              : patch.copies   ? "copies"
                                                               : "moves"));
    PlannedFile file{
        .kind = PlannedFile::Kind::update, .path = patch.path, .to = patch.to, .note = patch.note};
    if (patch.hunks.empty()) {
      file.content = std::move(content);
      file.changed = false;
    } else {
      Patched patched = TRY(apply_hunks(std::move(content), patch.hunks, patch.path));
      file.changed = patched.changed;
      file.content = std::move(patched.content);
      file.added = patched.added;
      file.removed = patched.removed;
      file.stage = patched.stage;
    }
    if (!patch.to.empty()) {
      file.kind = patch.copies ? PlannedFile::Kind::copy : PlannedFile::Kind::move;
      file.overwrites = TRY(files_.read(patch.to)).has_value();
    } else if (!file.changed) {
      return Error{Code::invalid_argument,
                   fmt::format("the patch changes nothing in {}", escape_for_display(patch.path)),
                   "give the new lines with '+'", "no_change"};
    }
    return file;
  }

  std::vector<FilePatch> patches_;
  const PlanFiles& files_;
};

}  // namespace

Result<std::vector<PlannedFile>> plan_patch(std::vector<FilePatch> patches,
                                            const PlanFiles& files) {
  return Planner(std::move(patches), files).run();
}

}  // namespace helve::edit
