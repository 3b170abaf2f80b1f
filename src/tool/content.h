// Content: the blocks a tool's answer is made of, as models and MCP clients take them.
#pragma once

#include <string>
#include <variant>
#include <vector>

namespace helve {

struct TextContent {
  std::string text;
};
struct ImageContent {
  std::string data;  // base64
  std::string mime_type;
};
struct AudioContent {
  std::string data;  // base64
  std::string mime_type;
};
struct ResourceContent {
  std::string uri;
  std::string mime_type;
  std::string text;    // used when `blob` is empty
  std::string blob{};  // base64
};
struct ResourceLink {
  std::string uri;
  std::string name;
  std::string mime_type;
  std::string description{};
};

using Content =
    std::variant<TextContent, ImageContent, AudioContent, ResourceContent, ResourceLink>;

std::vector<Content> text_content(std::string text);

// All text of the blocks, for readers that take text only; other blocks are named in brackets.
std::string text_of(const std::vector<Content>& content);

}  // namespace helve
