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

Result<void> read_error(const Json& value, Error& error) {
  const std::string_view name = string_at(value, "code");
  const std::optional<Code> code = find_code(name);
  if (!code)
    return wrong(fmt::format("there is no code '{}'", preview(escape_for_display(name), 40)));
  error.code = *code;
  error.message = string_at(value, "message");
  error.type = string_at(value, "type");
  return {};
}

Result<void> add_calls(Reply& reply, const Json& calls) {
  if (!calls.is_array()) return wrong("calls: a list of calls");
  for (const Json& call : calls.get_array()) {
    const std::string_view tool = string_at(call, "tool");
    if (tool.empty()) return wrong("calls: a call names its tool");
    const Json* arguments = find(call, "arguments");
    std::string text = "{}";
    // A string stands for what a model wrote, also where that is no JSON.
    if (arguments)
      text = arguments->is_string() ? std::string(arguments->get_string()) : to_text(*arguments);
    const std::string_view id = string_at(call, "id");
    reply.message.parts.push_back(ToolCall{id.empty() ? made_up_id() : std::string(id),
                                           std::string(tool), std::move(text), "", nullptr});
  }
  return {};
}

Result<Stop> read_stop(const Json& value, const Reply& reply) {
  const std::string_view name = string_at(value, "stop");
  if (name.empty()) return calls_of(reply.message).empty() ? Stop::end : Stop::calls;
  if (const std::optional<Stop> stop = find_stop(name)) return *stop;
  return wrong("stop: end, calls, length or refusal");
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
  turn.when = string_at(value, "when");
  turn.pause = std::chrono::milliseconds(integer_at(value, "pause_ms"));
  if (const Json* error = find(value, "error")) {
    TRY(read_error(*error, turn.error.emplace()));
    return turn;
  }
  Reply& reply = turn.reply;
  reply.model = "scripted";
  reply.message.role = Role::assistant;
  if (const std::string_view thought = string_at(value, "thinking"); !thought.empty())
    reply.message.parts.push_back(Thinking{std::string(thought), "", nullptr});
  if (const std::string_view text = string_at(value, "text"); !text.empty())
    reply.message.parts.push_back(Text{std::string(text)});
  if (const Json* calls = find(value, "calls")) TRY(add_calls(reply, *calls));
  reply.stop = TRY(read_stop(value, reply));
  if (const Json* usage = find(value, "usage")) reply.usage = usage_from_json(*usage);
  reply.unread = strings_at(value, "unread");
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
