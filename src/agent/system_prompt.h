// The system prompt: what a model is told before the conversation. It is put together of named
// parts, so that people can see what each of them costs.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace helve::agent {

struct PromptPart {
  std::string name;  // for people
  std::string text;
};

// The texts in their order; a part without text leaves no trace.
std::string system_prompt(std::span<const PromptPart> parts);

// Who the model is here, and how it works.
PromptPart manner_part();

// A file's text, marked so that nothing in it passes for the end of the file.
std::string quoted_file(std::string_view path, std::string_view text);

}  // namespace helve::agent
