// Cutting long answers: what a model sees of an answer that is kept whole elsewhere.
#pragma once

#include <string>
#include <string_view>

#include "tool/services.h"

namespace helve::dispatch {

constexpr size_t kResultPageChars = 8'000;  // as read_large_result pages

// The text that stands for a stored answer: how long it is, how to read it, and its beginning.
std::string stub_text(const Results::Stored& stored, std::string_view text, size_t preview_chars);

// The same JSON value with long strings and lists cut until it has at most `budget` bytes, so that it still fits its
// schema. What was cut says so.
std::string shrink_json(std::string_view json, size_t budget, std::string_view stored_id);

}  // namespace helve::dispatch
