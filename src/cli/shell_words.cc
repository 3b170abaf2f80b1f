#include "cli/shell_words.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <vector>

#include "base/json.h"
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

// Where a text has a call with arguments, as kb_add {"source":"lr_3"}.
struct Call {
  size_t begin = 0, end = 0;  // in the text
  const Tool* tool = nullptr;
  std::string_view arguments;
};
std::optional<Call> find_call(const Registry& registry, std::string_view text) {
  constexpr std::string_view kOpening = " {\"";
  for (size_t at = text.find(kOpening); at != text.npos; at = text.find(kOpening, at + 1)) {
    const auto is_part = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
    size_t begin = at;
    while (begin > 0 && is_part(static_cast<unsigned char>(text[begin - 1]))) --begin;
    const Tool* const tool = registry.find(text.substr(begin, at - begin)).tool;
    if (!tool || !tool->input) continue;
    for (size_t end = text.find('}', at); end != text.npos; end = text.find('}', end + 1)) {
      const std::string_view arguments = text.substr(at + 1, end - at);
      if (parse_json(arguments)) return Call{begin, end + 1, tool, arguments};
    }
  }
  return std::nullopt;
}

}  // namespace

std::string in_shell_words(const Registry& registry, const Named& called, std::string_view text) {
  if (const std::optional<Call> call = find_call(registry, text))
    return in_shell_words(registry, called, text.substr(0, call->begin)) +
           command_line(named(*call->tool).command(), *call->tool->input, call->arguments) +
           in_shell_words(registry, called, text.substr(call->end));
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
