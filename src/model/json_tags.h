// The text protocol: a model that knows no tool calls writes them as JSON between <json> tags, and
// reads results the same way.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/formats.h"

namespace helve::model::json_tags {

enum class Calls : unsigned char { one, many };

// What the model is told: the tools, how to call them, and how many calls of an answer are run.
std::string prompt(std::span<const Offer> tools, Calls calls);

struct Call {
  std::string tool_name;
  Json tool_input;
  size_t begin = 0, end = 0;  // of its block in the text, with the tags
};
struct Scan {
  std::vector<Call> calls;            // all there are: whoever runs fewer says so
  std::vector<std::string> problems;  // blocks that are no calls, and why
  bool truncated = false;             // the text ends inside a block: the model ran out of room
};
// Finds the calls in what a model wrote. JSON is read as JSON, so tags and braces inside strings
// mislead nobody. Linear in the text.
Scan scan(std::string_view text);

// A call as a model writes it.
std::string call(std::string_view tool_name, const Json& tool_input);
// What the model reads: the call and its output. No text inside can end the block early.
std::string result(std::string_view tool_name, const Json& tool_input,
                   std::string_view tool_output);

}  // namespace helve::model::json_tags
