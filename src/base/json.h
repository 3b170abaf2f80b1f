// Json: the value that everything from outside becomes first. Parsing is bounded; writing is always
// valid UTF-8.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>
#include <boost/json/value.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace helve {

using Json = boost::json::value;
using JsonObject = boost::json::object;
using JsonArray = boost::json::array;

template <class T>
class Result;

struct JsonLimits {
  std::size_t bytes = 64u << 20;
  std::size_t depth = 128;
};

// The message of a failure says line and column. With `storage`, the value lives in that memory and
// must not outlive it.
Result<Json> parse_json(std::string_view text, const JsonLimits& limits = {},
                        boost::json::storage_ptr storage = {});

// The member, or null when `value` is no object or has no such member.
const Json* find(const Json& value, std::string_view key);
// The member when it is a string; empty otherwise.
std::string_view string_at(const Json& value, std::string_view key);
// The strings of a member that is a list; what else is in it is passed over.
std::vector<std::string> strings_at(const Json& value, std::string_view key);
// "string", "integer", …: how JSON Schema calls the value's type.
std::string_view type_name(const Json& value);

// Invalid UTF-8 becomes U+FFFD; numbers round-trip in their shortest form; a number that is not
// finite becomes null.
void append_json(std::string& out, const Json& value);
void append_json_string(std::string& out, std::string_view text);  // with quotes
void append_json_number(std::string& out, double number);
std::string to_text(const Json& value);  // compact
// The first `bytes` bytes of that text, without writing much more than these.
std::string to_text(const Json& value, size_t bytes);
std::string to_pretty(const Json& value);  // indented by two spaces, with a final newline

}  // namespace helve
