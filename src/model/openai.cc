// OpenAI's Chat Completions, as OpenAI, LM Studio, OpenRouter, Ollama, vLLM, llama.cpp and many
// others serve it. Servers differ in details, so the decoder takes what it can get.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/hash.h"
#include "model/model_names.h"
#include "model/wire.h"
#include "sys/http_plain.h"

namespace helve::model {
namespace {

constexpr std::string_view kName = "openai";
// OpenRouter's word for what the providers behind it want back of a model's thoughts.
constexpr std::string_view kDetails = "reasoning_details";

JsonObject image_part(std::string_view data, std::string_view mime_type) {
  return {{"type", "image_url"}, {"image_url", JsonObject{{"url", data_url(data, mime_type)}}}};
}

JsonObject tool_call(const ToolCall& call) {
  return {{"id", call.id},
          {"type", "function"},
          {"function",
           JsonObject{{"name", valid_name(call.name)}, {"arguments", arguments_text(call)}}}};
}

// Servers differ in what they make of thoughts, and some refuse a request that has any of them.
std::string origin_of(const Endpoint& endpoint) {
  return fmt::format("{} {}", kName, authority_of(endpoint));
}

// How long a server wants its thoughts back.
enum class Recall : unsigned char { never, in_turn, always };

// What some servers want otherwise than the others.
struct Manners {
  Recall recall = Recall::in_turn;
  bool is_mistral = false;  // it refuses members and ids that are not as it knows them
  bool bridges = false;     // results are answered before anybody else speaks
  bool is_recent = false;   // it wants the longest reply by its newer name
};

// Who wants `max_completion_tokens`, or is known to take it. The others, servers of one's own
// before all, know `max_tokens`, and some of them pass over the newer name in silence.
bool has_recent_names(std::string_view host, std::string_view model) {
  constexpr std::string_view kHosts[] = {"api.openai.com", "azure.com", "api.groq.com",
                                         "api.cerebras.ai", "api.x.ai"};
  const auto is_host = [&](std::string_view known) {
    return host.ends_with(known) &&
           (host.size() == known.size() || host[host.size() - known.size() - 1] == '.');
  };
  return std::ranges::any_of(kHosts, is_host) || is_openai_reasoner(model);
}

Manners manners_of(const Endpoint& endpoint) {
  const Result<sys::HttpAddress> address = sys::parse_http_address(endpoint.base_url);
  const std::string_view host = address ? std::string_view(address->host) : "";
  if (host == "api.mistral.ai")
    return {.recall = Recall::never, .is_mistral = true, .bridges = true};
  Manners manners{.bridges = is_mistral(endpoint.model),
                  .is_recent = has_recent_names(host, endpoint.model)};
  if (host == "api.groq.com") manners.recall = Recall::never;  // it refuses them
  // It refuses a conversation in which a call has lost its thoughts, in whatever turn.
  if (host == "api.deepseek.com") manners.recall = Recall::always;
  return manners;
}

// Nine letters and digits, as Mistral has them.
std::string short_id(std::string_view id) {
  constexpr size_t kLength = 9;
  const bool fits = id.size() == kLength && std::ranges::all_of(id, [](unsigned char c) {
                      return c < 0x80 && std::isalnum(c);
                    });
  return fits ? std::string(id) : sha256_hex(id).substr(0, kLength);
}

void shorten_ids(JsonArray& messages) {
  auto shorten = [](Json& id) { id = short_id(std::string_view(id.get_string())); };
  for (Json& each : messages) {
    JsonObject& message = each.get_object();
    if (Json* id = message.if_contains("tool_call_id")) shorten(*id);
    if (Json* calls = message.if_contains("tool_calls")) {
      for (Json& call : calls->get_array()) shorten(call.get_object()["id"]);
    }
  }
}

// A person may speak right after results: they stopped the model, or told it something while it
// worked; and images of results stand in a person's message. Mistral's models refuse that, and
// since it stays in the conversation, every request from then on.
JsonArray bridged(JsonArray messages) {
  JsonArray out;
  for (Json& message : messages) {
    if (!out.empty() && string_at(out.back(), "role") == "tool" &&
        string_at(message, "role") == "user")
      out.push_back(JsonObject{{"role", "assistant"}, {"content", "I have the results."}});
    out.push_back(std::move(message));
  }
  return out;
}

// `origin`: whose thoughts go with it; empty: nobody's.
JsonObject assistant_message(const Message& message, std::string_view origin) {
  JsonObject out{{"role", "assistant"}};
  JsonArray calls;
  for (const Part& part : message.parts) {
    if (const auto* call = std::get_if<ToolCall>(&part)) calls.push_back(tool_call(*call));
    const auto* thinking = std::get_if<Thinking>(&part);
    if (!thinking || origin.empty() || thinking->origin != origin) continue;
    if (thinking->sealed.is_string())
      out[thinking->sealed.get_string()] = thinking->text;
    else if (const Json* details = find(thinking->sealed, kDetails))
      out[kDetails] = *details;
  }
  std::string text = text_of(message);
  if (!text.empty() || calls.empty()) out["content"] = std::move(text);
  if (!calls.empty()) out["tool_calls"] = std::move(calls);
  return out;
}

JsonObject user_message_of(const Message& message) {
  JsonArray parts;
  bool has_images = false;
  for (const Part& part : message.parts) {
    if (const auto* text = std::get_if<Text>(&part))
      parts.push_back(JsonObject{{"type", "text"}, {"text", text->text}});
    const auto* image = std::get_if<Image>(&part);
    if (!image) continue;
    parts.push_back(image_part(image->data, image->mime_type));
    has_images = true;
  }
  // Some servers know only plain text.
  if (!has_images) return {{"role", "user"}, {"content", text_of(message)}};
  return {{"role", "user"}, {"content", std::move(parts)}};
}

// Results are text; their images follow as if a person had sent them.
void add_results(JsonArray& out, const Message& message) {
  JsonArray images;
  for (const Part& part : message.parts) {
    const auto* result = std::get_if<ToolResult>(&part);
    if (!result) continue;
    out.push_back(JsonObject{{"role", "tool"},
                             {"tool_call_id", result->call_id},
                             {"content", helve::text_of(result->content)}});
    for (const Content& content : result->content) {
      if (const auto* image = std::get_if<ImageContent>(&content))
        images.push_back(image_part(image->data, image->mime_type));
    }
  }
  if (images.empty()) return;
  images.insert(images.begin(),
                JsonObject{{"type", "text"}, {"text", "The images of the results:"}});
  out.push_back(JsonObject{{"role", "user"}, {"content", std::move(images)}});
}

// Where the last turn begins. Models that show their thoughts want them back until it has ended.
size_t turn_of(std::span<const Message> messages) {
  size_t begin = messages.size();
  while (begin > 0 && messages[begin - 1].role != Role::user) --begin;
  return begin;
}

JsonArray messages_of(const Request& request, const Endpoint& endpoint, const Manners& manners) {
  JsonArray out;
  if (!request.system.empty())
    out.push_back(JsonObject{{"role", "system"}, {"content", request.system}});
  const std::string origin = origin_of(endpoint);
  const Recall recall = manners.recall;
  const size_t turn = recall == Recall::always    ? 0
                      : recall == Recall::in_turn ? turn_of(request.messages)
                                                  : request.messages.size();
  for (size_t i = 0; i < request.messages.size(); ++i) {
    const Message& message = request.messages[i];
    if (message.role == Role::tool)
      add_results(out, message);
    else if (message.role == Role::user)
      out.push_back(user_message_of(message));
    else
      out.push_back(assistant_message(message, i >= turn ? origin : ""));
  }
  if (manners.is_mistral) shorten_ids(out);
  return manners.bridges ? bridged(std::move(out)) : out;
}

Outgoing encode(const Request& request, const Endpoint& endpoint) {
  Outgoing out{.path = "/chat/completions", .headers = {}, .body = {}};
  if (!endpoint.key.empty()) out.headers.push_back("Authorization: Bearer " + endpoint.key);
  JsonObject& body = out.body;
  body["model"] = endpoint.model;
  body["stream"] = true;
  const Manners manners = manners_of(endpoint);
  if (!manners.is_mistral) body["stream_options"] = JsonObject{{"include_usage", true}};
  if (request.max_output_tokens > 0)
    body[manners.is_recent ? "max_completion_tokens" : "max_tokens"] = request.max_output_tokens;
  if (request.temperature) body["temperature"] = *request.temperature;
  if (const std::string_view effort = openai_effort(endpoint.model, request.effort);
      !effort.empty())
    body["reasoning_effort"] = effort;
  body["messages"] = messages_of(request, endpoint, manners);
  return out;
}

JsonArray encode_tools(JsonArray tools) { return tools; }

// Reasons of OpenRouter, DeepSeek and vLLM to end in the middle.
constexpr std::string_view kFailures[] = {"error", "insufficient_system_resource", "abort"};

class OpenAiDecoder final : public Decoder {
 public:
  explicit OpenAiDecoder(std::string origin) : origin_(std::move(origin)) {}

  Result<bool> take(const SseEvent& event, const Emit& emit) override {
    if (event.data == "[DONE]") return false;
    const Json value = TRY(parse_event(kName, event));
    if (const Json* error = find(value, "error"); error && !error->is_null()) return told(*error);
    if (reply_.model.empty()) reply_.model = string_at(value, "model");
    if (const Json* usage = find(value, "usage"); usage && usage->is_object()) count(*usage);
    const Json* choices = find(value, "choices");
    if (!choices || !choices->is_array() || choices->get_array().empty()) return true;
    const Json& choice = choices->get_array().front();
    if (const Json* delta = find(choice, "delta")) grow(*delta, emit);
    if (const std::string_view reason = string_at(choice, "finish_reason"); !reason.empty())
      reason_ = reason;
    return true;
  }

  Result<Reply> finish() override {
    if (reason_.empty()) return incomplete(kName);
    if (std::ranges::find(kFailures, reason_) != std::end(kFailures))
      return unfinished(kName, reason_);
    if (!details_.empty())
      reply_.message.parts.push_back(
          Thinking{std::move(thoughts_), origin_, JsonObject{{kDetails, std::move(details_)}}});
    else if (!thoughts_.empty())
      reply_.message.parts.push_back(Thinking{std::move(thoughts_), origin_, Json(thoughts_key_)});
    if (!text_.empty()) reply_.message.parts.push_back(Text{std::move(text_)});
    for (ToolCall& call : calls_) {
      if (call.id.empty()) call.id = made_up_id();
      if (call.arguments.empty()) call.arguments = "{}";
      reply_.message.parts.push_back(std::move(call));
    }
    reply_.message.role = Role::assistant;
    reply_.stop = stop();
    return std::move(reply_);
  }

 private:
  static Error told(const Json& error) {
    if (error.is_string()) return provider_error(0, "", error.get_string());
    const Json* code = find(error, "code");
    const int status = code && code->is_int64() ? static_cast<int>(code->get_int64()) : 0;
    const std::string_view kind =
        string_at(error, status == 0 && code && code->is_string() ? "code" : "type");
    return provider_error(status, kind, string_at(error, "message"));
  }

  void count(const Json& usage) {
    reply_.usage =
        openai_usage(integer_at(usage, "prompt_tokens"), integer_at(usage, "completion_tokens"),
                     find(usage, "prompt_tokens_details"));
  }

  void grow(const Json& delta, const Emit& emit) {
    for (const char* key : {"reasoning_content", "reasoning"}) {
      const std::string_view thought = string_at(delta, key);
      if (thought.empty()) continue;
      thoughts_key_ = key;
      thoughts_ += thought;
      emit(ThinkingDelta{thought});
      break;  // some servers say it twice
    }
    if (const Json* details = find(delta, kDetails); details && details->is_array()) {
      for (const Json& detail : details->get_array()) grow_detail(detail);
    }
    if (const Json* content = find(delta, "content")) grow_content(*content, emit);
    if (const std::string_view refusal = string_at(delta, "refusal"); !refusal.empty()) {
      has_refused_ = true;
      grow_text(refusal, emit);
    }
    const Json* calls = find(delta, "tool_calls");
    if (!calls || !calls->is_array()) return;
    for (const Json& call : calls->get_array()) grow_call(call, emit);
  }

  void grow_text(std::string_view text, const Emit& emit) {
    if (text.empty()) return;
    text_ += text;
    emit(TextDelta{text});
  }

  // Mistral's models that reason send a list of parts, with their thoughts as lists in it.
  void grow_content(const Json& content, const Emit& emit) {
    if (content.is_string()) return grow_text(content.get_string(), emit);
    if (!content.is_array()) return;
    for (const Json& part : content.get_array()) {
      grow_text(string_at(part, "text"), emit);
      const Json* thinking = find(part, "thinking");
      if (!thinking || !thinking->is_array()) continue;
      for (const Json& thought : thinking->get_array()) {
        thoughts_ += string_at(thought, "text");
        emit(ThinkingDelta{string_at(thought, "text")});
      }
    }
  }

  // They come in pieces, too: those of a kind and a number belong together.
  void grow_detail(const Json& piece) {
    const boost::json::object* const members = piece.if_object();
    if (!members) return;
    const auto is_same = [&](const Json& known) {
      return string_at(known, "type") == string_at(piece, "type") &&
             string_at(known, "id") == string_at(piece, "id") &&
             integer_at(known, "index") == integer_at(piece, "index");
    };
    const auto known = std::ranges::find_if(details_, is_same);
    if (known == details_.end()) return void(details_.push_back(piece));
    for (const auto& [key, value] : *members) {
      Json& whole = known->get_object()[key];
      const bool is_text = key == "text" || key == "summary";
      if (is_text && whole.is_string() && value.is_string())
        whole = std::string(whole.get_string()) + std::string(value.get_string());
      else if (!value.is_null())
        whole = value;
    }
  }

  std::optional<size_t> call_with(std::string_view id) const {
    if (id.empty()) return std::nullopt;
    const auto found = std::ranges::find(calls_, id, &ToolCall::id);
    if (found == calls_.end()) return std::nullopt;
    return static_cast<size_t>(found - calls_.begin());
  }

  size_t begin_call() {
    calls_.emplace_back();
    return calls_.size() - 1;
  }

  // Parts of a call are told apart by its index. Some servers leave it out and send whole calls;
  // others send all of them with the same one, but each with an id of its own.
  size_t place_of(const Json& call, std::string_view name) {
    const std::string_view id = string_at(call, "id");
    const Json* index = find(call, "index");
    if (!index || !index->is_int64()) {
      if (const auto known = call_with(id)) return *known;
      return calls_.empty() || !name.empty() ? begin_call() : calls_.size() - 1;
    }
    const auto [found, is_new] = growing_.try_emplace(index->get_int64(), calls_.size());
    if (is_new) return begin_call();
    const std::string& before = calls_[found->second].id;
    if (!id.empty() && !name.empty() && !before.empty() && id != before) {
      const auto known = call_with(id);
      found->second = known ? *known : begin_call();
    }
    return found->second;
  }

  void grow_call(const Json& call, const Emit& emit) {
    const Json* function = find(call, "function");
    std::string_view name = function ? string_at(*function, "name") : "";
    const size_t place = place_of(call, name);
    ToolCall& known = calls_[place];
    if (known.id.empty()) known.id = string_at(call, "id");
    if (!function) return;
    if (known.name.empty())
      known.name = name;
    else
      name = {};  // it was told before
    const std::string added = arguments_in(*function);
    known.arguments += added;
    emit(CallDelta{place, name, added});
  }

  Stop stop() const {
    if (reason_ == "length") return Stop::length;
    if (reason_ == "content_filter" || has_refused_) return Stop::refusal;
    return calls_.empty() ? Stop::end : Stop::calls;  // some servers say "stop" in any case
  }

  const std::string origin_;  // of thoughts
  Reply reply_;
  std::string text_, thoughts_, reason_;
  std::string thoughts_key_;  // how this server calls them
  JsonArray details_;
  bool has_refused_ = false;
  std::vector<ToolCall> calls_;
  std::map<std::int64_t, size_t> growing_;  // by the server's index: which of the calls
};

}  // namespace

const Wire kOpenAi{kName, encode, to_openai, encode_tools,
                   [](const Endpoint& endpoint) -> std::unique_ptr<Decoder> {
                     return std::make_unique<OpenAiDecoder>(origin_of(endpoint));
                   }};

}  // namespace helve::model
