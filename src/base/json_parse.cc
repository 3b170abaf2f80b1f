#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/value_stack.hpp>
#include <charconv>
#include <cmath>

#include "base/json.h"
#include "base/result.h"

namespace helve {
namespace {

// Line and column, both from 1, of the byte at `offset`.
std::pair<size_t, size_t> position(std::string_view text, size_t offset) {
  size_t line = 1, start = 0;
  for (size_t i = 0; i < offset && i < text.size(); ++i) {
    if (text[i] == '\n') ++line, start = i + 1;
  }
  return {line, offset - start + 1};
}

Error syntax_error(std::string_view text, size_t offset, std::string_view what) {
  auto [line, column] = position(text, offset);
  return Error{Code::invalid_argument,
               fmt::format("invalid JSON at line {}, column {}: {}", line, column, what), "",
               "invalid_json"};
}

// Builds the value. It differs from the library's own handler in one thing: decimal numbers are
// rounded correctly, so that 0.1 and 1.2345678901234901e25 come back as they were written, and one
// that no number type holds is refused.
class Handler {
 public:
  static constexpr size_t max_object_size = -1, max_array_size = -1, max_key_size = -1,
                          max_string_size = -1;
  using Failure = boost::json::error_code;

  explicit Handler(unsigned char* scratch, size_t size) : stack({}, scratch, size) {}
  boost::json::value_stack stack;

  bool on_document_begin(Failure&) { return true; }
  bool on_document_end(Failure&) { return true; }
  bool on_object_begin(Failure&) { return true; }
  bool on_object_end(size_t count, Failure&) { return stack.push_object(count), true; }
  bool on_array_begin(Failure&) { return true; }
  bool on_array_end(size_t count, Failure&) { return stack.push_array(count), true; }
  bool on_key_part(boost::json::string_view text, size_t, Failure&) {
    return stack.push_chars(text), true;
  }
  bool on_key(boost::json::string_view text, size_t, Failure&) {
    return stack.push_key(text), true;
  }
  bool on_string_part(boost::json::string_view text, size_t, Failure&) {
    return stack.push_chars(text), true;
  }
  bool on_string(boost::json::string_view text, size_t, Failure&) {
    return stack.push_string(text), true;
  }
  bool on_number_part(boost::json::string_view text, Failure&) {
    return number_.append(text.data(), text.size()), true;
  }
  bool on_int64(std::int64_t number, boost::json::string_view, Failure&) {
    return number_.clear(), stack.push_int64(number), true;
  }
  bool on_uint64(std::uint64_t number, boost::json::string_view, Failure&) {
    return number_.clear(), stack.push_uint64(number), true;
  }
  bool on_double(double about, boost::json::string_view text, Failure& failure) {
    std::string_view digits(text.data(), text.size());
    if (!number_.empty()) digits = number_.append(digits);  // it came in parts
    double number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    // Too small to tell from zero is fine; too large is not.
    const bool tiny = error == std::errc::result_out_of_range && std::fabs(about) < 1;
    if (error != std::errc() && !tiny)
      return failure = boost::json::error::exponent_overflow, false;
    number_.clear();
    return stack.push_double(tiny ? 0.0 : number), true;
  }
  bool on_bool(bool value, Failure&) { return stack.push_bool(value), true; }
  bool on_null(Failure&) { return stack.push_null(), true; }
  bool on_comment_part(boost::json::string_view, Failure&) { return true; }
  bool on_comment(boost::json::string_view, Failure&) { return true; }

 private:
  std::string number_;
};

}  // namespace

Result<Json> parse_json(std::string_view text, const JsonLimits& limits,
                        boost::json::storage_ptr storage) {
  if (text.size() > limits.bytes) {
    return Error{Code::too_large,
                 fmt::format("JSON of {} bytes is over the limit of {}", text.size(), limits.bytes),
                 "", "json_too_large"};
  }
  boost::json::parse_options options;
  options.max_depth = limits.depth;
  unsigned char
      scratch[2048];  // so that small documents need no allocation for the parser's own stack
  boost::json::basic_parser<Handler> parser(options, scratch, sizeof scratch);
  boost::json::error_code failure;
  size_t consumed = 0;
  try {
    parser.handler().stack.reset(std::move(storage));
    consumed = parser.write_some(false, text.data(), text.size(), failure);
    if (failure) return syntax_error(text, consumed, failure.message());
    for (size_t i = consumed; i < text.size(); ++i) {
      if (!std::strchr(" \t\r\n", text[i]) || text[i] == 0)
        return syntax_error(text, i, "more text after the value");
    }
    return parser.handler().stack.release();
  } catch (const std::exception& error) {
    return Error{Code::too_large, fmt::format("JSON cannot be held: {}", error.what()), "",
                 "json_too_large"};
  }
}

const Json* find(const Json& value, std::string_view key) {
  const JsonObject* object = value.if_object();
  return object ? object->if_contains(key) : nullptr;
}

std::string_view string_at(const Json& value, std::string_view key) {
  const Json* member = find(value, key);
  if (!member || !member->is_string()) return {};
  return std::string_view(member->get_string());
}

std::vector<std::string> strings_at(const Json& value, std::string_view key) {
  std::vector<std::string> strings;
  const Json* member = find(value, key);
  if (!member || !member->is_array()) return strings;
  for (const Json& each : member->get_array()) {
    if (each.is_string()) strings.emplace_back(each.get_string());
  }
  return strings;
}

std::string_view type_name(const Json& value) {
  switch (value.kind()) {
    case boost::json::kind::null:
      return "null";
    case boost::json::kind::bool_:
      return "boolean";
    case boost::json::kind::int64:
    case boost::json::kind::uint64:
      return "integer";
    case boost::json::kind::double_:
      return "number";
    case boost::json::kind::string:
      return "string";
    case boost::json::kind::array:
      return "array";
    case boost::json::kind::object:
      return "object";
  }
  return "null";
}

}  // namespace helve
