#include "session/item.h"

#include <fmt/format.h>

namespace helve::session {
namespace {

using model::Message;

constexpr JsonLimits kLimits{.bytes = store::kMaxEntryBytes};

JsonArray array_of(const std::vector<std::string>& texts) {
  JsonArray array;
  for (const std::string& text : texts) array.emplace_back(text);
  return array;
}

std::vector<std::string> strings_at(const Json& value, std::string_view key) {
  std::vector<std::string> texts;
  const Json* const found = find(value, key);
  if (!found || !found->is_array()) return texts;
  for (const Json& text : found->get_array())
    if (text.is_string()) texts.emplace_back(text.get_string());
  return texts;
}

Result<Message> message_at(const Json& value) {
  const Json* const message = find(value, "message");
  if (!message) return Error{Code::internal, "it has no message"};
  return model::message_from_json(*message);
}

Result<Item> parse(std::string_view kind, const Json& value) {
  if (kind == "prompt") {
    Prompt prompt{.sender = std::string(string_at(value, "sender")), .message = {}};
    prompt.message = TRY(message_at(value));
    return prompt;
  }
  if (kind == "answer") {
    Answer answer;
    answer.message = TRY(message_at(value));
    answer.stop = model::find_stop(string_at(value, "stop")).value_or(model::Stop::end);
    if (const Json* const usage = find(value, "usage"))
      answer.usage = model::usage_from_json(*usage);
    answer.model = string_at(value, "model");
    answer.calls = strings_at(value, "calls");
    return answer;
  }
  if (kind == "result") {
    Message message = TRY(message_at(value));
    if (message.parts.size() != 1 ||
        !std::holds_alternative<model::ToolResult>(message.parts.front()))
      return Error{Code::internal, "it is no result"};
    return Finished{std::get<model::ToolResult>(std::move(message.parts.front()))};
  }
  if (kind == "summary") {
    const Json* const last = find(value, "last");
    return Summary{.text = std::string(string_at(value, "text")),
                   .last = last && last->is_number() ? last->to_number<std::uint64_t>() : 0};
  }
  if (kind == "pruned") return Pruned{strings_at(value, "calls")};
  if (kind == "remark") return Remark{std::string(string_at(value, "text"))};
  return Error{Code::unsupported, fmt::format("'{}' is an unknown kind", kind)};
}

struct Writer {
  JsonObject operator()(const Prompt& prompt) const {
    return {{"sender", prompt.sender}, {"message", model::to_json(prompt.message)}};
  }
  JsonObject operator()(const Answer& answer) const {
    JsonObject object{{"message", model::to_json(answer.message)},
                      {"stop", model::name_of(answer.stop)},
                      {"usage", model::to_json(answer.usage)},
                      {"model", answer.model}};
    if (!answer.calls.empty()) object["calls"] = array_of(answer.calls);
    return object;
  }
  JsonObject operator()(const Finished& finished) const {
    return {{"message", model::to_json(Message{model::Role::tool, {finished.result}})}};
  }
  JsonObject operator()(const Summary& summary) const {
    return {{"text", summary.text}, {"last", summary.last}};
  }
  JsonObject operator()(const Pruned& pruned) const { return {{"calls", array_of(pruned.calls)}}; }
  JsonObject operator()(const Remark& remark) const { return {{"text", remark.text}}; }
};

}  // namespace

std::string_view kind_of(const Item& item) {
  constexpr std::string_view kKinds[] = {"prompt",  "answer", "result",
                                         "summary", "pruned", "remark"};
  static_assert(std::size(kKinds) == std::variant_size_v<Item>);
  return kKinds[item.index()];
}

JsonObject to_json(const Item& item) { return std::visit(Writer(), item); }

store::Entry to_entry(const Item& item) {
  return {.kind = std::string(kind_of(item)), .body = to_text(to_json(item))};
}

Result<Item> item_of(const store::Entry& entry) {
  Result<Json> body = parse_json(entry.body, kLimits);
  Result<Item> item = body ? parse(entry.kind, *body) : std::move(body).error();
  if (item) return item;
  return Error{
      Code::internal,
      fmt::format("entry {} of the session cannot be read: {}", entry.number, item.error().message),
      "fork the session before that entry, or begin a new one", "broken_session"};
}

}  // namespace helve::session
