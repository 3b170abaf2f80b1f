#include "dispatch/cap.h"

#include <fmt/format.h>

#include "base/text.h"

namespace helve::dispatch {
namespace {

void cut(Json& value, size_t max_chars, size_t max_items, std::string_view stored_id) {
  if (boost::json::string* text = value.if_string()) {
    std::string_view whole = *text;
    if (count_chars(whole) <= max_chars) return;
    std::string_view head = first_chars(whole, max_chars);
    value = fmt::format("{}… [{} more characters: read_large_result {}]", head, count_chars(whole) - count_chars(head), stored_id);
  } else if (JsonArray* array = value.if_array()) {
    if (array->size() > max_items) array->resize(max_items);
    for (Json& item : *array) cut(item, max_chars, max_items, stored_id);
  } else if (JsonObject* object = value.if_object()) {
    for (auto& member : *object) cut(member.value(), max_chars, max_items, stored_id);
  }
}

}  // namespace

std::string stub_text(const Results::Stored& stored, std::string_view text, size_t preview_chars) {
  const size_t pages = (stored.chars + kResultPageChars - 1) / kResultPageChars;
  return fmt::format(
      "[The answer has {} characters and is kept as {} ({} pages). It begins:]\n{}\n[read_large_result {{\"id\":\"{}\",\"page\":1}} reads it "
      "page by page.]",
      stored.chars, stored.id, pages, preview(text, preview_chars), stored.id);
}

std::string shrink_json(std::string_view json, size_t budget, std::string_view stored_id) {
  Result<Json> parsed = parse_json(json, {.bytes = json.size()});
  if (!parsed) return std::string(json);
  std::string out(json);
  size_t max_chars = 2'000, max_items = 200;
  while (out.size() > budget && max_items > 0) {
    Json value = *parsed;
    cut(value, max_chars, max_items, stored_id);
    out = to_text(value);
    max_chars = std::max<size_t>(max_chars / 2, 40);
    max_items /= 2;
  }
  return out;
}

}  // namespace helve::dispatch
