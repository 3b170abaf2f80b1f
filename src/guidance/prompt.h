// Prompt: a Markdown file with front matter that says what it is, and when a model is told it.
//
//   ---                                      ---
//   title: House rules                       title: Review a file
//   loading: always                          description: Look for mistakes
//   agent-modification: false                arguments:
//   ---                                        - name: path
//   Write dates as 2026-01-31.                   description: The file
//                                                required: true
//                                            ---
//                                            Read {{path}} and tell me what is wrong with it.
//
// The left one is guidance: a model is told it always, or when it has to do with the message
// (contextual). The right one, without `loading`, is a template that somebody asks for.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace helve::guidance {

constexpr size_t kMaxFiles = 200;  // of one directory
constexpr size_t kMaxFileBytes = 256u << 10;
constexpr size_t kMaxName = 64;
constexpr size_t kMaxTitle = 200;         // characters
constexpr size_t kMaxDescription = 1000;  // characters

enum class Loading : unsigned char { always, contextual };
std::string_view name_of(Loading loading);

struct PromptArgument {
  std::string name;
  std::string title;
  std::string description;
  bool required = false;
};

struct Prompt {
  std::string name;  // the file's, without .md
  std::string title;
  std::string description;
  std::optional<Loading> loading;  // nothing: a template
  bool agent_modification = true;  // whether tools may change it
  std::vector<PromptArgument> arguments;
  std::string body;
};

// Of a prompt's file, and of a skill's folder.
bool is_name(std::string_view name);
Result<void> check_name(std::string_view name);

// Errors of the type invalid_frontmatter say what is wrong, with its line where there is one.
Result<Prompt> parse_prompt(std::string_view name, std::string_view text);
// Whether a text is a prompt.
Result<void> check_prompt(const std::string& name, std::string_view text);

// The body with its {{placeholders}} filled in; those that are not given become empty.
std::string fill(std::string_view body, const std::map<std::string, std::string>& arguments);

}  // namespace helve::guidance
