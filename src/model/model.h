// Model: one streaming interface to any provider. The request and the reply are the same for all of
// them; how they look on the wire is known to the file of the provider alone.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/formats.h"
#include "model/message.h"

namespace helve::model {

// How hard the model should think, where it can be told.
enum class Effort : unsigned char { unset, off, low, medium, high };

// Tools that are offered. Shared, so that what a provider is told of them is made once.
using Offers = std::shared_ptr<const std::vector<Offer>>;

struct Request {
  std::string_view system = {};
  std::span<const Message> messages = {};
  Offers tools = {};                   // null: none
  std::int64_t max_output_tokens = 0;  // 0: the provider's limit, or our default where it has none
  std::optional<double> temperature = {};
  Effort effort = Effort::unset;
  std::string_view session = {};  // lets providers find their caches
};

// Why the model stopped.
enum class Stop : unsigned char {
  end,      // it has said all
  calls,    // it waits for results
  length,   // no more room for its answer
  refusal,  // the provider or the model declined
};
std::string_view name_of(Stop stop);
std::optional<Stop> find_stop(std::string_view name);

struct Reply {
  Message message;
  Stop stop = Stop::end;
  Usage usage;
  std::string model;                // as the provider calls it
  std::vector<std::string> unread;  // what was meant as a call and is none, and why
  std::vector<std::string> notes;   // tools that were left out, and why
};

// What happens while a reply comes. The views are valid during the call.
struct TextDelta {
  std::string_view text;
};
struct ThinkingDelta {
  std::string_view text;
};
struct CallDelta {  // a tool call takes shape: the first one names it, the others add arguments
  size_t index = 0;
  std::string_view name;
  std::string_view arguments;
};
// What came so far is void: the request is made once more after `wait`.
struct Retrying {
  const Error& why;
  int attempt = 0;  // the coming one, from 2
  std::chrono::milliseconds wait{};
};
using Delta = std::variant<TextDelta, ThinkingDelta, CallDelta, Retrying>;
using Emit = std::function<void(const Delta&)>;

// Types of errors that callers act on.
constexpr std::string_view kContextOverflow = "context_overflow";  // compacting helps
constexpr std::string_view kIncomplete = "incomplete_stream";      // the reply broke off
constexpr std::string_view kBadStream = "bad_stream";              // the reply makes no sense
constexpr std::string_view kNoStream = "no_stream";      // the server answered with something else
constexpr std::string_view kDailyQuota = "daily_quota";  // nothing more is to be had today
// In the details of an error: how long the provider wants to be left alone.
constexpr std::string_view kRetryAfter = "retry_after_ms";

// Thread-safe: any number of replies may stream at once.
class Model {
 public:
  virtual ~Model() = default;
  // The whole reply, or why there is none; a reply that broke off is none, so that nobody runs half
  // of its calls. Returns soon after a stop was requested, with the code `cancelled`. Never throws.
  virtual Result<Reply> stream(const Request& request, const Emit& emit, std::stop_token stop) = 0;
};

}  // namespace helve::model
