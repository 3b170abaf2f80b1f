#include "agent/repetition.h"

#include "base/quick_hash.h"
#include "base/result.h"

namespace helve::agent {

int Repetition::count(const model::ToolCall& call, const model::ToolResult& result) {
  // Spaces make no other call.
  const Result<Json> arguments = parse_json(call.arguments);
  std::uint64_t hash = quick_hash(call.name);
  hash = quick_hash(arguments ? to_text(*arguments) : call.arguments, hash);
  for (const Content& block : result.content) {
    if (const auto* text = std::get_if<TextContent>(&block)) hash = quick_hash(text->text, hash);
    if (const auto* image = std::get_if<ImageContent>(&block)) hash = quick_hash(image->data, hash);
  }
  const auto [found, is_new] = seen_.try_emplace(hash);
  if (is_new) ++news_;
  Seen& seen = found->second;
  if (seen.news != news_) seen = {news_, 0};
  return ++seen.times;
}

}  // namespace helve::agent
