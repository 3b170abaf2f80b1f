// capabilities_refresh: what the tools can do, as a prompt that every session begins with.
#include <fmt/format.h>

#include <algorithm>

#include "agent/agents.h"
#include "base/text.h"
#include "guidance/front_matter.h"
#include "tool/make.h"
#include "tools/capability_themes.h"
#include "tools/guidance_access.h"

namespace helve::tools {
namespace {

constexpr std::string_view kName = "capabilities";
constexpr std::string_view kNewHead =
    "---\ntitle: Capabilities\nloading: always\nagent-modification: true\n---\n";
constexpr std::string_view kIntro = "What can be done here, by theme:\n\n";
constexpr std::int64_t kMaxAnswerTokens = 4096;
constexpr std::chrono::seconds kLongestAnswer{30};

enum class Author : unsigned char { model, groups };

struct CapabilitiesRefreshInput {
  bool include_mcp = true;

  static constexpr auto schema() {
    return object(
        "Write anew what the tools can do, one line for each theme and without their names, to "
        ".helve/prompts/capabilities.md, with which every session in this workspace begins. The "
        "configured model summarises them; without one the groups are counted.",
        opt<&CapabilitiesRefreshInput::include_mcp>("Also the tools of connected MCP servers"));
  }
};

struct CapabilitiesRefreshOutput {
  std::string path;
  std::vector<std::string> themes;
  Author by = Author::groups;
  std::int64_t tools = 0;
  bool changed = false;
  std::optional<std::string> change;
  std::vector<std::string> notes;

  static constexpr auto schema() {
    return object("What was written.", arg<&CapabilitiesRefreshOutput::path>("The prompt"),
                  arg<&CapabilitiesRefreshOutput::themes>("What can be done"),
                  arg<&CapabilitiesRefreshOutput::by>("A model wrote it, or groups were counted"),
                  arg<&CapabilitiesRefreshOutput::tools>("How many tools there are"),
                  arg<&CapabilitiesRefreshOutput::changed>("False: it said the same before"),
                  opt<&CapabilitiesRefreshOutput::change>("Id of the change, for undo"),
                  opt<&CapabilitiesRefreshOutput::notes>("What else is to be known"));
  }
  std::string text() const {
    std::string out = fmt::format("{} {} ({} tools)\n", changed ? "Wrote" : "Kept", path, tools);
    for (const std::string& theme : themes) out += fmt::format("- {}\n", theme);
    for (const std::string& note : notes)
      out += fmt::format("note: {}\n", escape_for_display(note));
    return out;
  }
};

Result<std::string> ask_model(std::span<const ToolGroup> groups, Context& context) {
  if (!context.agents)
    return Error{Code::unavailable, "there is no model in this session", "", "no_model"};
  return TRY(context.agents->get())
      ->ask({.agent = context.who.agent,
             .system = std::string(kThemesSystem),
             .text = themes_question(groups),
             .max_output_tokens = kMaxAnswerTokens,
             .timeout = kLongestAnswer},
            context.stop);
}

// What a model, or somebody else, has written there.
std::vector<std::string> summary_in(const guidance::PromptFile& old) {
  std::string_view text = old.file.text();
  text.remove_prefix(guidance::front_of(text).size());
  std::vector<std::string> themes = listed_themes(text);
  if (std::ranges::all_of(themes, is_count)) themes.clear();
  return themes;
}

// A model that fails is asked again another time: what it said before is better than a count.
enum class Found : unsigned char { themes, old_ones };
Found find_themes(CapabilitiesRefreshOutput& out, std::span<const ToolGroup> groups,
                  const guidance::PromptFile* old, Context& context) {
  const Result<std::string> answer = ask_model(groups, context);
  if (answer) out.themes = themes_in(*answer, groups);
  if (!out.themes.empty()) {
    out.by = Author::model;
    return Found::themes;
  }
  out.notes.push_back(
      answer ? "the model's answer had no themes in it"
             : fmt::format("no model summarised them: {}", preview(answer.error().message, 300)));
  const bool has_model = answer || answer.error().type_name() != "no_model";
  if (old && has_model) out.themes = summary_in(*old);
  if (!out.themes.empty()) {
    out.by = Author::model;
    out.notes.emplace_back("what was written before is kept");
    return Found::old_ones;
  }
  out.themes = themes_by_group(groups);
  return Found::themes;
}

Result<CapabilitiesRefreshOutput> capabilities_refresh(const CapabilitiesRefreshInput& in,
                                                       Context& context) {
  const guidance::Library& library = *TRY(need_guidance(context));
  if (!context.inventory)
    return Error{Code::denied, "the tools of this session are not known", "", "no_inventory"};
  Result<guidance::PromptFile> old = library.prompt(kName);
  if (!old && old.error().code != Code::not_found) return std::move(old).error();
  if (old) TRY(check_may_change(old->file, old->prompt.agent_modification, "prompt"));
  const std::vector<ToolGroup> groups =
      groups_of(*context.inventory, in.include_mcp ? Servers::include : Servers::leave_out);
  CapabilitiesRefreshOutput out;
  out.path = TRY(guidance::Library::prompt_path(kName));
  for (const ToolGroup& group : groups) out.tools += static_cast<std::int64_t>(group.tools.size());
  const Found found = find_themes(out, groups, old ? &*old : nullptr, context);
  TRY(context.checkpoint());
  if (found == Found::old_ones) return out;
  // The front matter is kept as it stands.
  std::string text(old ? guidance::front_of(old->file.text()) : kNewHead);
  text += kIntro;
  for (const std::string& theme : out.themes) text += fmt::format("- {}\n", theme);
  if (old && old->file.text() == text) return out;
  TRY(guidance::parse_prompt(kName, text));
  const workspace::Applied applied = TRY(library.write(
      out.path, std::move(text), old ? std::optional(old->file.snapshot.version) : std::nullopt,
      author_of(context)));
  out.changed = true;
  out.change = change_of(applied);
  std::ranges::copy(applied.notes, std::back_inserter(out.notes));
  return out;
}

}  // namespace

Tool tool_capabilities_refresh() {
  return make_tool(
      {.name = "capabilities_refresh",
       .group = "capabilities",
       .title = "Summarise what the tools can do",
       .effect = Effect::write,
       .idempotent = true,
       .examples = {{"Anew", "{}"}, {"Only helve's own tools", R"({"include_mcp": false})"}}},
      capabilities_refresh);
}

}  // namespace helve::tools
