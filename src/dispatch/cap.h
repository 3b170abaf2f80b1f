// Cutting long answers: what a model sees of an answer that is kept whole elsewhere.
#pragma once

#include <string>
#include <string_view>

#include "tool/services.h"

namespace helve::dispatch {

constexpr size_t kResultPageChars = 8'000;  // as read_large_result pages

// The text that stands for a stored answer: how long it is, how to read it, and its beginning.
// `reader`: the call or command that reads it.
std::string stub_text(const Results::Stored& stored, std::string_view text, size_t preview_chars,
                      std::string_view reader);

struct Shrunk {
  std::string json;
  std::string left_out;  // "820 of 1000 items, 12000 characters"; empty: nothing
};
// The same value with long texts, lists and maps cut until it has about `budget` bytes. It still
// fits the schema: what the schema constrains (patterns, lengths, least items) is not touched, and
// if nothing else can be cut it stays long.
Shrunk shrink_json(std::string_view json, const JsonObject& schema, size_t budget);

}  // namespace helve::dispatch
