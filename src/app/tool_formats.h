// The tools as other systems take them: MCP clients and the APIs of models.
#pragma once

#include <string>
#include <vector>

#include "app/wire.h"
#include "cli/listing.h"
#include "model/formats.h"

namespace helve::app {

enum class Format {
  text,
  json,
  markdown,
  mcp,
  anthropic,
  openai,
  openai_strict,
  gemini,
  json_tags
};

struct Formatted {
  Json json;  // null: the format is text
  std::string text;
  std::vector<std::string> omitted;  // tools that cannot be expressed, and why
};

// What a model may call: all that the policy does not deny.
cli::ToolList allowed_tools(const World& world);
// Under the names of the world's dialect.
std::vector<model::Offer> offers_of(const World& world, const cli::ToolList& tools);

// For every format but text, json and markdown, which are for people and shown by the cli module.
Result<Formatted> format_tools(Format format, const World& world, const cli::ToolList& tools);

}  // namespace helve::app
