#include "cli/parse.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "cli/flag_docs.h"
#include "schema/flags.h"

namespace helve::cli {
namespace {

using schema::Field;
using schema::Kind;
using schema::Type;

constexpr size_t kMaxShownWord = 60;

Error usage(std::string message, std::string hint) {
  return Error{Code::invalid_argument, std::move(message), std::move(hint), "usage"};
}

bool is_flag(std::string_view word) { return word.size() > 1 && word[0] == '-'; }

// The field that a word such as --limit=3, --no-record or -n5 gives, or null. `takes_next`: its
// value is the next word.
struct FlagOf {
  const Field* field = nullptr;
  bool takes_next = false;
};
const Field* field_of_letter(const Type& type, char letter) {
  for (const Field& field : type.fields) {
    if (field.letter == letter) return &field;
  }
  for (const Field& field : type.fields) {
    if (std::ranges::find(field.switches, letter, &schema::Switch::letter) != field.switches.end())
      return &field;
  }
  return nullptr;
}

FlagOf flag_of(const Type& type, std::string_view word) {
  auto is_switch = [](const Field& field) {
    return schema::plain(*field.type).kind == Kind::boolean;
  };
  if (!word.starts_with("--")) {
    // The last of several letters in one word is the one that may want a value.
    FlagOf found;
    for (size_t at = 1; at < word.size(); ++at) {
      const Field* field = field_of_letter(type, word[at]);
      if (!field) break;
      found = {field, false};
      if (field->letter != word[at] || is_switch(*field)) continue;
      found.takes_next = at + 1 == word.size();
      break;
    }
    return found;
  }
  std::string name(word.substr(2, word.find('=') - 2));
  std::ranges::replace(name, '-', '_');
  for (const Field& field : type.fields) {
    if (field.name == name) return {&field, !is_switch(field) && word.find('=') == word.npos};
    if (is_switch(field) && name == "no_" + std::string(field.name)) return {&field, false};
  }
  return {};
}

// Sorts words into global flags and the rest, keeping flags and their values together.
class Sorter {
 public:
  explicit Sorter(std::span<const std::string> words) : words_(words) {}

  // The global flags at the front; stops at the first word that is none.
  Result<void> take_leading() {
    while (next_ < words_.size() && is_flag(words_[next_])) {
      const FlagOf flag = flag_of(schema::kType<Options>, words_[next_]);
      if (!flag.field) return unknown(words_[next_], {.kind = Kind::object});
      take(globals, flag.takes_next);
    }
    return {};
  }

  const std::string* peek(size_t ahead = 0) const {
    return next_ + ahead < words_.size() ? &words_[next_ + ahead] : nullptr;
  }
  void skip() { ++next_; }

  // The rest, behind a command or tool whose own flags these are.
  Result<void> take_rest(const Type& own) {
    while (next_ < words_.size()) {
      const std::string& word = words_[next_];
      if (word == "--") {
        while (next_ < words_.size()) take(rest, false);
      } else if (!is_flag(word)) {
        take(rest, false);
      } else if (const FlagOf flag = flag_of(own, word); flag.field) {
        take(rest, flag.takes_next);
      } else if (const FlagOf global = flag_of(schema::kType<Options>, word); global.field) {
        take(globals, global.takes_next);
      } else if (std::isdigit(static_cast<unsigned char>(word[1])) || word[1] == '.') {
        take(rest, false);  // a negative number
      } else {
        return unknown(word, own);
      }
    }
    return {};
  }

  std::vector<std::string> globals, rest;

 private:
  void take(std::vector<std::string>& to, bool with_next) {
    to.push_back(words_[next_++]);
    if (with_next && next_ < words_.size()) to.push_back(words_[next_++]);
  }

  static Error unknown(std::string_view word, const Type& own) {
    word = word.substr(0, word.find('='));
    std::vector<std::string> names;
    for (const Field& field : own.fields) names.push_back(schema::flag_name(field.name));
    std::string hint = own.fields.empty()
                           ? "helve help lists the global flags; a tool's own flags follow the tool"
                           : "flags: " + join(names, " ");
    for (const Field& field : schema::kType<Options>.fields)
      names.push_back(schema::flag_name(field.name));
    const std::vector<std::string_view> views(names.begin(), names.end());
    if (std::string near = did_you_mean(word, views); !near.empty()) hint = std::move(near);
    return usage(fmt::format("unknown flag '{}'", escape_for_display(word)), std::move(hint));
  }

  std::span<const std::string> words_;
  size_t next_ = 0;
};

const Command* find_command(const Program& program, std::string_view name) {
  const auto found = std::ranges::find(program.commands, name, &Command::name);
  return found == program.commands.end() ? nullptr : &*found;
}

Error unknown_word(const Program& program, const Registry& registry, std::string_view word) {
  std::vector<std::string_view> known = registry.groups();
  for (const Command& command : program.commands) known.push_back(command.name);
  for (const Tool& one : registry.tools()) {
    if (one.spec.top_level) known.push_back(one.spec.name);
  }
  std::string hint = did_you_mean(word, known);
  std::optional<Named> meant = find_any_name(registry, word);
  if (!meant && hint.empty()) {
    if (const Tool* tool = tool_with_prefix(registry, word)) meant = named(*tool);
  }
  if (meant) hint = fmt::format("did you mean 'helve {}'?", meant->command());
  return usage(fmt::format("there is no command or group '{}'", escape_for_display(word)),
               hint.empty() ? "helve help lists the commands and groups" : hint);
}

Error unknown_tool(const Registry& registry, std::string_view group, std::string_view word) {
  std::vector<std::string> words;
  for (const Named& tool : tools_of(registry, group)) words.push_back(tool.word);
  const std::vector<std::string_view> views(words.begin(), words.end());
  std::string hint = did_you_mean(word, views);
  return usage(fmt::format("group '{}' has no tool '{}'", group, escape_for_display(word)),
               hint.empty() ? fmt::format("it has {}", join(words, ", ")) : hint);
}

// What the next words name: a command, a tool of a group, or a group alone. A tool wins over a
// command of the same name as its group, so that `helve mcp` serves and `helve mcp list` may be a
// tool.
Result<void> resolve(const Program& program, Sorter& sorter, Parsed& parsed) {
  const std::string& word = *sorter.peek();
  const std::string* second = sorter.peek(1);
  parsed.command = find_command(program, word);
  if (parsed.command && (!second || is_flag(*second))) {
    sorter.skip();
    return {};
  }
  const Registry& registry = *TRY(program.tools());
  if (!parsed.command) parsed.tool = find_top_level(registry, word);
  if (parsed.tool) {
    sorter.skip();
    return {};
  }
  if (second && !is_flag(*second)) parsed.tool = find_tool(registry, word, *second);
  if (parsed.tool) {
    parsed.command = nullptr;
    sorter.skip();
  } else if (!parsed.command) {
    if (!is_group(registry, word)) return unknown_word(program, registry, word);
    if (second && !is_flag(*second)) return unknown_tool(registry, word, *second);
    parsed.group = word;
  }
  sorter.skip();
  return {};
}

// What may follow the command, where a word too many was given.
Error about_usage(Error error, std::string_view command, const Type& type) {
  if (error.type != schema::kUnexpectedArgument) return error;
  error.type = "usage";
  error.hint = positionals(type).empty()
                   ? fmt::format("helve {} takes no arguments", command)
                   : fmt::format("usage: helve {} {}; quote a value that has spaces", command,
                                 usage_of(type));
  return error;
}

// Choices are shown with dashes, as they are typed, also where they are named as wrong.
Result<void> check_choices(const Type& type, const JsonObject& arguments) {
  std::vector<schema::Problem> problems;
  for (const Field& field : type.fields) {
    const Type& plain = schema::plain(*field.type);
    const Json* value = arguments.if_contains(field.name);
    if (plain.kind != Kind::enumeration || !value || !value->is_string()) continue;
    if (std::ranges::find(plain.names, std::string_view(value->get_string())) != plain.names.end())
      continue;
    const std::vector<std::string> choices = choices_of(plain);
    const std::vector<std::string_view> views(choices.begin(), choices.end());
    problems.push_back({std::string(field.name),
                        fmt::format("expected one of {}, got {}", join(choices, ", "),
                                    preview(to_text(*value), kMaxShownWord)),
                        did_you_mean(value->get_string(), views)});
  }
  if (!problems.empty()) return schema::to_error(problems);
  return {};
}

Result<std::string> no_stdin() { return usage("global flags do not read standard input", ""); }

}  // namespace

Result<Parsed> parse(const Program& program, std::span<const std::string> words) {
  if (words.size() > kMaxWords)
    return usage(fmt::format("more than {} words", kMaxWords), "use --input FILE");
  Parsed parsed;
  Sorter sorter(words);
  TRY(sorter.take_leading());
  if (sorter.peek()) TRY(resolve(program, sorter, parsed));
  if (parsed.command) {
    TRY(sorter.take_rest(*parsed.command->input));
  } else if (parsed.tool) {
    const Face face(*parsed.tool);
    TRY(sorter.take_rest(face.type()));
  } else {
    TRY(sorter.take_rest({.kind = Kind::object}));
    if (!sorter.rest.empty())
      return usage(fmt::format("unexpected '{}'", escape_for_display(sorter.rest.front())),
                   fmt::format("the tool follows the group: helve {} TOOL …", parsed.group));
  }
  const JsonObject globals = TRY(parse_words("", schema::kType<Options>, sorter.globals, no_stdin));
  parsed.options = TRY(schema::decode<Options>(Json(globals)));
  parsed.words = std::move(sorter.rest);
  return parsed;
}

Result<Parsed> parse_topic(const Program& program, std::span<const std::string> words) {
  Parsed parsed;
  if (words.size() == 1 && !find_command(program, words[0])) {
    const Registry& registry = *TRY(program.tools());
    if (!is_group(registry, words[0])) parsed.tool = find_any_name(registry, words[0]);
    if (parsed.tool) return parsed;
  }
  Sorter sorter(words);
  if (sorter.peek()) TRY(resolve(program, sorter, parsed));
  if (const std::string* more = sorter.peek())
    return usage(fmt::format("there is no help on '{}'", escape_for_display(*more)),
                 "give a command, a group, a tool, or a group and a tool");
  return parsed;
}

Result<JsonObject> parse_arguments(const Program& program, const Named& tool,
                                   std::span<const std::string> words) {
  const Face face(tool);
  if (!tool.tool->input && !words.empty())
    return usage(fmt::format("'{}' takes its arguments as JSON only", tool.name),
                 "use --input FILE, or --input - for standard input");
  const Type type = face.type();
  Result<JsonObject> arguments =
      schema::parse_flags(type, words, [&] { return program.read("-"); });
  if (!arguments) return about_usage(std::move(arguments).error(), tool.command(), type);
  return arguments;
}

Result<JsonObject> parse_words(std::string_view command, const Type& type,
                               std::span<const std::string> words, const ReadStdin& read_stdin) {
  Result<JsonObject> arguments = schema::parse_flags(type, words, read_stdin);
  if (!arguments) return about_usage(std::move(arguments).error(), command, type);
  TRY(check_choices(type, *arguments));
  return arguments;
}

bool asks_for_json(std::span<const std::string> words) {
  for (const std::string& word : words) {
    if (word == "--") return false;
    if (word == "--json") return true;
  }
  return false;
}

}  // namespace helve::cli
