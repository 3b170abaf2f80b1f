// Frames of an MCP client, one a line, into a session with a few tools, resources and prompts.
#include <algorithm>

#include "base/text.h"
#include "mcp/server.h"
#include "mcp/session.h"
#include "sys/clock.h"
#include "target.h"
#include "tool/make.h"

namespace {

using namespace helve;
using fuzz::expect;

struct EchoInput {
  std::string text;
  std::int64_t steps = 0;

  static constexpr auto schema() {
    return object("Says the text again.", arg<&EchoInput::text>("What to say"),
                  opt<&EchoInput::steps>("Reports on the way").min(0).max(3));
  }
};
struct EchoOutput {
  std::string said;

  static constexpr auto schema() { return object("", arg<&EchoOutput::said>("The text")); }
};

Result<EchoOutput> echo(const EchoInput& in, Context& context) {
  for (std::int64_t step = 0; step < in.steps; ++step)
    context.progress(static_cast<double>(step), 3, in.text);
  context.log(Level::warning, in.text);
  if (in.text == "fail")
    return Error{Code::conflict, "'" + in.text + "' is not said", "say something else"};
  return EchoOutput{in.text};
}

class Resources final : public mcp::ResourceSource {
 public:
  Result<mcp::ResourcePage> list(std::optional<std::string_view> cursor, std::stop_token) override {
    if (cursor) return Error{Code::invalid_argument, "no such cursor"};
    return mcp::ResourcePage{{{"file:///a", "a"}}, "next"};
  }
  std::vector<mcp::ResourceTemplate> templates() override { return {{"file:///{path}", "files"}}; }
  Result<std::vector<ResourceContent>> read(std::string_view uri, std::stop_token) override {
    if (uri != "file:///a") return Error{Code::not_found, "no resource '" + std::string(uri) + "'"};
    return std::vector<ResourceContent>{{std::string(uri), "text/plain", "abc", ""}};
  }
  Result<mcp::Completions> complete(std::string_view, const mcp::Typed& typed) override {
    return mcp::Completions{{std::string(typed.value)}, 1, false};
  }
};

class Prompts final : public mcp::PromptSource {
 public:
  std::vector<mcp::Prompt> list() override { return {{"greet", "", "", {{"who", "", "", true}}}}; }
  Result<mcp::RenderedPrompt> get(std::string_view name, const mcp::Arguments& arguments,
                                  std::stop_token) override {
    const auto who = arguments.find("who");
    if (name != "greet" || who == arguments.end())
      return Error{Code::not_found, "no prompt '" + std::string(name) + "'"};
    return mcp::RenderedPrompt{"", {{mcp::PromptMessage::Role::user, TextContent{who->second}}}};
  }
  Result<mcp::Completions> complete(std::string_view, const mcp::Typed& typed) override {
    return mcp::Completions{
        std::vector<std::string>(typed.given.size() + 1, std::string(typed.argument)), {}, true};
  }
};

// What is sent must be messages, one a line.
void check_lines(std::string_view lines) {
  expect(lines.empty() || lines.ends_with('\n'), "a message ends its line", lines);
  for (const std::string_view line : split(lines, '\n')) {
    if (line.empty()) continue;
    const Result<Json> message = parse_json(line);
    expect(message && is_utf8(line), "a message is JSON in UTF-8", line);
    const auto check_one = [line](const Json& one) {
      expect(string_at(one, "jsonrpc") == "2.0", "a message is JSON-RPC", line);
      const bool answer = find(one, "result") || find(one, "error");
      expect(answer != (find(one, "method") != nullptr), "a message answers or asks", line);
      if (find(one, "result"))
        expect(find(one, "id") != nullptr, "a result names its request", line);
    };
    if (const JsonArray* batch = message->if_array()) {
      for (const Json& one : *batch) check_one(one);
    } else {
      check_one(*message);
    }
  }
}

class Checker final : public mcp::Sink {
 public:
  void send(std::string_view message) override { check_lines(message); }
};

bool is_notification(std::string_view frame) {
  const Result<Json> json = parse_json(frame);
  if (!json || !json->is_object() || json->get_object().size() != 2) return false;
  return string_at(*json, "jsonrpc") == "2.0" && !string_at(*json, "method").empty();
}

// Built once: a target must be quick, and what is served does not change.
struct World {
  sys::ManualClock clock;
  Resources resources;
  Prompts prompts;
  Registry registry;
  dispatch::Dispatcher dispatcher{registry, {.clock = &clock}, {}};
  mcp::Server server{dispatcher,
                     clock,
                     nullptr,
                     {.instructions = "Say something.",
                      .page_size = 1,
                      .resources = &resources,
                      .prompts = &prompts,
                      .on_roots = [](std::vector<std::string>) {},
                      .roots_wait = std::chrono::milliseconds(0)}};

  World() : registry(std::move(*Registry::load(tools()))) {}
  static std::vector<Tool> tools() {
    std::vector<Tool> tools;
    tools.push_back(make_tool({.name = "echo", .group = "talk"}, echo));
    tools.push_back(make_tool({.name = "shout", .group = "talk", .effect = Effect::write}, echo));
    return tools;
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static World world;
  Checker checker;
  mcp::Session session(world.server, {.session = "s_1"}, checker);
  mcp::Job job;
  for (const std::string_view frame : split(fuzz::text_of(data, size), '\n')) {
    if (session.take(frame, job) == mcp::Session::Taken::to_run) session.run(job);
    check_lines(job.answer);
    expect(std::count(job.answer.begin(), job.answer.end(), '\n') <= 1,
           "a frame has at most one answer", job.answer);
    if (is_notification(frame))
      expect(job.answer.empty(), "a notification is not answered", job.answer);
  }
  session.close();
  return 0;
}
