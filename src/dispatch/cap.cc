#include "dispatch/cap.h"

#include <fmt/format.h>

#include "base/text.h"
#include "schema/validate.h"

namespace helve::dispatch {
namespace {

// Cuts one value, guided by its schema, and counts what it leaves out.
class Cut {
 public:
  Cut(size_t max_chars, size_t max_items) : max_chars_(max_chars), max_items_(max_items) {}

  void apply(Json& value, const Json* schema) {
    if (value.is_string())
      cut_text(value, schema);
    else if (value.is_array())
      cut_list(value.get_array(), schema);
    else if (value.is_object())
      cut_object(value.get_object(), schema);
  }

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

  void cut_text(Json& value, const Json* schema) {
    const std::string_view whole = value.get_string();
    if (count_chars(whole) <= max_chars_) return;
    if (says(schema, "pattern") || says(schema, "enum") || says(schema, "const")) return;
    const std::string_view head = first_chars(whole, max_chars_);
    chars_ += count_chars(whole) - count_chars(head);
    value = std::string(head) + "…";
  }

  void cut_list(JsonArray& list, const Json* schema) {
    all_items_ += list.size();
    if (list.size() > max_items_ && !says(schema, "minItems")) {
      items_ += list.size() - max_items_;
      list.resize(max_items_);
    }
    const Json* items = schema ? find(*schema, "items") : nullptr;
    for (Json& item : list) apply(item, items);
  }

  void cut_object(JsonObject& object, const Json* schema) {
    const Json* properties = schema ? find(*schema, "properties") : nullptr;
    const Json* others = schema ? find(*schema, "additionalProperties") : nullptr;
    const bool is_map =
        !properties && others && others->is_object() && !says(schema, "minProperties");
    if (is_map && object.size() > max_items_) {
      all_items_ += object.size();
      items_ += object.size() - max_items_;
      while (object.size() > max_items_) object.erase(std::prev(object.end()));
    }
    for (auto& member : object) {
      const Json* own = properties ? find(*properties, member.key()) : nullptr;
      apply(member.value(), own ? own : others && others->is_object() ? others : nullptr);
    }
  }

  size_t max_chars_, max_items_;
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
  Result<Json> whole = parse_json(json, {.bytes = json.size()});
  if (!whole) return out;
  const Json root = schema;
  for (size_t max_chars = 2'000, max_items = 200; out.json.size() > budget && max_items > 0;
       max_items /= 2) {
    Json value = *whole;
    Cut cut(max_chars, max_items);
    cut.apply(value, &root);
    if (!schema.empty() && !schema::validate(root, value).empty()) return {std::string(json), ""};
    out = {to_text(value), cut.left_out()};
    max_chars = std::max<size_t>(max_chars / 2, 40);
  }
  return out;
}

}  // namespace helve::dispatch
