// Model names: what a provider's API takes from some of its models only, by their names. Names that
// are not known are taken for new ones.
#pragma once

#include <string_view>

namespace helve::model {

// How a model of Anthropic's format thinks.
struct ClaudeThinking {
  enum class Way : unsigned char {
    none,      // it cannot
    budget,    // by a number of tokens
    adaptive,  // it decides itself, by an effort
  };
  Way way = Way::adaptive;
  bool by_itself = false;  // also when it is told nothing
  bool can_stop = true;    // it can be told not to
  bool is_silent = false;  // it shows its thoughts only to who asks for them
  bool is_bound = false;   // they hold only behind what stood before them, word for word
  bool is_sampled = true;  // it takes a temperature

  bool operator==(const ClaudeThinking&) const = default;
};
ClaudeThinking claude_thinking(std::string_view model);

// Whether a model of OpenAI takes what has to do with thoughts; others refuse it. Those that do are
// given tools by the Responses API only.
bool can_reason(std::string_view model);
// The least that such a model can be told to think; empty: it can be told nothing that is less.
std::string_view least_effort(std::string_view model);

// Whether it is one of those, by a name that nobody else uses: gateways pass it on to OpenAI.
bool is_openai_reasoner(std::string_view model);

// Whether a model of Google signs its calls, wants the signatures back, and is told by words how
// hard to think.
bool gemini_signs(std::string_view model);

// Whether a model is one of Mistral's, whoever serves it.
bool is_mistral(std::string_view model);

}  // namespace helve::model
