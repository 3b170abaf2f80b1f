// prompt_read: a prompt as its file has it, with numbered lines.
#include <fmt/format.h>

#include "base/text.h"
#include "tool/make.h"
#include "tools/guidance_access.h"

namespace helve::tools {
namespace {

struct PromptReadInput {
  std::string name;

  static constexpr auto schema() {
    return object("Read a prompt, front matter included, as prompt_edit counts its lines.",
                  arg<&PromptReadInput::name>("Its name, as prompt_list has it").min_length(1));
  }
};

struct PromptReadOutput {
  std::string name;
  guidance::Owner owner = guidance::Owner::project;
  std::string path;
  std::string title;
  std::string description;
  std::optional<guidance::Loading> loading;
  bool agent_modification = false;
  std::string content;

  static constexpr auto schema() {
    return object("A prompt.", arg<&PromptReadOutput::name>("Its name"),
                  arg<&PromptReadOutput::owner>("Whose it is; tools do not change the user's own"),
                  arg<&PromptReadOutput::path>("Its file"),
                  arg<&PromptReadOutput::title>("For people"),
                  arg<&PromptReadOutput::description>("What it is for"),
                  opt<&PromptReadOutput::loading>("When a model is told it; absent: on request"),
                  arg<&PromptReadOutput::agent_modification>("Whether tools may change it"),
                  arg<&PromptReadOutput::content>("The whole file"));
  }
  std::string text() const { return numbered(content); }
};

Result<PromptReadOutput> prompt_read(const PromptReadInput& in, Context& context) {
  guidance::PromptFile found = TRY(TRY(need_guidance(context))->prompt(in.name));
  auto& [prompt, file] = found;
  note_seen(file, context);
  return PromptReadOutput{
      .name = std::move(prompt.name),
      .owner = file.owner,
      .path = std::move(file.path),
      .title = std::move(prompt.title),
      .description = std::move(prompt.description),
      .loading = prompt.loading,
      .agent_modification = prompt.agent_modification && file.owner == guidance::Owner::project,
      .content = std::move(file.snapshot.content)};
}

}  // namespace

Tool tool_prompt_read() {
  return make_tool({.name = "prompt_read",
                    .group = "prompts",
                    .title = "Read a prompt",
                    .effect = Effect::read,
                    .idempotent = true,
                    .subject = {"name"},
                    .examples = {{"A prompt", R"({"name": "style"})"}},
                    .limits = {.inline_chars = 40'000}},
                   prompt_read);
}

}  // namespace helve::tools
