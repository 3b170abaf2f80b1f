// Wire: how one provider's requests and streams look. One file per provider; none knows the
// network.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/model.h"
#include "model/sse.h"

namespace helve::model {

// Where a model is to be had.
struct Endpoint {
  std::string base_url;  // without a slash at the end
  std::string key;       // empty: none is needed
  std::string model;
  std::vector<std::string> headers = {};  // besides the provider's: "Name: value"
  JsonObject body = {};                   // members that go into every request as they are
};

struct Outgoing {
  std::string path;  // behind the base URL
  std::vector<std::string> headers;
  JsonObject body;  // without the tools
};

// Puts one reply together from the events of its stream.
class Decoder {
 public:
  virtual ~Decoder() = default;
  // False: the reply is complete, and nothing more is wanted. Error: the provider said so, or the
  // event makes no sense.
  virtual Result<bool> take(const SseEvent& event, const Emit& emit) = 0;
  // After the last event. An error of the type kIncomplete: there should have been more.
  virtual Result<Reply> finish() = 0;
};

struct Wire {
  std::string_view name;  // begins the origin of what only this provider can read
  Outgoing (*encode)(const Request& request, const Endpoint& endpoint);
  Lowered (*lower)(std::span<const Offer> offers);
  // The body's `tools`, of one or more that were lowered.
  JsonArray (*encode_tools)(JsonArray lowered);
  std::unique_ptr<Decoder> (*make_decoder)(const Endpoint& endpoint);
};

extern const Wire kAnthropic;
extern const Wire kOpenAi;
extern const Wire kOpenAiResponses;
extern const Wire kGemini;
// By name; null when there is none.
const Wire* find_wire(std::string_view name);

// Those of the offers that the provider takes; the others become notes.
std::vector<Offer> taken_by(const Wire& wire, std::vector<Offer> offers,
                            std::vector<std::string>& notes);

// For the providers' files.
Error incomplete(std::string_view provider);
// The same where the provider says that it did not finish, and by which word.
Error unfinished(std::string_view provider, std::string_view reason);
Error bad_event(std::string_view provider, std::string_view why);
// The kind of an error that a server tells in no form of an API: a web page, or plain text.
constexpr std::string_view kNoAnswer = "no_answer";
// An error that a provider tells in the middle of a stream or as an answer, with its whole words.
// `status` is HTTP's, or 0 where `kind` alone says what it is. `details` is Google's list of what
// else there is to say.
Error provider_error(int status, std::string_view kind, std::string_view message,
                     const Json* details = nullptr);
// The data of an event as an object. Events without data are passed over before.
Result<Json> parse_event(std::string_view provider, const SseEvent& event);
std::int64_t integer_at(const Json& value, std::string_view key);
// As OpenAI counts: what was read from caches and written to them is input as well. `details` may
// be null.
Usage openai_usage(std::int64_t input, std::int64_t output, const Json* details);
// An effort as models of OpenAI are told it; empty: this one is told nothing.
std::string_view openai_effort(std::string_view model, Effort effort);
// An image within an address.
std::string data_url(std::string_view data, std::string_view mime_type);
// A call's id, where the provider gives none.
std::string made_up_id();
// Host and port: servers read their own thoughts only. Empty where the address is none.
std::string authority_of(const Endpoint& endpoint);
// The arguments as an object; where the model wrote something else, that is its only member.
JsonObject arguments_object(const ToolCall& call);
// The same as text: servers parse it again, and some fail where it is no object.
std::string arguments_text(const ToolCall& call);
// What a call of OpenAI's formats has of them: text, or the object itself, as some servers send it.
std::string arguments_in(const Json& function);

}  // namespace helve::model
