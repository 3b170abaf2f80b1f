#include "dispatch/cap.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/monotonic_resource.hpp>

#include "base/text.h"
#include "schema/validate.h"

namespace helve::dispatch {
namespace {

// Copies the beginnings of a value's texts and lists, guided by its schema, and counts what it
// leaves out.
class Cut {
 public:
  // Ends early, with a part, once there is more than `room` bytes.
  Cut(size_t max_chars, size_t max_items, size_t room)
      : max_chars_(max_chars), max_items_(max_items), room_(room) {}

  Json copy(const Json& value, const Json* schema) {
    if (value.is_string()) return copy_text(value.get_string(), schema);
    if (value.is_array()) return copy_list(value.get_array(), schema);
    if (value.is_object()) return copy_object(value.get_object(), schema);
    return value;
  }

  bool ended_early() const { return bytes_ > room_; }

  std::string left_out() const {
    std::string out;
    if (items_ > 0) out = fmt::format("{} of {} items", items_, all_items_);
    if (chars_ > 0)
      out += fmt::format("{}{} characters of text", out.empty() ? "" : " and ", chars_);
    return out;
  }

 private:
  static bool says(const Json* schema, std::string_view key) {
    return schema && find(*schema, key);
  }

  Json copy_text(std::string_view whole, const Json* schema) {
    const bool is_fixed = says(schema, "pattern") || says(schema, "enum") || says(schema, "const");
    if (is_fixed || whole.size() <= max_chars_ || count_chars(whole) <= max_chars_) {
      bytes_ += whole.size();
      return Json(whole);
    }
    const std::string_view head = first_chars(whole, max_chars_);
    bytes_ += head.size();
    chars_ += count_chars(whole) - count_chars(head);
    return Json(std::string(head) + "…");
  }

  Json copy_list(const JsonArray& list, const Json* schema) {
    all_items_ += list.size();
    const size_t count = says(schema, "minItems") ? list.size() : std::min(list.size(), max_items_);
    items_ += list.size() - count;
    const Json* items = schema ? find(*schema, "items") : nullptr;
    JsonArray out;
    out.reserve(count);
    for (size_t i = 0; i < count && !ended_early(); ++i) out.push_back(copy(list[i], items));
    return out;
  }

  Json copy_object(const JsonObject& object, const Json* schema) {
    const Json* properties = schema ? find(*schema, "properties") : nullptr;
    const Json* others = schema ? find(*schema, "additionalProperties") : nullptr;
    if (others && !others->is_object()) others = nullptr;
    const bool is_map = !properties && others && !says(schema, "minProperties");
    size_t count = object.size();
    if (is_map && count > max_items_) {
      all_items_ += count;
      items_ += count - max_items_;
      count = max_items_;
    }
    JsonObject out;
    out.reserve(count);
    for (const auto& member : object) {
      if (count-- == 0 || ended_early()) break;
      bytes_ += member.key().size();
      const Json* own = properties ? find(*properties, member.key()) : nullptr;
      out.emplace(member.key(), copy(member.value(), own ? own : others));
    }
    return out;
  }

  size_t max_chars_, max_items_, room_;
  size_t bytes_ = 0;  // of texts and names: no more than the value as text has
  size_t items_ = 0, all_items_ = 0, chars_ = 0;
};

}  // namespace

std::string stub_text(const Results::Stored& stored, std::string_view text, size_t preview_chars,
                      std::string_view reader) {
  const size_t pages = (stored.chars + kResultPageChars - 1) / kResultPageChars;
  return fmt::format(
      "[The answer has {} characters and is kept as {} ({} {}). It "
      "begins:]\n{}\n[{} reads it page by page.]",
      stored.chars, stored.id, pages, pages == 1 ? "page" : "pages", preview(text, preview_chars),
      reader);
}

Shrunk shrink_json(std::string_view json, const JsonObject& schema, size_t budget) {
  Shrunk out{std::string(json), ""};
  boost::json::monotonic_resource memory;
  const Result<Json> whole = parse_json(json, {.bytes = json.size()}, &memory);
  if (!whole) return out;
  const Json root = schema;
  Json value;
  for (size_t max_chars = 2'000, max_items = 200; out.json.size() > budget && max_items > 0;
       max_items /= 2) {
    Cut cut(max_chars, max_items, max_items > 1 ? budget : SIZE_MAX);
    value = cut.copy(*whole, &root);
    max_chars = std::max<size_t>(max_chars / 2, 40);
    if (!cut.ended_early()) out = {to_text(value), cut.left_out()};
  }
  const bool fits = value.is_null() || schema.empty() || schema::validate(root, value).empty();
  return fits ? out : Shrunk{std::string(json), ""};
}

}  // namespace helve::dispatch
