// Message: what people, models and tools say to each other in a session, in one form for all
// providers. Its JSON is how a transcript keeps it; what a provider wants is made of it when it is
// sent.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "tool/content.h"

namespace helve::model {

enum class Role : unsigned char { user, assistant, tool };
std::string_view name_of(Role role);

struct Text {
  std::string text;
  bool operator==(const Text&) const = default;
};

// What a model thought. Providers want it back as they gave it, and take it from nobody else.
struct Thinking {
  std::string text;    // may be empty: what is kept secret
  std::string origin;  // the provider that can read `sealed`
  Json sealed;         // signatures, encrypted content: returned unread
  bool operator==(const Thinking&) const = default;
};

struct Image {
  std::string data;  // base64
  std::string mime_type;
  bool operator==(const Image&) const = default;
};

// A tool call as the model wrote it. Ids are unique in a session.
struct ToolCall {
  std::string id;
  std::string name;
  std::string arguments;  // JSON, or whatever the model took for it
  std::string origin;     // the provider that can read `sealed`
  Json sealed;            // what the provider wants back with it
  bool operator==(const ToolCall&) const = default;
};

struct ToolResult {
  std::string call_id;
  std::string name;
  std::vector<Content> content;
  bool is_error = false;
};

using Part = std::variant<Text, Thinking, Image, ToolCall, ToolResult>;

struct Message {
  Role role = Role::user;
  std::vector<Part> parts;
};

Message user_message(std::string text);
// All its text, without thoughts.
std::string text_of(const Message& message);
std::vector<const ToolCall*> calls_of(const Message& message);

JsonObject to_json(const Message& message);
// Reads what to_json wrote. A part of a kind that is unknown is an error.
Result<Message> message_from_json(const Json& value);

// Tokens as the provider counts them. `input` is what was neither read from a cache nor written to
// one.
struct Usage {
  std::int64_t input = 0;
  std::int64_t output = 0;  // with thoughts
  std::int64_t cache_read = 0;
  std::int64_t cache_write = 0;

  std::int64_t context() const { return input + output + cache_read + cache_write; }
  Usage& operator+=(const Usage& other);
  bool operator==(const Usage&) const = default;
};

JsonObject to_json(const Usage& usage);
// What is missing, negative or no number counts as 0.
Usage usage_from_json(const Json& value);

}  // namespace helve::model
