// skill_write: a skill of the workspace, made or replaced.
#include <fmt/format.h>

#include "base/text.h"
#include "guidance/front_matter.h"
#include "tool/make.h"
#include "tools/guidance_access.h"

namespace helve::tools {
namespace {

using workspace::OnConflict;

struct SkillWriteInput {
  std::string name;
  std::string description;
  std::string content;
  OnConflict on_conflict = OnConflict::error;

  static constexpr auto schema() {
    return object(
        "Write a skill: instructions for a certain task, which models that work in this workspace "
        "are offered from their next run on. It is kept in .helve/skills/NAME/SKILL.md.",
        arg<&SkillWriteInput::name>("Letters, digits, '.', '_' or '-'").min_length(1),
        arg<&SkillWriteInput::description>("What it is for, and when to use it: all that a model "
                                           "sees of it beforehand")
            .min_length(1)
            .max_length(guidance::kMaxDescription),
        arg<&SkillWriteInput::content>("The instructions: Markdown, without front matter")
            .min_length(1)
            .from_stdin(),
        opt<&SkillWriteInput::on_conflict>("What to do when there is one of that name"));
  }
};

Error taken(std::string message, std::string hint) {
  return Error{Code::conflict, std::move(message), std::move(hint), "path_conflict"};
}

// What is there and may be replaced; nothing: there is none.
Result<std::optional<workspace::Version>> replaceable(const SkillWriteInput& in,
                                                      const std::string& path,
                                                      const guidance::Library& library,
                                                      Context& context) {
  const Result<guidance::SkillFile> there = library.skill(in.name);
  if (!there && there.error().code == Code::not_found) return std::optional<workspace::Version>();
  if (!there) return there.error();
  const guidance::File& file = there->file;
  if (file.path != path)
    return taken(fmt::format("'{}' is the skill '{}' already", file.path, in.name),
                 "choose another name");
  if (in.on_conflict == OnConflict::error)
    return taken(fmt::format("there is a skill '{}' already", in.name),
                 "change it with skill_edit, or pass on_conflict=overwrite");
  TRY(check_may_change(file, there->skill.agent_modification, "skill"));
  TRY(check_seen(file, context));
  return std::optional(file.snapshot.version);
}

Result<GuidanceChange> skill_write(const SkillWriteInput& in, Context& context) {
  const guidance::Library& library = *TRY(need_guidance(context));
  const std::string path = TRY(guidance::Library::skill_path(in.name));
  std::string text =
      fmt::format("---\nname: {}\ndescription: {}\n---\n{}", guidance::yaml_value(in.name),
                  guidance::yaml_value(in.description), in.content);
  if (!text.ends_with('\n')) text += '\n';
  TRY(not_written(path, guidance::check_skill(in.name, text)));
  const std::optional<workspace::Version> old = TRY(replaceable(in, path, library, context));
  const workspace::Applied applied =
      TRY(library.write(path, std::move(text), old, author_of(context)));
  return changed(fmt::format("{} {}", old ? "Overwrote" : "Created", path), in.name, path, applied);
}

}  // namespace

Tool tool_skill_write() {
  return make_tool({.name = "skill_write",
                    .group = "skills",
                    .title = "Write a skill",
                    .effect = Effect::write,
                    .destructive = true,
                    .subject = {"name"},
                    .examples = {{"A new skill",
                                  R"({"name": "release", "description": "How to make a release", )"
                                  R"("content": "1. Run the tests.\n2. Tag it.\n"})"}}},
                   skill_write);
}

}  // namespace helve::tools
