#include "agent/calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "agent/add_patiently.h"
#include "agent/tool_result.h"
#include "dispatch/arguments.h"
#include "schema/texts.h"
#include "schema/validate.h"

namespace helve::agent {
namespace {

using model::ToolResult;
using std::chrono::steady_clock;

constexpr size_t kMaxTogether = 8;

Error beyond(size_t most) {
  if (most == 1)
    return {Code::unsupported, "not run: only the first call of an answer is",
            "make one call at a time", "first_only"};
  return {Code::too_large, fmt::format("not run: of one answer {} calls are run at most", most),
          "make the others in your next answer", "too_many_calls"};
}

// Other tools tell a shell what they found by their status.
int status_of(const dispatch::Outcome& outcome) {
  const bool ran = outcome.tool && outcome.tool->spec.effect == Effect::execute;
  return ran ? outcome.product.shell_status : 0;
}

class CallListener final : public Listener {
 public:
  CallListener(std::string_view session, std::string_view id, const Emit& emit)
      : session_(session), id_(id), emit_(emit) {}
  void progress(double done, std::optional<double> total, std::string_view message) override {
    emit_({session_, CallProgress{id_, done, total, message}});
  }
  void log(Level, std::string_view message) override {
    emit_({session_, CallProgress{id_, 0, {}, message}});
  }
  bool wants_output() const override { return true; }
  void output(std::string_view text) override { emit_({session_, CallOutput{id_, text}}); }

 private:
  const std::string_view session_, id_;
  const Emit& emit_;
};

// Lets everyone who watches see the questions.
class WatchedApprover final : public Approver {
 public:
  WatchedApprover(std::string_view session, std::string_view id, Approver& inner, const Emit& emit)
      : session_(session), id_(id), inner_(inner), emit_(emit) {}
  Result<Answer> ask(const Question& question, std::stop_token stop) override {
    emit_({session_, ApprovalAsked{id_, question}});
    const Result<Answer> answer = inner_.ask(question, stop);
    emit_({session_, ApprovalResolved{id_, question, answer}});
    return answer;
  }

 private:
  const std::string_view session_, id_;
  Approver& inner_;
  const Emit& emit_;
};

// Where there are tools besides those that are offered: what the dispatcher cannot know of.
void add_what_helps(const model::ToolCall& call, dispatch::Outcome& outcome) {
  if (outcome.error && outcome.error->type == "unknown_tool") {
    std::string& hint = outcome.error->hint;
    hint += fmt::format("{} {} shows others", hint.ends_with('?') ? "" : ";", kToolSearch);
  }
  if (call.name != kToolCall) return;
  const Result<dispatch::Arguments> wrapper = dispatch::parse_arguments(call.arguments);
  for (const std::string& repair : wrapper ? wrapper->repairs : std::vector<std::string>())
    outcome.notes.push_back("arguments repaired: " + repair);
}

}  // namespace

Result<Json> as_form(const JsonObject& schema, std::string_view text) {
  Json value = TRY(parse_json(text));
  if (auto decoded = schema::decode_texts(schema, value)) value = std::move(decoded->value);
  const std::vector<schema::Problem> problems = schema::validate(schema, value);
  if (!problems.empty()) return schema::to_error(problems);
  return value;
}

// What an open one stands for, and most often itself.
Result<model::ToolCall> Calls::meant(const OpenCall& open) const {
  return setup_.toolbox ? meant_by(open.call) : Result<model::ToolCall>(open.call);
}

// Null: there is none of that name.
const Tool* Calls::tool_of(const OpenCall& open) const {
  const Result<model::ToolCall> call = meant(open);
  return call ? setup_.dispatcher->registry().find(call->name).tool : nullptr;
}

bool Calls::only_reads(const OpenCall& open) const {
  const Tool* const tool = tool_of(open);
  // What does not exist changes nothing either.
  return !tool || tool->spec.effect == Effect::read || tool->spec.concurrent;
}

bool Calls::is_terminal(const OpenCall& open) const {
  const Result<model::ToolCall> call = meant(open);
  if (setup_.output_schema && call && call->name == kHandIn) return true;
  const Tool* const tool = tool_of(open);
  return tool && tool->spec.terminal;
}

Result<void> Calls::run(std::stop_token stop) {
  std::vector<OpenCall> open = transcript_.open_calls();
  const size_t most = setup_.order == Order::first_only ? 1 : kMaxCalls;
  const std::vector<OpenCall> others(open.begin() + std::min(open.size(), most), open.end());
  open.resize(open.size() - others.size());
  // What ends the work comes last and alone.
  const auto terminal = std::stable_partition(
      open.begin(), open.end(), [&](const OpenCall& each) { return !is_terminal(each); });
  const size_t last_together = static_cast<size_t>(terminal - open.begin());
  for (size_t i = 0; i < open.size() && !failure_;) {
    const std::span rest = std::span(open).subspan(i);
    if (const std::optional<Error> why = reason_to_end(stop)) {
      turn_away(rest, *why);
      break;
    }
    size_t count = 1;
    if (setup_.order == Order::parallel && only_reads(open[i])) {
      while (i + count < last_together && count < kMaxTogether && only_reads(open[i + count]))
        ++count;
    }
    run_together(rest.first(count), stop);
    i += count;
  }
  turn_away(others, beyond(most));
  if (failure_) return *failure_;
  return {};
}

// Why nothing more of an answer is run; nothing: it is.
std::optional<Error> Calls::reason_to_end(const std::stop_token& stop) const {
  if (stop.stop_requested()) return stopped();
  if (is_over_)
    return Error{Code::conflict, "not run: the work was ended before", "", "already_over"};
  if (!is_repeating_) return std::nullopt;
  return Error{Code::conflict,
               fmt::format("not run: the same call was made {} times with the same result",
                           Repetition::kStopAt),
               "do something else, or say what keeps you from going on", "repetition"};
}

Error Calls::stopped() const {
  if (outer_.stop_requested())
    return {Code::cancelled, "not run: the work was stopped before this call was made"};
  return {Code::timeout, "not run: the time for this work was up before this call was made", "",
          "time_limit"};
}

Result<void> Calls::refuse_all(const Error& why) {
  turn_away(transcript_.open_calls(), why);
  if (failure_) return *failure_;
  return {};
}

void Calls::run_together(std::span<const OpenCall> calls, std::stop_token stop) {
  std::vector<std::jthread> threads;
  for (size_t i = 1; i < calls.size(); ++i)
    threads.emplace_back([this, &call = calls[i], stop] { run_one(call, stop); });
  run_one(calls[0], stop);
}

void Calls::run_one(const OpenCall& open, std::stop_token stop) {
  if (stop.stop_requested()) return turn_away(std::span(&open, 1), stopped());
  const Result<model::ToolCall> call = meant(open);
  if (!call) return turn_away(std::span(&open, 1), call.error());
  run_meant(open, *call, stop);
}

// `call` is what the open one stands for, and most often itself.
void Calls::run_meant(const OpenCall& open, const model::ToolCall& call, std::stop_token stop) {
  const std::string_view session = transcript_.session();
  emit_({session, CallBegun{call.id, call.name, call.arguments}});
  if (setup_.output_schema && call.name == kHandIn) return hand_in(open, call);
  if (setup_.toolbox && call.name == kToolSearch) return look_up(open);
  CallListener listener(session, call.id, emit_);
  std::optional<WatchedApprover> approver;
  if (setup_.approver) approver.emplace(session, call.id, *setup_.approver, emit_);
  const auto begun = steady_clock::now();
  dispatch::Outcome outcome = setup_.dispatcher->call({.tool = call.name,
                                                       .raw_arguments = call.arguments,
                                                       .caller = Caller::model,
                                                       .who = setup_.who,
                                                       .named_session = true,
                                                       .policy = setup_.policy,
                                                       .stop = stop,
                                                       .listener = &listener,
                                                       .approver = approver ? &*approver : nullptr,
                                                       .id = open.id});
  if (setup_.toolbox) add_what_helps(open.call, outcome);
  const bool ends_work = outcome.ok() && outcome.tool->spec.terminal;
  finish(open, call.name, tool_result(open.call, outcome), steady_clock::now() - begun,
         status_of(outcome));
  std::lock_guard lock(mutex_);
  is_over_ = is_over_ || ends_work;
  if (failure_ && outcome.telling) outcome.telling->did_not_arrive();
}

void Calls::look_up(const OpenCall& open) {
  const Result<std::string> found = setup_.toolbox->search(open.call.arguments);
  if (!found) return refuse(open, open.call.name, found.error());
  finish(open, open.call.name, {open.call.id, open.call.name, text_content(*found), false}, {});
}

void Calls::hand_in(const OpenCall& open, const model::ToolCall& call) {
  Result<Json> value = as_form(*setup_.output_schema, call.arguments);
  if (!value) return refuse(open, call.name, value.error());
  finish(open, call.name, {open.call.id, open.call.name, text_content("Accepted."), false}, {});
  std::lock_guard lock(mutex_);
  is_over_ = true;
  structured_ = std::move(*value);
}

// Those that were not begun. Whoever watches sees what they would have been.
void Calls::turn_away(std::span<const OpenCall> calls, const Error& why) {
  std::lock_guard lock(mutex_);
  if (failure_ || calls.empty()) return;
  std::vector<model::ToolResult> results;
  std::vector<session::Item> items;
  for (const OpenCall& open : calls) {
    results.push_back(session::error_result(open.call, why));
    // The model hears of all of them at once, so they are no circle.
    if (results.size() == 1) look_for_repetition(open, results.front());
    items.emplace_back(session::Finished{results.back()});
  }
  made_ += static_cast<int>(calls.size());
  if (Result<void> added = transcript_.add_all(std::move(items)); !added) {
    failure_ = std::move(added).error();  // nobody is told of what is not kept
    return;
  }
  for (size_t i = 0; i < calls.size(); ++i) {
    const model::ToolCall& call = calls[i].call;
    emit_({transcript_.session(), CallBegun{call.id, call.name, call.arguments}});
    emit_({transcript_.session(), CallEnded{call.name, results[i], {}}});
  }
}

void Calls::refuse(const OpenCall& open, std::string_view tool, const Error& why) {
  finish(open, tool, session::error_result(open.call, why), {});
}

// mutex_ is held.
void Calls::look_for_repetition(const OpenCall& open, ToolResult& result) {
  const int times = repetition_.count(open.call, result);
  if (times == Repetition::kWarnAt)
    result.content.emplace_back(TextContent{fmt::format(
        "Note: this is the same call with the same result for the {}rd time. Do something else, or "
        "say what keeps you from going on.",
        times)});
  is_repeating_ = is_repeating_ || times >= Repetition::kStopAt;
}

void Calls::finish(const OpenCall& open, std::string_view tool, ToolResult result,
                   std::chrono::nanoseconds duration, int status) {
  std::lock_guard lock(mutex_);
  if (failure_) return;
  ++made_;
  look_for_repetition(open, result);
  Result<void> added = add_patiently(transcript_, session::Finished{result}, {}, emit_, outer_);
  if (!added) {
    failure_ = std::move(added).error();  // nobody is told of what is not kept
    return;
  }
  emit_({transcript_.session(), CallEnded{tool, result, duration, status}});
}

}  // namespace helve::agent
