// Spawning: what the tools that begin a sub-agent have in common.
#pragma once

#include <optional>
#include <string>

#include "tool/make.h"
#include "tools/session_access.h"

namespace helve::tools {

constexpr std::int64_t kMaxPrompt = 1 << 20;  // characters

struct Child {
  std::string session_id;
  std::string outcome;
  std::optional<std::string> text_;
  std::int64_t turns = 0;
  std::int64_t calls = 0;
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = 0;
  std::optional<double> cost_usd;

  static constexpr auto schema() {
    return object(
        "What came of a sub-agent.", arg<&Child::session_id>("Its session"),
        arg<&Child::outcome>("done; terminal: a tool ended its work; started: it runs on"),
        opt<&Child::text_>("What it said last"), arg<&Child::turns>("Answers of its model"),
        arg<&Child::calls>("Calls that it made"),
        arg<&Child::input_tokens>("Tokens that its model read"),
        arg<&Child::output_tokens>("Tokens that its model wrote"),
        opt<&Child::cost_usd>("What it cost; absent when some price is not known"));
  }
  std::string text() const;
};

// An error where it fails.
Result<Child> spawn(agent::Spawn spawn, Context& context);

}  // namespace helve::tools
