#include "tool/dialect.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/text.h"
#include "schema/schema.h"
#include "tool/dialect_tables.h"

namespace helve {
namespace {

// Their value under our count. Only whole numbers are shifted; what is no number, decoding will
// report.
Result<Json> shifted(const Dialect::Parameter& parameter, const Json& value) {
  auto too_small = [&] {
    return Error{Code::invalid_argument,
                 fmt::format("{}: must be at least {}, got {}", parameter.theirs, parameter.shift,
                             to_text(value)),
                 fmt::format("'{}' counts from {}", parameter.theirs, parameter.shift),
                 "invalid_input"};
  };
  if (parameter.shift == 0) return value;
  if (const std::int64_t* number = value.if_int64()) {
    if (*number < parameter.shift) return too_small();
    return Json(*number - parameter.shift);
  }
  if (const std::uint64_t* number = value.if_uint64()) {
    return Json(*number - static_cast<std::uint64_t>(parameter.shift));
  }
  if (const double* number = value.if_double()) {
    if (*number < parameter.shift) return too_small();
    return Json(*number - parameter.shift);
  }
  return value;
}

Error not_taken(const Dialect::Parameter& parameter, const Json& value) {
  std::vector<std::string_view> known;
  for (const Dialect::Meaning& meaning : parameter.values) known.push_back(meaning.theirs);
  return Error{Code::invalid_argument,
               fmt::format("{}: expected {}, got {}", parameter.theirs, fmt::join(known, " or "),
                           preview(to_text(value), 60)),
               "", "invalid_input"};
}

// The globs in "*.ts,*.tsx *.{c,h}".
JsonArray several_of(std::string_view text) {
  JsonArray out;
  size_t begin = 0, depth = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ' ';
    if (c == '{') ++depth;
    if (c == '}' && depth > 0) --depth;
    const bool is_blank = c == ' ' || c == '\t' || c == '\n';
    if (!is_blank && (c != ',' || depth > 0)) continue;
    if (i > begin) out.emplace_back(text.substr(begin, i - begin));
    begin = i + 1;
    depth = 0;
  }
  return out;
}

// The value of ours that theirs means; none when it says nothing.
Result<std::optional<Json>> meaning_of(const Dialect::Parameter& parameter, const Json& value) {
  if (value.is_null() && !parameter.ours.empty()) return std::optional<Json>(value);
  if (value.is_null()) return std::optional<Json>();
  if (!parameter.values.empty()) {
    const std::string text = value.is_structured() ? std::string() : to_text(value);
    const auto found = std::ranges::find(parameter.values, text, &Dialect::Meaning::theirs);
    if (found != parameter.values.end()) {
      if (found->ours.empty()) return std::optional<Json>();
      return std::optional<Json>(TRY(parse_json(found->ours)));
    }
    if (parameter.closed) return not_taken(parameter, value);
  }
  if (parameter.ours.empty()) return std::optional<Json>();
  if (parameter.several && value.is_string())
    return std::optional<Json>(several_of(value.get_string()));
  if (parameter.single && !value.is_array()) return std::optional<Json>(JsonArray{value});
  if (parameter.inside && value.is_array()) {
    JsonArray items;
    for (const Json& item : value.get_array()) {
      if (item.is_object())
        items.emplace_back(TRY(to_canonical(*parameter.inside, item.get_object())));
      else
        items.push_back(item);
    }
    return std::optional<Json>(std::move(items));
  }
  return std::optional<Json>(TRY(shifted(parameter, value)));
}

// The caller's parameter for one of ours, or null when that goes by our name.
const Dialect::Parameter* spoken(const Dialect::Entry& entry, std::string_view ours,
                                 const JsonObject& given) {
  const Dialect::Parameter* first = nullptr;
  for (const Dialect::Parameter& parameter : entry.parameters) {
    if (parameter.ours != ours) continue;
    if (given.contains(parameter.theirs)) return &parameter;
    if (!first) first = &parameter;
  }
  return given.contains(ours) || entry.name == entry.tool ? nullptr : first;
}

// "include[0]" as "glob", "edits[1].old_text" as "edits[1].old_string".
std::string spoken_path(const Dialect::Entry& entry, std::string_view path,
                        const JsonObject& given) {
  const size_t end = std::min(path.find_first_of(".["), path.size());
  const Dialect::Parameter* parameter = spoken(entry, path.substr(0, end), given);
  std::string_view rest = path.substr(end);
  if (!parameter) return std::string(path);
  const Json* value = given.if_contains(parameter->theirs);
  if (parameter->single && value && !value->is_array() && rest.starts_with('['))
    rest.remove_prefix(std::min(rest.find(']'), rest.size() - 1) + 1);
  std::string out(parameter->theirs);
  if (const size_t dot = rest.find('.'); parameter->inside && dot != rest.npos) {
    out += rest.substr(0, dot + 1);
    return out + spoken_path(*parameter->inside, rest.substr(dot + 1), {});
  }
  return out += rest;
}

// "known: path, include" as "known: path, glob".
std::string spoken_list(const Dialect::Entry& entry, std::string_view names,
                        const JsonObject& given) {
  std::vector<std::string_view> out;
  for (const std::string_view name : split(names, ',')) {
    const Dialect::Parameter* parameter = spoken(entry, trim(name), given);
    out.push_back(parameter ? parameter->theirs : trim(name));
  }
  return fmt::format("{}", fmt::join(out, ", "));
}

// Hints name parameters in quotes, or list them all.
std::string spoken_hint(const Dialect::Entry& entry, std::string hint, const JsonObject& given) {
  if (constexpr std::string_view kKnown = "known: "; hint.starts_with(kKnown))
    return std::string(kKnown) +
           spoken_list(entry, std::string_view(hint).substr(kKnown.size()), given);
  const size_t open = hint.find('\'');
  const size_t close = open == hint.npos ? open : hint.find('\'', open + 1);
  if (close == hint.npos) return hint;
  const std::string_view quoted = std::string_view(hint).substr(open + 1, close - open - 1);
  if (const Dialect::Parameter* parameter = spoken(entry, quoted, given))
    hint.replace(open + 1, quoted.size(), parameter->theirs);
  return hint;
}

const Dialect::Parameter* find_parameter(const Dialect::Entry& entry, std::string_view theirs) {
  for (const Dialect::Parameter& parameter : entry.parameters) {
    if (parameter.theirs == theirs) return &parameter;
  }
  return nullptr;
}

// The other one is said with the name that it was given by.
Error two_values(const Dialect::Entry& entry, std::string_view ours, std::string_view theirs,
                 const JsonObject& arguments) {
  const auto* const first = std::ranges::find_if(arguments, [&](const auto& argument) {
    const Dialect::Parameter* parameter = find_parameter(entry, argument.key());
    return (parameter ? parameter->ours : std::string_view(argument.key())) == ours &&
           !argument.value().is_null();
  });
  const std::string_view other = first == arguments.end() ? ours : std::string_view(first->key());
  return Error{
      Code::invalid_argument,
      fmt::format("{}: given again as '{}' with another value", other, escape_for_display(theirs)),
      fmt::format("give {} one of them", entry.name), "invalid_input"};
}

}  // namespace

std::span<const Dialect> dialects() {
  static const std::array<Dialect, 6> kDialects = {
      detail::kClaudeDialect,     detail::kClawDialect,  detail::kAstraDialect,
      detail::kBotholomewDialect, detail::kHyperDialect, detail::kCodexDialect};
  return kDialects;
}

const Dialect* find_dialect(std::string_view name) {
  for (const Dialect& dialect : dialects()) {
    if (dialect.name == name) return &dialect;
  }
  return nullptr;
}

bool is_dialect_name(std::string_view name) {
  for (const Dialect& dialect : dialects()) {
    for (const Dialect::Entry& entry : dialect.entries) {
      // The canonical side counts too: a rule may name a tool that this process did not load.
      if (entry.name == name || entry.tool == name) return true;
    }
  }
  return false;
}

bool is_flag(const Dialect::Parameter& parameter) {
  return parameter.closed && std::ranges::all_of(parameter.values, [](const auto& meaning) {
           return meaning.theirs == "true" || meaning.theirs == "false";
         });
}

Result<JsonObject> to_canonical(const Dialect::Entry& entry, const JsonObject& arguments) {
  JsonObject out;  // not in the memory of the arguments, which may end before it
  for (const auto& [key, value] : arguments) {
    const Dialect::Parameter* parameter = find_parameter(entry, key);
    std::optional<Json> ours(value);
    if (parameter) ours = TRY(meaning_of(*parameter, value));
    if (!ours) continue;
    const std::string_view name = parameter ? parameter->ours : std::string_view(key);
    Json* earlier = out.if_contains(name);
    if (!earlier)
      out.emplace(name, std::move(*ours));
    else if (earlier->is_null())
      *earlier = std::move(*ours);  // null means absent: no second value
    else if (!ours->is_null() && *earlier != *ours)
      return two_values(entry, name, key, arguments);
  }
  for (const Dialect::Default& standard : entry.defaults) {
    Json& ours = out[standard.ours];
    if (ours.is_null()) ours = TRY(parse_json(standard.value));
  }
  return out;
}

Error in_dialect(const Dialect::Entry& entry, const Error& invalid_input, const JsonObject& given) {
  const JsonArray* listed = invalid_input.details.if_array();
  if (!listed) {
    Error error = invalid_input;
    error.hint = in_their_words(entry, error.hint);
    return error;
  }
  std::vector<schema::Problem> problems;
  for (const Json& each : *listed) {
    problems.push_back({spoken_path(entry, string_at(each, "path"), given),
                        std::string(string_at(each, "message")),
                        spoken_hint(entry, std::string(string_at(each, "hint")), given)});
  }
  return schema::to_error(problems);
}

std::string_view their_parameter(const Dialect::Entry& entry, std::string_view ours) {
  const Dialect::Parameter* parameter = spoken(entry, ours, {});
  return parameter ? parameter->theirs : ours;
}

std::string_view their_tool(const Dialect::Entry& entry, std::string_view ours) {
  const auto is_here = [&](const Dialect::Entry& each) { return &each == &entry; };
  for (const Dialect& dialect : dialects()) {
    if (std::ranges::none_of(dialect.entries, is_here)) continue;
    const auto found = std::ranges::find(dialect.entries, ours, &Dialect::Entry::tool);
    if (found != dialect.entries.end()) return found->name;
  }
  return ours;
}

std::string respoken(std::string_view text, const Speak& speak) {
  const auto is_part = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
  std::string out;
  bool is_quoted = false;
  unsigned char before = ' ';
  while (!text.empty()) {
    const auto length = static_cast<size_t>(std::ranges::find_if_not(text, is_part) - text.begin());
    std::string_view word = text.substr(0, std::max<size_t>(length, 1));
    const std::string_view after = text.substr(word.size());
    if (word == "'")  // not the one of "the file's"
      is_quoted = is_quoted ? !after.empty() && is_part(after.front()) : !is_part(before);
    const bool has_value = after.size() > 1 && after[0] == '=' && is_part(after[1]);
    const bool is_marked =
        (before == '`' && after.starts_with('`')) || has_value || word.find('_') != word.npos;
    std::optional<std::string> said;
    if (!is_quoted && is_marked && length > 0) {
      std::optional<std::string_view> value;
      if (has_value) {
        const auto end = std::ranges::find_if_not(after.substr(1), is_part);
        value = after.substr(1, static_cast<size_t>(end - after.begin()) - 1);
      }
      said = speak(word, value);
      if (said && value) word = text.substr(0, word.size() + 1 + value->size());
    }
    out += said ? *said : std::string(word);
    before = static_cast<unsigned char>(word.back());
    text.remove_prefix(word.size());
  }
  return out;
}

std::string in_their_words(const Dialect::Entry& entry, std::string_view text) {
  return respoken(text, [&](std::string_view name, std::optional<std::string_view> value) {
    std::string theirs(their_parameter(entry, name));
    if (theirs == name) theirs = their_tool(entry, name);
    return std::optional(value ? theirs.append("=").append(*value) : theirs);
  });
}

}  // namespace helve
