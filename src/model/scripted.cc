#include "model/scripted.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "model/wire.h"

namespace helve::model {
namespace {

constexpr std::string_view kMembers[] = {"text", "thinking", "calls",  "when",    "error",
                                         "stop", "usage",    "unread", "pause_ms"};

Error wrong(std::string what) {
  return Error{Code::invalid_argument, std::move(what), "", "bad_script"};
}

// Empty where it is not there.
Result<std::string> text_in(const Json& value, std::string_view key) {
  const Json* member = find(value, key);
  if (!member) return std::string();
  if (!member->is_string()) return wrong(fmt::format("{}: a text", key));
  return std::string(member->get_string());
}

Result<std::int64_t> count_in(const Json& value, std::string_view key) {
  const Json* member = find(value, key);
  if (!member) return 0;
  if (!member->is_int64() || member->get_int64() < 0)
    return wrong(fmt::format("{}: a whole number that is not negative", key));
  return member->get_int64();
}

Result<void> read_error(const Json& value, Error& error) {
  if (!value.is_object()) return wrong("error: an object of code, message and type");
  const std::string name = TRY(text_in(value, "code"));
  const std::optional<Code> code = find_code(name);
  if (!code)
    return wrong(fmt::format("there is no code '{}'", preview(escape_for_display(name), 40)));
  error.code = *code;
  error.message = TRY(text_in(value, "message"));
  error.type = TRY(text_in(value, "type"));
  return {};
}

Result<void> add_calls(Reply& reply, const Json& calls) {
  if (!calls.is_array()) return wrong("calls: a list of calls");
  for (const Json& call : calls.get_array()) {
    if (!call.is_object()) return wrong("calls: a call is an object");
    std::string tool = TRY(text_in(call, "tool"));
    if (tool.empty()) return wrong("calls: a call names its tool");
    const Json* arguments = find(call, "arguments");
    std::string text = "{}";
    // A string stands for what a model wrote, also where that is no JSON.
    if (arguments)
      text = arguments->is_string() ? std::string(arguments->get_string()) : to_text(*arguments);
    std::string id = TRY(text_in(call, "id"));
    reply.message.parts.push_back(ToolCall{id.empty() ? made_up_id() : std::move(id),
                                           std::move(tool), std::move(text), "", nullptr});
  }
  return {};
}

Result<Stop> read_stop(const Json& value, const Reply& reply) {
  const std::string name = TRY(text_in(value, "stop"));
  if (name.empty()) return calls_of(reply.message).empty() ? Stop::end : Stop::calls;
  if (const std::optional<Stop> stop = find_stop(name)) return *stop;
  return wrong("stop: end, calls, length or refusal");
}

Result<Usage> read_usage(const Json& value) {
  if (!value.is_object()) return wrong("usage: an object of numbers");
  for (const auto& member : value.get_object()) TRY(count_in(value, member.key()));
  return usage_from_json(value);
}

Result<std::vector<std::string>> read_unread(const Json& value) {
  const JsonArray* items = value.if_array();
  if (!items || !std::ranges::all_of(*items, [](const Json& item) { return item.is_string(); }))
    return wrong("unread: a list of texts");
  std::vector<std::string> texts;
  for (const Json& item : *items) texts.emplace_back(item.get_string());
  return texts;
}

// As a provider would: a few words at a time.
template <class Kind>
bool say(std::string_view text, const Emit& emit, const std::function<bool()>& pause) {
  while (!text.empty()) {
    const size_t space = text.find_first_of(" \n");
    const std::string_view word = text.substr(0, space == text.npos ? space : space + 1);
    emit(Kind{word});
    text.remove_prefix(word.size());
    if (!pause()) return false;
  }
  return true;
}

std::string last_text(const Request& request) {
  if (request.messages.empty()) return "";
  std::string text;
  for (const Part& part : request.messages.back().parts) {
    if (const auto* said = std::get_if<Text>(&part)) text += said->text;
    if (const auto* result = std::get_if<ToolResult>(&part))
      text += helve::text_of(result->content);
  }
  return text;
}

}  // namespace

Result<ScriptedModel::Turn> ScriptedModel::parse_turn(const Json& value) {
  if (!value.is_object()) return wrong("a reply is an object");
  for (const auto& member : value.get_object()) {
    if (std::ranges::find(kMembers, std::string_view(member.key())) == std::end(kMembers))
      return wrong(fmt::format("unknown member '{}'",
                               preview(escape_for_display(std::string_view(member.key())), 40)));
  }
  Turn turn;
  turn.when = TRY(text_in(value, "when"));
  turn.pause = std::chrono::milliseconds(TRY(count_in(value, "pause_ms")));
  if (const Json* error = find(value, "error")) {
    TRY(read_error(*error, turn.error.emplace()));
    return turn;
  }
  Reply& reply = turn.reply;
  reply.model = "scripted";
  reply.message.role = Role::assistant;
  if (std::string thought = TRY(text_in(value, "thinking")); !thought.empty())
    reply.message.parts.push_back(Thinking{std::move(thought), "", nullptr});
  if (std::string text = TRY(text_in(value, "text")); !text.empty())
    reply.message.parts.push_back(Text{std::move(text)});
  if (const Json* calls = find(value, "calls")) TRY(add_calls(reply, *calls));
  reply.stop = TRY(read_stop(value, reply));
  if (const Json* usage = find(value, "usage")) reply.usage = TRY(read_usage(*usage));
  if (const Json* unread = find(value, "unread")) reply.unread = TRY(read_unread(*unread));
  return turn;
}

Result<std::unique_ptr<ScriptedModel>> ScriptedModel::parse(std::string_view script, Wait wait) {
  auto model = std::make_unique<ScriptedModel>();
  model->wait_ = std::move(wait);
  size_t number = 0;
  for (const std::string_view line : split(script, '\n')) {
    ++number;
    if (trim(line).empty() || trim(line).starts_with('#')) continue;
    Result<Json> value = parse_json(line);
    Result<Turn> turn = value ? parse_turn(*value) : wrong(value.error().message);
    if (!turn) {
      turn.error().message = fmt::format("line {} of the script: {}", number, turn.error().message);
      return std::move(turn).error();
    }
    model->turns_.push_back(std::move(*turn));
  }
  return model;
}

Result<ScriptedModel::Turn> ScriptedModel::next(const Request& request) {
  const std::string last = last_text(request);
  std::lock_guard lock(mutex_);
  const auto found = std::ranges::find_if(
      turns_, [&](const Turn& turn) { return !turn.is_used && last.find(turn.when) != last.npos; });
  if (found == turns_.end())
    return Error{Code::not_found, "the script has no further reply for this",
                 "add a line to it, or look whether a `when` does not match", "script_ended"};
  found->is_used = true;
  return *found;
}

Result<Reply> ScriptedModel::stream(const Request& request, const Emit& emit,
                                    std::stop_token stop) {
  Turn turn = TRY(next(request));
  if (turn.error) return std::move(*turn.error);
  const std::function<bool()> pause = [&] {
    return turn.pause.count() == 0 ? !stop.stop_requested() : wait_(turn.pause, stop);
  };
  size_t calls = 0;
  for (const Part& part : turn.reply.message.parts) {
    bool goes_on = true;
    if (const auto* text = std::get_if<Text>(&part))
      goes_on = say<TextDelta>(text->text, emit, pause);
    if (const auto* thought = std::get_if<Thinking>(&part))
      goes_on = say<ThinkingDelta>(thought->text, emit, pause);
    if (const auto* call = std::get_if<ToolCall>(&part))
      emit(CallDelta{calls++, call->name, call->arguments});
    if (!goes_on) return Error{Code::cancelled, "stopped while the script was told"};
  }
  return std::move(turn.reply);
}

}  // namespace helve::model
