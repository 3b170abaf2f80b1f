#include "guidance/library.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "workspace/path.h"

namespace helve::guidance {
namespace {

using workspace::Change;

constexpr std::string_view kExtension = ".md";
constexpr std::string_view kSkillFile = "/SKILL.md";
constexpr std::string_view kOwnPrompts = "prompts", kProjectPrompts = ".helve/prompts";
constexpr std::string_view kOwnSkills = "skills", kProjectSkills = ".helve/skills";
constexpr std::string_view kOthersSkills = ".claude/skills";

Error missing(std::string_view what, std::string_view name) {
  return Error{
      Code::not_found,
      fmt::format("there is no {} '{}'", what, preview(escape_for_display(name), kMaxName)),
      fmt::format("{}_list has them", what), "not_found"};
}

}  // namespace

Result<File> Library::read(Owner owner, const std::string& path) const {
  if (owner == Owner::project) {
    if (!files_) return Error{Code::not_found, path};
    workspace::Snapshot whole = TRY(files_->read_whole(path, kMaxFileBytes));
    return File{owner, files_->display(path), std::move(whole)};
  }
  const Source own = own_source(config_directory_);
  workspace::Snapshot snapshot{
      .content = TRY(read_whole(own, path, kMaxFileBytes)), .version = {}, .real_path = {}};
  return File{owner, own.shown_above + escape_for_display(path), std::move(snapshot)};
}

Shelf<PromptFile> Library::prompts_of(Owner owner) const {
  Shelf<PromptFile> shelf;
  const bool is_own = owner == Owner::user;
  if (is_own ? config_directory_.empty() : !files_) return shelf;
  const Source source = is_own ? own_source(config_directory_) : workspace_source(*files_);
  const std::string directory(is_own ? kOwnPrompts : kProjectPrompts);
  const Result<Names> files = names_in(source, directory, kExtension);
  if (!files) {
    shelf.problems.push_back(describe(files.error()));
    return shelf;
  }
  if (files->is_cut) shelf.problems.push_back(files->note(source.shown_above + directory));
  size_t looked_at = 0;
  for (const std::string& name : files->names) {
    const std::string path = directory + "/" + name;
    const std::string shown = source.shown_above + escape_for_display(path);
    if (looked_at++ == kMaxFiles) {
      shelf.problems.push_back(
          fmt::format("'{}' and {} after it are left out: {} prompts are the limit", shown,
                      files->names.size() - looked_at, kMaxFiles));
      break;
    }
    Result<File> file = read(owner, path);
    Result<Prompt> prompt =
        file ? parse_prompt(std::string_view(name).substr(0, name.size() - kExtension.size()),
                            file->text())
             : Result<Prompt>(file.error());
    if (prompt)
      shelf.items.push_back({std::move(*prompt), std::move(*file)});
    else
      shelf.problems.push_back(
          fmt::format("the prompt '{}' is left out: {}", shown, describe(prompt.error())));
  }
  return shelf;
}

Shelf<PromptFile> Library::prompts() const {
  Shelf<PromptFile> all = prompts_of(Owner::user);
  Shelf<PromptFile> project = prompts_of(Owner::project);
  for (PromptFile& each : project.items) {
    const auto is_same = [&](const PromptFile& own) { return own.prompt.name == each.prompt.name; };
    if (std::ranges::any_of(all.items, is_same))
      project.problems.push_back(fmt::format(
          "the prompt '{}' is left out: the user has one of that name", each.file.path));
    else
      all.items.push_back(std::move(each));
  }
  std::ranges::move(project.problems, std::back_inserter(all.problems));
  return all;
}

Result<PromptFile> Library::prompt(std::string_view name) const {
  TRY(check_name(name));
  for (const Owner owner : {Owner::user, Owner::project}) {
    if (owner == Owner::user && config_directory_.empty()) continue;
    const std::string_view directory = owner == Owner::user ? kOwnPrompts : kProjectPrompts;
    Result<File> file = read(owner, fmt::format("{}/{}{}", directory, name, kExtension));
    if (!file && file.error().code == Code::not_found) continue;
    if (!file) return std::move(file).error();
    Result<Prompt> prompt = parse_prompt(name, file->text());
    if (!prompt)
      return Error{Code::invalid_argument,
                   fmt::format("'{}': {}", file->path, prompt.error().message),
                   "its owner repairs it by hand", prompt.error().type};
    return PromptFile{std::move(*prompt), std::move(*file)};
  }
  return missing("prompt", name);
}

std::vector<Library::SkillPlace> Library::skill_places() const {
  std::vector<SkillPlace> places;
  if (!config_directory_.empty())
    places.push_back({own_source(config_directory_), Owner::user, std::string(kOwnSkills)});
  if (!files_) return places;
  for (const std::string_view directory : {kProjectSkills, kOthersSkills})
    places.push_back({workspace_source(*files_), Owner::project, std::string(directory)});
  return places;
}

Shelf<Skill> Library::skills() const {
  Shelf<Skill> shelf;
  for (const SkillPlace& place : skill_places())
    add_skills(shelf.items, place.source, place.owner, place.directory, shelf.problems);
  return shelf;
}

Result<SkillFile> Library::skill(std::string_view name) const {
  Shelf<Skill> shelf;
  for (const SkillPlace& place : skill_places()) {
    add_skills(shelf.items, place.source, place.owner, place.directory, shelf.problems);
    // What is beyond the limit is not offered, and yet there.
    if (is_name(name) && std::ranges::find(shelf.items, name, &Skill::name) == shelf.items.end()) {
      auto beyond =
          read_skill(place.source, place.owner, fmt::format("{}/{}", place.directory, name));
      if (beyond && *beyond && (*beyond)->name == name) shelf.items.push_back(std::move(**beyond));
    }
    const auto found = std::ranges::find(shelf.items, name, &Skill::name);
    if (found == shelf.items.end()) continue;
    File file = TRY(file_of(*found));
    return SkillFile{std::move(*found), std::move(file)};
  }
  return missing("skill", name);
}

Result<File> Library::file_of(const Skill& skill) const {
  return read(skill.owner, skill.folder + std::string(kSkillFile));
}

Result<File> Library::beside(const Skill& skill, const std::string& path) const {
  const std::vector<std::string_view> parts = workspace::parts_of(path);
  if (path.starts_with('/') || path.find('\0') != path.npos ||
      std::ranges::find(parts, "..") != parts.end())
    return Error{Code::invalid_argument,
                 fmt::format("'{}' is no file beside the skill '{}'",
                             preview(escape_for_display(path), kMaxName), skill.name),
                 "give a path in the folder of the skill", "invalid_name"};
  return read(skill.owner, skill.folder + "/" + path);
}

Names Library::names_beside(const Skill& skill) const {
  const Source source =
      skill.owner == Owner::user ? own_source(config_directory_) : workspace_source(*files_);
  Names found = names_in(source, skill.folder).value_or(Names());
  std::erase(found.names, kSkillFile.substr(1));
  for (std::string& name : found.names) name = escape_invalid_utf8(name);
  return found;
}

Result<std::string> Library::prompt_path(std::string_view name) {
  TRY(check_name(name));
  return fmt::format("{}/{}{}", kProjectPrompts, name, kExtension);
}

Result<std::string> Library::skill_path(std::string_view name) {
  TRY(check_name(name));
  return fmt::format("{}/{}{}", kProjectSkills, name, kSkillFile);
}

Result<workspace::Applied> Library::apply(const Change& change,
                                          const workspace::Author& author) const {
  if (!files_)
    return Error{Code::denied, "there is no workspace that could keep it",
                 "this session was started without a workspace", "no_files"};
  Result<workspace::Applied> applied = files_->apply({&change, 1}, author);
  if (!applied && applied.error().type == "changed_meanwhile") {
    applied.error().type = "mtime_conflict";
    applied.error().hint = "read it again, then change it";
  }
  return applied;
}

Result<workspace::Applied> Library::write(const std::string& path, std::string content,
                                          std::optional<workspace::Version> expected,
                                          const workspace::Author& author) const {
  if (content.size() > kMaxFileBytes)
    return Error{Code::too_large,
                 fmt::format("'{}' would have {}, the limit is {}", path,
                             human_size(content.size()), human_size(kMaxFileBytes)),
                 "shorten it, or make several of it"};
  return apply(
      {.path = path,
       .content = std::move(content),
       .on_conflict = expected ? workspace::OnConflict::overwrite : workspace::OnConflict::error,
       .expected = expected,
       .even_guidance = true},
      author);
}

Result<workspace::Applied> Library::remove(const File& file,
                                           const workspace::Author& author) const {
  return apply({.kind = Change::Kind::remove,
                .path = file.path,
                .expected = file.snapshot.version,
                .even_guidance = true},
               author);
}

}  // namespace helve::guidance
