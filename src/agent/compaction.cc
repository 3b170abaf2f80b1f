#include "agent/compaction.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include "base/text.h"

namespace helve::agent {
namespace {

using model::Message;
using model::Role;
using model::ToolResult;
using session::Transcript;

constexpr std::int64_t kProtected = 40'000;   // tokens at the end of which no output is removed
constexpr std::int64_t kWorthwhile = 20'000;  // tokens that removing must save
constexpr std::int64_t kSmallOutput = 100;    // tokens: removing it saves nothing
constexpr std::int64_t kAssumedWindow = 128'000;
constexpr double kKept = 0.25;  // of the window: the last turns, which a summary leaves as they are
constexpr size_t kMaxShownOutput = 2'000;  // characters of a tool's output in what is summarised
constexpr std::string_view kRequest =
    "Write a summary of the conversation above for yourself: you will go on with nothing but it. "
    "Keep what the user asked for in their words, decisions and why, what was done and with which "
    "result, names of files, commands and ids that matter, what failed, and what is left to do, "
    "the next step first. No greetings.";

std::int64_t window_of(const Setup& setup) {
  return setup.window > 0 ? setup.window : kAssumedWindow;
}

std::int64_t tokens_of(const ToolResult& result) {
  return session::estimate_tokens(Message{Role::tool, {result}});
}

// The outputs of old calls, beyond those that are protected. Those of the last ones the model has
// not seen yet: without them it would only make the calls again.
session::Pruned old_output(const Transcript& transcript, std::int64_t window) {
  const std::int64_t spared = std::min(kProtected, window / 3);
  std::int64_t passed = 0, saved = 0;
  session::Pruned pruned;
  const std::span<const Message> context = transcript.context();
  bool is_seen = false;
  for (const Message& message : std::views::reverse(context)) {
    is_seen = is_seen || message.role == Role::assistant;
    for (const model::Part& part : std::views::reverse(message.parts)) {
      const auto* const result = std::get_if<ToolResult>(&part);
      if (!result) continue;
      const std::int64_t tokens = tokens_of(*result);
      passed += tokens;
      if (passed <= spared || tokens <= kSmallOutput || !is_seen) continue;
      saved += tokens;
      pruned.calls.push_back(result->call_id);
    }
  }
  if (saved < std::min(kWorthwhile, window / 6)) pruned.calls.clear();
  return pruned;
}

// How many messages a summary would replace: a whole number of turns, so that no result stands
// without its call.
size_t summarised(const Transcript& transcript, std::int64_t kept) {
  const std::span<const Message> context = transcript.context();
  std::int64_t tokens = 0;
  size_t first = context.size();
  for (size_t i = context.size(); i-- > 0;) {
    tokens += session::estimate_tokens(context[i]);
    if (tokens > kept && first < context.size()) break;
    if (context[i].role != Role::tool) first = i;
  }
  return first;
}

// The model is to read it, not to answer it: no calls, and nothing that only a provider can read.
std::string told(const model::Part& part, Role role) {
  if (const auto* said = std::get_if<model::Text>(&part))
    return fmt::format("[{}]\n{}\n\n", name_of(role), said->text);
  if (const auto* call = std::get_if<model::ToolCall>(&part))
    return fmt::format("[call] {} {}\n\n", call->name, preview(call->arguments, kMaxShownOutput));
  if (const auto* result = std::get_if<ToolResult>(&part))
    return fmt::format("[{} of {}]\n{}\n\n", result->is_error ? "error" : "result", result->name,
                       preview(text_of(result->content), kMaxShownOutput));
  return "";
}

// Of what does not fit, the middle is left out, but for what people said: the task stands at the
// beginning, and in the summary of what was before.
std::string told(std::span<const Message> messages, size_t room) {
  std::vector<std::pair<Role, std::string>> parts;
  size_t total = 0, prompts = 0;
  for (const Message& message : messages) {
    for (const model::Part& part : message.parts) {
      parts.emplace_back(message.role, told(part, message.role));
      total += parts.back().second.size();
      prompts += message.role == Role::user;
    }
  }
  if (total > room) {
    const size_t longest = std::max(room / 2 / std::max<size_t>(prompts, 1), kMaxShownOutput / 10);
    size_t left = room;
    for (auto& [role, text] : parts) {
      if (role != Role::user) continue;
      if (text.size() > longest) text = preview(text, longest) + "\n\n";
      left -= std::min(left, text.size());
    }
    bool is_left_out = false;
    for (auto& [role, text] : std::views::reverse(parts)) {
      if (role == Role::user) continue;
      is_left_out = is_left_out || text.size() > left;
      if (is_left_out) text.clear();
      left -= std::min(left, text.size());
    }
  }
  std::string all;
  for (const auto& [role, text] : parts) all += text;
  return all;
}

// Of one that was cut off or refused nobody knows what is missing.
std::optional<Error> failure_of(const model::Reply& reply) {
  const auto failure = [](std::string message, std::string hint) {
    return Error{Code::unavailable, std::move(message), std::move(hint), "no_summary"};
  };
  if (reply.stop == model::Stop::length)
    return failure("the summary was cut off, so it is not used", "allow the model more output");
  if (reply.stop == model::Stop::refusal)
    return failure("the model refused to write a summary", "try another model");
  if (model::text_of(reply.message).empty()) return failure("the model wrote no summary", "");
  return std::nullopt;
}

Result<Room> summarise(Transcript& transcript, const Setup& setup, size_t count,
                       std::int64_t window, std::stop_token stop) {
  // What is to be summarised must fit as well.
  const std::string text = told(transcript.context().first(count), static_cast<size_t>(window) * 2);
  const Message question = model::user_message(
      fmt::format("{}\n<conversation>\n{}</conversation>\n\n{}", kRequest, text, kRequest));
  const model::Reply reply = TRY(setup.model->stream(
      {.system = "You summarise conversations precisely.",
       .messages = std::span(&question, 1),
       .session = transcript.session()},
      [](const model::Delta&) {}, stop));
  const std::optional<std::int64_t> cost =
      setup.cost ? setup.cost(reply.usage) : std::optional<std::int64_t>();
  const store::Spent spent = spent_of(reply.usage, cost.value_or(0));
  session::Summary summary{model::text_of(reply.message), transcript.shown(count - 1).number};
  std::int64_t replaced = 0;
  for (const Message& message : transcript.context().first(count))
    replaced += session::estimate_tokens(message);
  Room room{.usage = reply.usage, .failure = failure_of(reply)};
  room.made = !room.failure && session::estimate_tokens(session::message_of(summary)) < replaced;
  if (room.made)
    TRY(transcript.add(std::move(summary), {.spent = spent}));
  else
    TRY(transcript.charge(spent));
  return room;
}

}  // namespace

Result<Room> make_room(Transcript& transcript, const Setup& setup, bool must, const Emit& emit,
                       std::stop_token stop) {
  const std::int64_t window = window_of(setup);
  const auto limit = static_cast<std::int64_t>(static_cast<double>(window) * setup.compact_at);
  const std::int64_t before = transcript.tokens();
  if (!must && (setup.window == 0 || before <= limit)) return Room{};
  Room room;
  if (session::Pruned pruned = old_output(transcript, window); !pruned.calls.empty()) {
    TRY(transcript.add(std::move(pruned)));
    room.made = true;
  }
  const bool is_enough = room.made && transcript.tokens() <= limit * 3 / 4;
  if (!is_enough) {
    const auto kept = std::min(static_cast<std::int64_t>(static_cast<double>(window) * kKept),
                               std::max<std::int64_t>(before / 4, 1));
    const size_t count = summarised(transcript, kept);
    if (count > 1) {
      const bool is_pruned = room.made;
      room = TRY(summarise(transcript, setup, count, window, stop));
      room.made = room.made || is_pruned;
    }
  }
  if (room.made) emit({transcript.session(), Compacted{before, transcript.tokens()}});
  return room;
}

}  // namespace helve::agent
