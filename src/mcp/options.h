// What a server offers and how, chosen in app/.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "mcp/source.h"
#include "tool/context.h"
#include "tool/tool.h"

namespace helve::mcp {

struct Options {
  std::string title = "helve";
  std::string instructions = {};  // for the model on the other side; empty: none
  size_t page_size = 100;         // tools and prompts a page

  // How tools are listed, when not under their own names: a dialect's name (empty: this tool is not
  // listed) and the input schema with that dialect's parameter names.
  std::function<std::string(const Tool&)> tool_name = {};
  std::function<JsonObject(const Tool&)> input_schema = {};

  ResourceSource* resources = nullptr;  // null: the feature is not offered
  PromptSource* prompts = nullptr;

  // Set when nobody fixed the workspace: the roots of a client that has any are asked for and given
  // here, on the reading thread. Calls that come before the answer wait for it, but not longer than
  // roots_wait.
  std::function<void(std::vector<std::string> uris)> on_roots = {};
  std::chrono::milliseconds roots_wait{2000};

  // For people who look for a fault; null: nothing is told. Must be thread-safe.
  std::function<void(Level, std::string_view)> log = {};
};

}  // namespace helve::mcp
