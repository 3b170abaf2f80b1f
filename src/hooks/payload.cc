#include "hooks/payload.h"

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"

namespace helve::hooks {
namespace {

// Fit for an environment variable: bounded, valid, without NUL.
std::string short_text(std::string_view text) {
  std::string head(
      cut_utf8(text, 4 * (kMaxTextChars + 1)));  // no character has more than four bytes
  if (!is_utf8(head) || head.find('\0') != head.npos) head = escape_bytes(head);
  return preview(head, kMaxTextChars);
}

}  // namespace

std::string_view name_of(Point point) {
  return point == Point::before_tool ? "before_tool" : "after_tool";
}

void append_variables(std::vector<std::string>& environment, Point point, const HookCall& call,
                      std::string_view arguments) {
  auto add_own = [&](std::string_view name, const std::string& value) {
    environment.push_back(fmt::format("HELVE_HOOK_{}={}", name, value));
  };
  auto add = [&](std::string_view name, std::string_view text) {
    const std::string value = short_text(text);
    add_own(name, value);
    environment.push_back(fmt::format("CAMELAGI_HOOK_{}={}", name, value));
  };
  add("POINT", name_of(point));
  add("SESSION", call.who.session);
  add("TOOL", call.tool);
  add("TOOL_ARGS", arguments);
  if (point == Point::after_tool) add("TOOL_RESULT", call.result);
  add_own("CALL", short_text(call.call_id));
  add_own("CALLER", std::string(helve::name_of(call.caller)));
  add_own("EFFECT", std::string(helve::name_of(call.effect)));
}

std::string payload(Point point, const HookCall& call, std::string_view arguments) {
  std::string out = "{";
  auto add_name = [&](std::string_view name) {
    if (out.size() > 1) out += ',';
    append_json_string(out, name);
    out += ':';
  };
  auto add = [&](std::string_view name, std::string_view text) {
    add_name(name);
    append_json_string(out, text);
  };
  add("point", name_of(point));
  add("session", call.who.session);
  add("agent", call.who.agent);
  add("user", call.who.user);
  add("workspace", call.who.workspace);
  add("call", call.call_id);
  add("caller", helve::name_of(call.caller));
  add("tool", call.tool);
  add_name("arguments");
  out += arguments;
  add("effect", helve::name_of(call.effect));
  if (point == Point::after_tool) {
    // Escaping can make a text six times longer, so a long one is cut before it is known how long
    // it gets.
    const size_t room = kMaxPayload - std::min(kMaxPayload, out.size() + 64);
    std::string result;
    append_json_string(result, cut_utf8(call.result, room));
    const bool fits = result.size() <= room && call.result.size() <= room;
    if (!fits) {
      result.clear();
      append_json_string(result, cut_utf8(call.result, room / 6));
    }
    add_name("result");
    out += result;
    add_name("is_error");
    out += call.is_error ? "true" : "false";
    if (!fits) {
      add_name("result_cut");
      out += "true";
    }
  }
  out += '}';
  return out;
}

}  // namespace helve::hooks
