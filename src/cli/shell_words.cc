#include "cli/shell_words.h"

#include <algorithm>
#include <vector>

#include "cli/flag_docs.h"
#include "schema/flags.h"

namespace helve::cli {
namespace {

// "--on-conflict overwrite"; a positional without a value as help shows it.
std::string flag_text(const schema::Field& field, std::optional<std::string_view> value) {
  const std::string flag = schema::flag_name(field.name);
  const schema::Kind kind = schema::plain(*field.type).kind;
  if (!value && field.place == schema::Place::positional) {
    std::string name(field.name);
    std::ranges::transform(name, name.begin(),
                           [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return name;
  }
  if (!value || (kind == schema::Kind::boolean && *value == "true")) return flag;
  if (kind == schema::Kind::boolean && *value == "false") return "--no-" + flag.substr(2);
  std::string word(*value);
  if (kind == schema::Kind::enumeration) std::ranges::replace(word, '_', '-');
  return flag + " " + word;
}

}  // namespace

std::string in_shell_words(const Registry& registry, const Named& called, std::string_view text) {
  // A tool that a hint names is what its next parameters belong to, unless the called one has them.
  std::vector<Face> spoken_of;
  spoken_of.emplace_back(called);
  return respoken(text, [&](std::string_view name, std::optional<std::string_view> value) {
    for (const Face& face : spoken_of) {
      const schema::Type type = face.type();
      const auto field = std::ranges::find(type.fields, name, &schema::Field::name);
      if (field != type.fields.end()) return std::optional(flag_text(*field, value));
    }
    const Registry::Found found = value ? Registry::Found{} : registry.find(name);
    if (!found.tool) return std::optional<std::string>();
    const Named tool = named(*found.tool);
    spoken_of.emplace_back(tool);
    return std::optional("helve " + tool.command());
  });
}

Error in_shell_words(const Registry& registry, const Named& called, Error error) {
  error.hint = in_shell_words(registry, called, error.hint);
  if (JsonArray* problems = error.details.if_array()) {
    for (Json& problem : *problems) {
      Json* hint = problem.is_object() ? problem.get_object().if_contains("hint") : nullptr;
      if (hint && hint->is_string())
        *hint = in_shell_words(registry, called, std::string_view(hint->get_string()));
    }
  }
  return error;
}

}  // namespace helve::cli
