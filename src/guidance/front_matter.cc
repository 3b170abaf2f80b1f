#include "guidance/front_matter.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "config/yaml.h"

namespace helve::guidance {
namespace {

constexpr std::string_view kFence = "---";

Error bad_front_matter(std::string message) {
  return Error{Code::invalid_argument, std::move(message), "", std::string(kInvalidFrontMatter)};
}

// Takes a line off the text, without its ending.
std::string_view take_line(std::string_view& text) {
  const size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == text.npos ? text.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

Result<Json> parse(std::string_view yaml) {
  config::YamlDocument document = config::parse_yaml(yaml);
  if (document.problems.empty()) return std::move(document.value);
  const config::YamlProblem& problem = document.problems.front();
  return bad_front_matter(
      fmt::format("line {}: {}", problem.line + 1, problem.message));  // the fence is line 1
}

}  // namespace

Result<Json> take_front_matter(std::string_view& text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  std::string_view rest = text;
  if (take_line(rest) != kFence) return Json(JsonObject());
  std::string head;
  while (!rest.empty()) {
    const std::string_view line = take_line(rest);
    if (line == kFence) {
      text = rest;
      return parse(head);
    }
    head.append(line).append("\n");
  }
  return bad_front_matter("the front matter has no end: a line of --- is missing");
}

std::string_view front_of(std::string_view text) {
  std::string_view rest = text;
  if (!take_front_matter(rest)) return {};
  return text.substr(0, text.size() - rest.size());
}

Result<bool> take_agent_modification(Json& front) {
  if (!front.is_object()) return bad_front_matter("it has no keys with values");
  JsonObject& keys = front.get_object();
  const auto found = keys.find(kAgentModification);
  if (found == keys.end()) return true;
  if (!found->value().is_bool())
    return bad_front_matter(std::string(kAgentModification) + " is true or false");
  const bool may = found->value().get_bool();
  keys.erase(found);
  return may;
}

std::string yaml_value(std::string_view text) {
  const bool is_plain =
      !text.empty() && std::isalpha(static_cast<unsigned char>(text.front())) &&
      !text.ends_with(' ') &&
      std::ranges::all_of(text,
                          [](unsigned char c) {
                            return std::isalnum(c) || c == ' ' || c == '_' || c == '-' || c == '.';
                          }) &&
      config::plain_scalar(text).is_string() && !equals_ignoring_case(text, "null");
  if (is_plain) return std::string(text);
  std::string out;
  append_json_string(out, text);
  return out;
}

}  // namespace helve::guidance
