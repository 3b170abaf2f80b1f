#include "agent/calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "agent/tool_result.h"
#include "dispatch/arguments.h"
#include "schema/texts.h"
#include "schema/validate.h"

namespace helve::agent {
namespace {

using model::ToolResult;
using std::chrono::steady_clock;

constexpr size_t kMaxTogether = 8;

Error cancelled() {
  return {Code::cancelled, "Cancelled: the user stopped before this call was made"};
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
  WatchedApprover(std::string_view session, Approver& inner, const Emit& emit)
      : session_(session), inner_(inner), emit_(emit) {}
  Result<Answer> ask(const Question& question, std::stop_token stop) override {
    emit_({session_, ApprovalAsked{question}});
    const Result<Answer> answer = inner_.ask(question, stop);
    emit_({session_, ApprovalResolved{question, answer}});
    return answer;
  }

 private:
  const std::string_view session_;
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
  if (setup_.order == Order::first_only) {
    for (size_t i = 1; i < open.size(); ++i)
      turn_away(open[i], {Code::unsupported, "not run: only the first call of an answer is",
                          "make one call at a time", "first_only"});
    open.resize(std::min<size_t>(open.size(), 1));
  }
  // What ends the work comes last and alone.
  const auto terminal = std::stable_partition(
      open.begin(), open.end(), [&](const OpenCall& each) { return !is_terminal(each); });
  const size_t others = static_cast<size_t>(terminal - open.begin());
  for (size_t i = 0; i < others;) {
    size_t end = i + 1;
    if (setup_.order == Order::parallel && only_reads(open[i])) {
      while (end < others && end - i < kMaxTogether && only_reads(open[end])) ++end;
    }
    TRY(run_together(std::span(open).subspan(i, end - i), stop));
    i = end;
  }
  for (size_t i = others; i < open.size(); ++i) {
    if (is_over_)
      turn_away(open[i],
                {Code::conflict, "not run: the work was ended before", "", "already_over"});
    else
      TRY(run_together(std::span(open).subspan(i, 1), stop));
  }
  if (failure_) return *failure_;
  return {};
}

Result<void> Calls::refuse_all(const Error& why) {
  for (const OpenCall& open : transcript_.open_calls()) turn_away(open, why);
  if (failure_) return *failure_;
  return {};
}

Result<void> Calls::run_together(std::span<const OpenCall> calls, std::stop_token stop) {
  {
    std::vector<std::jthread> threads;
    for (size_t i = 1; i < calls.size(); ++i)
      threads.emplace_back([this, &call = calls[i], stop] { run_one(call, stop); });
    run_one(calls[0], stop);
  }
  if (failure_) return *failure_;
  return {};
}

void Calls::run_one(const OpenCall& open, std::stop_token stop) {
  if (stop.stop_requested()) return turn_away(open, cancelled());
  const Result<model::ToolCall> call = meant(open);
  if (!call) return turn_away(open, call.error());
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
  if (setup_.approver) approver.emplace(session, *setup_.approver, emit_);
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
  Result<Json> value = parse_json(call.arguments);
  if (!value) return refuse(open, call.name, value.error());
  if (auto decoded = schema::decode_texts(*setup_.output_schema, *value))
    value = std::move(decoded->value);
  const std::vector<schema::Problem> problems = schema::validate(*setup_.output_schema, *value);
  if (!problems.empty()) return refuse(open, call.name, schema::to_error(problems));
  finish(open, call.name, {open.call.id, open.call.name, text_content("Accepted."), false}, {});
  std::lock_guard lock(mutex_);
  is_over_ = true;
  structured_ = *value;
}

// One that was not begun. Whoever watches sees what it would have been.
void Calls::turn_away(const OpenCall& open, const Error& why) {
  emit_({transcript_.session(), CallBegun{open.call.id, open.call.name, open.call.arguments}});
  refuse(open, open.call.name, why);
}

void Calls::refuse(const OpenCall& open, std::string_view tool, const Error& why) {
  finish(open, tool, session::error_result(open.call, why), {});
}

void Calls::finish(const OpenCall& open, std::string_view tool, ToolResult result,
                   std::chrono::nanoseconds duration, int status) {
  std::lock_guard lock(mutex_);
  if (failure_) return;
  ++made_;
  const int times = repetition_.count(open.call, result);
  if (times == Repetition::kWarnAt)
    result.content.emplace_back(TextContent{fmt::format(
        "Note: this is the same call with the same result for the {}rd time. Do something else, or "
        "say what keeps you from going on.",
        times)});
  is_repeating_ = is_repeating_ || times >= Repetition::kStopAt;
  if (Result<void> added = transcript_.add(session::Finished{result}); !added) {
    failure_ = std::move(added).error();  // nobody is told of what is not kept
    return;
  }
  emit_({transcript_.session(), CallEnded{tool, result, duration, status}});
}

}  // namespace helve::agent
