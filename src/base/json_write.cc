#include <cmath>

#include "base/escape_lane.h"
#include "base/json.h"
#include "base/text.h"

namespace helve {
namespace {

constexpr char kHex[] = "0123456789abcdef";

// 0: copy as it is; otherwise the letter after the backslash, 'u' for \u00XX, or 1 for a byte that
// starts non-ASCII text.
constexpr auto kEscape = [] {
  std::array<char, 256> table{};
  for (int i = 0; i < 0x20; ++i) table[i] = 'u';
  table['\b'] = 'b', table['\f'] = 'f', table['\n'] = 'n', table['\r'] = 'r', table['\t'] = 't';
  table['"'] = '"', table['\\'] = '\\';
  table[0x7f] = 'u';
  for (int i = 0x80; i < 0x100; ++i) table[i] = 1;
  return table;
}();

// Copies the text before the first byte that needs an escape, and returns its length. Answers are
// mostly text, and this is most of the work of writing them.
size_t copy_plain(std::string_view text, char* out) {
  size_t i = 0;
  for (; i + EscapeLane::kBytes <= text.size(); i += EscapeLane::kBytes) {
    const EscapeLane lane(text.data() + i);
    lane.store(out + i);
    if (const size_t plain = lane.plain(); plain < EscapeLane::kBytes) return i + plain;
  }
  for (; i < text.size() && kEscape[static_cast<unsigned char>(text[i])] == 0; ++i)
    out[i] = text[i];
  return i;
}

constexpr size_t kLongestEscape = 6;  // of one byte

// Writes the character that `text` begins with, as far as it is one, and takes it off.
char* put_escape(std::string_view& text, char* out) {
  const auto byte = static_cast<unsigned char>(text[0]);
  const char escape = kEscape[byte];
  if (escape == 1) {
    const size_t length = char_length(text);
    const std::string_view shown =
        length == 0 ? std::string_view("\xEF\xBF\xBD") : text.substr(0, length);
    text.remove_prefix(std::max<size_t>(length, 1));
    return std::copy(shown.begin(), shown.end(), out);
  }
  text.remove_prefix(1);
  *out++ = '\\';
  *out++ = escape;
  if (escape != 'u') return out;
  const char digits[] = {'0', '0', kHex[byte >> 4], kHex[byte & 15]};
  return std::copy(std::begin(digits), std::end(digits), out);
}

// Writes as much of `text` as has room for certain, and takes it off.
char* put_escaped(std::string_view& text, char* out, const char* end) {
  while (!text.empty() && static_cast<size_t>(end - out) >= text.size() + kLongestEscape) {
    const size_t plain = copy_plain(text, out);
    text.remove_prefix(plain);
    out += plain;
    if (!text.empty()) out = put_escape(text, out);
  }
  return out;
}

void append_pretty(std::string& out, const Json& value, size_t depth) {
  auto line = [&](size_t level) { out.append(1, '\n').append(2 * level, ' '); };
  if (const JsonArray* array = value.if_array(); array && !array->empty()) {
    out += '[';
    for (bool first = true; const Json& item : *array) {
      if (!std::exchange(first, false)) out += ',';
      line(depth + 1);
      append_pretty(out, item, depth + 1);
    }
    line(depth);
    out += ']';
  } else if (const JsonObject* object = value.if_object(); object && !object->empty()) {
    out += '{';
    for (bool first = true; const auto& member : *object) {
      if (!std::exchange(first, false)) out += ',';
      line(depth + 1);
      append_json_string(out, member.key());
      out += ": ";
      append_pretty(out, member.value(), depth + 1);
    }
    line(depth);
    out += '}';
  } else {
    append_json(out, value);
  }
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    const size_t start = out.size();
    const size_t room = text.size() + text.size() / 8 + 4 * kLongestEscape;
    out.resize_and_overwrite(start + room, [&](char* data, size_t size) {
      return static_cast<size_t>(put_escaped(text, data + start, data + size) - data);
    });
  }
  out += '"';
}

void append_json_number(std::string& out, double number) {
  if (!std::isfinite(number)) {
    out += "null";
    return;
  }
  char buffer[32];
  auto end = std::to_chars(buffer, buffer + sizeof buffer, number).ptr;
  out.append(buffer, end);
  // 1.0 must stay a number with a fraction when it is read again as the same type.
  if (std::none_of(buffer, end, [](char c) { return c == '.' || c == 'e' || c == 'n'; }))
    out += ".0";
}

void append_json(std::string& out, const Json& value) {
  switch (value.kind()) {
    case boost::json::kind::null:
      out += "null";
      return;
    case boost::json::kind::bool_:
      out += value.get_bool() ? "true" : "false";
      return;
    case boost::json::kind::int64:
      out += std::to_string(value.get_int64());
      return;
    case boost::json::kind::uint64:
      out += std::to_string(value.get_uint64());
      return;
    case boost::json::kind::double_:
      append_json_number(out, value.get_double());
      return;
    case boost::json::kind::string:
      append_json_string(out, value.get_string());
      return;
    case boost::json::kind::array: {
      out += '[';
      for (bool first = true; const Json& item : value.get_array()) {
        if (!std::exchange(first, false)) out += ',';
        append_json(out, item);
      }
      out += ']';
      return;
    }
    case boost::json::kind::object: {
      out += '{';
      for (bool first = true; const auto& member : value.get_object()) {
        if (!std::exchange(first, false)) out += ',';
        append_json_string(out, member.key());
        out += ':';
        append_json(out, member.value());
      }
      out += '}';
      return;
    }
  }
}

std::string to_text(const Json& value) {
  std::string out;
  append_json(out, value);
  return out;
}

namespace {

void append_some(std::string& out, const Json& value, size_t bytes) {
  if (out.size() >= bytes) return;
  if (const boost::json::string* text = value.if_string()) {
    append_json_string(out, std::string_view(*text).substr(0, bytes));
  } else if (const JsonArray* array = value.if_array()) {
    out += '[';
    for (bool first = true; const Json& item : *array) {
      if (!std::exchange(first, false)) out += ',';
      append_some(out, item, bytes);
      if (out.size() >= bytes) return;
    }
    out += ']';
  } else if (const JsonObject* object = value.if_object()) {
    out += '{';
    for (bool first = true; const auto& member : *object) {
      if (!std::exchange(first, false)) out += ',';
      append_json_string(out, std::string_view(member.key()).substr(0, bytes));
      out += ':';
      append_some(out, member.value(), bytes);
      if (out.size() >= bytes) return;
    }
    out += '}';
  } else {
    append_json(out, value);
  }
}

}  // namespace

std::string to_text(const Json& value, size_t bytes) {
  std::string out;
  append_some(out, value, bytes);
  out.resize(cut_utf8(out, bytes).size());
  return out;
}

std::string to_pretty(const Json& value) {
  std::string out;
  append_pretty(out, value, 0);
  out += '\n';
  return out;
}

}  // namespace helve
