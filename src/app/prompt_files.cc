#include "app/prompt_files.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/front_matter.h"
#include "base/text.h"
#include "schema/schema.h"
#include "sys/directory.h"
#include "sys/file.h"
#include "sys/file_error.h"

namespace helve::app {
namespace {

constexpr std::string_view kExtension = ".md";
constexpr size_t kMaxName = 64;
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
  std::vector<ArgumentHead> arguments;
  static constexpr auto schema() {
    using schema::opt;
    return schema::object(
        "Front matter of a prompt", opt<&Head::title>("For people").max_length(200),
        opt<&Head::description>("What it is for").max_length(1000),
        opt<&Head::arguments>("What must be filled in").max_length(kMaxArguments));
  }
};

Error bad_prompt(std::string message) {
  return Error{Code::invalid_argument, std::move(message), "", "invalid_prompt"};
}

bool is_name(std::string_view name) {
  return !name.empty() && name.size() <= kMaxName && std::ranges::all_of(name, [](unsigned char c) {
    return std::isalnum(c) || c == '_' || c == '-' || c == '.';
  });
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

Result<std::vector<std::string>> prompt_names(const std::string& directory) {
  std::vector<std::string> names;
  const auto opened = sys::open_directory(directory);
  if (!opened && opened.error() == std::errc::no_such_file_or_directory) return names;
  if (!opened) return sys::to_error(opened.error(), "open", directory);
  const auto listed = sys::for_each_entry(*opened, [&](const sys::DirectoryEntry& entry) {
    if (entry.name.ends_with(kExtension) && !entry.name.starts_with('.'))
      names.emplace_back(entry.name);
    return names.size() <= kMaxPromptFiles;
  });
  if (!listed) return sys::to_error(listed.error(), "list", directory);
  std::ranges::sort(names);
  return names;
}

}  // namespace

Result<PromptFile> parse_prompt(std::string_view name, std::string_view text) {
  if (!is_name(name))
    return bad_prompt("a prompt's name has 1 to 64 letters, digits, '.', '_' or '-'");
  if (!is_utf8(text)) return bad_prompt("it is not UTF-8 text");
  Head head = TRY(schema::decode<Head>(TRY(take_front_matter(text))));
  PromptFile file{.prompt = {.name = std::string(name),
                             .title = std::move(head.title),
                             .description = std::move(head.description)},
                  .body = std::string(text)};
  for (ArgumentHead& argument : head.arguments) {
    if (std::ranges::find(file.prompt.arguments, argument.name, &mcp::PromptArgument::name) !=
        file.prompt.arguments.end())
      return bad_prompt(fmt::format("the argument '{}' is there twice", argument.name));
    file.prompt.arguments.push_back({std::move(argument.name), std::move(argument.title),
                                     std::move(argument.description), argument.required});
  }
  std::string undeclared;
  for_each_part(
      file.body, [](std::string_view) {},
      [&](std::string_view placeholder) {
        if (std::ranges::find(file.prompt.arguments, placeholder, &mcp::PromptArgument::name) ==
            file.prompt.arguments.end())
          undeclared = placeholder;
      });
  if (!undeclared.empty())
    return bad_prompt(
        fmt::format("{{{{{}}}}} is not one of its arguments", escape_for_display(undeclared)));
  return file;
}

PromptFiles read_prompts(const std::string& directory) {
  PromptFiles files;
  if (directory.empty()) return files;
  Result<std::vector<std::string>> names = prompt_names(directory);
  if (!names) {
    files.problems.push_back(describe(names.error()));
    return files;
  }
  for (const std::string& name : *names) {
    const std::string path = directory + "/" + name;
    if (files.prompts.size() == kMaxPromptFiles) {
      files.problems.push_back(
          fmt::format("'{}' and those after it are left out: {} prompts are the limit",
                      escape_for_display(path), kMaxPromptFiles));
      break;
    }
    Result<std::string> text = sys::read_file(path, kMaxPromptBytes);
    Result<PromptFile> file =
        text
            ? parse_prompt(std::string_view(name).substr(0, name.size() - kExtension.size()), *text)
            : Result<PromptFile>(text.error());
    if (file)
      files.prompts.push_back(std::move(*file));
    else
      files.problems.push_back(fmt::format("the prompt '{}' is left out: {}",
                                           escape_for_display(path), describe(file.error())));
  }
  return files;
}

std::string fill(std::string_view body, const mcp::Arguments& arguments) {
  std::string out;
  for_each_part(
      body, [&](std::string_view text) { out += text; },
      [&](std::string_view placeholder) {
        if (auto found = arguments.find(std::string(placeholder)); found != arguments.end())
          out += found->second;
      });
  return out;
}

}  // namespace helve::app
