#include "cli/flag_docs.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/result.h"
#include "base/text.h"
#include "cli/options.h"
#include "schema/flags.h"
#include "schema/schema.h"
#include "tool/dialect.h"

namespace helve::cli {
namespace {

using schema::Field;
using schema::Kind;
using schema::Type;

constexpr size_t kMaxShownChoices = 40;  // characters of a|b|c that are shown with the flag
constexpr size_t kMaxShownDefault = 40;
constexpr std::int64_t kMentionedLength =
    200;  // longer limits are for machines; people do not reach them
constexpr double kMentionedNumber = 1e9;  // the same of numbers

// The type of one value: what an array or optional holds in the end.
const Type& element_of(const Type& type) {
  const Type& inner = schema::plain(type);
  return inner.kind == Kind::array ? element_of(*inner.inner) : inner;
}

Completes completion_of(const Field& field) {
  if (element_of(*field.type).kind == Kind::enumeration || !field.suggestions.empty())
    return Completes::choices;
  return field.names == schema::Names::files         ? Completes::files
         : field.names == schema::Names::directories ? Completes::directories
                                                     : Completes::nothing;
}

std::string choice_of(const std::vector<std::string>& choices) {
  std::string all = join(choices, "|");
  return all.size() <= kMaxShownChoices ? all : "CHOICE";
}

// A choice as it is typed: with dashes.
std::string typed(std::string_view name) {
  std::string out(name);
  std::ranges::replace(out, '_', '-');
  return out;
}

std::string value_name(const Field& field, const FlagDoc& doc) {
  switch (element_of(*field.type).kind) {
    case Kind::boolean:
      return "";
    case Kind::integer:
      return "N";
    case Kind::number:
      return "NUMBER";
    case Kind::enumeration:
      return choice_of(doc.choices);
    case Kind::map:
      return "KEY=VALUE";
    case Kind::object:
    case Kind::json:
      return "JSON";
    default:
      break;
  }
  return doc.completes == Completes::files         ? "FILE"
         : doc.completes == Completes::directories ? "DIR"
                                                   : "TEXT";
}

std::string number_of(const schema::Bound& bound) {
  return bound.integral ? std::to_string(bound.integer) : fmt::format("{}", bound.number);
}

std::string range_of(const Field& field) {
  const bool has_highest =
      field.highest.set && (field.highest.integral ? static_cast<double>(field.highest.integer)
                                                   : field.highest.number) < kMentionedNumber;
  if (field.lowest.set && has_highest)
    return fmt::format("{} to {}", number_of(field.lowest), number_of(field.highest));
  if (field.lowest.set) return fmt::format("{} or more", number_of(field.lowest));
  if (has_highest) return fmt::format("at most {}", number_of(field.highest));
  return "";
}

std::string length_of(const Field& field) {
  const Kind kind = schema::plain(*field.type).kind;
  const char* unit = kind == Kind::string || kind == Kind::enumeration ? "characters" : "items";
  if (field.longest >= 0 && field.longest < kMentionedLength)
    return fmt::format("at most {} {}", field.longest, unit);
  if (field.shortest > 1) return fmt::format("at least {} {}", field.shortest, unit);
  return "";
}

std::string default_text(const Json& value) {
  if (value.is_null() || value.is_bool()) return "";
  if (value.is_array() && value.get_array().empty()) return "";
  if (value.is_object() && value.get_object().empty()) return "";
  if (value.is_string() && value.get_string().empty()) return "";
  std::string text = value.is_string() ? std::string(value.get_string()) : to_text(value);
  if (text == "default" || text == "{}") return "";  // says nothing
  return "default " + preview(text, kMaxShownDefault);
}

FlagDoc describe(const Field& field, const JsonObject& defaults) {
  FlagDoc doc;
  doc.text = std::string(field.description);
  doc.required = field.required;
  doc.letter = field.letter;
  doc.completes = completion_of(field);
  const Kind kind = schema::plain(*field.type).kind;
  doc.repeats = kind == Kind::array || kind == Kind::map;
  doc.choices = choices_of(element_of(*field.type));
  doc.choices.insert(doc.choices.end(), field.suggestions.begin(), field.suggestions.end());
  doc.value = value_name(field, doc);
  const Json* fallback = defaults.if_contains(field.name);
  std::vector<std::string> facts;
  if (!doc.choices.empty() && doc.value == "CHOICE")
    facts.push_back("one of " + join(doc.choices, ", "));
  facts.push_back(range_of(field));
  facts.push_back(length_of(field));
  if (!field.regex.empty()) facts.push_back(fmt::format("matching {}", field.regex));
  if (field.takes_stdin) facts.emplace_back("- reads standard input");
  for (const schema::Switch& each : field.switches) {
    if (!each.value.empty())
      facts.push_back(fmt::format("-{}: {}", each.letter, typed(each.value)));
  }
  if (doc.repeats) facts.emplace_back("may be repeated");
  if (field.required && field.place == schema::Place::flag) facts.emplace_back("required");
  if (!field.required && fallback) facts.push_back(default_text(*fallback));
  std::erase(facts, "");
  doc.facts = join(facts, "; ");
  if (field.place == schema::Place::positional) {
    doc.name = std::string(field.name);
    std::ranges::transform(doc.name, doc.name.begin(),
                           [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  } else {
    doc.name = schema::flag_name(field.name);
    const bool on = fallback && fallback->is_bool() && fallback->get_bool();
    if (on) {
      doc.negation = "--no-" + doc.name.substr(2);
      doc.negation_text = "Do not " + schema::hint_of(field);
      doc.facts += doc.facts.empty() ? "default on" : "; default on";
    }
  }
  return doc;
}

std::vector<FlagDoc> docs_of(const Type& type, schema::Place place, const JsonObject& defaults) {
  std::vector<FlagDoc> docs;
  for (const Field& field : type.fields) {
    if (field.place == place) docs.push_back(describe(field, defaults));
  }
  return docs;
}

// "--limit=20" reads better as "--limit 20"; a value that starts with a dash stays attached.
std::string shown(const std::string& word) {
  const size_t equals = word.find('=');
  if (!word.starts_with("--") || equals == word.npos || equals + 1 == word.size() ||
      word[equals + 1] == '-')
    return shell_word(word);
  return word.substr(0, equals) + " " + shell_word(word.substr(equals + 1));
}

}  // namespace

std::string FlagDoc::term() const {
  if (!name.starts_with('-')) return repeats ? name + "…" : name;
  const bool is_short = !name.starts_with("--");
  std::string term = is_short ? "" : letter ? fmt::format("-{}, ", letter) : "    ";
  term += negation.empty() ? name : "--[no-]" + name.substr(2);
  if (!value.empty()) term += " " + value;
  return term;
}

std::string FlagDoc::explanation() const {
  return facts.empty() ? text : fmt::format("{} ({})", text, facts);
}

std::vector<FlagDoc> positionals(const Type& type) { return positionals(type, defaults_of(type)); }
std::vector<FlagDoc> positionals(const Type& type, const JsonObject& defaults) {
  return docs_of(type, schema::Place::positional, defaults);
}
std::vector<FlagDoc> flags(const Type& type) { return flags(type, defaults_of(type)); }
std::vector<FlagDoc> flags(const Type& type, const JsonObject& defaults) {
  return docs_of(type, schema::Place::flag, defaults);
}

std::vector<FlagDoc> global_flags() {
  std::vector<FlagDoc> docs = flags(schema::kType<Options>);
  const auto dialect = std::ranges::find(docs, "--dialect", &FlagDoc::name);
  for (const Dialect& known : dialects()) dialect->choices.emplace_back(known.name);
  dialect->value = choice_of(dialect->choices);
  dialect->completes = Completes::choices;
  return docs;
}

std::vector<std::string> choices_of(const Type& enumeration) {
  std::vector<std::string> choices;
  for (std::string_view name : enumeration.names) choices.push_back(typed(name));
  return choices;
}

std::string usage_of(const Type& type) {
  std::string usage;
  for (const FlagDoc& doc : positionals(type))
    usage += fmt::format(fmt::runtime(doc.required ? " {}" : " [{}]"), doc.term());
  bool has_flags = false;
  for (const FlagDoc& doc : flags(type)) {
    if (doc.required)
      usage += fmt::format(" {} {}", doc.name, doc.value);
    else
      has_flags = true;
  }
  if (has_flags) usage += " [flags]";
  return usage.empty() ? usage : usage.substr(1);
}

JsonObject defaults_of(const Type& type) {
  if (!type.operations.construct) return {};
  void* value = type.operations.construct();
  std::string text;
  schema::encode(type, value, text);
  type.operations.destroy(value);
  Result<Json> json = parse_json(text);
  return json && json->is_object() ? json->get_object() : JsonObject();
}

std::string shell_word(std::string_view word) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./,:=@%+";
  if (!word.empty() && word.find_first_not_of(kPlain) == word.npos) return std::string(word);
  return shell_quoted(word);
}

std::string command_line(std::string_view command, const Type& type,
                         std::string_view arguments_json) {
  std::string line = fmt::format("helve {}", command);
  Result<Json> arguments = parse_json(arguments_json);
  if (arguments && arguments->is_object()) {
    if (Result<std::vector<std::string>> words = schema::to_flags(type, arguments->get_object())) {
      for (const std::string& word : *words) line += " " + shown(word);
      return line;
    }
  }
  return fmt::format("{} --input - <<< {}", line, shell_word(arguments_json));
}

}  // namespace helve::cli
