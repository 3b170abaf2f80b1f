#include <cmath>

#include "base/json.h"
#include "base/text.h"

namespace helve {
namespace {

constexpr char kHex[] = "0123456789abcdef";

// 0: copy as it is; otherwise the letter after the backslash, 'u' for \u00XX, or 1 for a byte that starts non-ASCII text.
constexpr auto kEscape = [] {
  std::array<char, 256> table{};
  for (int i = 0; i < 0x20; ++i) table[i] = 'u';
  table['\b'] = 'b', table['\f'] = 'f', table['\n'] = 'n', table['\r'] = 'r', table['\t'] = 't';
  table['"'] = '"', table['\\'] = '\\';
  table[0x7f] = 'u';
  for (int i = 0x80; i < 0x100; ++i) table[i] = 1;
  return table;
}();

// The length of the text before the first byte that cannot be copied as it is. Eight bytes at a time: answers are
// mostly text, and this loop is most of the work of writing them.
size_t plain_prefix(std::string_view text) {
  constexpr std::uint64_t kOnes = 0x0101010101010101, kHigh = 0x8080808080808080;
  auto zero_bytes = [](std::uint64_t word) { return (word - kOnes) & ~word; };  // in the high bits
  size_t i = 0;
  for (; i + 8 <= text.size(); i += 8) {
    std::uint64_t word;
    std::memcpy(&word, text.data() + i, 8);
    const std::uint64_t control = (word - kOnes * 0x20) & ~word;
    const std::uint64_t beyond_ascii = word | (word + kOnes);  // and 0x7f
    if ((control | beyond_ascii | zero_bytes(word ^ (kOnes * '"')) | zero_bytes(word ^ (kOnes * '\\'))) & kHigh) break;
  }
  while (i < text.size() && kEscape[static_cast<unsigned char>(text[i])] == 0) ++i;
  return i;
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
  size_t done = 0;  // everything before is written
  for (size_t i = 0; i < text.size();) {
    i += plain_prefix(text.substr(i));
    if (i == text.size()) break;
    const char escape = kEscape[static_cast<unsigned char>(text[i])];
    if (escape == 1) {
      size_t end = i;  // of the non-ASCII bytes: what follows may need escaping again
      while (end < text.size() && static_cast<unsigned char>(text[end]) >= 0x80) ++end;
      while ((i += valid_utf8_prefix(text.substr(i, end - i))) < end) {
        out.append(text, done, i - done).append("\xEF\xBF\xBD");
        done = ++i;
      }
      continue;
    }
    out.append(text, done, i - done).append(1, '\\').append(1, escape);
    if (escape == 'u') {
      auto byte = static_cast<unsigned char>(text[i]);
      out.append("00").append(1, kHex[byte >> 4]).append(1, kHex[byte & 15]);
    }
    done = ++i;
  }
  out.append(text, done, text.size() - done);
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
  if (std::none_of(buffer, end, [](char c) { return c == '.' || c == 'e' || c == 'n'; })) out += ".0";
}

void append_json(std::string& out, const Json& value) {
  switch (value.kind()) {
    case boost::json::kind::null: out += "null"; return;
    case boost::json::kind::bool_: out += value.get_bool() ? "true" : "false"; return;
    case boost::json::kind::int64: out += std::to_string(value.get_int64()); return;
    case boost::json::kind::uint64: out += std::to_string(value.get_uint64()); return;
    case boost::json::kind::double_: append_json_number(out, value.get_double()); return;
    case boost::json::kind::string: append_json_string(out, value.get_string()); return;
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
