// Tools for the dispatcher's tests: one of each temper.
#pragma once

#include <stdexcept>

#include "tool/make.h"

namespace helve::testing {

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
  static constexpr auto schema() {
    return object("", arg<&EchoOutput::said>("The text").max_length(1'000'000));
  }
};

inline Result<EchoOutput> echo(const EchoInput& in, Context&) {
  EchoOutput out;
  for (std::int64_t i = 0; i < in.times; ++i) out.said += in.text;
  return out;
}
inline Tool echo_tool() {
  return make_tool({.name = "echo", .group = "talk", .aliases = {"say"}}, echo);
}
inline Tool save_tool() {
  return make_tool({.name = "save", .group = "talk", .effect = Effect::write}, echo);
}
struct CountInput {
  std::map<std::string, std::int64_t> sizes;
  std::vector<std::string> words;
  static constexpr auto schema() {
    return object("Adds up.", opt<&CountInput::sizes>("By name"), opt<&CountInput::words>("More"));
  }
};
inline Tool map_tool() {
  return make_tool(
      {.name = "count", .group = "talk"}, +[](const CountInput& in, Context&) {
        std::int64_t sum = std::ssize(in.words);
        for (const auto& [name, size] : in.sizes) sum += size;
        return Result<EchoOutput>(EchoOutput{std::to_string(sum)});
      });
}
// Writes only when asked to say it more than once.
inline Tool maybe_tool() {
  return make_tool({.name = "maybe", .group = "other", .effect = Effect::write}, echo,
                   [](const EchoInput& in) { return in.times > 1 ? Effect::write : Effect::read; });
}
inline Tool throwing_tool() {
  return make_tool(
      {.name = "throwing", .group = "other"},
      +[](const EchoInput&, Context&) -> Result<EchoOutput> { throw std::runtime_error("boom"); });
}
// Runs until it is stopped.
inline Tool waiting_tool() {
  return make_tool(
      {.name = "waiting", .group = "other"},
      +[](const EchoInput&, Context& context) -> Result<EchoOutput> {
        std::mutex mutex;
        std::condition_variable_any stopped;
        std::unique_lock lock(mutex);
        stopped.wait(lock, context.stop, [] { return false; });
        TRY(context.checkpoint());
        return EchoOutput{"not stopped"};
      });
}
inline Tool lying_tool() {
  return make_tool(
      {.name = "lying", .group = "other"}, +[](const EchoInput&, Context&) -> Result<EchoOutput> {
        return EchoOutput{std::string(1'000'001, 'x')};
      });
}

inline std::vector<Tool> test_tools() {
  std::vector<Tool> tools;
  tools.push_back(echo_tool());
  tools.push_back(save_tool());
  tools.push_back(maybe_tool());
  tools.push_back(throwing_tool());
  tools.push_back(waiting_tool());
  tools.push_back(lying_tool());
  return tools;
}

}  // namespace helve::testing
