#include "app/front_matter.h"

#include <fmt/format.h>

#include "base/text.h"
#include "config/yaml.h"

namespace helve::app {
namespace {

constexpr std::string_view kFence = "---";

Error bad_front_matter(std::string message) {
  return Error{Code::invalid_argument, std::move(message), "", "invalid_front_matter"};
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

}  // namespace helve::app
