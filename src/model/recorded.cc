#include "model/recorded.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/hash.h"
#include "base/text.h"

namespace helve::model {
namespace {

Error wrong(size_t line, std::string_view what) {
  return Error{Code::invalid_argument, fmt::format("line {} of the record: {}", line, what), "",
               "bad_record"};
}

bool is_id(std::string_view text) {
  constexpr std::string_view kForm = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
  return text.size() >= kForm.size() &&
         std::equal(kForm.begin(), kForm.end(), text.begin(), [](char form, unsigned char c) {
           return form == '-' ? c == '-' : std::isxdigit(c) != 0;
         });
}

// Ids differ from run to run.
std::string without_ids(std::string_view text) {
  constexpr size_t kLength = 36;
  std::string out;
  while (!text.empty()) {
    const bool is_next = is_id(text);
    if (!is_next) out += text[0];
    text.remove_prefix(is_next ? kLength : 1);
  }
  return out;
}

// What tells messages apart.
JsonArray digests_of(std::span<const Message> messages) {
  JsonArray out;
  for (const Message& message : messages) {
    std::string text(name_of(message.role));
    for (const Part& part : message.parts) {
      if (const auto* said = std::get_if<Text>(&part)) text += "\ntext " + said->text;
      if (const auto* call = std::get_if<ToolCall>(&part))
        text += "\ncall " + call->name + " " + call->arguments;
      if (const auto* result = std::get_if<ToolResult>(&part))
        text += "\nresult " + helve::text_of(result->content);
    }
    out.push_back(Json(sha256_hex(without_ids(text)).substr(0, 16)));
  }
  return out;
}

JsonObject reply_json(const Reply& reply) {
  JsonObject out{{"message", to_json(reply.message)},
                 {"stop", name_of(reply.stop)},
                 {"usage", to_json(reply.usage)},
                 {"model", reply.model}};
  if (!reply.unread.empty()) out["unread"] = JsonArray(reply.unread.begin(), reply.unread.end());
  return out;
}

Result<Reply> reply_from(const Json& value) {
  Reply reply;
  const Json* message = find(value, "message");
  if (!message) return Error{Code::invalid_argument, "a reply has a message"};
  reply.message = TRY(message_from_json(*message));
  for (const Stop stop : {Stop::end, Stop::calls, Stop::length, Stop::refusal}) {
    if (name_of(stop) == string_at(value, "stop")) reply.stop = stop;
  }
  if (const Json* usage = find(value, "usage")) reply.usage = usage_from_json(*usage);
  reply.model = string_at(value, "model");
  reply.unread = strings_at(value, "unread");
  return reply;
}

Json delta_json(const Delta& delta) {
  if (const auto* text = std::get_if<TextDelta>(&delta)) return JsonArray{"text", text->text};
  if (const auto* thought = std::get_if<ThinkingDelta>(&delta))
    return JsonArray{"thinking", thought->text};
  if (const auto* call = std::get_if<CallDelta>(&delta))
    return JsonArray{"call", call->index, call->name, call->arguments};
  return nullptr;
}

void tell_delta(const Json& value, const Emit& emit) {
  if (!value.is_array() || value.get_array().size() < 2 || !value.get_array()[0].is_string())
    return;
  const JsonArray& delta = value.get_array();
  auto text = [&](size_t i) {
    return i < delta.size() && delta[i].is_string() ? std::string_view(delta[i].get_string())
                                                    : std::string_view();
  };
  if (text(0) == "text") emit(TextDelta{text(1)});
  if (text(0) == "thinking") emit(ThinkingDelta{text(1)});
  if (text(0) == "call" && delta[1].is_int64())
    emit(CallDelta{static_cast<size_t>(delta[1].get_int64()), text(2), text(3)});
}

Error error_from(const Json& value) {
  return Error{find_code(string_at(value, "code")).value_or(Code::internal),
               std::string(string_at(value, "message")), std::string(string_at(value, "hint")),
               std::string(string_at(value, "error_type"))};
}

// What is asked, as a line of the record has it.
struct Asked {
  JsonArray digests;
  std::vector<bool> is_result;  // of each message
};

Asked asked_of(const Request& request) {
  Asked asked{digests_of(request.messages), {}};
  for (const Message& message : request.messages)
    asked.is_result.push_back(message.role == Role::tool);
  return asked;
}

// How near a line is to what is asked.
struct Match {
  size_t common = 0;         // messages from the first on that are the same
  bool is_same = true;       // all of them
  bool is_same_talk = true;  // all but the results of calls, which depend on the machine
  std::optional<std::string> difference;  // the first
};

Match match(const Json& line, const Asked& now) {
  Match found;
  const Json* known = find(line, "messages");
  if (!known || !known->is_array()) return found;
  const JsonArray& then = known->get_array();
  for (size_t i = 0; i < std::min(then.size(), now.digests.size()); ++i) {
    if (then[i] == now.digests[i]) {
      found.common += found.is_same;
      continue;
    }
    if (found.is_same)
      found.difference = fmt::format("message {} is another than in the recorded run", i + 1);
    found.is_same = false;
    found.is_same_talk = found.is_same_talk && now.is_result[i];
  }
  if (then.size() == now.digests.size()) return found;
  if (!found.difference)
    found.difference = fmt::format("there are {} messages; in the recorded run there were {}",
                                   now.digests.size(), then.size());
  found.is_same = found.is_same_talk = false;
  return found;
}

}  // namespace

Result<Reply> RecordingModel::stream(const Request& request, const Emit& emit,
                                     std::stop_token stop) {
  JsonArray deltas;
  Result<Reply> reply = inner_->stream(
      request,
      [&](const Delta& delta) {
        // What is void is not told again.
        if (std::holds_alternative<Retrying>(delta))
          deltas.clear();
        else
          deltas.push_back(delta_json(delta));
        emit(delta);
      },
      std::move(stop));
  JsonObject line{{"messages", digests_of(request.messages)}, {"deltas", std::move(deltas)}};
  if (reply)
    line["reply"] = reply_json(*reply);
  else
    line["error"] = to_json(reply.error());
  std::lock_guard lock(mutex_);
  const Result<void> written = write_(to_text(Json(std::move(line))) + "\n");
  if (reply && !written) reply->notes.push_back("not recorded: " + describe(written.error()));
  return reply;
}

Result<std::unique_ptr<RecordedModel>> RecordedModel::parse(std::string_view record) {
  auto model = std::make_unique<RecordedModel>();
  size_t number = 0;
  for (const std::string_view line : split(record, '\n')) {
    ++number;
    if (trim(line).empty()) continue;
    Result<Json> turn = parse_json(line, {.bytes = kMaxRecord});
    if (!turn) return wrong(number, turn.error().message);
    const Json* reply = find(*turn, "reply");
    if (!reply && !find(*turn, "error")) return wrong(number, "there is neither reply nor error");
    if (reply) {
      if (const Result<Reply> read = reply_from(*reply); !read)
        return wrong(number, read.error().message);
    }
    model->turns_.push_back({std::move(*turn)});
  }
  return model;
}

Result<RecordedModel::Told> RecordedModel::take(const Request& request) {
  const Asked asked = asked_of(request);
  std::lock_guard lock(mutex_);
  Turn* taken = nullptr;
  std::optional<Match> best, nearest;
  for (Turn& turn : turns_) {
    if (turn.is_used) continue;
    Match found = match(turn.line, asked);
    if (!nearest || found.common > nearest->common) nearest = found;
    if (!found.is_same_talk || (best && !found.is_same)) continue;
    taken = &turn;
    best = std::move(found);
    if (best->is_same) break;
  }
  if (taken) {
    taken->is_used = true;
    return Told{&taken->line, std::move(best->difference)};
  }
  if (!nearest)
    return Error{Code::not_found, fmt::format("the record has only {} replies", turns_.size()),
                 "the run went on for longer than the recorded one", "record_ended"};
  return Error{Code::conflict,
               "the record has no reply to this: " + nearest->difference.value_or(""),
               "ask the same as then, or record the run anew", "record_differs"};
}

Result<Reply> RecordedModel::stream(const Request& request, const Emit& emit,
                                    std::stop_token stop) {
  Told told = TRY(take(request));
  if (const Json* deltas = find(*told.line, "deltas"); deltas && deltas->is_array()) {
    for (const Json& delta : deltas->get_array()) {
      if (stop.stop_requested()) return Error{Code::cancelled, "stopped"};
      tell_delta(delta, emit);
    }
  }
  if (const Json* error = find(*told.line, "error")) return error_from(*error);
  Reply reply = TRY(reply_from(told.line->at("reply")));
  if (told.difference) reply.notes.push_back(std::move(*told.difference));
  return reply;
}

}  // namespace helve::model
