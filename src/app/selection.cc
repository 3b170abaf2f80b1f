#include "app/selection.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/blame.h"
#include "base/text.h"

namespace helve::app {
namespace {

// Groups that are served first when there are more tools than fit.
constexpr std::string_view kServedGroups[] = {"fs",     "search",  "edit", "shell",
                                              "memory", "results", "undo"};
constexpr std::string_view kReaderOfLongAnswers = "read_large_result";

// Whoever chooses some tools gets what reads their long answers as well; a deny leaves it out.
void add_reader(Selection& selection) {
  auto* chosen = std::get_if<LoadNames>(&selection);
  if (chosen && std::ranges::find(chosen->names, kReaderOfLongAnswers) == chosen->names.end())
    chosen->names.emplace_back(kReaderOfLongAnswers);
}

}  // namespace

bool has_word_for(const Dialect* dialect, std::string_view tool) {
  return dialect && std::ranges::any_of(dialect->entries, [&](const Dialect::Entry& entry) {
           return entry.tool == tool;
         });
}

std::string_view left_out_editor(const Dialect* dialect) {
  const bool only_editor = has_word_for(dialect, "editor") && !has_word_for(dialect, "edit");
  return only_editor ? "edit" : "editor";
}

Selection selection_of(const config::Load& load, bool is_explicit, Purpose purpose,
                       const std::vector<Tool>& tools, const Dialect* dialect) {
  if (load.kind == config::Load::Kind::none) return LoadNone{};
  if (load.kind == config::Load::Kind::names) return LoadNames{load.names};
  if (purpose != Purpose::serve || is_explicit || tools.size() <= kMaxServedTools) return LoadAll{};
  const std::string_view left_out = left_out_editor(dialect);
  LoadNames served{{std::string(kReaderOfLongAnswers)}};
  for (const Tool& tool : tools) {
    const bool listed =
        tool.spec.name != kReaderOfLongAnswers && tool.spec.name != left_out &&
        std::ranges::find(kServedGroups, tool.spec.group) != std::end(kServedGroups);
    if (listed && served.names.size() < kMaxServedTools) served.names.push_back(tool.spec.name);
  }
  return served;
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
