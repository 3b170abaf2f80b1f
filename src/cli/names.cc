#include "cli/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/text.h"
#include "cli/flag_docs.h"
#include "cli/screen.h"
#include "schema/describe.h"
#include "schema/flags.h"

namespace helve::cli {
namespace {

constexpr std::string_view kReservedFlags[] = {"help", "json"};

std::string dashed(std::string_view name) {
  std::string word(name);
  std::replace(word.begin(), word.end(), '_', '-');
  return word;
}

std::string underscored(std::string_view word) {
  std::string name(word);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

// The least value of theirs: 0 where that means no limit.
schema::Bound lowest_of(const schema::Field& field, const Dialect::Parameter& parameter) {
  schema::Bound lowest = field.lowest;
  lowest.integer += parameter.shift;
  const auto zero = std::ranges::find(parameter.values, "0", &Dialect::Meaning::theirs);
  if (zero != parameter.values.end()) lowest.integer = std::min<std::int64_t>(lowest.integer, 0);
  return lowest;
}

std::optional<Named> find_name(const Registry& registry, std::string_view name,
                               std::string_view group, std::string_view word) {
  const Registry::Found found = registry.find(name);
  if (!found.tool) return std::nullopt;
  return Named{found.tool, found.dialect, std::string(name), std::string(group), std::string(word)};
}

}  // namespace

std::string Named::command() const {
  const bool own = tool && !dialect && tool->spec.top_level && group == tool->spec.group;
  return own ? word : group + " " + word;
}

Named named(const Tool& tool) {
  std::string_view word = tool.spec.name;
  std::string_view group = tool.spec.group;
  // Of "prompts" one is a prompt: prompt_list is `prompts list`.
  if (!word.starts_with(group) && group.ends_with('s')) group.remove_suffix(1);
  if (word.starts_with(group) && word.substr(group.size()).starts_with('_') &&
      word.size() > group.size() + 1)
    word.remove_prefix(group.size() + 1);
  return {&tool, nullptr, tool.spec.name, tool.spec.group, dashed(word)};
}

std::string summary_of(const Tool& tool) {
  return std::string(tool.spec.title.empty() ? first_sentence(tool.spec.description)
                                             : std::string_view(tool.spec.title));
}

std::optional<Named> find_tool(const Registry& registry, std::string_view group,
                               std::string_view word) {
  const std::string name = underscored(word);
  for (const Tool& tool : registry.tools()) {
    if (tool.spec.group != group) continue;
    if (Named own = named(tool); own.word == dashed(word)) return own;
  }
  for (std::string_view spelled : {word, std::string_view(name)}) {
    std::optional<Named> found = find_name(registry, spelled, group, word);
    if (found && found->tool->spec.group == group) return found;
  }
  return find_name(registry, fmt::format("{}_{}", group, name), group, word);
}

std::optional<Named> find_top_level(const Registry& registry, std::string_view word) {
  for (const Tool& tool : registry.tools()) {
    if (!tool.spec.top_level) continue;
    if (Named own = named(tool); own.word == dashed(word)) return own;
  }
  return std::nullopt;
}

std::optional<Named> find_own_name(const Registry& registry, std::string_view word) {
  const auto& tools = registry.tools();
  const std::string name = underscored(word);
  const auto found =
      std::ranges::find_if(tools, [&](const Tool& tool) { return tool.spec.name == name; });
  return found == tools.end() ? std::nullopt : std::optional(named(*found));
}

std::vector<std::string> other_names(const Registry& registry, const Tool& tool) {
  std::set<std::string> names(tool.spec.aliases.begin(), tool.spec.aliases.end());
  for (const Dialect& dialect : dialects()) {
    for (const Dialect::Entry& entry : dialect.entries) {
      if (entry.tool == tool.spec.name) names.emplace(entry.name);
    }
  }
  // A name that another tool has as its own does not mean this one.
  std::erase_if(names, [&](const std::string& name) {
    return registry.find(name).tool != &tool || name == tool.spec.name;
  });
  return {names.begin(), names.end()};
}

std::vector<Named> tools_of(const Registry& registry, std::string_view group) {
  std::vector<Named> found;
  for (const Tool& tool : registry.tools()) {
    if (tool.spec.group == group) found.push_back(named(tool));
  }
  if (!found.empty()) return found;
  const std::string prefix = fmt::format("{}_", group);
  for (const Tool& tool : registry.tools()) {
    for (const std::string& name : other_names(registry, tool)) {
      if (!name.starts_with(prefix)) continue;
      found.push_back(*find_name(registry, name, group, dashed(name.substr(prefix.size()))));
    }
  }
  // One name alone, as read_file, makes no group.
  return found.size() > 1 ? found : std::vector<Named>();
}

bool is_group(const Registry& registry, std::string_view word) {
  return !tools_of(registry, word).empty();
}

std::optional<Named> find_any_name(const Registry& registry, std::string_view word) {
  if (std::optional<Named> own = find_own_name(registry, word)) return own;
  const std::string name = underscored(word);
  const size_t cut = name.find('_');
  if (cut != name.npos && is_group(registry, name.substr(0, cut))) {
    std::optional<Named> found =
        find_tool(registry, name.substr(0, cut), dashed(name.substr(cut + 1)));
    if (found && found->name == name) return found;
  }
  const Tool* const tool = registry.find(word).tool;
  return tool ? std::optional(named(*tool)) : std::nullopt;
}

const Tool* tool_with_prefix(const Registry& registry, std::string_view prefix) {
  const std::string beginning = std::string(prefix) + "_";
  for (const Tool& tool : registry.tools()) {
    for (const std::string& name : other_names(registry, tool)) {
      if (name.starts_with(beginning)) return &tool;
    }
  }
  return nullptr;
}

Face::Face(const Named& named) : tool_(named.tool), dialect_(named.dialect) {
  if (!tool_->input) return;
  fields_.assign(tool_->input->fields.begin(), tool_->input->fields.end());
  defaults_ = defaults_of(*tool_->input);
  if (!named.dialect) return;
  own_ = false;
  for (const Dialect::Default& standard : named.dialect->defaults)
    defaults_[standard.ours] = parse_json(standard.value).value_or(Json());
  for (const Dialect::Parameter& parameter : named.dialect->parameters) take(parameter);
}

bool Face::is_taken(const Dialect::Parameter& parameter) const {
  return &*std::ranges::find(dialect_->parameters, parameter.ours, &Dialect::Parameter::ours) !=
         &parameter;
}

void Face::take(const Dialect::Parameter& parameter) {
  if (parameter.ours.empty()) return;
  // Their word may be one of ours with another meaning; under this name it means theirs.
  if (parameter.theirs != parameter.ours)
    std::erase_if(fields_,
                  [&](const schema::Field& field) { return field.name == parameter.theirs; });
  const auto field = std::ranges::find(fields_, parameter.ours, &schema::Field::name);
  // Of several words of theirs for one of ours the first is shown.
  if (field == fields_.end() || is_taken(parameter)) return;
  field->name = parameter.theirs;
  if (!parameter.description.empty()) field->description = parameter.description;
  if (parameter.theirs.starts_with('-')) field->letter = parameter.theirs[1];
  Json standard = std::exchange(defaults_[parameter.ours], nullptr);
  const schema::Type& type = schema::plain(*field->type);
  if (is_flag(parameter)) {
    field->type = &schema::kType<bool>;
    field->switches = {};
  } else if (parameter.single && type.kind == schema::Kind::array) {
    field->type = type.inner;
    field->longest = -1;  // counted items
  } else {
    if (field->lowest.set) field->lowest = lowest_of(*field, parameter);
    if (standard.is_int64()) standard = standard.get_int64() + parameter.shift;
    defaults_[parameter.theirs] = std::move(standard);
  }
}

schema::Type Face::type() const {
  if (!tool_->input) return {.kind = schema::Kind::object, .description = tool_->spec.description};
  schema::Type type = *tool_->input;
  type.fields = fields_;
  if (!own_) type.operations = {};
  return type;
}

Result<void> check_names(const Registry& registry) {
  std::set<std::string> seen;
  for (const Tool& tool : registry.tools()) {
    const Named own = named(tool);
    if (!seen.insert(own.command()).second)
      return Error{Code::conflict, fmt::format("two tools are called 'helve {}'", own.command())};
    if (tool.spec.top_level && is_group(registry, own.word))
      return Error{Code::conflict, fmt::format("'{}' is a tool and the name of a group", own.word)};
    if (!tool.input) continue;
    for (const schema::Field& field : tool.input->fields) {
      if (std::ranges::find(kReservedFlags, field.name) != std::end(kReservedFlags))
        return Error{Code::conflict,
                     fmt::format("tool '{}' has a parameter '{}', which hides the global flag",
                                 own.name, field.name),
                     "rename the parameter"};
    }
  }
  return {};
}

}  // namespace helve::cli
