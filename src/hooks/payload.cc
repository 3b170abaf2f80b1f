#include "hooks/payload.h"

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"

namespace helve::hooks {
namespace {

constexpr size_t kMaxEscaped = 6;  // bytes that one byte may become in JSON

constexpr size_t kShortFacts = 64;  // bytes

// Fit for an environment variable: bounded, valid, without NUL.
std::string short_text(std::string_view text) {
  std::string head(
      cut_utf8(text, 4 * (kMaxTextChars + 1)));  // no character has more than four bytes
  if (!is_utf8(head) || head.find('\0') != head.npos) head = escape_bytes(head);
  return preview(head, kMaxTextChars);
}

class Writer {
 public:
  Writer(Point point, const Identity& who) {
    fact("point", "POINT", name_of(point));
    fact("session", "SESSION", who.session);
    add("agent", who.agent);
    add("user", who.user);
    add("workspace", who.workspace);
  }

  void add(std::string_view key, std::string_view text) {
    std::string json;
    append_json_string(json, text);
    add_json(key, json);
  }

  void add_json(std::string_view key, std::string_view json) {
    told_.payload += told_.payload.empty() ? '{' : ',';
    append_json_string(told_.payload, key);
    told_.payload.append(":").append(json);
  }

  // In our environment only.
  void own_fact(std::string_view key, std::string_view name, std::string_view text) {
    add(key, text);
    told_.variables.push_back(fmt::format("HELVE_HOOK_{}={}", name, short_text(text)));
  }

  void variable(std::string_view name, std::string_view text) {
    const std::string value = short_text(text);
    told_.variables.push_back(fmt::format("HELVE_HOOK_{}={}", name, value));
    told_.variables.push_back(fmt::format("CAMELAGI_HOOK_{}={}", name, value));
  }

  void fact(std::string_view key, std::string_view name, std::string_view text) {
    add(key, text);
    variable(name, text);
  }

  // Gets the room that is left, but for a few short facts.
  void add_cut(std::string_view key, std::string_view name, std::string_view text) {
    variable(name, text);
    const size_t room = kMaxPayload - std::min(kMaxPayload, told_.payload.size() + kShortFacts);
    std::string json;
    // How long it gets is not known before, so a long one is cut as if all were to be escaped.
    append_json_string(json, cut_utf8(text, room));
    const bool fits = json.size() <= room && text.size() <= room;
    if (!fits) {
      json.clear();
      append_json_string(json, cut_utf8(text, room / kMaxEscaped));
    }
    add_json(key, json);
    if (!fits) add_json(fmt::format("{}_cut", key), "true");
  }

  Told finish() && {
    told_.payload += '}';
    return std::move(told_);
  }

 private:
  Told told_;
};

}  // namespace

std::optional<Told> told_of(Point point, const HookCall& call, std::string_view arguments) {
  const bool is_large = arguments.size() > kMaxGuarded;
  if (is_large && is_guard(point)) return std::nullopt;
  if (is_large) arguments = "null";
  Writer writer(point, call.who);
  writer.own_fact("call", "CALL", call.call_id);
  writer.own_fact("caller", "CALLER", helve::name_of(call.caller));
  writer.fact("tool", "TOOL", call.tool);
  writer.add_json("arguments", arguments);
  writer.variable("TOOL_ARGS", arguments);
  writer.own_fact("effect", "EFFECT", helve::name_of(call.effect));
  if (point == Point::after_tool) {
    writer.add_cut("result", "TOOL_RESULT", call.result);
    writer.add_json("is_error", call.is_error ? "true" : "false");
  }
  return std::move(writer).finish();
}

std::optional<Told> told_of(Point point, const HookTalk& talk) {
  Writer writer(point, talk.who);
  if (!is_guard(point)) {
    writer.add_cut("response", "RESPONSE", talk.text);
    return std::move(writer).finish();
  }
  if (talk.text.size() > kMaxGuarded) return std::nullopt;
  writer.fact("message", "MESSAGE", talk.text);
  Told told = std::move(writer).finish();
  if (told.payload.size() > kMaxPayload) return std::nullopt;
  return told;
}

}  // namespace helve::hooks
