#include "app/selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "app/blame.h"
#include "base/text.h"

namespace helve::app {
namespace {

// Groups that are served first when there are more tools than fit.
constexpr std::string_view kServedGroups[] = {"fs",     "search",  "edit", "shell",
                                              "memory", "results", "undo"};
// What starts agents, and what is told to later sessions: only for those who ask for it, whatever
// the dialect has words for.
constexpr std::string_view kOnRequest[] = {"sessions", "prompts", "skills", "capabilities"};
constexpr std::string_view kReaderOfLongAnswers = "read_large_result";

// Whoever chooses some tools gets what reads their long answers as well; a deny leaves it out.
void add_reader(Selection& selection) {
  auto* chosen = std::get_if<LoadNames>(&selection);
  if (chosen && std::ranges::find(chosen->names, kReaderOfLongAnswers) == chosen->names.end())
    chosen->names.emplace_back(kReaderOfLongAnswers);
}

bool is_one_of(std::string_view group, std::span<const std::string_view> groups) {
  return std::ranges::find(groups, group) != groups.end();
}

// In the order of the dialect's words, which its table gives by how much they are needed.
std::vector<std::string> served_under(const Dialect* dialect, const std::vector<Tool>& tools) {
  std::vector<std::string> served{std::string(kReaderOfLongAnswers)};
  const auto add = [&](const Tool& tool) {
    const std::string& name = tool.spec.name;
    if (!is_left_out(dialect, name) && served.size() < kMaxServedTools &&
        std::ranges::find(served, name) == served.end())
      served.push_back(name);
  };
  if (dialect) {
    for (const Dialect::Entry& entry : dialect->entries) {
      const auto tool = std::ranges::find(
          tools, entry.tool, [](const Tool& each) { return std::string_view(each.spec.name); });
      if (tool != tools.end() && !is_one_of(tool->spec.group, kOnRequest)) add(*tool);
    }
  }
  for (const Tool& tool : tools) {
    if (is_one_of(tool.spec.group, kServedGroups)) add(tool);
  }
  return served;
}

}  // namespace

bool has_word_for(const Dialect* dialect, std::string_view tool) {
  return dialect && std::ranges::any_of(dialect->entries, [&](const Dialect::Entry& entry) {
           return entry.tool == tool;
         });
}

bool is_left_out(const Dialect* dialect, std::string_view tool) {
  const bool only_editor = has_word_for(dialect, "editor") && !has_word_for(dialect, "edit");
  if (tool == (only_editor ? "edit" : "editor")) return true;
  return dialect && !has_word_for(dialect, tool) &&
         std::ranges::any_of(dialect->entries, [&](const Dialect::Entry& entry) {
           return equals_ignoring_case(entry.name, tool);
         });
}

Selection selection_of(const config::Load& load, bool is_explicit, Purpose purpose,
                       const std::vector<Tool>& tools, const Dialect* dialect) {
  if (load.kind == config::Load::Kind::none) return LoadNone{};
  if (load.kind == config::Load::Kind::names) return LoadNames{load.names};
  if (purpose != Purpose::serve || is_explicit || tools.size() <= kMaxServedTools) return LoadAll{};
  return LoadNames{served_under(dialect, tools)};
}

Result<Registry> load_tools(const config::Loaded& settings, const cli::Options& options,
                            Purpose purpose) {
  const config::Config& config = settings.config;
  std::vector<Tool> tools = builtin_tools();
  Selection selection = selection_of(config.load, options.tools.has_value(), purpose, tools,
                                     find_dialect(config.dialect));
  if (config.profile != config::Profile::bare) add_reader(selection);
  Result<Registry> registry = Registry::load(std::move(tools), selection);
  if (!registry) return wrong_setting(settings, "tools.load", std::move(registry).error());
  return registry;
}

Result<const Dialect*> chosen_dialect(const config::Loaded& settings) {
  const std::string& name = settings.config.dialect;
  if (name.empty()) return nullptr;
  if (const Dialect* found = find_dialect(name)) return found;
  std::vector<std::string_view> names;
  std::vector<std::string> known;
  for (const Dialect& dialect : dialects()) {
    names.push_back(dialect.name);
    known.push_back(fmt::format("{} ({})", dialect.name, dialect.from));
  }
  std::string hint = did_you_mean(name, names);
  if (hint.empty()) hint = "known: " + join(known, ", ");
  return wrong_setting(
      settings, "dialect",
      {Code::invalid_argument, fmt::format("there is no dialect '{}'", escape_for_display(name)),
       hint, "unknown_dialect"});
}

}  // namespace helve::app
