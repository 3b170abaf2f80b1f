#include "mcp/message.h"

#include "mcp/object_writer.h"

namespace helve::mcp {

std::string read_id(const Json& json) {
  std::string id;
  if (const boost::json::string* text = json.if_string()) {
    if (text->size() > kMaxIdBytes) return {};
    append_json_string(id, *text);
    if (id.size() > kMaxIdBytes) return {};
  } else if (json.is_int64() || json.is_uint64()) {
    append_json(id, json);
  }
  return id;
}

Message read_message(const Json& json) {
  auto invalid = [](std::string id, std::string_view problem) {
    return Message{.kind = Message::Kind::invalid, .id = std::move(id), .problem = problem};
  };
  const JsonObject* object = json.if_object();
  if (!object) return invalid({}, "a message must be a JSON object");

  const Json* id = object->if_contains("id");
  Message message;
  if (id) message.id = read_id(*id);
  if (string_at(json, "jsonrpc") != "2.0") {
    return invalid(std::move(message.id), "a message must have \"jsonrpc\":\"2.0\"");
  }
  if (id && message.id.empty()) {
    return invalid(
        {}, "an id must be a string or an integer, of at most 1024 bytes and within 64 bits");
  }

  if (const Json* method = object->if_contains("method")) {
    if (!method->is_string()) return invalid(std::move(message.id), "the method must be a string");
    message.kind = id ? Message::Kind::request : Message::Kind::notification;
    message.method = method->get_string();
    message.params = object->if_contains("params");
    return message;
  }
  message.result = object->if_contains("result");
  if (!message.result && !object->if_contains("error")) {
    return invalid(std::move(message.id), "a message must have a method, a result or an error");
  }
  message.kind = Message::Kind::response;  // without an id it answers nothing and is ignored like
                                           // any unknown one
  return message;
}

void append_error(std::string& out, std::string_view id, RpcCode code, std::string_view message,
                  std::string_view data) {
  ObjectWriter answer(out);
  answer.raw("jsonrpc", "\"2.0\"");
  if (!id.empty()) answer.raw("id", id);
  answer.key("error");
  ObjectWriter error(out);
  error.integer("code", static_cast<int>(code));
  error.text("message", message);
  if (!data.empty()) error.raw("data", data);
  error.close();
  answer.close();
  out += '\n';
}

void append_notification(std::string& out, std::string_view method, std::string_view params) {
  ObjectWriter message(out);
  message.raw("jsonrpc", "\"2.0\"");
  message.text("method", method);
  if (!params.empty()) message.raw("params", params);
  message.close();
  out += '\n';
}

}  // namespace helve::mcp
