// World: everything a session needs, with tools of every temper, so that a test is lines in and
// lines out.
#pragma once

#include <gtest/gtest.h>

#include "mcp/server.h"
#include "mcp/session.h"
#include "sys/clock.h"

namespace helve::mcp::testing {

// A door that a tool waits at until the test opens it or the call is stopped.
class Gate {
 public:
  // False: stopped while waiting.
  bool pass(std::stop_token stop);
  void open();
  void wait_for_visitors(size_t count);
  size_t stopped();
  size_t visitors();

 private:
  std::mutex mutex_;
  std::condition_variable_any change_;
  size_t visitors_ = 0, stopped_ = 0;
  bool open_ = false;
};

// Keeps what is sent.
class Mailbox final : public Sink {
 public:
  void send(std::string_view message) override;
  std::string take();  // all lines so far

 private:
  std::mutex mutex_;
  std::string lines_;
};

class FakeResources final : public ResourceSource {
 public:
  Result<ResourcePage> list(std::optional<std::string_view> cursor, std::stop_token stop) override;
  std::vector<ResourceTemplate> templates() override;
  Result<std::vector<ResourceContent>> read(std::string_view uri, std::stop_token stop) override;
  Result<Completions> complete(std::string_view uri_template, const Typed& typed) override;
};

class FakePrompts final : public PromptSource {
 public:
  std::vector<Prompt> list() override;
  Result<RenderedPrompt> get(std::string_view name, const Arguments& arguments,
                             std::stop_token stop) override;
  Result<Completions> complete(std::string_view name, const Typed& typed) override;
};

class FakeResults final : public Results {
 public:
  Result<Stored> keep(std::string_view session, std::string_view tool, Effect effect,
                      std::string_view text) override;
  Result<std::string> text(std::string_view session, std::string_view id) override;
  Result<std::vector<Stored>> list(std::string_view session) override;
};

using Body = std::function<Result<Product>(const Json& arguments, Context& context)>;
// A tool with an open schema that runs `body`.
Tool tool_of(Spec spec, Body body);

struct World {
  explicit World(Options options = {});

  Gate gate;
  sys::ManualClock clock;
  FakeResources resources;
  FakePrompts prompts;
  FakeResults results;
  Registry registry;
  dispatch::Dispatcher dispatcher;
  Server server;
};

// A session without threads: each frame is taken and run at once.
struct Talk {
  explicit Talk(World& world) : session(world.server, {.session = "s_1"}, mailbox) {}

  // The answers to a frame, without the last newline.
  std::string ask(std::string_view frame);
  Json ask_json(std::string_view frame);
  // "result" or "error" of the answer.
  Json result(std::string_view frame);
  std::int64_t error_code(std::string_view frame);
  void initialize(std::string_view version = "2025-11-25", std::string_view capabilities = "{}",
                  std::string_view client = "c");

  Mailbox mailbox;
  Session session;
  Job job;
};

std::string request(std::string_view id, std::string_view method, std::string_view params = "{}");
// A tools/call with id 1.
std::string call(std::string_view tool, std::string_view arguments = "{}");
// Params with the _meta of a modern request and further members.
std::string modern(std::string_view members = "", std::string_view meta = "");
// The value at a path such as "result/tools/0/name"; null when there is none.
Json at(const Json& json, std::string_view path);
Json json(std::string_view text);
std::vector<std::string> lines(std::string_view text);

}  // namespace helve::mcp::testing
