// LoopTest: the loop with a real store and dispatcher, and a model that a script tells what to say.
#pragma once

#include <fmt/format.h>

#include <barrier>
#include <functional>
#include <mutex>

#include "agent/loop.h"
#include "model/scripted.h"
#include "model/text_protocol.h"
#include "unit/dispatch/test_tools.h"
#include "unit/temp_store.h"

namespace helve::agent {

using helve::testing::EchoInput;
using helve::testing::EchoOutput;
using helve::testing::must;
using session::Transcript;

inline Tool ending_tool() {
  return make_tool({.name = "complete", .group = "other", .terminal = true}, helve::testing::echo);
}

class LoopTest : public helve::testing::TempStore {
 protected:
  LoopTest() {
    std::vector<Tool> tools = helve::testing::test_tools();
    tools.push_back(ending_tool());
    // Two of them end only together.
    tools.push_back(make_tool(
        {.name = "meet", .group = "other"},
        +[](const EchoInput& in, Context& context) -> Result<EchoOutput> {
          static std::barrier both(2);  // can be met again when the tests are repeated
          both.arrive_and_wait();
          (void)context;
          return EchoOutput{in.text};
        }));
    registry_.emplace(must(Registry::load(std::move(tools))));
    dispatcher_.emplace(*registry_, dispatch::Capabilities{});
    setup_.dispatcher = &*dispatcher_;
    setup_.who.session = kSession;
  }

  void post(const std::string& text, const std::string& id = "p_1") {
    use([&](store::Store& store) {
      return store.post({.id = id,
                         .session = kSession,
                         .sender = "user",
                         .body = to_text(model::to_json(model::user_message(text)))});
    });
  }
  Ending play(std::string_view script, std::stop_token stop = {}) {
    setup_.model = must(model::ScriptedModel::parse(script));
    if (as_text_) {
      setup_.model = std::make_shared<model::TextProtocol>(
          must(model::ScriptedModel::parse(script)), model::json_tags::Calls::one);
    }
    Transcript transcript = must(Transcript::open(*played_in_, clock_, kSession));
    const Emit emit = [&](const Event& event) {
      std::lock_guard lock(mutex_);
      if (on_event_) on_event_(event);
      const JsonObject object = to_json(event);
      events_.push_back(std::string(string_at(object, "type")));
    };
    Ending ending = run(transcript, setup_, emit, stop);
    said_.clear();
    for (const model::Message& message : transcript.context()) said_.push_back(line_of(message));
    EXPECT_TRUE(transcript.open_calls().empty()) << "every call has a result";
    return ending;
  }
  static std::string line_of(const model::Message& message) {
    std::string line(name_of(message.role));
    for (const model::Part& part : message.parts) {
      if (const auto* text = std::get_if<model::Text>(&part)) line += " " + text->text;
      if (const auto* call = std::get_if<model::ToolCall>(&part)) line += " " + call->name + "()";
      if (const auto* result = std::get_if<model::ToolResult>(&part))
        line += fmt::format(" {}{}", result->is_error ? "!" : "=", text_of(result->content));
    }
    return line;
  }
  bool said(std::string_view part) const {
    for (const std::string& line : said_)
      if (line.find(part) != line.npos) return true;
    return false;
  }
  // The texts of all that calls came to, in the last conversation.
  std::vector<std::string> results() const {
    std::vector<std::string> texts;
    for (const std::string& line : said_) {
      if (!line.starts_with("tool ")) continue;
      for (size_t at = line.find_first_of("=!"); at != line.npos;) {
        const size_t end = std::min(line.find(" =", at), line.find(" !{", at));
        texts.push_back(line.substr(at + 1, end == line.npos ? end : end - at - 1));
        at = end == line.npos ? end : end + 1;
      }
    }
    return texts;
  }
  static std::string call(std::string_view tool, std::string_view text) {
    return fmt::format(R"({{"tool": "{}", "arguments": {{"text": "{}"}}}})", tool, text);
  }
  static std::string calls(std::vector<std::string> each) {
    std::string line = R"({"calls": [)";
    for (size_t i = 0; i < each.size(); ++i) line += (i ? "," : "") + each[i];
    return line + "]}\n";
  }

  std::optional<Registry> registry_;
  std::optional<dispatch::Dispatcher> dispatcher_;
  store::SharedStore* played_in_ = &store_;
  agent::Setup setup_;
  bool as_text_ = false;  // the script writes its calls between tags
  std::mutex mutex_;
  std::function<void(const Event&)> on_event_;
  std::vector<std::string> events_, said_;
};
using Lines = std::vector<std::string>;

}  // namespace helve::agent
