// Context report: what fills a model's window, in estimated tokens.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agent/system_prompt.h"
#include "base/json.h"
#include "cli/screen.h"
#include "model/formats.h"
#include "session/transcript.h"

namespace helve::app {

// Something that takes room; `count` says of how many things, where that is not obvious.
struct Share {
  std::string name;
  std::int64_t tokens = 0;
  std::int64_t count = 0;
};

struct ContextReport {
  std::string workspace;
  std::string session;              // empty: a new one
  std::vector<Share> system;        // the parts of the system prompt, in order
  std::vector<Share> tools;         // the largest first
  std::vector<Share> conversation;  // by kind
  std::int64_t counted = 0;         // by the provider, of all; 0: it has not yet
  std::int64_t window = 0;          // 0: not known

  std::int64_t total() const;
};

std::vector<Share> shares_of(std::span<const agent::PromptPart> parts);
std::vector<Share> shares_of(std::span<const model::Offer> offers);
std::vector<Share> shares_of(const session::Transcript& transcript);

JsonObject to_json(const ContextReport& report);
std::string text_of(const ContextReport& report, size_t width, const cli::Style& style);

}  // namespace helve::app
