// Toolbox: tools that a model is not told of in full. Two small tools stand for them: one finds
// them, the other calls them. So what a model is told at the beginning is short, and stays the same
// whatever it needs later: providers keep what they have read only as long as its beginning does.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/formats.h"
#include "model/message.h"

namespace helve::agent {

constexpr std::string_view kToolSearch = "tool_search";
constexpr std::string_view kToolCall = "tool_call";

class Toolbox {
 public:
  explicit Toolbox(std::vector<model::Offer> tools) : tools_(std::move(tools)) {}

  const std::vector<model::Offer>& tools() const { return tools_; }
  // The two.
  std::vector<model::Offer> offers() const;
  // What kToolSearch answers.
  Result<std::string> search(std::string_view arguments) const;

 private:
  std::string names() const;

  const std::vector<model::Offer> tools_;
};

// The call that one of kToolCall stands for; any other is itself. An error where something of it
// stands in the wrong place: it would be made with other arguments than were meant.
Result<model::ToolCall> meant_by(const model::ToolCall& call);

}  // namespace helve::agent
