// Google's Gemini API.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "model/model_names.h"
#include "model/wire.h"

namespace helve::model {
namespace {

constexpr std::string_view kName = "gemini";
constexpr std::string_view kSignature = "thoughtSignature", kId = "id";
constexpr std::int64_t kLeastBudget = 128, kLowBudget = 1'024, kMediumBudget = 8'192,
                       kHighBudget = 24'576;

JsonObject inline_data(std::string_view data, std::string_view mime_type) {
  return {{"inlineData", JsonObject{{"mimeType", mime_type}, {"data", data}}}};
}

// Here it begins with a letter or _.
std::string gemini_name(std::string_view name) {
  std::string valid = valid_name(name);
  if (valid[0] == '-' || (valid[0] >= '0' && valid[0] <= '9')) valid[0] = '_';
  return valid;
}

// What a call was sealed with: its signature, or an object of that and the id that Google gave it.
// Nothing where another model wrote it.
std::string_view sealed_with(const ToolCall& call, std::string_view key, std::string_view origin) {
  if (call.origin != origin) return "";
  if (call.sealed.is_string())
    return key == kSignature ? std::string_view(call.sealed.get_string()) : "";
  return string_at(call.sealed, key);
}

// A model that signs its calls refuses those that nobody signed, unless they say so.
void mark_unsigned(std::span<Json> parts) {
  const auto call =
      std::ranges::find_if(parts, [](const Json& part) { return find(part, "functionCall"); });
  if (call != parts.end() && !find(*call, kSignature))
    call->get_object()[kSignature] = "skip_thought_signature_validator";
}

// Signatures of another model, or of another server's, are refused.
std::string origin_of(const Endpoint& endpoint) {
  return fmt::format("{} {} {}", kName, authority_of(endpoint), endpoint.model);
}

// Messages of one side that follow each other are one content: all results of an answer's calls
// stand together there, and what else came with them behind the last.
class Contents {
 public:
  explicit Contents(const Endpoint& endpoint)
      : origin_(origin_of(endpoint)), signs_(gemini_signs(endpoint.model)) {}

  void add(const Message& message) {
    speaker_ = message.role == Role::assistant ? "model" : "user";
    const size_t first = speaker_ == role_ ? parts_.size() : 0;
    for (const Part& part : message.parts) std::visit([this](const auto& p) { add(p); }, part);
    if (signs_ && speaker_ == role_) mark_unsigned(std::span(parts_).subspan(first));
  }
  JsonArray take() {
    close();
    return std::move(contents_);
  }

 private:
  // Who says nothing interrupts nobody.
  void speak() {
    if (speaker_ != role_) close();
    role_ = speaker_;
  }
  void close() {
    show_images();
    if (!parts_.empty())
      contents_.push_back(JsonObject{{"role", role_}, {"parts", std::move(parts_)}});
    parts_ = {};
  }
  void show_images() {
    for (Json& image : images_) parts_.push_back(std::move(image));
    images_.clear();
  }
  void put(JsonObject part) {
    speak();
    show_images();
    parts_.push_back(std::move(part));
  }

  void add(const Text& p) {
    if (!p.text.empty()) put({{"text", p.text}});
  }
  void add(const Thinking& p) {
    // A signature that stood with a text goes back with a part of its own.
    if (p.origin == origin_ && p.sealed.is_string()) put({{"text", ""}, {kSignature, p.sealed}});
  }
  void add(const Image& p) { put(inline_data(p.data, p.mime_type)); }
  void add(const ToolCall& p) {
    JsonObject call{{"name", gemini_name(p.name)}, {"args", arguments_object(p)}};
    if (const std::string_view id = sealed_with(p, kId, origin_); !id.empty()) {
      call[kId] = id;
      ids_[p.id] = id;
    }
    JsonObject out{{"functionCall", std::move(call)}};
    if (const std::string_view signature = sealed_with(p, kSignature, origin_); !signature.empty())
      out[kSignature] = signature;
    put(std::move(out));
  }
  // It belongs to its call by Google's id; by name and order where it has none.
  void add(const ToolResult& p) {
    JsonObject response{
        {"name", gemini_name(p.name)},
        {"response", JsonObject{{p.is_error ? "error" : "output", helve::text_of(p.content)}}}};
    if (const auto id = ids_.find(p.call_id); id != ids_.end()) response[kId] = id->second;
    speak();
    parts_.push_back(JsonObject{{"functionResponse", std::move(response)}});
    for (const Content& content : p.content) {
      if (const auto* image = std::get_if<ImageContent>(&content))
        images_.push_back(inline_data(image->data, image->mime_type));
    }
  }

  const std::string origin_;
  const bool signs_;
  std::map<std::string, std::string, std::less<>> ids_;  // Google's, by ours
  JsonArray contents_;
  std::string_view speaker_;  // of the message
  std::string_view role_;     // of the content that is made
  JsonArray parts_;           // of the content that is made
  JsonArray images_;          // of its results: no part may stand between these
};

JsonArray contents_of(std::span<const Message> messages, const Endpoint& endpoint) {
  Contents contents(endpoint);
  for (const Message& message : messages) contents.add(message);
  return contents.take();
}

JsonObject thinking_of(Effort effort, std::string_view model) {
  JsonObject out{{"includeThoughts", effort != Effort::off}};
  constexpr std::string_view kLevels[] = {"", "low", "low", "medium", "high"};
  const std::int64_t least = model.find("-pro") == model.npos ? 0 : kLeastBudget;
  const std::int64_t budgets[] = {0, least, kLowBudget, kMediumBudget, kHighBudget};
  const auto index = static_cast<size_t>(effort);
  if (gemini_signs(model))
    out["thinkingLevel"] = kLevels[index];
  else
    out["thinkingBudget"] = budgets[index];
  return out;
}

JsonObject generation_of(const Request& request, std::string_view model) {
  JsonObject out;
  if (request.max_output_tokens > 0) out["maxOutputTokens"] = request.max_output_tokens;
  if (request.temperature) out["temperature"] = *request.temperature;
  if (request.effort != Effort::unset) out["thinkingConfig"] = thinking_of(request.effort, model);
  return out;
}

Outgoing encode(const Request& request, const Endpoint& endpoint) {
  Outgoing out{.path = "/models/" + endpoint.model + ":streamGenerateContent?alt=sse",
               .headers = {},
               .body = {}};
  if (!endpoint.key.empty()) out.headers.push_back("x-goog-api-key: " + endpoint.key);
  JsonObject& body = out.body;
  if (!request.system.empty())
    body["systemInstruction"] =
        JsonObject{{"parts", JsonArray{JsonObject{{"text", request.system}}}}};
  body["contents"] = contents_of(request.messages, endpoint);
  if (JsonObject generation = generation_of(request, endpoint.model); !generation.empty())
    body["generationConfig"] = std::move(generation);
  return out;
}

JsonArray encode_tools(JsonArray tools) {
  return {JsonObject{{"functionDeclarations", std::move(tools)}}};
}

// Why the rest of an answer was held back.
constexpr auto kRefusals = std::to_array<std::string_view>(
    {"BLOCKLIST", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION", "IMAGE_SAFETY", "LANGUAGE",
     "OTHER", "PROHIBITED_CONTENT", "RECITATION", "SAFETY", "SPII"});

// It ended with something that is no answer.
constexpr auto kFailures = std::to_array<std::string_view>(
    {"MALFORMED_FUNCTION_CALL", "MALFORMED_RESPONSE", "MISSING_THOUGHT_SIGNATURE",
     "TOO_MANY_TOOL_CALLS", "UNEXPECTED_TOOL_CALL"});

class GeminiDecoder final : public Decoder {
 public:
  explicit GeminiDecoder(std::string origin) : origin_(std::move(origin)) {}

  Result<bool> take(const SseEvent& event, const Emit& emit) override {
    const Json value = TRY(parse_event(kName, event));
    if (const Json* error = find(value, "error"))
      return provider_error(static_cast<int>(integer_at(*error, "code")),
                            string_at(*error, "status"), string_at(*error, "message"),
                            find(*error, "details"));
    if (const std::string_view model = string_at(value, "modelVersion"); !model.empty())
      reply_.model = model;
    if (const Json* usage = find(value, "usageMetadata")) count(*usage);
    if (const Json* feedback = find(value, "promptFeedback");
        feedback && !string_at(*feedback, "blockReason").empty()) {
      reason_ = string_at(*feedback, "blockReason");
      is_blocked_ = true;
    }
    const Json* candidates = find(value, "candidates");
    if (!candidates || !candidates->is_array() || candidates->get_array().empty()) return true;
    const Json& candidate = candidates->get_array().front();
    if (const Json* content = find(candidate, "content")) {
      const Json* parts = find(*content, "parts");
      if (parts && parts->is_array()) {
        for (const Json& part : parts->get_array()) add(part, emit);
      }
    }
    if (const std::string_view reason = string_at(candidate, "finishReason"); !reason.empty())
      reason_ = reason;
    return true;
  }

  Result<Reply> finish() override {
    if (reason_.empty()) return incomplete(kName);
    if (std::ranges::find(kFailures, reason_) != kFailures.end()) return unfinished(kName, reason_);
    reply_.message.role = Role::assistant;
    reply_.stop = stop();
    return std::move(reply_);
  }

 private:
  void count(const Json& usage) {
    reply_.usage.cache_read = integer_at(usage, "cachedContentTokenCount");
    reply_.usage.input =
        std::max<std::int64_t>(integer_at(usage, "promptTokenCount") - reply_.usage.cache_read, 0);
    reply_.usage.output =
        integer_at(usage, "candidatesTokenCount") + integer_at(usage, "thoughtsTokenCount");
  }

  // Texts of a kind that follow each other are one part.
  template <class Kind>
  Kind& last() {
    auto& parts = reply_.message.parts;
    if (parts.empty() || !std::holds_alternative<Kind>(parts.back())) parts.emplace_back(Kind());
    return std::get<Kind>(parts.back());
  }

  void add(const Json& part, const Emit& emit) {
    const Json* signature = find(part, kSignature);
    if (const Json* call = find(part, "functionCall")) {
      add_call(*call, signature, emit);
      return;
    }
    const std::string_view text = string_at(part, "text");
    const Json* thought = find(part, "thought");
    if (thought && thought->is_bool() && thought->get_bool()) {
      last<Thinking>().text += text;
      emit(ThinkingDelta{text});
    } else if (!text.empty()) {
      last<Text>().text += text;
      emit(TextDelta{text});
    }
    if (signature && signature->is_string()) {
      reply_.message.parts.push_back(Thinking{"", origin_, *signature});
    }
  }

  void add_call(const Json& call, const Json* signature, const Emit& emit) {
    const Json* args = find(call, "args");
    // Google's ids need not be unique in a session, and other models cannot read them.
    ToolCall made{.id = made_up_id(),
                  .name = std::string(string_at(call, "name")),
                  .arguments = args ? to_text(*args) : "{}",
                  .origin = "",
                  .sealed = nullptr};
    if (signature) made.sealed = *signature;
    if (const std::string_view id = string_at(call, kId); !id.empty()) {
      made.sealed = JsonObject{{kId, id}};
      if (signature) made.sealed.get_object()[kSignature] = *signature;
    }
    if (!made.sealed.is_null()) made.origin = origin_;
    emit(CallDelta{calls_++, made.name, made.arguments});
    reply_.message.parts.push_back(std::move(made));
  }

  Stop stop() const {
    if (is_blocked_) return Stop::refusal;
    if (reason_ == "MAX_TOKENS") return Stop::length;
    if (std::ranges::find(kRefusals, reason_) != kRefusals.end()) return Stop::refusal;
    return calls_ > 0 ? Stop::calls : Stop::end;  // other servers have other words
  }

  const std::string origin_;  // of signatures
  Reply reply_;
  std::string reason_;
  bool is_blocked_ = false;
  size_t calls_ = 0;
};

}  // namespace

const Wire kGemini{kName, encode, to_gemini, encode_tools,
                   [](const Endpoint& endpoint) -> std::unique_ptr<Decoder> {
                     return std::make_unique<GeminiDecoder>(origin_of(endpoint));
                   }};

}  // namespace helve::model
