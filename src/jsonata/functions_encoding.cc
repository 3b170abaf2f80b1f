// Base64 and the encodings of URLs.
#include "base/base64.h"
#include "base/text.h"
#include "jsonata/evaluator.h"
#include "jsonata/unicode.h"

namespace helve::jsonata::builtin {
namespace {

using Arguments = std::span<const Value>;

constexpr std::string_view kUnreserved =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.!~*'()";
constexpr std::string_view kReserved = ";/?:@&=+$,#";

Failed malformed(Evaluator& evaluator, Value text, std::string_view function) {
  return evaluator.fail(
      {.code = "D3140", .value = evaluator.shown(text), .other = std::string(function)});
}

Outcome encode(Evaluator& evaluator, Value value, std::string_view kept,
               std::string_view function) {
  if (value.is_undefined()) return value;
  constexpr char kDigits[] = "0123456789ABCDEF";
  const std::string_view text = value.text();
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const unsigned char byte = static_cast<unsigned char>(text[i]);
    // A surrogate that stands alone has no encoding.
    if (byte == 0xED && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) >= 0xA0)
      return malformed(evaluator, value, function);
    if (kUnreserved.find(text[i]) != kUnreserved.npos || kept.find(text[i]) != kept.npos)
      out += text[i];
    else
      ((out += '%') += kDigits[byte >> 4]) += kDigits[byte & 0xF];
  }
  return evaluator.text(out);
}

int escaped_byte(std::string_view text, size_t at) {
  if (at + 2 >= text.size() || text[at] != '%') return -1;
  const int high = hex_digit(text[at + 1]), low = hex_digit(text[at + 2]);
  return high < 0 || low < 0 ? -1 : high * 16 + low;
}

Outcome decode(Evaluator& evaluator, Value value, std::string_view kept,
               std::string_view function) {
  if (value.is_undefined()) return value;
  const std::string_view text = value.text();
  std::string out;
  for (size_t i = 0; i < text.size();) {
    if (text[i] != '%') {
      out += text[i++];
      continue;
    }
    const size_t start = i;
    std::string character;
    int more = 1;
    while (more > 0) {
      const int byte = escaped_byte(text, i);
      if (byte < 0) return malformed(evaluator, value, function);
      if (character.empty()) {
        more = byte < 0x80 ? 1 : byte >= 0xC2 && byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
        if ((byte >= 0x80 && byte < 0xC2) || byte > 0xF4)
          return malformed(evaluator, value, function);
      }
      character += static_cast<char>(byte);
      i += 3;
      --more;
    }
    if (!is_utf8(character)) return malformed(evaluator, value, function);
    if (character.size() == 1 && kept.find(character[0]) != kept.npos)
      out += text.substr(start, i - start);
    else
      out += character;
  }
  return evaluator.text(out);
}

}  // namespace

// Each character is one byte, as in JavaScript's btoa.
Outcome base64_encode(Evaluator& evaluator, Arguments arguments, const CallSite&) {
  if (arguments[0].is_undefined()) return Value();
  std::string bytes;
  const std::string_view text = arguments[0].text();
  for (size_t at = 0; at < text.size();) {
    const char32_t character = char_at(text.substr(at));
    if (character >= 0x10000) {
      const char32_t rest = character - 0x10000;
      bytes += static_cast<char>(0xD800 + (rest >> 10));
      bytes += static_cast<char>(0xDC00 + (rest & 0x3FF));
    } else {
      bytes += static_cast<char>(character);
    }
    at += length_of_char(text.substr(at));
  }
  return evaluator.text(to_base64(bytes));
}

Outcome base64_decode(Evaluator& evaluator, Arguments arguments, const CallSite&) {
  if (arguments[0].is_undefined()) return Value();
  // Lenient: other characters are passed over, padding is not needed.
  std::string out;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : arguments[0].text()) {
    int digit = -1;
    if (c >= 'A' && c <= 'Z') digit = c - 'A';
    if (c >= 'a' && c <= 'z') digit = c - 'a' + 26;
    if (c >= '0' && c <= '9') digit = c - '0' + 52;
    if (c == '+' || c == '-') digit = 62;
    if (c == '/' || c == '_') digit = 63;
    if (c == '=') break;
    if (digit < 0) continue;
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    if ((count += 6) >= 8) append_code_point(out, bits >> (count -= 8) & 0xFF);
  }
  return evaluator.text(out);
}

Outcome encode_url_component(Evaluator& evaluator, Arguments arguments, const CallSite&) {
  return encode(evaluator, arguments[0], "", "encodeUrlComponent");
}
Outcome encode_url(Evaluator& evaluator, Arguments arguments, const CallSite&) {
  return encode(evaluator, arguments[0], kReserved, "encodeUrl");
}
Outcome decode_url_component(Evaluator& evaluator, Arguments arguments, const CallSite&) {
  return decode(evaluator, arguments[0], "", "decodeUrlComponent");
}
Outcome decode_url(Evaluator& evaluator, Arguments arguments, const CallSite&) {
  return decode(evaluator, arguments[0], kReserved, "decodeUrl");
}

}  // namespace helve::jsonata::builtin
