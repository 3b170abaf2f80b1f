#include <fmt/format.h>

#include "base/text.h"
#include "config/keys.h"
#include "config/layer.h"
#include "config/yaml.h"

namespace helve::config {
namespace {

using schema::Kind;
using schema::Type;

constexpr std::string_view kPrefix = "HELVE_";
// Read elsewhere: the config file's path, and what a hook script is told when it calls helve
// itself.
constexpr std::string_view kConfigVariable = "HELVE_CONFIG";
constexpr std::string_view kHookPrefix = "HELVE_HOOK_";

Json words(std::string_view text) {
  JsonArray items;
  for (std::string_view item : split(text, ',')) {
    if (item = trim(item); !item.empty()) items.push_back(Json(item));
  }
  return items;
}

Json boolean(std::string_view text) {
  for (std::string_view yes : {"true", "1", "yes", "on"}) {
    if (equals_ignoring_case(text, yes)) return true;
  }
  for (std::string_view no : {"false", "0", "no", "off"}) {
    if (equals_ignoring_case(text, no)) return false;
  }
  return Json(text);
}

// The text as the type wants it. What does not fit stays a string, so that decoding reports it in
// its own words.
Json value_of(const Type& type, std::string_view text) {
  switch (type.kind) {
    case Kind::optional:
      return value_of(*type.inner, text);
    case Kind::boolean:
      return boolean(text);
    case Kind::integer:
    case Kind::number:
      return plain_scalar(text);
    case Kind::json:
      return text == "all" || text == "none" ? Json(text) : words(text);
    case Kind::array:
      if (type.inner->kind == Kind::string) return words(text);
      if (YamlDocument document = parse_yaml(text); document.problems.empty())
        return document.value;  // JSON is YAML
      return Json(text);
    default:
      return Json(text);
  }
}

void put(JsonObject& object, std::string_view path, Json value) {
  const size_t dot = path.find('.');
  if (dot == path.npos) {
    object[path] = std::move(value);
    return;
  }
  Json& inner = object[path.substr(0, dot)];
  if (!inner.is_object()) inner = JsonObject();
  put(inner.get_object(), path.substr(dot + 1), std::move(value));
}

std::string unknown_variable(std::string_view name, const std::vector<std::string>& known) {
  std::vector<std::string_view>
      candidates;  // without the prefix, which would make all of them look near
  for (const std::string& variable : known)
    candidates.push_back(std::string_view(variable).substr(kPrefix.size()));
  const std::string_view best = nearest(name.substr(kPrefix.size()), candidates);
  const std::string shown = shown_key(name);
  if (best.empty()) return fmt::format("{}: no such setting; it is ignored", shown);
  return fmt::format("{}: no such setting; it is ignored (did you mean '{}{}'?)", shown, kPrefix,
                     best);
}

}  // namespace

Layer environment_layer(const std::map<std::string, std::string>& environment,
                        std::vector<std::string>& notices) {
  Layer layer{.source = "the environment"};
  auto at = environment.lower_bound(std::string(kPrefix));
  if (at == environment.end() || !at->first.starts_with(kPrefix)) return layer;

  std::vector<std::string> known;
  visit_keys([&](const std::string& path, const schema::Field& field) {
    std::string variable = variable_of(path);
    if (auto found = environment.find(variable);
        found != environment.end() && !trim(found->second).empty()) {
      put(layer.value.get_object(), path, value_of(*field.type, trim(found->second)));
      layer.variables[path] = variable;
    }
    known.push_back(std::move(variable));
  });
  known.emplace_back(kConfigVariable);
  for (; at != environment.end() && at->first.starts_with(kPrefix); ++at) {
    if (at->first.starts_with(kHookPrefix)) continue;
    if (std::find(known.begin(), known.end(), at->first) == known.end()) {
      notices.push_back(unknown_variable(at->first, known));
    }
  }
  return layer;
}

}  // namespace helve::config
