#include "dispatch/allow_rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "dispatch/yaml_line.h"

namespace helve::dispatch {
namespace {

constexpr std::string_view kSpecial = "*\\";
// Bytes; a longer text matches no star. Trying takes time that grows with its square.
constexpr size_t kMaxStarText = 4096;

bool has_star(std::string_view pattern) {
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '\\')
      ++i;
    else if (pattern[i] == '*')
      return true;
  }
  return false;
}

// Where a star was, to come back to. The last one of each kind is enough: what stands before it
// has taken as little as it can. What * takes begins anew whenever ** takes more.
struct Star {
  size_t pattern = std::string_view::npos;  // behind it
  size_t text = 0;                          // what it has taken ends here
  bool directories = false;                 // it takes whole directories, or none

  bool is_there() const { return pattern != std::string_view::npos; }
  // False: it cannot take more.
  bool take_more(std::string_view from) {
    if (!is_there() || text >= from.size()) return false;
    text = directories ? from.find('/', text) : text;
    return text++ != from.npos;
  }
};

bool matches_text(std::string_view pattern, std::string_view text) {
  Star one, any;
  size_t p = 0, t = 0;
  for (;;) {
    if (pattern.substr(p).starts_with("**")) {
      const bool directories =
          (p == 0 || pattern[p - 1] == '/') && pattern.substr(p).starts_with("**/");
      p += directories ? 3 : 2;
      any = {p, t, directories}, one = {};
      continue;
    }
    if (p < pattern.size() && pattern[p] == '*') {
      one = {++p, t};
      continue;
    }
    const bool escaped = p + 1 < pattern.size() && pattern[p] == '\\';
    if (p == pattern.size() && t == text.size()) return true;
    if (p < pattern.size() && t < text.size() && pattern[p + escaped] == text[t]) {
      p += escaped ? 2 : 1, ++t;
    } else if (one.is_there() && one.text < text.size() && text[one.text] != '/') {
      p = one.pattern, t = ++one.text;
    } else if (any.take_more(text)) {
      p = any.pattern, t = any.text, one = {};
    } else {
      return false;
    }
  }
}

bool climbs(std::string_view path) {
  const std::vector<std::string_view> names = split(path, '/');
  return std::ranges::find(names, "..") != names.end();
}

// Null stands for an argument that is not given.
bool matches(const Json& wanted, const Json* given) {
  if (!given || !wanted.is_string() || !given->is_string())
    return given ? wanted == *given : wanted.is_null();
  const std::string_view pattern = wanted.get_string(), text = given->get_string();
  if (has_star(pattern) && (text.size() > kMaxStarText || climbs(text))) return false;
  return matches_text(pattern, text);
}

bool is_nothing(const Json* given) {
  if (!given || given->is_null()) return true;
  if (given->is_bool()) return !given->get_bool();
  if (given->is_string()) return given->get_string().empty();
  return given->is_object() && given->get_object().empty();
}

std::string literal(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (kSpecial.contains(c)) out += '\\';
    out += c;
  }
  return out;
}

// The JSON type that a schema wants; empty when it leaves a choice.
std::string_view wanted_type(const Json& property) { return string_at(property, "type"); }

bool is_of_type(const Json& value, std::string_view type) {
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_bool();
  if (type == "integer") return value.is_int64() || value.is_uint64();
  if (type == "number") return value.is_number();
  if (type == "array") return value.is_array();
  if (type == "object") return value.is_object();
  return true;
}

void check_argument(const Tool& tool, const std::string& name, const Json& value,
                    std::vector<RuleProblem>& problems) {
  auto complain = [&](std::string message, std::string hint) {
    problems.push_back(
        {"arguments." + name, Error{Code::invalid_argument, std::move(message), std::move(hint)}});
  };
  const JsonObject schema = tool.input_schema();
  const Json* const properties = schema.if_contains("properties");
  if (!properties || !properties->is_object()) return;  // a tool from outside that takes anything
  const Json* const property = find(*properties, name);
  if (!property) {
    std::vector<std::string_view> known;
    for (const auto& [key, unused] : properties->get_object()) known.push_back(key);
    return complain(fmt::format("{} has no argument '{}'", tool.spec.name,
                                escape_for_display(preview(name, 80))),
                    did_you_mean(name, known));
  }
  const std::string_view type = wanted_type(*property);
  if (!value.is_null() && !is_of_type(value, type))
    return complain(fmt::format("expected {}, got {}", type, type_name(value)), "");
  if (tool.spec.effect == Effect::execute && value.is_string() && has_star(value.get_string()))
    complain(fmt::format("{} runs commands, so its arguments take no *", tool.spec.name),
             "write \\* for a star itself; a rule under commands: allows a kind of command");
}

// The arguments that an exact rule names, also those that are not given.
std::set<std::string> subject_of(const Tool& tool, const JsonObject& arguments) {
  if (!tool.spec.subject.empty()) return {tool.spec.subject.begin(), tool.spec.subject.end()};
  std::set<std::string> names;
  for (const auto& [key, unused] : arguments) names.emplace(key);
  const JsonObject schema = tool.input_schema();
  const Json* const properties = schema.if_contains("properties");
  if (!properties || !properties->is_object()) return names;
  for (const auto& [key, unused] : properties->get_object()) names.emplace(key);
  return names;
}

}  // namespace

std::vector<RuleProblem> problems_of(const AllowRule& rule, const Registry& registry) {
  std::vector<RuleProblem> problems;
  const Result<std::vector<size_t>> tools = registry.expand(rule.tool);
  if (!tools) problems.push_back({"tool", tools.error()});
  for (size_t index : tools ? *tools : std::vector<size_t>{}) {
    for (const auto& [name, value] : rule.arguments)
      check_argument(registry.tools()[index], name, value, problems);
  }
  for (size_t i = 0; i < rule.beyond.size(); ++i) {
    if (Result<void> right = check_beyond(rule.beyond[i]); !right)
      problems.push_back({fmt::format("beyond[{}]", i), std::move(right).error()});
  }
  return problems;
}

bool means(const AllowRule& rule, const Tool& tool, const JsonObject& arguments,
           std::string_view workspace) {
  if (!rule.workspace.empty() && rule.workspace != workspace) return false;
  const std::vector<std::string>& subject = tool.spec.subject;
  const bool names_command = tool.spec.effect == Effect::execute && !subject.empty() &&
                             rule.arguments.contains(subject[0]);
  const auto is_free = [&](const std::string& name) {
    return rule.arguments.contains(name) || is_nothing(arguments.if_contains(name));
  };
  if (names_command && !std::ranges::all_of(subject, is_free)) return false;
  return std::ranges::all_of(rule.arguments, [&](const auto& argument) {
    return matches(argument.second, arguments.if_contains(argument.first));
  });
}

AllowRule exact_rule(const Tool& tool, const JsonObject& arguments, const Demand& demand,
                     std::string_view workspace) {
  AllowRule rule{
      .tool = tool.spec.name, .beyond = demand.beyond, .workspace = std::string(workspace)};
  for (const std::string& name : subject_of(tool, arguments)) {
    const Json* const value = arguments.if_contains(name);
    if (!value)
      rule.arguments[name] = nullptr;
    else
      rule.arguments[name] = value->is_string() ? Json(literal(value->get_string())) : *value;
  }
  return rule;
}

std::string to_yaml(const AllowRule& rule) {
  YamlLine line;
  line.text("tool", rule.tool);
  line.values("arguments", rule.arguments);
  line.texts("beyond", rule.beyond);
  line.text("workspace", rule.workspace);
  return line.str();
}

}  // namespace helve::dispatch
