#include "unit/mcp/world.h"

#include <fmt/format.h>

#include "base/text.h"
#include "tool/make.h"

namespace helve::mcp::testing {
namespace {

struct EchoInput {
  std::string text;
  std::int64_t times = 1;
  static constexpr auto schema() {
    return object("Says the text again.", arg<&EchoInput::text>("What to say"),
                  opt<&EchoInput::times>("How often").min(0));
  }
};
struct EchoOutput {
  std::string said;
  std::string text() const { return said; }
  static constexpr auto schema() { return object("", arg<&EchoOutput::said>("The text")); }
};

Result<EchoOutput> echo(const EchoInput& in, Context&) {
  EchoOutput out;
  for (std::int64_t i = 0; i < in.times; ++i) out.said += in.text;
  return out;
}

class BodyBound final : public Bound {
 public:
  BodyBound(Json arguments, Effect effect, const Body& body)
      : arguments_(std::move(arguments)), effect_(effect), body_(body) {}
  Effect effect() const override { return effect_; }
  Result<Product> run(Context& context) override { return body_(arguments_, context); }
  std::string arguments() const override { return to_text(arguments_); }

 private:
  const Json arguments_;
  const Effect effect_;
  const Body body_;
};

Result<Product> count(const Json& arguments, Context& context) {
  for (const Json& step : find(arguments, "steps")->as_array()) {
    context.progress(step.to_number<double>(), 100, "counting");
  }
  return Product{"{}", {TextContent{"counted"}}};
}

Result<Product> chat(const Json&, Context& context) {
  context.log(Level::debug, "a detail");
  context.log(Level::warning, "a warning");
  return Product{"{}", {TextContent{"said"}}};
}

Result<Product> show_blocks(const Json&, Context&) {
  return Product{
      "{\"n\":5}",
      {TextContent{"text"}, ImageContent{"aW1n", "image/png"}, AudioContent{"YXVk", "audio/wav"},
       ResourceContent{"file:///a", "text/plain", "inside", ""},
       ResourceLink{"file:///b", "b", "text/plain"}}};
}

std::vector<Tool> tools(Gate& gate) {
  std::vector<Tool> tools;
  tools.push_back(make_tool({.name = "echo", .group = "talk", .title = "Echo"}, echo));
  tools.push_back(make_tool({.name = "save",
                             .group = "talk",
                             .effect = Effect::write,
                             .idempotent = true,
                             .open_world = true,
                             .destructive = true},
                            echo));
  const Body wait = [&gate](const Json&, Context& context) -> Result<Product> {
    if (!gate.pass(context.stop)) return Error{Code::cancelled, "stopped at the gate"};
    return Product{"{}", {TextContent{"passed"}}};
  };
  tools.push_back(tool_of({.name = "wait", .group = "test"}, wait));
  tools.push_back(tool_of({.name = "alter", .group = "test", .effect = Effect::write}, wait));
  tools.push_back(tool_of({.name = "count", .group = "test"}, count));
  tools.push_back(tool_of({.name = "chat", .group = "test"}, chat));
  tools.push_back(tool_of({.name = "blocks", .group = "test"}, show_blocks));
  tools.push_back(tool_of({.name = "mirror", .group = "test"},
                          [](const Json& arguments, Context&) -> Result<Product> {
                            return Product{to_text(arguments), {TextContent{"mirrored"}}};
                          }));
  tools.push_back(
      tool_of({.name = "fail", .group = "test"}, [](const Json&, Context&) -> Result<Product> {
        return Error{Code::conflict, "'a.txt' changed meanwhile", "read it again", "path_conflict"};
      }));
  tools.push_back(
      tool_of({.name = "throw", .group = "test"},
              [](const Json&, Context&) -> Result<Product> { throw std::runtime_error("boom"); }));
  return tools;
}

Options with_sources(World& world, Options options) {
  options.resources = &world.resources;
  options.prompts = &world.prompts;
  return options;
}

}  // namespace

bool Gate::pass(std::stop_token stop) {
  std::unique_lock lock(mutex_);
  ++visitors_;
  change_.notify_all();
  const bool passed = change_.wait(lock, stop, [this] { return open_; });
  if (!passed) ++stopped_;
  return passed;
}

void Gate::open() {
  std::lock_guard lock(mutex_);
  open_ = true;
  change_.notify_all();
}

void Gate::wait_for_visitors(size_t count) {
  std::unique_lock lock(mutex_);
  change_.wait(lock, [&] { return visitors_ >= count; });
}

size_t Gate::stopped() {
  std::lock_guard lock(mutex_);
  return stopped_;
}

size_t Gate::visitors() {
  std::lock_guard lock(mutex_);
  return visitors_;
}

void Mailbox::send(std::string_view message) {
  std::lock_guard lock(mutex_);
  lines_ += message;
}

std::string Mailbox::take() {
  std::lock_guard lock(mutex_);
  return std::exchange(lines_, {});
}

Result<ResourcePage> FakeResources::list(std::optional<std::string_view> cursor, std::stop_token) {
  if (!cursor)
    return ResourcePage{{{"file:///a.txt", "a.txt", "A", "The first", "text/plain", 3}}, "second"};
  if (*cursor == "second") return ResourcePage{{{"file:///b", "b"}}, {}};
  return Error{Code::invalid_argument, "no such cursor"};
}

std::vector<ResourceTemplate> FakeResources::templates() { return {{"file:///{path}", "files"}}; }

Result<std::vector<ResourceContent>> FakeResources::read(std::string_view uri, std::stop_token) {
  if (uri == "file:///a.txt")
    return std::vector<ResourceContent>{{"file:///a.txt", "text/plain", "abc", ""}};
  if (uri == "file:///b")
    return std::vector<ResourceContent>{{"file:///b", "image/png", "", "AAEC"}};
  if (uri == "file:///secret") return Error{Code::denied, "'/secret' is outside the workspace"};
  return Error{Code::not_found, fmt::format("no resource '{}'", uri)};
}

Result<Completions> FakeResources::complete(std::string_view uri_template, const Typed& typed) {
  if (uri_template != "file:///{path}") return Error{Code::not_found, "no such template"};
  return Completions{{std::string(typed.value) + ".txt"}, 1, false};
}

std::vector<Prompt> FakePrompts::list() {
  return {{"greet", "Greet", "Says hello", {{"who", "Who", "A name", true}}},
          {"plain", "", "", {}}};
}

Result<RenderedPrompt> FakePrompts::get(std::string_view name, const Arguments& arguments,
                                        std::stop_token) {
  if (name != "greet") return Error{Code::not_found, fmt::format("no prompt '{}'", name)};
  const auto who = arguments.find("who");
  if (who == arguments.end()) return Error{Code::invalid_argument, "argument 'who' is missing"};
  return RenderedPrompt{"A greeting",
                        {{PromptMessage::Role::user, TextContent{"Greet " + who->second}},
                         {PromptMessage::Role::assistant, AudioContent{"YXVk", "audio/wav"}}}};
}

Result<Completions> FakePrompts::complete(std::string_view, const Typed& typed) {
  Completions found;
  for (int i = 0; i < 150; ++i)
    found.values.push_back(fmt::format("{}{}{}", typed.value, i, typed.given.size()));
  found.total = 150;
  return found;
}

Result<Results::Stored> FakeResults::keep(std::string_view, std::string_view tool, Effect,
                                          std::string_view text) {
  return Stored{"lr_1", std::string(tool), count_chars(text), 0};
}
Result<std::string> FakeResults::text(std::string_view, std::string_view) {
  return Error{Code::not_found, "none"};
}
Result<std::vector<Results::Stored>> FakeResults::list(std::string_view) {
  return std::vector<Stored>();
}

Tool tool_of(Spec spec, Body body) {
  Tool tool;
  tool.spec = std::move(spec);
  if (tool.spec.description.empty()) tool.spec.description = "A tool for tests.";
  tool.input_schema_json = {{"type", "object"}};
  tool.bind = [effect = tool.spec.effect,
               body = std::move(body)](const Json& arguments) -> Result<std::unique_ptr<Bound>> {
    return std::make_unique<BodyBound>(arguments, effect, body);
  };
  return tool;
}

World::World(Options options)
    : registry(std::move(*Registry::load(tools(gate)))),
      dispatcher(registry, {.clock = &clock}, {.results = &results}),
      server(dispatcher, clock, nullptr, with_sources(*this, std::move(options))) {}

std::string Talk::ask(std::string_view frame) {
  if (session.take(frame, job) == Session::Taken::to_run) session.run(job);
  std::string_view answer = job.answer;
  if (answer.ends_with('\n')) answer.remove_suffix(1);
  return std::string(answer);
}

Json Talk::ask_json(std::string_view frame) { return json(ask(frame)); }
Json Talk::result(std::string_view frame) { return at(ask_json(frame), "result"); }

std::int64_t Talk::error_code(std::string_view frame) {
  const Json code = at(ask_json(frame), "error/code");
  return code.is_int64() ? code.get_int64() : 0;
}

void Talk::initialize(std::string_view version, std::string_view capabilities,
                      std::string_view client) {
  ask(request(
      "0", "initialize",
      fmt::format(
          R"({{"protocolVersion":"{}","capabilities":{},"clientInfo":{{"name":"{}","version":"1"}}}})",
          version, capabilities, client)));
  ask(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
}

std::string request(std::string_view id, std::string_view method, std::string_view params) {
  return fmt::format(R"({{"jsonrpc":"2.0","id":{},"method":"{}","params":{}}})", id, method,
                     params);
}

std::string call(std::string_view tool, std::string_view arguments) {
  return request("1", "tools/call",
                 fmt::format(R"({{"name":"{}","arguments":{}}})", tool, arguments));
}

std::string modern(std::string_view members, std::string_view meta) {
  return fmt::format(
      R"({{"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{}}{}{}}}{}{}}})",
      meta.empty() ? "" : ",", meta, members.empty() ? "" : ",", members);
}

Json at(const Json& json, std::string_view path) {
  const Json* place = &json;
  for (std::string_view step : split(path, '/')) {
    if (const JsonArray* array = place->if_array()) {
      const size_t index = std::stoul(std::string(step));
      place = index < array->size() ? &(*array)[index] : nullptr;
    } else {
      place = find(*place, step);
    }
    if (!place) return nullptr;
  }
  return *place;
}

Json json(std::string_view text) {
  if (text.empty()) return nullptr;
  Result<Json> parsed = parse_json(text);
  if (!parsed) ADD_FAILURE() << "not JSON: " << text;
  return parsed ? *parsed : Json();
}

std::vector<std::string> lines(std::string_view text) {
  std::vector<std::string> lines;
  for (std::string_view line : split(text, '\n')) {
    if (!line.empty()) lines.emplace_back(line);
  }
  return lines;
}

}  // namespace helve::mcp::testing
