// Model names: what a provider's API takes from some of its models only, by their names. Names that
// are not known are taken for new ones.
#pragma once

#include <string_view>

namespace helve::model {

// How a model of Anthropic is told to think.
enum class ClaudeThinking : unsigned char {
  none,    // it cannot
  budget,  // by a number of tokens
  effort,  // it decides itself, by an effort
};
ClaudeThinking claude_thinking(std::string_view model);

// Whether a model of OpenAI's Responses API takes what has to do with thoughts; others refuse it.
bool can_reason(std::string_view model);

}  // namespace helve::model
