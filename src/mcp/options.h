// What a server offers and how, chosen in app/.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "mcp/clients.h"
#include "mcp/source.h"
#include "tool/context.h"
#include "tool/tool.h"

namespace helve::dispatch {
class Dispatcher;
class Policy;
}  // namespace helve::dispatch

namespace helve::mcp {

// Where a call runs: what changes with the workspace, and only all at once.
struct Place {
  dispatch::Dispatcher* dispatcher = nullptr;
  const Identity* who = nullptr;
  const dispatch::Policy* policy = nullptr;  // null: all that is loaded is allowed
};

struct Options {
  std::string title = "helve";
  std::string instructions = {};              // for the model on the other side; empty: none
  size_t page_size = 100;                     // tools and prompts a page
  Structured structured = Structured::auto_;  // whether answers have values beside the text

  // How tools are listed, when not under their own names: a dialect's name (empty: this tool is not
  // listed), and description and input schema with that dialect's parameter names.
  std::function<std::string(const Tool&)> tool_name = {};
  std::function<std::string(const Tool&)> description = {};
  std::function<JsonObject(const Tool&)> input_schema = {};

  ResourceSource* resources = nullptr;  // null: the feature is not offered
  PromptSource* prompts = nullptr;

  // Set when nobody fixed the workspace: the roots of a client that has any are asked for and given
  // here, on the reading thread. Until then, and when the client does not tell them, there must be
  // no workspace: on_no_roots says so and why, on the same thread. Requests that come before the
  // answer wait for it, but not longer than roots_wait.
  std::function<void(std::vector<std::string> uris)> on_roots = {};
  std::function<void(std::string why)> on_no_roots = {};
  std::chrono::milliseconds roots_wait{2000};

  // Asked once by every call, which keeps the answer until it ends. Null, or an answer that is
  // null: the call runs where the server and the session began. Must be thread-safe.
  std::function<std::shared_ptr<const Place>()> place = {};

  // The client has asked for the tools and is about to call some: what they need may be made ready.
  // Called for every list, by any thread; must return at once.
  std::function<void()> on_listed = {};

  // For people who look for a fault; null: nothing is told. Must be thread-safe.
  std::function<void(Level, std::string_view)> log = {};
};

}  // namespace helve::mcp
