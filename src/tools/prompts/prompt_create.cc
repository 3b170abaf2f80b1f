// prompt_create: a new prompt of the workspace.
#include <fmt/format.h>

#include "base/text.h"
#include "guidance/front_matter.h"
#include "tool/make.h"
#include "tools/guidance_access.h"

namespace helve::tools {
namespace {

using guidance::Loading;

struct PromptCreateInput {
  std::string name;
  std::string content;
  std::string title;
  std::string description;
  Loading loading = Loading::contextual;
  bool agent_modification = true;

  static constexpr auto schema() {
    return object(
        "Make a prompt: what models that work in this workspace are told from their next run on, "
        "always or when a message has to do with it. It is kept in .helve/prompts/NAME.md.",
        arg<&PromptCreateInput::name>("Letters, digits, '.', '_' or '-'").min_length(1),
        arg<&PromptCreateInput::content>("What is told: Markdown, without front matter")
            .min_length(1)
            .from_stdin(),
        opt<&PromptCreateInput::title>("For people; default: the name")
            .max_length(guidance::kMaxTitle),
        opt<&PromptCreateInput::description>("What it is for")
            .max_length(guidance::kMaxDescription),
        opt<&PromptCreateInput::loading>(
            "always, or contextual: when it has a word of more than three letters in common with "
            "the message"),
        opt<&PromptCreateInput::agent_modification>("False: only people change it from then on"));
  }
};

std::string file_of(const PromptCreateInput& in) {
  std::string text =
      fmt::format("---\ntitle: {}\n", guidance::yaml_value(in.title.empty() ? in.name : in.title));
  if (!in.description.empty())
    text += fmt::format("description: {}\n", guidance::yaml_value(in.description));
  text += fmt::format("loading: {}\nagent-modification: {}\n---\n{}", guidance::name_of(in.loading),
                      in.agent_modification, in.content);
  if (!text.ends_with('\n')) text += '\n';
  return text;
}

Result<GuidanceChange> prompt_create(const PromptCreateInput& in, Context& context) {
  const guidance::Library& library = *TRY(need_guidance(context));
  const std::string path = TRY(guidance::Library::prompt_path(in.name));
  std::string text = file_of(in);
  TRY(not_written(path, guidance::check_prompt(in.name, text)));
  const Result<guidance::PromptFile> there = library.prompt(in.name);
  if (there || there.error().type == guidance::kInvalidFrontMatter) {
    const bool is_own = there && there->file.owner == guidance::Owner::user;
    return Error{
        Code::conflict,
        fmt::format("there is a prompt '{}' already{}", in.name, is_own ? ", the user's own" : ""),
        "choose another name, or change it with prompt_edit", "path_conflict"};
  }
  if (there.error().code != Code::not_found) return there.error();
  const workspace::Applied applied =
      TRY(library.write(path, std::move(text), std::nullopt, author_of(context)));
  return changed(fmt::format("Created {} ({})", path, guidance::name_of(in.loading)), in.name, path,
                 applied);
}

}  // namespace

Tool tool_prompt_create() {
  return make_tool(
      {.name = "prompt_create",
       .group = "prompts",
       .title = "Make a prompt",
       .effect = Effect::write,
       .subject = {"name", "loading"},
       .examples =
           {{"What every session is told",
             R"({"name": "style", "content": "Write dates as 2026-01-31.", "loading": "always"})"},
            {"What is told when it matters",
             R"({"name": "release", "title": "Releases", "content": "A release begins with …"})"}}},
      prompt_create);
}

}  // namespace helve::tools
