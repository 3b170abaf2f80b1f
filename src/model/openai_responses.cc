// OpenAI's Responses API. Nothing is stored with the provider: thoughts come encrypted and go back.
#include <fmt/format.h>

#include <map>

#include "base/hash.h"
#include "model/model_names.h"
#include "model/wire.h"

namespace helve::model {
namespace {

constexpr std::string_view kName = "openai-responses";

JsonObject image_part(std::string_view data, std::string_view mime_type) {
  return {{"type", "input_image"}, {"image_url", data_url(data, mime_type)}};
}

JsonObject text_part(std::string_view type, std::string_view text) {
  return {{"type", type}, {"text", text}};
}

JsonObject result_item(const ToolResult& result) {
  JsonArray parts;
  bool has_images = false;
  for (const Content& content : result.content) {
    if (const auto* image = std::get_if<ImageContent>(&content)) {
      parts.push_back(image_part(image->data, image->mime_type));
      has_images = true;
    } else {
      parts.push_back(text_part("input_text", helve::text_of({content})));
    }
  }
  JsonObject item{{"type", "function_call_output"}, {"call_id", result.call_id}};
  if (has_images)
    item["output"] = std::move(parts);
  else
    item["output"] = helve::text_of(result.content);
  return item;
}

// Each part of an assistant's message is an item of its own; a person's are one.
void add_items(JsonArray& items, const Message& message, std::string_view origin) {
  JsonArray said;
  for (const Part& part : message.parts) {
    if (const auto* text = std::get_if<Text>(&part); text && !text->text.empty()) {
      if (message.role == Role::assistant)
        items.push_back(JsonObject{{"type", "message"},
                                   {"role", "assistant"},
                                   {"content", JsonArray{text_part("output_text", text->text)}}});
      else
        said.push_back(text_part("input_text", text->text));
    } else if (const auto* image = std::get_if<Image>(&part)) {
      said.push_back(image_part(image->data, image->mime_type));
    } else if (const auto* thinking = std::get_if<Thinking>(&part)) {
      if (thinking->origin == origin && find(thinking->sealed, "encrypted_content"))
        items.push_back(thinking->sealed);
    } else if (const auto* call = std::get_if<ToolCall>(&part)) {
      items.push_back(JsonObject{{"type", "function_call"},
                                 {"call_id", call->id},
                                 {"name", valid_name(call->name)},
                                 {"arguments", arguments_text(*call)}});
    } else if (const auto* result = std::get_if<ToolResult>(&part)) {
      items.push_back(result_item(*result));
    }
  }
  // What was thought before an answer that was cut off: it has to stand before something.
  while (!items.empty() && string_at(items.back(), "type") == "reasoning") items.pop_back();
  if (!said.empty())
    items.push_back(
        JsonObject{{"type", "message"}, {"role", "user"}, {"content", std::move(said)}});
}

// Thoughts of another model, or of another server's, cannot be read.
std::string origin_of(const Endpoint& endpoint) {
  return fmt::format("{} {} {}", kName, authority_of(endpoint), endpoint.model);
}

// Here a function is not wrapped.
JsonArray flat_tools(JsonArray wrapped) {
  JsonArray tools;
  for (Json& each : wrapped) {
    JsonObject tool{{"type", "function"}};
    for (auto& member : each.at("function").as_object())
      tool[member.key()] = std::move(member.value());
    tool["strict"] = false;
    tools.push_back(std::move(tool));
  }
  return tools;
}

// It takes 64 characters.
std::string cache_key_of(std::string_view session) {
  constexpr size_t kLongest = 64;
  return session.size() <= kLongest ? std::string(session) : sha256_hex(session);
}

Outgoing encode(const Request& request, const Endpoint& endpoint) {
  Outgoing out{.path = "/responses", .headers = {}, .body = {}};
  if (!endpoint.key.empty()) out.headers.push_back("Authorization: Bearer " + endpoint.key);
  JsonObject& body = out.body;
  body["model"] = endpoint.model;
  body["stream"] = true;
  body["store"] = false;
  const bool reasons = can_reason(endpoint.model);
  if (reasons) body["include"] = JsonArray{"reasoning.encrypted_content"};
  if (const std::string_view effort = openai_effort(endpoint.model, request.effort);
      !effort.empty())
    body["reasoning"] = JsonObject{{"summary", "auto"}, {"effort", effort}};
  if (request.max_output_tokens > 0) body["max_output_tokens"] = request.max_output_tokens;
  if (request.temperature) body["temperature"] = *request.temperature;
  if (!request.session.empty()) body["prompt_cache_key"] = cache_key_of(request.session);
  if (!request.system.empty()) body["instructions"] = request.system;
  JsonArray items;
  const std::string origin = reasons ? origin_of(endpoint) : "";
  for (const Message& message : request.messages) add_items(items, message, origin);
  body["input"] = std::move(items);
  return out;
}

class ResponsesDecoder final : public Decoder {
 public:
  explicit ResponsesDecoder(std::string origin) : origin_(std::move(origin)) {}

  Result<bool> take(const SseEvent& event, const Emit& emit) override {
    const Json value = TRY(parse_event(kName, event));
    const std::string_view type = string_at(value, "type");
    if (type == "response.output_text.delta" || type == "response.refusal.delta") {
      emit(TextDelta{string_at(value, "delta")});
    } else if (type == "response.reasoning_summary_text.delta" ||
               type == "response.reasoning_text.delta") {
      emit(ThinkingDelta{string_at(value, "delta")});
    } else if (type == "response.function_call_arguments.delta") {
      emit(CallDelta{index_at(value), "", string_at(value, "delta")});
    } else if (type == "response.output_item.added") {
      const Json* item = find(value, "item");
      if (item && string_at(*item, "type") == "function_call")
        emit(CallDelta{index_at(value), string_at(*item, "name"), ""});
    } else if (type == "response.output_item.done") {
      // The whole item: what came in parts before was for those who watch.
      if (const Json* item = find(value, "item")) items_[index_at(value)] = *item;
    } else if (type == "response.completed" || type == "response.incomplete") {
      if (type == "response.incomplete") reply_.stop = Stop::length;
      if (const Json* response = find(value, "response")) TRY(end(*response));
      is_complete_ = true;
    } else if (type == "response.failed") {
      const Json* response = find(value, "response");
      const Json* error = response ? find(*response, "error") : nullptr;
      return told(error ? *error : value);
    } else if (type == "error") {
      const Json* error = find(value, "error");
      return told(error ? *error : value);
    }
    return !is_complete_;
  }

  Result<Reply> finish() override {
    if (!is_complete_) return incomplete(kName);
    for (const auto& [index, item] : items_) {
      // Whether the whole is cut then is told, too; but what it has of a call is none.
      if (string_at(item, "status") == "incomplete" && reply_.stop == Stop::end)
        reply_.stop = Stop::length;
      add_part(item);
    }
    reply_.message.role = Role::assistant;
    if (reply_.stop == Stop::end && has_refused_) reply_.stop = Stop::refusal;
    if (reply_.stop == Stop::end && !calls_of(reply_.message).empty()) reply_.stop = Stop::calls;
    return std::move(reply_);
  }

 private:
  static size_t index_at(const Json& value) {
    return static_cast<size_t>(integer_at(value, "output_index"));
  }

  static Error told(const Json& error) {
    return provider_error(0, string_at(error, "code"), string_at(error, "message"));
  }

  Result<void> end(const Json& response) {
    const std::string_view status = string_at(response, "status");
    if (status == "failed" || status == "cancelled") {
      const Json* error = find(response, "error");
      if (error && error->is_object()) return told(*error);
      return unfinished(kName, status);
    }
    reply_.model = string_at(response, "model");
    if (const Json* usage = find(response, "usage")) {
      reply_.usage =
          openai_usage(integer_at(*usage, "input_tokens"), integer_at(*usage, "output_tokens"),
                       find(*usage, "input_tokens_details"));
    }
    const Json* details = find(response, "incomplete_details");
    const std::string_view reason = details ? string_at(*details, "reason") : "";
    if (reason == "content_filter")
      reply_.stop = Stop::refusal;
    else if (!reason.empty())
      reply_.stop = Stop::length;
    // Some servers tell the items only here.
    const Json* output = find(response, "output");
    if (items_.empty() && output && output->is_array()) {
      for (const Json& item : output->get_array()) items_[items_.size()] = item;
    }
    return {};
  }

  void add_part(const Json& item) {
    const std::string_view type = string_at(item, "type");
    if (type == "reasoning") {
      reply_.message.parts.push_back(Thinking{summary_of(item), origin_, item});
    } else if (type == "function_call") {
      reply_.message.parts.push_back(ToolCall{std::string(string_at(item, "call_id")),
                                              std::string(string_at(item, "name")),
                                              arguments_in(item), "", nullptr});
    } else if (type == "message") {
      reply_.message.parts.push_back(Text{text_of_item(item)});
    }
  }

  static std::string summary_of(const Json& item) {
    std::string text;
    const Json* summary = find(item, "summary");
    if (!summary || !summary->is_array()) return text;
    for (const Json& each : summary->get_array()) {
      if (!text.empty()) text += "\n\n";
      text += string_at(each, "text");
    }
    return text;
  }

  std::string text_of_item(const Json& item) {
    std::string text;
    const Json* content = find(item, "content");
    if (!content || !content->is_array()) return text;
    for (const Json& each : content->get_array()) {
      const bool is_refusal = string_at(each, "type") == "refusal";
      has_refused_ = has_refused_ || is_refusal;
      text += string_at(each, is_refusal ? "refusal" : "text");
    }
    return text;
  }

  const std::string origin_;  // of thoughts
  Reply reply_;
  std::map<size_t, Json> items_;
  bool is_complete_ = false, has_refused_ = false;
};

}  // namespace

const Wire kOpenAiResponses{kName, encode, to_openai, flat_tools,
                            [](const Endpoint& endpoint) -> std::unique_ptr<Decoder> {
                              return std::make_unique<ResponsesDecoder>(origin_of(endpoint));
                            }};

}  // namespace helve::model
