#include "model/notes.h"

#include <fmt/format.h>

#include "base/text.h"

namespace helve::model {
namespace {

constexpr size_t kShownChars = 200;  // of a value in a note

}  // namespace

void Notes::add(std::string note) {
  if (!text_.empty()) text_ += "; ";
  text_ += note;
}

void Notes::add_default(const JsonObject& schema) {
  const Json* value = schema.if_contains("default");
  if (value && !value->is_null()) add("default: " + preview(to_text(*value), kShownChars));
}

void Notes::add_length(const JsonObject& schema) {
  const Json* least = schema.if_contains("minLength");
  const Json* most = schema.if_contains("maxLength");
  if (least && most)
    add(fmt::format("{} to {} characters", to_text(*least), to_text(*most)));
  else if (least && *least == 1)
    add("not empty");
  else if (least)
    add(fmt::format("at least {} characters", to_text(*least)));
  else if (most)
    add(fmt::format("at most {} characters", to_text(*most)));
}

void Notes::add_value(const JsonObject& schema, std::string_view keyword, std::string_view words) {
  const Json* value = schema.if_contains(keyword);
  if (!value) return;
  const boost::json::string* text = value->if_string();
  add(fmt::format("{} {}", words,
                  preview(text ? std::string(*text) : to_text(*value), kShownChars)));
}

void Notes::add_choices(const JsonObject& schema) {
  std::string list;
  for (const Json& value : schema.at("enum").get_array()) {
    list += (list.empty() ? "" : ", ") + to_text(value);
  }
  add("one of " + preview(list, kShownChars));
}

void Notes::describe(const JsonObject& schema, JsonObject& out) const {
  const Json* own = schema.if_contains("description");
  std::string text = own && own->is_string() ? std::string(own->get_string()) : "";
  if (!text_.empty()) text += (text.empty() ? "(" : " (") + text_ + ")";
  if (!text.empty()) out["description"] = text;
}

bool is_portable_pattern(std::string_view expression) {
  for (size_t i = 0; i + 1 < expression.size(); ++i) {
    if (expression[i] == '\\') {
      ++i;
      if ((expression[i] >= '1' && expression[i] <= '9') || expression[i] == 'k') return false;
    } else if (expression[i] == '(' && expression[i + 1] == '?') {
      if (i + 2 >= expression.size() || expression[i + 2] != ':') return false;
    }
  }
  return true;
}

}  // namespace helve::model
