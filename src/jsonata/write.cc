#include "jsonata/write.h"

#include <cmath>

#include "jsonata/evaluator.h"
#include "jsonata/number_text.h"
#include "jsonata/unicode.h"

namespace helve::jsonata {
namespace {

bool needs_escape(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\' || c == '\xED';
}

void append_escape(std::string& out, char32_t unit) {
  constexpr char kDigits[] = "0123456789abcdef";
  out += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) out += kDigits[unit >> shift & 0xF];
}

}  // namespace

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  size_t written = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (!needs_escape(text[i])) continue;
    out += text.substr(written, i - written);
    const char c = text[i];
    written = i + 1;
    constexpr std::string_view kSpecial = "\"\\\b\f\n\r\t";
    constexpr std::string_view kLetters = "\"\\bfnrt";
    if (const size_t place = kSpecial.find(c); place != kSpecial.npos) {
      (out += '\\') += kLetters[place];
    } else if (c == '\xED') {
      const char32_t character = char_at(text.substr(i));
      const size_t length = length_of_char(text.substr(i));
      if (character >= 0xD800 && character < 0xE000)
        append_escape(out, character);
      else
        out += text.substr(i, length);
      i += length - 1;
      written = i + 1;
    } else {
      append_escape(out, static_cast<unsigned char>(c));
    }
  }
  out += text.substr(written);
  out += '"';
}

bool JsonWriter::is_left_out(Value value) const {
  return value.is_undefined() || (value.is_function() && !options_.for_string);
}

void JsonWriter::new_line() {
  if (!options_.pretty) return;
  out_ += '\n';
  out_.append(indentation_ * 2, ' ');
}

Fallible<void> JsonWriter::write(Value value) {
  TRY(evaluator_.tick());
  if (out_.size() >= options_.at_most) return {};
  if (options_.flush && out_.size() >= kFlushBytes && !options_.flush(out_))
    return evaluator_.fail({.code = "D1012", .message = "the output cannot be written"});
  switch (value.type) {
    case Type::boolean:
      out_ += value.truth ? "true" : "false";
      return {};
    case Type::number:
      return write_number(value.real);
    case Type::string:
      append_quoted(out_, value.text());
      return {};
    case Type::array:
      return write_array(value);
    case Type::object:
      return write_object(value);
    case Type::function:
      out_ += options_.for_string ? "\"\"" : "null";
      return {};
    default:
      out_ += "null";
      return {};
  }
}

Fallible<void> JsonWriter::write_number(double number) {
  if (std::isnan(number) || (std::isinf(number) && !options_.for_string)) {
    out_ += "null";
    return {};
  }
  if (std::isinf(number)) return evaluator_.fail_with("D1001", Value::number(number));
  if (options_.for_string && number != std::floor(number)) number = rounded_to_15_digits(number);
  append_number(out_, number);
  return {};
}

Fallible<void> JsonWriter::write_array(Value array) {
  TRY(evaluator_.check_stack());
  out_ += '[';
  ++indentation_;
  bool any = false;
  ItemCursor items(evaluator_, array);
  for (Value item; items.next(item);) {
    if (out_.size() >= options_.at_most) break;
    if (std::exchange(any, true)) out_ += ',';
    new_line();
    TRY(write(item));
  }
  --indentation_;
  if (any) new_line();
  out_ += ']';
  return {};
}

Fallible<void> JsonWriter::write_object(Value object) {
  TRY(evaluator_.check_stack());
  out_ += '{';
  ++indentation_;
  bool any = false;
  MemberCursor members(evaluator_, object);
  std::string_view key;
  for (Value value; members.next(key, value);) {
    if (is_left_out(value)) continue;
    if (out_.size() >= options_.at_most) break;
    if (std::exchange(any, true)) out_ += ',';
    new_line();
    append_quoted(out_, key);
    out_ += options_.pretty ? ": " : ":";
    TRY(write(value));
  }
  --indentation_;
  if (any) new_line();
  out_ += '}';
  return {};
}

}  // namespace helve::jsonata
