#include "dispatch/yaml_line.h"

#include <algorithm>

namespace helve::dispatch {
namespace {

bool is_plain_word(std::string_view text) {
  static constexpr std::string_view kReserved[] = {"true", "false", "null", "yes", "no",
                                                   "on",   "off",   "y",    "n"};
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; };
  return !text.empty() && std::ranges::all_of(text, is_letter) &&
         std::ranges::find(kReserved, text) == std::end(kReserved);
}

std::string quoted(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

}  // namespace

std::string yaml_text(std::string_view text) {
  return is_plain_word(text) ? std::string(text) : quoted(text);
}

void YamlLine::key(std::string_view key) {
  if (out_.size() > 1) out_ += ", ";
  (out_ += key) += ": ";
}

void YamlLine::text(std::string_view name, std::string_view value) {
  if (value.empty()) return;
  key(name);
  out_ += yaml_text(value);
}

void YamlLine::texts(std::string_view name, const std::vector<std::string>& values) {
  if (values.empty()) return;
  key(name);
  for (char before = '['; const std::string& value : values) {
    out_ += before;
    if (before == ',') out_ += ' ';
    out_ += yaml_text(value);
    before = ',';
  }
  out_ += ']';
}

void YamlLine::values(std::string_view name, const std::map<std::string, Json>& values) {
  if (values.empty()) return;
  key(name);
  YamlLine inner;
  for (const auto& [each, value] : values) {
    inner.key(yaml_text(each));
    // Texts are quoted, so that they are seen to be texts.
    inner.out_ += value.is_string() ? quoted(value.get_string()) : to_text(value);
  }
  out_ += inner.str();
}

}  // namespace helve::dispatch
