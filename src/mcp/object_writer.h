// ObjectWriter: appends the members of one JSON object to a string, in the order given. Answers are
// written with it straight into the buffer they are sent from.
#pragma once

#include <charconv>
#include <concepts>
#include <string>
#include <string_view>

#include "base/json.h"

namespace helve::mcp {

class ObjectWriter {
 public:
  explicit ObjectWriter(std::string& out) : out_(out) { out_ += '{'; }

  // The value must follow in out(). Keys are ours and need no escaping.
  void key(std::string_view name) {
    if (!first_) out_ += ',';
    first_ = false;
    ((out_ += '"') += name) += "\":";
  }
  void text(std::string_view name, std::string_view value) {
    key(name);
    append_json_string(out_, value);
  }
  void text_if_any(std::string_view name, std::string_view value) {
    if (!value.empty()) text(name, value);
  }
  void raw(std::string_view name, std::string_view json) {
    key(name);
    out_ += json;
  }
  // Several members at once, as JSON.
  void members(std::string_view json) {
    if (!first_) out_ += ',';
    first_ = false;
    out_ += json;
  }
  void value(std::string_view name, const Json& json) {
    key(name);
    append_json(out_, json);
  }
  void boolean(std::string_view name, bool value) { raw(name, value ? "true" : "false"); }
  void integer(std::string_view name, std::integral auto value) {
    char digits[24];
    raw(name, {digits, std::to_chars(digits, digits + sizeof digits, value).ptr});
  }
  void close() { out_ += '}'; }

  std::string& out() { return out_; }

 private:
  std::string& out_;
  bool first_ = true;
};

}  // namespace helve::mcp
