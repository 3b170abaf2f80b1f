#include "guidance/prompt.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "guidance/front_matter.h"
#include "schema/schema.h"

namespace helve::guidance {
namespace {

constexpr std::int64_t kMaxArguments = 32;

struct ArgumentHead {
  std::string name;
  std::string title;
  std::string description;
  bool required = false;
  static constexpr auto schema() {
    using schema::arg, schema::opt;
    return schema::object("An argument of a prompt",
                          arg<&ArgumentHead::name>("Its name").pattern("^[A-Za-z0-9_-]{1,64}$"),
                          opt<&ArgumentHead::title>("For people").max_length(200),
                          opt<&ArgumentHead::description>("What it is").max_length(1000),
                          opt<&ArgumentHead::required>("Whether it must be given"));
  }
};

struct Head {
  std::string title;
  std::string description;
  std::optional<Loading> loading;
  std::vector<ArgumentHead> arguments;
  static constexpr auto schema() {
    using schema::opt;
    return schema::object(
        "Front matter of a prompt", opt<&Head::title>("For people").max_length(kMaxTitle),
        opt<&Head::description>("What it is for").max_length(kMaxDescription),
        opt<&Head::loading>("When a model is told it"),
        opt<&Head::arguments>("What must be filled in").max_length(kMaxArguments));
  }
};

Error bad_prompt(std::string message, std::string hint = "") {
  return Error{Code::invalid_argument, std::move(message), std::move(hint),
               std::string(kInvalidFrontMatter)};
}

// One key is taken before the others are decoded, which do not know of it then.
Result<void> check_keys(const Json& front) {
  const auto& fields = schema::kType<Head>.fields;
  for (const auto& each : front.get_object()) {
    if (std::ranges::find(fields, std::string_view(each.key()), &schema::Field::name) !=
        fields.end())
      continue;
    std::string known;
    for (const schema::Field& field : fields) known += fmt::format("{}, ", field.name);
    return bad_prompt(fmt::format("{}: unknown key (known: {}{})", escape_for_display(each.key()),
                                  known, kAgentModification));
  }
  return {};
}

// Calls `text` and `placeholder` with the parts of the body, in order.
template <class Text, class Placeholder>
void for_each_part(std::string_view body, Text text, Placeholder placeholder) {
  for (;;) {
    const size_t open = body.find("{{");
    const size_t close = open == body.npos ? body.npos : body.find("}}", open);
    if (close == body.npos) return text(body);
    text(body.substr(0, open));
    placeholder(trim(body.substr(open + 2, close - open - 2)));
    body.remove_prefix(close + 2);
  }
}

// Only a template has something to be filled in.
Result<void> check_placeholders(const Prompt& prompt) {
  std::string undeclared;
  for_each_part(
      prompt.body, [](std::string_view) {},
      [&](std::string_view placeholder) {
        if (std::ranges::find(prompt.arguments, placeholder, &PromptArgument::name) ==
            prompt.arguments.end())
          undeclared = placeholder;
      });
  if (undeclared.empty()) return {};
  return bad_prompt(
      fmt::format("{{{{{}}}}} is not one of its arguments", escape_for_display(undeclared)));
}

}  // namespace

std::string_view name_of(Loading loading) {
  return loading == Loading::always ? "always" : "contextual";
}

bool is_name(std::string_view name) {
  return !name.empty() && name.size() <= kMaxName && !name.starts_with('.') &&
         std::ranges::all_of(name, [](unsigned char c) {
           return std::isalnum(c) || c == '_' || c == '-' || c == '.';
         });
}

Result<void> check_name(std::string_view name) {
  if (is_name(name)) return {};
  return Error{
      Code::invalid_argument,
      fmt::format("'{}' is no name", preview(escape_for_display(name), kMaxName)),
      fmt::format("1 to {} letters, digits, '.', '_' or '-', the first of them no '.'", kMaxName),
      "invalid_name"};
}

Result<Prompt> parse_prompt(std::string_view name, std::string_view text) {
  TRY(check_name(name));
  if (!is_utf8(text)) return bad_prompt("it is not UTF-8 text", "convert it to UTF-8");
  Json front = TRY(take_front_matter(text));
  Prompt prompt{.name = std::string(name), .body = std::string(text)};
  prompt.agent_modification = TRY(take_agent_modification(front));
  TRY(check_keys(front));
  Result<Head> head = schema::decode<Head>(front);
  if (!head) return bad_prompt(describe(head.error()));
  prompt.title = std::move(head->title);
  prompt.description = std::move(head->description);
  prompt.loading = head->loading;
  for (ArgumentHead& argument : head->arguments) {
    if (std::ranges::find(prompt.arguments, argument.name, &PromptArgument::name) !=
        prompt.arguments.end())
      return bad_prompt(fmt::format("the argument '{}' is there twice", argument.name));
    prompt.arguments.push_back({std::move(argument.name), std::move(argument.title),
                                std::move(argument.description), argument.required});
  }
  if (!prompt.loading) TRY(check_placeholders(prompt));
  if (prompt.loading && !prompt.arguments.empty())
    return bad_prompt("a prompt that is loaded has no arguments: leave out one of the two");
  return prompt;
}

Result<void> check_prompt(const std::string& name, std::string_view text) {
  TRY(parse_prompt(name, text));
  return {};
}

std::string fill(std::string_view body, const std::map<std::string, std::string>& arguments) {
  std::string out;
  for_each_part(
      body, [&](std::string_view text) { out += text; },
      [&](std::string_view placeholder) {
        if (auto found = arguments.find(std::string(placeholder)); found != arguments.end())
          out += found->second;
      });
  return out;
}

}  // namespace helve::guidance
