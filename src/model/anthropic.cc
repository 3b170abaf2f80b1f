// Anthropic's Messages API.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <limits>
#include <map>

#include "base/text.h"
#include "model/model_names.h"
#include "model/prices.h"
#include "model/wire.h"

namespace helve::model {
namespace {

constexpr std::string_view kName = "anthropic";
constexpr std::int64_t kDefaultOutput = 16'000;  // tokens; the API wants to be told
constexpr std::int64_t kLowBudget = 2'048, kMediumBudget = 8'192, kHighBudget = 24'576;
constexpr std::int64_t kAnyOutput = std::numeric_limits<std::int64_t>::max();

JsonObject cached(JsonObject block) {
  block["cache_control"] = JsonObject{{"type", "ephemeral"}};
  return block;
}

JsonObject image_block(std::string_view data, std::string_view mime_type) {
  return {{"type", "image"},
          {"source", JsonObject{{"type", "base64"}, {"media_type", mime_type}, {"data", data}}}};
}

JsonObject text_block(std::string_view text) { return {{"type", "text"}, {"text", text}}; }

// The API refuses a request for one such text.
bool is_blank(std::string_view text) { return trim(text).empty(); }

JsonArray result_content(const std::vector<Content>& content) {
  JsonArray blocks;
  for (const Content& each : content) {
    if (const auto* image = std::get_if<ImageContent>(&each)) {
      blocks.push_back(image_block(image->data, image->mime_type));
    } else if (const std::string text = helve::text_of({each}); !is_blank(text)) {
      blocks.push_back(text_block(text));
    }
  }
  if (blocks.empty()) blocks.push_back(text_block("(no output)"));
  return blocks;
}

// What another provider has made may have characters that this one refuses.
std::string plain_id(std::string id) {
  std::ranges::replace_if(
      id, [](unsigned char c) { return c >= 0x80 || (!std::isalnum(c) && c != '_' && c != '-'); },
      '_');
  return id;
}

void add_block(JsonArray& blocks, const Part& part, std::string_view origin) {
  struct Visitor {
    JsonArray& blocks;
    std::string_view origin;
    void operator()(const Text& p) const {
      if (!is_blank(p.text)) blocks.push_back(text_block(p.text));
    }
    void operator()(const Thinking& p) const {
      if (p.origin != origin || !p.sealed.is_object()) return;
      JsonObject block = p.sealed.get_object();
      if (block.contains("signature")) block["thinking"] = p.text;
      blocks.push_back(std::move(block));
    }
    void operator()(const Image& p) const { blocks.push_back(image_block(p.data, p.mime_type)); }
    void operator()(const ToolCall& p) const {
      blocks.push_back(JsonObject{{"type", "tool_use"},
                                  {"id", plain_id(p.id)},
                                  {"name", valid_name(p.name)},
                                  {"input", arguments_object(p)}});
    }
    void operator()(const ToolResult& p) const {
      JsonObject block{{"type", "tool_result"},
                       {"tool_use_id", plain_id(p.call_id)},
                       {"content", result_content(p.content)}};
      if (p.is_error) block["is_error"] = true;
      blocks.push_back(std::move(block));
    }
  };
  std::visit(Visitor{blocks, origin}, part);
}

// Everything before such a mark is read from the cache with the next request: the end of this
// conversation, and where the last one ended.
void mark_for_cache(JsonArray& messages) {
  int marks = 2;
  for (size_t i = messages.size(); i-- > 0 && marks > 0;) {
    if (string_at(messages[i], "role") != "user") continue;
    JsonArray& blocks = messages[i].at("content").as_array();
    if (blocks.empty()) continue;
    blocks.back() = cached(std::move(blocks.back().get_object()));
    --marks;
  }
}

bool is_thought(const Json& block) { return string_at(block, "type").ends_with("thinking"); }

JsonArray messages_of(std::span<const Message> messages, std::string_view origin) {
  JsonArray out;
  for (const Message& message : messages) {
    JsonArray blocks;
    for (const Part& part : message.parts) add_block(blocks, part, origin);
    // A message is not empty, and thoughts are not all that a model says.
    if (std::ranges::all_of(blocks, is_thought)) blocks.push_back(text_block("(nothing)"));
    const std::string_view role = message.role == Role::assistant ? "assistant" : "user";
    // Results and what a person says after them are one message.
    if (out.empty() || string_at(out.back(), "role") != role) {
      out.push_back(JsonObject{{"role", role}, {"content", std::move(blocks)}});
    } else {
      JsonArray& before = out.back().at("content").as_array();
      for (Json& block : blocks) before.push_back(std::move(block));
    }
  }
  mark_for_cache(out);
  return out;
}

std::int64_t budget_of(Effort effort) {
  switch (effort) {
    case Effort::low:
      return kLowBudget;
    case Effort::medium:
      return kMediumBudget;
    case Effort::high:
      return kHighBudget;
    default:
      return 0;
  }
}

std::string_view effort_name(Effort effort) {
  return effort == Effort::low ? "low" : effort == Effort::medium ? "medium" : "high";
}

// Thoughts of another model, or of another server's, are refused.
std::string origin_of(const Endpoint& endpoint) {
  return fmt::format("{} {} {}", kName, authority_of(endpoint), endpoint.model);
}

// A model that is given a budget wants to see what it thought when it made the calls whose results
// it gets, or be told not to think.
bool has_lost_thoughts(std::span<const Message> messages, std::string_view origin) {
  const auto last =
      std::ranges::find(messages.rbegin(), messages.rend(), Role::assistant, &Message::role);
  if (last == messages.rend() || calls_of(*last).empty()) return false;
  return std::ranges::none_of(last->parts, [&](const Part& part) {
    const auto* thinking = std::get_if<Thinking>(&part);
    return thinking && thinking->origin == origin;
  });
}

// How much the model may think, and how much room that and its answer have.
struct Thoughts {
  JsonObject members;  // of the body
  std::int64_t room;
};

JsonObject adaptive_thinking(const ClaudeThinking& claude) {
  JsonObject thinking{{"type", "adaptive"}};
  if (claude.is_silent) thinking["display"] = "summarized";
  // What stands before thoughts changes where room is made, or the workspace is another now.
  // Without this such a request is refused, and all that follow.
  if (claude.is_bound)
    thinking["block_binding"] = JsonObject{{"prefix_mismatch_behavior", "drop_block"}};
  return thinking;
}

Thoughts thoughts_of(const Request& request, const Endpoint& endpoint,
                     const ClaudeThinking& claude) {
  using Way = ClaudeThinking::Way;
  const std::optional<ModelFacts> facts = find_facts(endpoint.model);
  const std::int64_t most = facts && facts->max_output > 0 ? facts->max_output : kAnyOutput;
  const bool is_off =
      request.effort == Effort::off || claude.way == Way::none ||
      (claude.way == Way::budget && has_lost_thoughts(request.messages, origin_of(endpoint)));
  Effort effort = is_off ? Effort::off : request.effort;
  if (is_off && !claude.can_stop) effort = Effort::low;
  const bool thinks = effort > Effort::off || (effort == Effort::unset && claude.by_itself);
  std::int64_t budget = !thinks ? 0 : budget_of(effort == Effort::unset ? Effort::high : effort);
  std::int64_t room =
      request.max_output_tokens > 0 ? request.max_output_tokens : kDefaultOutput + budget;
  if (!thinks) {
    JsonObject members;
    if (claude.by_itself) members["thinking"] = JsonObject{{"type", "disabled"}};
    return {std::move(members), std::min(room, most)};
  }
  if (claude.way == Way::adaptive) {
    JsonObject members{{"thinking", adaptive_thinking(claude)}};
    if (effort != Effort::unset)
      members["output_config"] = JsonObject{{"effort", effort_name(effort)}};
    return {std::move(members), std::min(room, most)};
  }
  // Whoever bounds the reply means the answer: thoughts in a bound of their own leave it its room.
  room = std::min(std::max(room, budget + kDefaultOutput), most);
  budget = std::min(budget, room / 4 * 3);  // the rest is for the answer
  return {{{"thinking", JsonObject{{"type", "enabled"}, {"budget_tokens", budget}}}}, room};
}

Outgoing encode(const Request& request, const Endpoint& endpoint) {
  Outgoing out{.path = "/v1/messages", .headers = {"anthropic-version: 2023-06-01"}, .body = {}};
  if (!endpoint.key.empty()) out.headers.push_back("x-api-key: " + endpoint.key);
  JsonObject& body = out.body;
  body["model"] = endpoint.model;
  const ClaudeThinking claude = claude_thinking(endpoint.model);
  if (claude.is_bound)
    out.headers.emplace_back("anthropic-beta: thinking-binding-controls-2026-08-01");
  const Thoughts thoughts = thoughts_of(request, endpoint, claude);
  for (const auto& member : thoughts.members) body[member.key()] = member.value();
  // Thoughts allow no temperature.
  if (claude.is_sampled && thoughts.members.empty() && request.temperature)
    body["temperature"] = *request.temperature;
  body["max_tokens"] = thoughts.room;
  body["stream"] = true;
  if (!is_blank(request.system)) body["system"] = JsonArray{cached(text_block(request.system))};
  body["messages"] = messages_of(request.messages, origin_of(endpoint));
  return out;
}

JsonArray encode_tools(JsonArray tools) {
  tools.back() = cached(std::move(tools.back().get_object()));
  return tools;
}

Stop stop_of(std::string_view reason) {
  if (reason == "tool_use") return Stop::calls;
  if (reason == "max_tokens" || reason == "model_context_window_exceeded") return Stop::length;
  if (reason == "refusal") return Stop::refusal;
  return Stop::end;
}

class AnthropicDecoder final : public Decoder {
 public:
  explicit AnthropicDecoder(std::string origin) : origin_(std::move(origin)) {}

  Result<bool> take(const SseEvent& event, const Emit& emit) override {
    const Json value = TRY(parse_event(kName, event));
    const std::string_view type = string_at(value, "type");
    if (type == "error") {
      const Json* error = find(value, "error");
      return provider_error(0, error ? string_at(*error, "type") : "",
                            error ? string_at(*error, "message") : "");
    }
    if (type == "message_start") {
      if (const Json* message = find(value, "message")) begin(*message);
    } else if (type == "content_block_start") {
      TRY(begin_block(value, emit));
    } else if (type == "content_block_delta") {
      TRY(grow_block(value, emit));
    } else if (type == "message_delta") {
      if (const Json* delta = find(value, "delta")) {
        const std::string_view reason = string_at(*delta, "stop_reason");
        has_reason_ = has_reason_ || !reason.empty();
        if (!reason.empty()) reply_.stop = stop_of(reason);
      }
      if (const Json* usage = find(value, "usage")) count(*usage);
    } else if (type == "message_stop") {
      is_complete_ = true;
    }
    return !is_complete_;  // what has another type may be new, and is passed over
  }

  Result<Reply> finish() override {
    if (!is_complete_ || !has_reason_) return incomplete(kName);
    for (auto& [index, block] : blocks_) {
      if (std::optional<Part> part = part_of(block))
        reply_.message.parts.push_back(std::move(*part));
    }
    reply_.message.role = Role::assistant;
    return std::move(reply_);
  }

 private:
  struct Block {
    std::string type;
    std::string id, name;  // of a call
    std::string text;      // also thoughts, and the arguments of a call
    std::string sealed;    // a signature, or redacted thoughts
    Json input;            // of a call that came whole
  };

  void begin(const Json& message) {
    reply_.model = string_at(message, "model");
    if (const Json* usage = find(message, "usage")) count(*usage);
  }

  // Counts are of the whole reply so far; those that are missing stay as they were.
  void count(const Json& usage) {
    auto set = [&](std::int64_t& number, std::string_view key) {
      if (find(usage, key)) number = integer_at(usage, key);
    };
    set(reply_.usage.input, "input_tokens");
    set(reply_.usage.output, "output_tokens");
    set(reply_.usage.cache_read, "cache_read_input_tokens");
    set(reply_.usage.cache_write, "cache_creation_input_tokens");
  }

  Result<void> begin_block(const Json& value, const Emit& emit) {
    const Json* content = find(value, "content_block");
    if (!content) return bad_event(kName, "a block begins without content");
    const std::int64_t index = integer_at(value, "index");
    Block& block = blocks_[index];
    block.type = string_at(*content, "type");
    block.id = string_at(*content, "id");
    block.name = string_at(*content, "name");
    block.sealed = string_at(*content, block.type == "thinking" ? "signature" : "data");
    block.text = string_at(*content, block.type == "thinking" ? "thinking" : "text");
    if (const Json* input = find(*content, "input"); input && input->is_object())
      block.input = *input;
    if (block.type == "tool_use")
      emit(CallDelta{static_cast<size_t>(index), block.name, ""});
    else if (!block.text.empty() && block.type == "text")
      emit(TextDelta{block.text});
    return {};
  }

  Result<void> grow_block(const Json& value, const Emit& emit) {
    const std::int64_t index = integer_at(value, "index");
    const auto found = blocks_.find(index);
    const Json* delta = find(value, "delta");
    if (found == blocks_.end() || !delta)
      return bad_event(kName, "something is added to a block that did not begin");
    Block& block = found->second;
    const std::string_view type = string_at(*delta, "type");
    if (type == "text_delta") {
      block.text += string_at(*delta, "text");
      emit(TextDelta{string_at(*delta, "text")});
    } else if (type == "thinking_delta") {
      block.text += string_at(*delta, "thinking");
      emit(ThinkingDelta{string_at(*delta, "thinking")});
    } else if (type == "input_json_delta") {
      block.text += string_at(*delta, "partial_json");
      emit(CallDelta{static_cast<size_t>(index), "", string_at(*delta, "partial_json")});
    } else if (type == "signature_delta") {
      block.sealed += string_at(*delta, "signature");
    }
    return {};
  }

  std::optional<Part> part_of(Block& block) const {
    if (block.type == "text") return Text{std::move(block.text)};
    if (block.type == "thinking")
      return Thinking{std::move(block.text), origin_,
                      JsonObject{{"type", "thinking"}, {"signature", block.sealed}}};
    if (block.type == "redacted_thinking")
      return Thinking{"", origin_,
                      JsonObject{{"type", "redacted_thinking"}, {"data", block.sealed}}};
    if (block.type != "tool_use") return std::nullopt;
    if (block.text.empty()) block.text = block.input.is_null() ? "{}" : to_text(block.input);
    return ToolCall{block.id, block.name, std::move(block.text), "", nullptr};
  }

  const std::string origin_;  // of thoughts
  Reply reply_;
  std::map<std::int64_t, Block> blocks_;
  bool is_complete_ = false, has_reason_ = false;
};

}  // namespace

const Wire kAnthropic{kName, encode, to_anthropic, encode_tools,
                      [](const Endpoint& endpoint) -> std::unique_ptr<Decoder> {
                        return std::make_unique<AnthropicDecoder>(origin_of(endpoint));
                      }};

}  // namespace helve::model
