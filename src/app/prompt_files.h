// Prompt files: the user's own prompts, one Markdown file each, with front matter that says what
// they are.
//
//   ---
//   title: Review a file
//   description: Look for mistakes
//   arguments:
//     - name: path
//       description: The file
//       required: true
//   ---
//   Read {{path}} and tell me what is wrong with it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "mcp/source.h"

namespace helve::app {

constexpr size_t kMaxPromptFiles = 200;
constexpr size_t kMaxPromptBytes = 256u << 10;

struct PromptFile {
  mcp::Prompt prompt;
  std::string body;
};

// Errors name what is wrong, with its line where there is one; `name` is the file's name without
// .md.
Result<PromptFile> parse_prompt(std::string_view name, std::string_view text);

struct PromptFiles {
  std::vector<PromptFile> prompts;    // by name
  std::vector<std::string> problems;  // files that are left out, and why
};
// A missing directory has no prompts.
PromptFiles read_prompts(const std::string& directory);

// The body with its {{placeholders}} filled in; those that are not given become empty.
std::string fill(std::string_view body, const mcp::Arguments& arguments);

}  // namespace helve::app
