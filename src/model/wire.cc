#include "model/wire.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "sys/id.h"

namespace helve::model {
namespace {

constexpr size_t kMaxShown = 1000;  // characters of what a provider says
constexpr std::array kWires{&kAnthropic, &kOpenAi, &kOpenAiResponses, &kGemini};

bool says_any(std::string_view text, std::initializer_list<std::string_view> words) {
  std::string small(text);
  std::ranges::transform(small, small.begin(), [](unsigned char c) { return std::tolower(c); });
  return std::ranges::any_of(words,
                             [&](std::string_view w) { return small.find(w) != small.npos; });
}

bool is_overflow(std::string_view kind, std::string_view message) {
  return says_any(kind, {"context_length_exceeded", "context_window"}) ||
         says_any(message,
                  {"context length", "context window", "context size", "prompt is too long",
                   "maximum context", "too many tokens", "exceeds the maximum number of tokens",
                   "input is too long", "input token count"});
}

bool is_billing(std::string_view kind, std::string_view message) {
  return says_any(kind, {"insufficient_quota", "billing"}) ||
         says_any(message,
                  {"credit balance", "insufficient credit", "exceeded your current quota"});
}

struct Meaning {
  Code code;
  std::string_view type;
  std::string_view hint;
};

Meaning meaning_of(int status, std::string_view kind, std::string_view message) {
  if (is_overflow(kind, message) || status == 413)
    return {Code::too_large, kContextOverflow, "compact the session, or begin another one"};
  if (is_billing(kind, message) || status == 402)
    return {Code::denied, "billing", "look at the account's balance with the provider"};
  if (status == 401 || status == 403 ||
      says_any(kind, {"authentication", "permission", "unauthenticated"}))
    return {Code::auth, "auth",
            "set the provider's key; `helve models` shows where it is looked for"};
  if (status == 404 || says_any(kind, {"not_found"}))
    return {Code::not_found, "unknown_model", "`helve models` lists what the provider has"};
  if (status == 429 || says_any(kind, {"rate_limit", "resource_exhausted"}))
    return {Code::unavailable, "rate_limited", "try again later"};
  if (status >= 500 || status == 408 || status == 409 || status == 425 ||
      says_any(kind,
               {"overloaded", "server_error", "api_error", "internal", "unavailable", "timeout"}))
    return {Code::unavailable, "provider_failed", "try again later"};
  return {Code::invalid_argument, "bad_request", ""};
}

}  // namespace

const Wire* find_wire(std::string_view name) {
  const auto found = std::ranges::find(kWires, name, &Wire::name);
  return found == kWires.end() ? nullptr : *found;
}

Error incomplete(std::string_view provider) {
  return {Code::network, fmt::format("the reply of {} broke off", provider),
          "nothing of it was used; try again", std::string(kIncomplete)};
}

Error bad_event(std::string_view provider, std::string_view why) {
  return {Code::network,
          fmt::format("{} sent what makes no sense: {}", provider,
                      preview(escape_for_display(why), 200)),
          "", std::string(kBadStream)};
}

Error provider_error(int status, std::string_view kind, std::string_view message) {
  const Meaning meaning = meaning_of(status, kind, message);
  std::string text = preview(escape_lines_for_display(trim(message)), kMaxShown);
  if (text.empty()) text = kind.empty() ? "it did not say why" : std::string(kind);
  if (status != 0) text = fmt::format("{} (HTTP {})", text, status);
  return {meaning.code, "the model's provider: " + text, std::string(meaning.hint),
          std::string(meaning.type)};
}

Result<Json> parse_event(std::string_view provider, const SseEvent& event) {
  Result<Json> value = parse_json(event.data);
  if (!value) return bad_event(provider, value.error().message);
  if (!value->is_object()) return bad_event(provider, "an event is no object");
  return value;
}

std::int64_t integer_at(const Json& value, std::string_view key) {
  const Json* member = find(value, key);
  if (!member) return 0;
  if (member->is_int64()) return std::max<std::int64_t>(member->get_int64(), 0);
  if (member->is_double())
    return static_cast<std::int64_t>(std::clamp(member->get_double(), 0.0, 1e15));
  return 0;
}

JsonArray tools_of(Lowered lowered, std::vector<std::string>& notes) {
  for (const Omitted& each : lowered.omitted)
    notes.push_back(fmt::format("{} is left out: {}", each.name, each.reason));
  return std::move(lowered.tools);
}

std::string data_url(std::string_view data, std::string_view mime_type) {
  return fmt::format("data:{};base64,{}", mime_type, data);
}

std::string made_up_id() { return fmt::format("call_{:016x}", sys::random_number()); }

JsonObject arguments_object(const ToolCall& call) {
  Result<Json> value = parse_json(call.arguments);
  if (value && value->is_object()) return std::move(value->get_object());
  return {{"raw_arguments", call.arguments}};
}

}  // namespace helve::model
