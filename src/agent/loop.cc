#include "agent/loop.h"

#include <fmt/format.h>

#include <set>

#include "agent/add_patiently.h"
#include "agent/calls.h"
#include "agent/compaction.h"
#include "base/text.h"
#include "dispatch/deadlines.h"
#include "sys/id.h"

namespace helve::agent {
namespace {

using session::Transcript;

constexpr int kMaxUnread = 3;  // answers in a row that cannot be understood
constexpr int kMaxAskedForForm = 2;

model::Offers offers_of(const Setup& setup) {
  if (!setup.output_schema) return setup.offers;
  std::vector<model::Offer> offers = setup.offers ? *setup.offers : std::vector<model::Offer>();
  offers.push_back({std::string(kHandIn),
                    "Gives the final answer, in the form that is asked for, and ends the work.",
                    *setup.output_schema});
  return std::make_shared<const std::vector<model::Offer>>(std::move(offers));
}

// The only fenced block of a text, or else all of it.
std::string_view form_in(std::string_view text) {
  std::vector<std::string_view> fences;
  for (const std::string_view line : split(text, '\n'))
    if (trim(line).starts_with("```")) fences.push_back(line);
  if (fences.size() != 2) return text;
  const char* const begin = fences[0].data() + fences[0].size();
  return {begin, static_cast<size_t>(fences[1].data() - begin)};
}

Error out_of_time(std::chrono::milliseconds limit) {
  return {Code::timeout,
          fmt::format("the time limit of {:g} s was reached",
                      std::chrono::duration<double>(limit).count()),
          "", "time_limit"};
}

// One run of the loop.
class Run {
 public:
  Run(Transcript& transcript, const Setup& setup, const Emit& emit, std::stop_token outer,
      std::stop_token stop, Tab* tab)
      : transcript_(transcript),
        setup_(setup),
        emit_(emit),
        outer_(std::move(outer)),
        stop_(std::move(stop)),
        tab_(tab),
        offers_(offers_of(setup)),
        calls_(transcript, setup, emit, outer_) {}

  Ending go();

 private:
  // Nothing: it goes on.
  using Step = std::optional<End>;
  Result<Step> turn();
  Result<Step> take_inbox();
  Result<model::Reply> ask();
  Result<model::Reply> ask_with_room();
  Result<void> keep(model::Reply& reply);
  Result<Step> follow(const model::Reply& reply);
  Result<Step> without_calls(const model::Reply& reply);
  Result<void> tell_unread(const model::Reply& reply);
  Result<void> tell_model(std::string text);
  Step over_limit() const;
  void spend(const model::Usage& usage);
  std::string_view session() const { return transcript_.session(); }

  Transcript& transcript_;
  const Setup& setup_;
  const Emit& emit_;
  const std::stop_token outer_;  // somebody stops it
  const std::stop_token stop_;   // that, or its time is up
  Tab* const tab_;               // null: none
  const model::Offers offers_;
  Calls calls_;
  Ending ending_;
  std::set<std::string> warned_;  // of what concerns every turn
  int unread_ = 0, asked_for_form_ = 0;
  bool asked_for_words_ = false;
};

Ending Run::go() {
  for (;;) {
    Result<Step> step = turn();
    if (step && !*step) continue;
    if (step) {
      ending_.end = **step;
    } else {
      ending_.error = std::move(step).error();
      const bool is_cancelled = ending_.error->code == Code::cancelled;
      ending_.end = !is_cancelled             ? End::failed
                    : outer_.stop_requested() ? End::cancelled
                    : stop_.stop_requested()  ? End::time
                                              : End::failed;
    }
    break;
  }
  // Whoever only sees the error must not take it for somebody's wish.
  if (ending_.end == End::time) ending_.error = out_of_time(setup_.bounds.time);
  if (tab_) tab_->settle(ending_);
  ending_.calls = calls_.made();
  ending_.structured = calls_.structured() ? calls_.structured() : ending_.structured;
  return std::move(ending_);
}

Result<Run::Step> Run::turn() {
  if (Step blocked = TRY(take_inbox())) return blocked;
  if (!transcript_.is_unanswered()) return End::done;
  if (tab_) tab_->settle(ending_);
  if (Step over = over_limit()) return over;
  model::Reply reply = TRY(ask_with_room());
  TRY(keep(reply));
  return follow(reply);
}

// What was posted meanwhile goes before the next question to the model.
Result<Run::Step> Run::take_inbox() {
  for (store::Post& post : TRY(transcript_.inbox())) {
    const Result<Json> body = parse_json(post.body, {.bytes = store::kMaxEntryBytes});
    Result<model::Message> message =
        body ? model::message_from_json(*body) : Result<model::Message>(body.error());
    if (!message) message = model::user_message(post.body);
    session::Prompt prompt{post.sender, std::move(*message)};
    if (setup_.hooks) {
      const HookAnswer answer =
          setup_.hooks->before_prompt({setup_.who, model::text_of(prompt.message)}, stop_);
      for (const std::string& failure : answer.failures) emit_({session(), Warned{failure}});
      if (stop_.stop_requested()) return Error{Code::cancelled, "stopped"};
      if (answer.decision == HookAnswer::Decision::deny) {
        const std::string why = fmt::format("A hook blocked the prompt: {}", answer.reason);
        TRY(transcript_.add(session::Remark{why}, {.post = post.id}));
        ending_.error = Error{Code::denied, why, "do what the reason asks", "blocked_by_hook"};
        return End::failed;
      }
    }
    TRY(transcript_.add(prompt, {.post = post.id}));
    emit_({session(), PromptTaken{post.id, prompt}});
  }
  return Step();
}

Run::Step Run::over_limit() const {
  const Bounds& bounds = setup_.bounds;
  if (bounds.turns > 0 && ending_.turns >= bounds.turns) return End::turns;
  if (bounds.tokens > 0 && ending_.usage.context() >= bounds.tokens) return End::tokens;
  if (bounds.micro_dollars > 0 && ending_.micro_dollars >= bounds.micro_dollars) return End::cost;
  return std::nullopt;
}

void Run::spend(const model::Usage& usage) {
  ending_.usage += usage;
  const std::optional<std::int64_t> cost =
      setup_.cost ? setup_.cost(usage) : std::optional<std::int64_t>();
  ending_.micro_dollars += cost.value_or(0);
  ending_.is_priced = ending_.is_priced && cost;
}

Result<model::Reply> Run::ask_with_room() {
  const Result<Room> room = make_room(transcript_, setup_, false, emit_, stop_);
  if (!room && room.error().code == Code::cancelled) return room.error();
  if (room) spend(room->usage);
  // It may still fit.
  if (!room || room->failure)
    emit_({session(), Warned{describe(room ? *room->failure : room.error())}});
  Result<model::Reply> reply = ask();
  if (reply || reply.error().type != model::kContextOverflow) return reply;
  const Room more = TRY(make_room(transcript_, setup_, true, emit_, stop_));
  spend(more.usage);
  if (!more.made) return more.failure ? *more.failure : std::move(reply);
  return ask();
}

Result<model::Reply> Run::ask() {
  emit_({session(), ModelAsked{++ending_.turns}});
  const auto pass_on = [&](const model::Delta& delta) {
    if (const auto* text = std::get_if<model::TextDelta>(&delta))
      emit_({session(), TextAdded{text->text}});
    else if (const auto* thinking = std::get_if<model::ThinkingDelta>(&delta))
      emit_({session(), ThinkingAdded{thinking->text}});
    else if (const auto* call = std::get_if<model::CallDelta>(&delta))
      emit_({session(), CallShaped{call->index, call->name, call->arguments}});
    else if (const auto* retrying = std::get_if<model::Retrying>(&delta))
      emit_({session(), AnswerVoid{retrying->why, retrying->attempt, retrying->wait}});
  };
  return setup_.model->stream({.system = setup_.system,
                               .messages = transcript_.context(),
                               .tools = offers_,
                               .max_output_tokens = setup_.max_output_tokens,
                               .temperature = setup_.temperature,
                               .effort = setup_.effort,
                               .session = session()},
                              pass_on, stop_);
}

Result<void> Run::keep(model::Reply& reply) {
  for (std::string& note : reply.notes) {
    if (const auto [told, is_new] = warned_.insert(std::move(note)); is_new)
      emit_({session(), Warned{*told}});
  }
  transcript_.make_ids_unique(reply.message);
  session::Answer answer{.message = std::move(reply.message),
                         .stop = reply.stop,
                         .usage = reply.usage,
                         .model = reply.model,
                         .calls = {}};
  const std::int64_t before = ending_.micro_dollars;
  spend(reply.usage);
  const std::int64_t cost = ending_.micro_dollars - before;
  answer.calls.resize(model::calls_of(answer.message).size());
  for (std::string& id : answer.calls) id = sys::new_id("c_", transcript_.now_ms());
  const bool has_calls = !answer.calls.empty();
  // The last word of a run is to survive everything; what comes before, the death of the process.
  TRY(add_patiently(transcript_, answer,
                    {.spent = spent_of(reply.usage, cost),
                     .keep = has_calls ? store::Keep::process_death : store::Keep::power_loss},
                    emit_, outer_));  // it was paid for, also when the time is up
  ending_.text = model::text_of(answer.message);
  emit_({session(),
         AnswerGiven{answer, cost, ending_.is_priced, transcript_.tokens(), setup_.window}});
  return {};
}

Result<Run::Step> Run::follow(const model::Reply& reply) {
  const bool has_calls = !transcript_.open_calls().empty();
  if (reply.unread.empty() || has_calls) unread_ = 0;
  if (!has_calls) return without_calls(reply);
  if (reply.stop == model::Stop::refusal) {
    TRY(calls_.refuse_all({Code::denied, "not run: the answer was refused before it was complete",
                           "ask for something else", "refused"}));
    return End::refused;
  }
  if (reply.stop == model::Stop::length) {
    TRY(calls_.refuse_all({Code::too_large, "not run: your answer was cut off, so it may be wrong",
                           "write less at once: fewer calls, or a large text in parts",
                           "answer_cut"}));
  } else {
    TRY(calls_.run(stop_));
    if (stop_.stop_requested()) return outer_.stop_requested() ? End::cancelled : End::time;
    if (calls_.is_over()) return End::terminal;
    if (calls_.is_repeating()) return End::repetition;
  }
  // The results alone would look as if all was done.
  if (!reply.unread.empty()) TRY(tell_unread(reply));
  return Step();
}

Result<Run::Step> Run::without_calls(const model::Reply& reply) {
  if (!reply.unread.empty()) {
    if (++unread_ >= kMaxUnread)
      return Error{Code::internal,
                   fmt::format("the model wrote {} answers in a row that cannot be understood: {}",
                               unread_, reply.unread.front()),
                   "try another model, or `protocol: text`", "unreadable_calls"};
    TRY(tell_unread(reply));
    return Step();
  }
  if (reply.stop == model::Stop::refusal) return End::refused;
  if (reply.stop == model::Stop::length) return End::cut;
  // Somebody may have said something while it answered.
  if (!TRY(transcript_.inbox()).empty()) return Step();
  if (setup_.output_schema) {
    // It may be written where it was to be handed in.
    if (Result<Json> form = as_form(*setup_.output_schema, form_in(ending_.text))) {
      ending_.structured = std::move(*form);
      return End::done;
    }
    if (asked_for_form_++ == kMaxAskedForForm)
      return Error{Code::internal, "the model did not give its answer in the form asked for",
                   "try another model, or a simpler schema", "no_structured_answer"};
    TRY(tell_model(fmt::format("Give your answer by calling {}.", kHandIn)));
    return Step();
  }
  if (!trim(ending_.text).empty()) return End::done;
  // It happens after the results of calls, and whoever asked would stand there with nothing.
  if (!std::exchange(asked_for_words_, true)) {
    TRY(tell_model("Your answer was empty. Say what came of it, or make a call."));
    return Step();
  }
  emit_({session(), Warned{"the model gave an empty answer, also when it was asked once more"}});
  return End::done;
}

Result<void> Run::tell_unread(const model::Reply& reply) {
  std::string text =
      "Something in your answer looks like a tool call but cannot be read, and was not run:\n";
  for (const std::string& each : reply.unread) text += fmt::format("- {}\n", each);
  return tell_model(text + "Write it again in the right form, or answer without it.");
}

Result<void> Run::tell_model(std::string text) {
  emit_({session(), Warned{text}});
  return transcript_.add(
      session::Prompt{std::string(session::kHelve), model::user_message(std::move(text))});
}

}  // namespace

store::Spent spent_of(const model::Usage& usage, std::int64_t micro_dollars) {
  return {.input = usage.input,
          .output = usage.output,
          .cache_read = usage.cache_read,
          .cache_write = usage.cache_write,
          .micro_dollars = micro_dollars};
}

std::string_view name_of(End end) {
  switch (end) {
    case End::done:
      return "done";
    case End::terminal:
      return "terminal";
    case End::refused:
      return "refused";
    case End::cut:
      return "cut";
    case End::turns:
      return "turn_limit";
    case End::tokens:
      return "token_limit";
    case End::cost:
      return "cost_limit";
    case End::time:
      return "time_limit";
    case End::repetition:
      return "repetition";
    case End::cancelled:
      return "cancelled";
    case End::failed:
      return "failed";
  }
  return "";
}

void Tab::add(const Ending& other) {
  std::lock_guard lock(mutex_);
  usage_ += other.usage;
  micro_dollars_ += other.micro_dollars;
  is_priced_ = is_priced_ && other.is_priced;
}

void Tab::settle(Ending& bill) {
  std::lock_guard lock(mutex_);
  bill.usage += std::exchange(usage_, {});
  bill.micro_dollars += std::exchange(micro_dollars_, 0);
  bill.is_priced = bill.is_priced && std::exchange(is_priced_, true);
}

Ending run(Transcript& transcript, const Setup& setup, const Emit& emit, std::stop_token stop,
           Tab* tab) {
  Ending ending;
  if (setup.bounds.time.count() > 0) {
    dispatch::Deadlines deadlines;
    if (Result<void> started = deadlines.start(); !started) {
      ending.end = End::failed;
      ending.error = std::move(started).error();
    } else {
      const dispatch::Deadlines::Guard guard(
          deadlines, std::chrono::steady_clock::now() + setup.bounds.time, stop);
      ending = Run(transcript, setup, emit, stop, guard.token(), tab).go();
    }
  } else {
    ending = Run(transcript, setup, emit, stop, stop, tab).go();
  }
  if (setup.hooks && !ending.text.empty()) {
    const HookAnswer answer = setup.hooks->after_response({setup.who, ending.text}, stop);
    for (const std::string& failure : answer.failures)
      emit({transcript.session(), Warned{failure}});
  }
  emit({transcript.session(), RunEnded{ending}});
  return ending;
}

}  // namespace helve::agent
