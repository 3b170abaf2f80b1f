// skill_read: a skill, or a file beside it, with numbered lines.
#include <fmt/format.h>

#include "base/text.h"
#include "tool/make.h"
#include "tools/guidance_access.h"

namespace helve::tools {
namespace {

struct SkillReadInput {
  std::string name;
  std::optional<std::string> file;

  static constexpr auto schema() {
    return object(
        "Read a skill: instructions for a certain task. The user's own skills lie outside of the "
        "workspace; this reads them, too.",
        arg<&SkillReadInput::name>("Its name, as skill_list has it").min_length(1),
        opt<&SkillReadInput::file>("Instead of the skill itself: a text file of its folder")
            .min_length(1));
  }
};

struct SkillReadOutput {
  std::string name;
  guidance::Owner owner = guidance::Owner::project;
  std::string path;
  std::string description;
  std::string content;
  std::vector<std::string> files;
  std::optional<std::int64_t> more_files;

  static constexpr auto schema() {
    return object("A skill.", arg<&SkillReadOutput::name>("Its name"),
                  arg<&SkillReadOutput::owner>("Whose it is; tools do not change the user's own"),
                  arg<&SkillReadOutput::path>("The file that was read"),
                  arg<&SkillReadOutput::description>("What it is for"),
                  arg<&SkillReadOutput::content>("The whole file"),
                  arg<&SkillReadOutput::files>("What else is in its folder"),
                  opt<&SkillReadOutput::more_files>("How many more there are"));
  }
  std::string text() const {
    std::string out = numbered(content);
    if (!files.empty())
      out += fmt::format("Also in its folder: {}{}\n", escape_for_display(join(files, ", ")),
                         more_files ? fmt::format(" and {} more", *more_files) : "");
    return out;
  }
};

Result<SkillReadOutput> skill_read(const SkillReadInput& in, Context& context) {
  const guidance::Library& library = *TRY(need_guidance(context));
  guidance::SkillFile found = TRY(library.skill(in.name));
  auto& [skill, file] = found;
  std::vector<std::string> others = library.names_beside(skill).names;
  std::optional<std::int64_t> more;
  if (others.size() > guidance::kMaxFiles) {
    more = static_cast<std::int64_t>(others.size() - guidance::kMaxFiles);
    others.resize(guidance::kMaxFiles);
  }
  if (in.file) file = TRY(library.beside(skill, *in.file));
  if (!is_utf8(file.text()))
    return Error{Code::unsupported, fmt::format("'{}' is not UTF-8 text", file.path), "",
                 "not_text"};
  if (!in.file) note_seen(file, context);
  return SkillReadOutput{.name = std::move(skill.name),
                         .owner = file.owner,
                         .path = std::move(file.path),
                         .description = std::move(skill.description),
                         .content = std::move(file.snapshot.content),
                         .files = std::move(others),
                         .more_files = more};
}

}  // namespace

Tool tool_skill_read() {
  return make_tool({.name = "skill_read",
                    .group = "skills",
                    .title = "Read a skill",
                    .effect = Effect::read,
                    .idempotent = true,
                    .subject = {"name"},
                    .examples = {{"A skill", R"({"name": "release"})"},
                                 {"A file that it speaks of",
                                  R"({"name": "release", "file": "references/checklist.md"})"}},
                    .limits = {.inline_chars = 40'000}},
                   skill_read);
}

}  // namespace helve::tools
