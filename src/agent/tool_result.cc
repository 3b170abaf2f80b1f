#include "agent/tool_result.h"

#include <fmt/format.h>

#include "base/text.h"
#include "session/transcript.h"

namespace helve::agent {
namespace {

Content bounded(Content block) {
  const auto* const image = std::get_if<ImageContent>(&block);
  if (!image || image->data.size() <= kMaxImageChars) return block;
  return TextContent{fmt::format("[an image ({}) of {} was left out: models take at most {}]",
                                 image->mime_type, human_size(image->data.size()),
                                 human_size(kMaxImageChars))};
}

}  // namespace

model::ToolResult tool_result(const model::ToolCall& call, dispatch::Outcome& outcome) {
  model::ToolResult result;
  if (outcome.error) {
    result = session::error_result(call, *outcome.error);
  } else {
    result = {call.id, call.name, {}, false};
    for (Content& block : outcome.product.content)
      result.content.push_back(bounded(std::move(block)));
  }
  for (const std::string& note : outcome.notes)
    result.content.emplace_back(TextContent{fmt::format("Note: {}", note)});
  return result;
}

}  // namespace helve::agent
