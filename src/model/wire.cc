#include "model/wire.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/text.h"
#include "model/model_names.h"
#include "sys/http_plain.h"
#include "sys/id.h"

namespace helve::model {
namespace {

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

bool is_billing_kind(std::string_view kind) {
  return says_any(kind, {"insufficient_quota", "billing"});
}

bool is_billing(std::string_view kind, std::string_view message) {
  return is_billing_kind(kind) || says_any(message, {"credit balance", "insufficient credit"});
}

bool is_rate_limit(int status, std::string_view kind) {
  return status == 429 || says_any(kind, {"rate_limit", "resource_exhausted"});
}

// What Google's list of details says besides.
struct Details {
  bool is_daily = false;  // the limit
  bool is_bad_key = false;
  std::optional<std::int64_t> wait_ms;
};

// "27s", "0.5s"
std::optional<std::int64_t> milliseconds_of(std::string_view duration) {
  if (!duration.ends_with('s')) return std::nullopt;
  duration.remove_suffix(1);
  double seconds = 0;
  const char* last = duration.data() + duration.size();
  const auto [end, failed] = std::from_chars(duration.data(), last, seconds);
  if (failed != std::errc() || end != last || !(seconds >= 0 && seconds < 1e9)) return std::nullopt;
  return static_cast<std::int64_t>(seconds * 1000);
}

Details details_of(const Json* list) {
  Details details;
  if (!list || !list->is_array()) return details;
  for (const Json& each : list->get_array()) {
    if (string_at(each, "@type").ends_with("RetryInfo"))
      details.wait_ms = milliseconds_of(string_at(each, "retryDelay"));
    if (string_at(each, "reason") == "API_KEY_INVALID") details.is_bad_key = true;
    const Json* violations = find(each, "violations");
    if (!violations || !violations->is_array()) continue;
    for (const Json& violation : violations->get_array())
      details.is_daily = details.is_daily || says_any(string_at(violation, "quotaId"), {"perday"});
  }
  return details;
}

// The unit that "\\uXXXX" at this place stands for.
std::optional<unsigned> unit_at(std::string_view text, size_t at) {
  unsigned unit = 0;
  if (text.substr(at, 2) != "\\u" || text.size() < at + 6) return std::nullopt;
  const auto [end, failed] = std::from_chars(text.data() + at + 2, text.data() + at + 6, unit, 16);
  if (failed != std::errc() || end != text.data() + at + 6) return std::nullopt;
  return unit;
}

// JSON in which half a character stands for one that is not known.
std::string without_halves(std::string text) {
  for (size_t at = text.find('\\'); at != text.npos; at = text.find('\\', at)) {
    const auto unit = unit_at(text, at);
    if (!unit || *unit < 0xD800 || *unit > 0xDFFF) {
      at += 2;
      continue;
    }
    const auto next = unit_at(text, at + 6);
    const bool is_pair = *unit < 0xDC00 && next && *next >= 0xDC00 && *next <= 0xDFFF;
    if (!is_pair) text.replace(at, 6, "\\ufffd");
    at += is_pair ? 12 : 6;
  }
  return text;
}

// Whether something is missing that is asked for, and not the place that was asked.
bool names_model(std::string_view kind, std::string_view message) {
  if (kind == kNoAnswer) return false;
  return says_any(kind, {"model"}) || says_any(message, {"model", "endpoints found", "deployment"});
}

struct Meaning {
  Code code;
  std::string_view type;
  std::string_view hint;
};

Meaning meaning_of(int status, std::string_view kind, std::string_view message,
                   const Details& details) {
  // Before the others: it talks of tokens and quotas, too.
  if (is_rate_limit(status, kind) && !is_billing_kind(kind)) {
    if (details.is_daily || says_any(message, {"perday", "per day", "per-day"}))
      return {Code::unavailable, kDailyQuota, "try again tomorrow, or take another model"};
    return {Code::unavailable, "rate_limited", "try again later"};
  }
  if (is_overflow(kind, message) || status == 413)
    return {Code::too_large, kContextOverflow, "compact the session, or begin another one"};
  if (is_billing(kind, message) || status == 402)
    return {Code::denied, "billing", "look at the account's balance with the provider"};
  // Google answers 400 to a key that is none.
  if (status == 401 || status == 403 || details.is_bad_key ||
      says_any(kind, {"authentication", "permission", "unauthenticated"}) ||
      says_any(message, {"api key not valid", "api key not found"}))
    return {Code::auth, "auth",
            "set the provider's key; `helve models` shows where it is looked for"};
  if (status == 404 || status == 405 || says_any(kind, {"not_found"})) {
    if (names_model(kind, message))
      return {Code::not_found, "unknown_model", "`helve models` lists what the provider has"};
    return {Code::not_found, "unknown_path",
            "look at the base URL: does it lack /v1 (Gemini: /v1beta), or have one too many?"};
  }
  if (status >= 500 || status == 408 || status == 409 || status == 425 ||
      says_any(kind,
               {"overloaded", "server_error", "api_error", "internal", "unavailable", "timeout"}))
    return {Code::unavailable, "provider_failed", "try again later"};
  return {Code::invalid_argument, "bad_request",
          "try another model, or `protocol: text` where it is about tools; model.format says whose "
          "API the server speaks"};
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

Error unfinished(std::string_view provider, std::string_view reason) {
  return {Code::network,
          fmt::format("the reply of {} is not whole: it ended with '{}'", provider,
                      preview(escape_for_display(reason), 60)),
          "nothing of it was used; try again", std::string(kIncomplete)};
}

Error bad_event(std::string_view provider, std::string_view why) {
  return {Code::network,
          fmt::format("{} sent what makes no sense: {}", provider,
                      preview(escape_for_display(why), 200)),
          "", std::string(kBadStream)};
}

Error provider_error(int status, std::string_view kind, std::string_view message,
                     const Json* details) {
  const Details more = details_of(details);
  const Meaning meaning = meaning_of(status, kind, message, more);
  std::string text = escape_lines_for_display(trim(message));
  if (text.empty())
    text = kind.empty() || kind == kNoAnswer ? "it did not say why" : std::string(kind);
  if (status != 0) text = fmt::format("{} (HTTP {})", text, status);
  Error error{meaning.code, "the model's provider: " + text, std::string(meaning.hint),
              std::string(meaning.type)};
  if (more.wait_ms) error.details = JsonObject{{kRetryAfter, *more.wait_ms}};
  return error;
}

Result<Json> parse_event(std::string_view provider, const SseEvent& event) {
  Result<Json> value = parse_json(event.data);
  // Some servers cut what they send in the middle of a character.
  if (!value) value = parse_json(without_halves(event.data));
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

Usage openai_usage(std::int64_t input, std::int64_t output, const Json* details) {
  Usage usage{.output = output};
  if (details) {
    usage.cache_read = integer_at(*details, "cached_tokens");
    usage.cache_write = integer_at(*details, "cache_write_tokens");
  }
  usage.input = std::max<std::int64_t>(input - usage.cache_read - usage.cache_write, 0);
  return usage;
}

std::string_view openai_effort(std::string_view model, Effort effort) {
  if (!can_reason(model)) return "";
  switch (effort) {
    case Effort::off:
      return least_effort(model);
    case Effort::low:
      return "low";
    case Effort::medium:
      return "medium";
    case Effort::high:
      return "high";
    default:
      return "";
  }
}

std::vector<Offer> taken_by(const Wire& wire, std::vector<Offer> offers,
                            std::vector<std::string>& notes) {
  const std::vector<Omitted> omitted = wire.lower(offers).omitted;
  for (auto each = omitted.rbegin(); each != omitted.rend(); ++each)
    offers.erase(offers.begin() + static_cast<std::ptrdiff_t>(each->index));
  for (const Omitted& each : omitted) notes.push_back(each.text());
  return offers;
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

std::string arguments_text(const ToolCall& call) {
  const Result<Json> value = parse_json(call.arguments);
  return value && value->is_object() ? call.arguments : to_text(arguments_object(call));
}

std::string arguments_in(const Json& function) {
  const Json* arguments = find(function, "arguments");
  return arguments && arguments->is_object() ? to_text(*arguments)
                                             : std::string(string_at(function, "arguments"));
}

std::string authority_of(const Endpoint& endpoint) {
  const Result<sys::HttpAddress> address = sys::parse_http_address(endpoint.base_url);
  return address ? address->authority() : "";
}

}  // namespace helve::model
