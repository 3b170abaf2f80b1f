#include "model/message.h"

#include <fmt/format.h>

#include "base/text.h"
#include "model/wire.h"

namespace helve::model {
namespace {

JsonObject content_json(const Content& content) {
  struct Visitor {
    JsonObject operator()(const TextContent& c) const {
      return {{"type", "text"}, {"text", c.text}};
    }
    JsonObject operator()(const ImageContent& c) const {
      return {{"type", "image"}, {"data", c.data}, {"mime_type", c.mime_type}};
    }
    JsonObject operator()(const AudioContent& c) const {
      return {{"type", "audio"}, {"data", c.data}, {"mime_type", c.mime_type}};
    }
    JsonObject operator()(const ResourceContent& c) const {
      return {{"type", "resource"},
              {"uri", c.uri},
              {"mime_type", c.mime_type},
              {"text", c.text},
              {"blob", c.blob}};
    }
    JsonObject operator()(const ResourceLink& c) const {
      return {{"type", "link"},
              {"uri", c.uri},
              {"name", c.name},
              {"mime_type", c.mime_type},
              {"description", c.description}};
    }
  };
  return std::visit(Visitor{}, content);
}

std::string text_at(const Json& value, std::string_view key) {
  return std::string(string_at(value, key));
}

Error unknown_kind(std::string_view what, std::string_view kind) {
  return Error{
      Code::unsupported,
      fmt::format("{} of the unknown kind '{}'", what, preview(escape_for_display(kind), 40)),
      "a newer helve may have written it", "unknown_part"};
}

Result<Content> content_from(const Json& value) {
  const std::string_view kind = string_at(value, "type");
  if (kind == "text") return TextContent{text_at(value, "text")};
  if (kind == "image") return ImageContent{text_at(value, "data"), text_at(value, "mime_type")};
  if (kind == "audio") return AudioContent{text_at(value, "data"), text_at(value, "mime_type")};
  if (kind == "resource")
    return ResourceContent{text_at(value, "uri"), text_at(value, "mime_type"),
                           text_at(value, "text"), text_at(value, "blob")};
  if (kind == "link")
    return ResourceLink{text_at(value, "uri"), text_at(value, "name"), text_at(value, "mime_type"),
                        text_at(value, "description")};
  return unknown_kind("content", kind);
}

void add_sealed(JsonObject& out, std::string_view origin, const Json& sealed) {
  if (sealed.is_null()) return;
  out["origin"] = origin;
  out["sealed"] = sealed;
}

JsonObject part_json(const Part& part) {
  struct Visitor {
    JsonObject operator()(const Text& p) const { return {{"type", "text"}, {"text", p.text}}; }
    JsonObject operator()(const Thinking& p) const {
      JsonObject out{{"type", "thinking"}, {"text", p.text}};
      add_sealed(out, p.origin, p.sealed);
      return out;
    }
    JsonObject operator()(const Image& p) const {
      return {{"type", "image"}, {"data", p.data}, {"mime_type", p.mime_type}};
    }
    JsonObject operator()(const ToolCall& p) const {
      JsonObject out{{"type", "call"}, {"id", p.id}, {"name", p.name}, {"arguments", p.arguments}};
      add_sealed(out, p.origin, p.sealed);
      return out;
    }
    JsonObject operator()(const ToolResult& p) const {
      JsonArray content;
      for (const Content& each : p.content) content.push_back(content_json(each));
      return {{"type", "result"},
              {"call_id", p.call_id},
              {"name", p.name},
              {"is_error", p.is_error},
              {"content", std::move(content)}};
    }
  };
  return std::visit(Visitor{}, part);
}

Json sealed_of(const Json& value) {
  const Json* sealed = find(value, "sealed");
  return sealed ? *sealed : Json();
}

Result<Part> result_from(const Json& value) {
  const Json* is_error = find(value, "is_error");
  ToolResult result{.call_id = text_at(value, "call_id"),
                    .name = text_at(value, "name"),
                    .content = {},
                    .is_error = is_error && is_error->is_bool() && is_error->get_bool()};
  if (const Json* content = find(value, "content"); content && content->is_array()) {
    for (const Json& each : content->get_array()) result.content.push_back(TRY(content_from(each)));
  }
  return result;
}

Result<Part> part_from(const Json& value) {
  const std::string_view kind = string_at(value, "type");
  if (kind == "text") return Text{text_at(value, "text")};
  if (kind == "thinking")
    return Thinking{text_at(value, "text"), text_at(value, "origin"), sealed_of(value)};
  if (kind == "image") return Image{text_at(value, "data"), text_at(value, "mime_type")};
  if (kind == "call")
    return ToolCall{text_at(value, "id"), text_at(value, "name"), text_at(value, "arguments"),
                    text_at(value, "origin"), sealed_of(value)};
  if (kind == "result") return result_from(value);
  return unknown_kind("a part", kind);
}

Result<Role> role_from(std::string_view name) {
  for (const Role role : {Role::user, Role::assistant, Role::tool}) {
    if (name == name_of(role)) return role;
  }
  return unknown_kind("a message", name);
}

}  // namespace

std::string_view name_of(Role role) {
  switch (role) {
    case Role::user:
      return "user";
    case Role::assistant:
      return "assistant";
    case Role::tool:
      return "tool";
  }
  return "";
}

Message user_message(std::string text) { return {Role::user, {Text{std::move(text)}}}; }

std::string text_of(const Message& message) {
  std::string out;
  for (const Part& part : message.parts) {
    if (const auto* text = std::get_if<Text>(&part)) out += text->text;
  }
  return out;
}

std::vector<const ToolCall*> calls_of(const Message& message) {
  std::vector<const ToolCall*> calls;
  for (const Part& part : message.parts) {
    if (const auto* call = std::get_if<ToolCall>(&part)) calls.push_back(call);
  }
  return calls;
}

JsonObject to_json(const Message& message) {
  JsonArray parts;
  for (const Part& part : message.parts) parts.push_back(part_json(part));
  return {{"role", name_of(message.role)}, {"parts", std::move(parts)}};
}

Result<Message> message_from_json(const Json& value) {
  Message message;
  message.role = TRY(role_from(string_at(value, "role")));
  const Json* parts = find(value, "parts");
  if (!parts || !parts->is_array()) return unknown_kind("a message", "without parts");
  for (const Json& part : parts->get_array()) message.parts.push_back(TRY(part_from(part)));
  return message;
}

Usage& Usage::operator+=(const Usage& other) {
  input += other.input;
  output += other.output;
  cache_read += other.cache_read;
  cache_write += other.cache_write;
  return *this;
}

JsonObject to_json(const Usage& usage) {
  return {{"input", usage.input},
          {"output", usage.output},
          {"cache_read", usage.cache_read},
          {"cache_write", usage.cache_write}};
}

Usage usage_from_json(const Json& value) {
  return {integer_at(value, "input"), integer_at(value, "output"), integer_at(value, "cache_read"),
          integer_at(value, "cache_write")};
}

}  // namespace helve::model
