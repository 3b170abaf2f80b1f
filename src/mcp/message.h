// JSON-RPC as MCP uses it: what kind of message a JSON value is, and the errors that answer a wrong
// one.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"

namespace helve::mcp {

enum class RpcCode : int {
  parse_error = -32700,
  invalid_request = -32600,
  method_not_found = -32601,
  invalid_params = -32602,
  internal_error = -32603,
  resource_not_found = -32002,   // legacy only
  unsupported_version = -32022,  // modern only
};

constexpr size_t kMaxIdBytes = 1024;  // of an id or a progress token, as JSON

// Everything but the id points into the value that was read.
struct Message {
  enum class Kind : unsigned char { request, notification, response, invalid };
  Kind kind = Kind::invalid;
  std::string id =
      {};  // as JSON, so that it is echoed with its type; empty: none that can be echoed
  std::string_view method = {};
  const Json* params = nullptr;   // request, notification
  const Json* result = nullptr;   // response; null when it is an error
  std::string_view problem = {};  // invalid: what is wrong
};

Message read_message(const Json& json);

// An id or progress token as JSON: a string or an integer of at most kMaxIdBytes. Empty: it is
// neither.
std::string read_id(const Json& json);

// Appends one message and its newline. An empty id is left out: it could not be read. `data` is
// JSON, or empty.
void append_error(std::string& out, std::string_view id, RpcCode code, std::string_view message,
                  std::string_view data = {});

// A notification with params, which are JSON.
void append_notification(std::string& out, std::string_view method, std::string_view params = {});

}  // namespace helve::mcp
