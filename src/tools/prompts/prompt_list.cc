// prompt_list: the prompts of the user and of the workspace.
#include <fmt/format.h>

#include "base/text.h"
#include "tool/make.h"
#include "tools/guidance_access.h"

namespace helve::tools {
namespace {

struct PromptListInput {
  static constexpr auto schema() {
    return object(
        "List the prompts: what a model is told always, or when a message has to do with it, and "
        "templates that people ask for.");
  }
};

struct PromptEntry {
  std::string name;
  guidance::Owner owner = guidance::Owner::project;
  std::string path;
  std::string title;
  std::string description;
  std::optional<guidance::Loading> loading;
  bool agent_modification = false;

  static constexpr auto schema() {
    return object("A prompt.", arg<&PromptEntry::name>("Its name"),
                  arg<&PromptEntry::owner>("Whose it is; tools do not change the user's own"),
                  arg<&PromptEntry::path>("Its file"), arg<&PromptEntry::title>("For people"),
                  arg<&PromptEntry::description>("What it is for"),
                  opt<&PromptEntry::loading>("When a model is told it; absent: on request"),
                  arg<&PromptEntry::agent_modification>("Whether tools may change it"));
  }
  std::string text() const {
    std::string out =
        fmt::format("{} · {} · {}{}", name, owner == guidance::Owner::user ? "user" : "project",
                    loading ? guidance::name_of(*loading) : "template",
                    agent_modification ? "" : " · protected");
    if (!title.empty()) out += " · " + escape_for_display(title);
    if (!description.empty()) out += " · " + escape_for_display(description);
    return out + "\n";
  }
};

struct PromptListOutput {
  std::vector<PromptEntry> prompts;
  std::vector<std::string> problems;

  static constexpr auto schema() {
    return object("The prompts, the user's own first.",
                  arg<&PromptListOutput::prompts>("Those that count"),
                  arg<&PromptListOutput::problems>("Files that are left out, and why"));
  }
  std::string text() const {
    std::string out;
    for (const PromptEntry& each : prompts) out += each.text();
    if (prompts.empty()) out = "no prompts\n";
    for (const std::string& problem : problems)
      out += "problem: " + escape_for_display(problem) + "\n";
    return out;
  }
};

Result<PromptListOutput> prompt_list(const PromptListInput&, Context& context) {
  const guidance::Library& library = *TRY(need_guidance(context));
  guidance::Shelf<guidance::PromptFile> shelf = library.prompts();
  PromptListOutput out{.prompts = {}, .problems = std::move(shelf.problems)};
  for (const auto& [prompt, file] : shelf.items)
    out.prompts.push_back({.name = prompt.name,
                           .owner = file.owner,
                           .path = file.path,
                           .title = prompt.title,
                           .description = prompt.description,
                           .loading = prompt.loading,
                           .agent_modification = prompt.agent_modification &&
                                                 file.owner == guidance::Owner::project});
  return out;
}

}  // namespace

Tool tool_prompt_list() {
  return make_tool({.name = "prompt_list",
                    .group = "prompts",
                    .title = "List prompts",
                    .effect = Effect::read,
                    .idempotent = true,
                    .examples = {{"All of them", "{}"}},
                    .limits = {.inline_chars = 30'000}},
                   prompt_list);
}

}  // namespace helve::tools
