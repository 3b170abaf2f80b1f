#include "dispatch/dispatcher.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "dispatch/allowed_tools.h"
#include "dispatch/arguments.h"
#include "dispatch/cap.h"
#include "dispatch/deadlines.h"
#include "dispatch/nested_calls.h"
#include "schema/validate.h"
#include "sys/clock.h"
#include "sys/id.h"
#include "sys/memory.h"

namespace helve::dispatch {

using std::chrono::steady_clock;

// Bytes; the memory that such an answer took is given back: an idle server is to be small again.
constexpr size_t kLargeAnswer = 4u << 20;

struct Dispatcher::Passage {
  const Call& call;
  Outcome& outcome;
  AllowedTools inventory;
  Registry::Found found = {};
  const Json* arguments = nullptr;  // canonical names; points into the call or to `own`
  Json own = {};
  std::unique_ptr<Bound> bound = {};
  Effect effect = Effect::read;
  bool only_reads = true;
  CallRecord record = {};
  bool begun = false;  // the intent is on disk
  bool ran = false;
  std::optional<Allowed> allowed_inside;  // of the call that it makes
  size_t output_bytes = 0;                // before anything is cut

  const Tool& tool() const { return *found.tool; }
};

Dispatcher::Dispatcher(const Registry& registry, Capabilities capabilities, Stages stages)
    : registry_(registry),
      capabilities_(std::move(capabilities)),
      stages_(std::move(stages)),
      own_(registry, {}, grants_),
      deadlines_(std::make_unique<Deadlines>()) {}
Dispatcher::~Dispatcher() = default;

namespace {

const sys::RealClock kRealClock;

Error forbidden(const Tool& tool, std::string_view why) {
  return Error{Code::denied, fmt::format("tool '{}' is denied: {}", tool.spec.name, why),
               "use another tool, or change that rule", "forbidden_tool"};
}

// As in Allowed::call.
std::string name_of(const Tool& tool, const Bound& bound) {
  return fmt::format("{} {}", tool.spec.name, bound.arguments());
}

Case case_of(const Identity& who, const Tool& tool, const Bound& bound,
             const Policy::Decision& decision, const Context& context) {
  Case wanted{.who = who,
              .tool = tool,
              .effect = bound.effect(),
              .bound = bound,
              .demand = bound.demand(context),
              .script = {},
              .asked_by = decision.verdict == Verdict::ask ? decision.reason : ""};
  wanted.script = analysis_of(wanted.demand);
  return wanted;
}

std::string how_to_list_tools(Caller caller) {
  switch (caller) {
    case Caller::mcp:
      return "tools/list has them";
    case Caller::model:
      return "use one of the tools that you were given";
    default:
      return "`helve tools` lists the tools";
  }
}

// Runs a stage that calls foreign code. No exception leaves it.
template <class Work>
auto guarded(std::string_view name, Work work) -> decltype(work()) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return Error{Code::unavailable, fmt::format("tool '{}' ran out of memory", name),
                 "ask for less at once"};
  } catch (const std::exception& exception) {
    return Error{Code::internal, fmt::format("tool '{}' threw: {}", name, exception.what()),
                 "this is a fault of the tool"};
  } catch (...) {
    return Error{Code::internal, fmt::format("tool '{}' threw something unknown", name),
                 "this is a fault of the tool"};
  }
}

// Runs a stage after the tool: what it did stands, so a failure here is only told.
template <class Work>
void attempted(std::string_view stage, Outcome& outcome, Work work) {
  try {
    work();
  } catch (const std::exception& exception) {
    outcome.notes.push_back(fmt::format("{} failed: {}", stage, exception.what()));
  } catch (...) {
    outcome.notes.push_back(fmt::format("{} failed", stage));
  }
}

void note_repairs(const std::vector<std::string>& repairs, Outcome& outcome) {
  for (const std::string& repair : repairs)
    outcome.notes.push_back("arguments repaired: " + repair);
}

// How whoever called reads an answer that is kept. A command line is a session of its own, so it
// has to name this one.
std::string reader_of(const Call& call, const Results::Stored& stored) {
  if (call.caller != Caller::cli)
    return fmt::format(R"(read_large_result {{"id":"{}","page":1}})", stored.id);
  const std::string& session = call.who.session;
  const bool is_word = std::ranges::all_of(
      session, [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '-'; });
  return fmt::format("helve --session {} results read-large-result {}",
                     is_word ? session : shell_quoted(session), stored.id);
}

// What a tool from outside returned, as one line of JSON that fits the schema it declared.
Result<std::string> checked_output(const Tool& tool, const std::string& json) {
  auto broken = [&](const Error& error) {
    return Error{
        Code::internal,
        fmt::format("the output of '{}' breaks its own schema: {}", tool.spec.name, error.message),
        "this is a fault of the tool", "invalid_output", error.details};
  };
  if (json.empty() && tool.output_schema_json.empty()) return json;
  Result<Json> value = parse_json(json);
  if (!value) return broken(value.error());
  if (!tool.output_schema_json.empty()) {
    const auto problems = schema::validate(tool.output_schema_json, *value);
    if (!problems.empty()) return broken(schema::to_error(problems));
  }
  return to_text(*value);
}

}  // namespace

Outcome Dispatcher::call(const Call& call) {
  Outcome outcome;
  Passage passage{call, outcome, {registry_, call.policy}};
  const bool observed = stages_.recorder || stages_.on_outcome;
  const auto started = observed ? steady_clock::now() : steady_clock::time_point{};

  Result<Product> result = guarded(call.tool, [&] { return pass(passage); });
  if (stages_.hooks && passage.ran)
    attempted("after-hooks", outcome, [&] { run_after_hooks(passage, result); });
  if (result)
    outcome.product = std::move(*result);
  else
    outcome.error = std::move(result).error();
  passage.output_bytes = outcome.product.json.size();
  if (call.cap == Cap::inline_limit && stages_.results && outcome.ok())
    attempted("keeping the whole answer", outcome, [&] { cap(call, passage.effect, outcome); });
  if (passage.output_bytes > kLargeAnswer) sys::give_back_memory();

  if (observed) outcome.duration = steady_clock::now() - started;
  if (stages_.recorder) attempted("recording", outcome, [&] { record_outcome(passage); });
  // What a tool calls has no reader: its caller is told with the tool's own answer.
  const bool is_read = call.caller != Caller::pipe;
  if (stages_.notices && is_read && outcome.tool && stages_.notices->has_any())
    attempted("telling what has ended", outcome, [&] { add_notices(call, outcome); });
  if (stages_.on_outcome)
    attempted("showing the call", outcome, [&] { stages_.on_outcome(call, outcome); });
  return outcome;
}

Result<Product> Dispatcher::pass(Passage& passage) {
  const Call& call = passage.call;
  if (stages_.recorder || stages_.on_outcome || stages_.hooks) {
    const sys::Clock& clock =
        capabilities_.clock ? *capabilities_.clock : static_cast<const sys::Clock&>(kRealClock);
    passage.record.started_ms = clock.unix_ms();
    passage.outcome.call_id =
        call.id.empty() ? sys::new_id("c_", passage.record.started_ms) : std::string(call.id);
  }
  Result<Registry::Found> found = registry_.resolve(call.tool);
  if (!found) {
    if (found.error().hint.empty()) found.error().hint = how_to_list_tools(call.caller);
    return std::move(found).error();
  }
  passage.found = *found;
  const Tool& tool = *(passage.outcome.tool = passage.found.tool);
  passage.effect = tool.spec.effect;  // until the arguments tell more
  if (call.policy) {
    const size_t index = registry_.index_of(tool);
    if (!call.policy->allows(index)) return forbidden(tool, call.policy->reason(index));
  }

  if (call.arguments && call.arguments->is_object()) {
    passage.arguments = call.arguments;
  } else {
    Arguments parsed = TRY(parse_arguments(call.arguments, call.raw_arguments));
    passage.own = std::move(parsed.value);
    passage.arguments = &passage.own;
    note_repairs(parsed.repairs, passage.outcome);
  }
  const Dialect::Entry* const dialect = passage.found.dialect;
  Json given;  // the caller's own words, when they are not in the call
  const Json* words = passage.arguments;
  if (dialect) {
    JsonObject canonical = TRY(to_canonical(*dialect, words->get_object()));
    if (words == &passage.own) {
      given = std::move(passage.own);
      words = &given;
    }
    passage.own = std::move(canonical);
    passage.arguments = &passage.own;
  }
  std::vector<std::string> repairs;
  Result<std::unique_ptr<Bound>> bound =
      bind_arguments(tool, passage.arguments, passage.own, repairs);
  note_repairs(repairs, passage.outcome);
  if (stages_.on_call) stages_.on_call(call, to_text(*passage.arguments));
  if (!bound)
    return dialect ? in_dialect(*dialect, bound.error(), words->get_object())
                   : std::move(bound).error();
  passage.bound = std::move(*bound);
  if (stages_.hooks) TRY(run_before_hooks(passage));
  passage.effect = passage.bound->effect();
  Context context = context_of(passage);
  TRY(ask_policy(passage, context));
  context.only_reads = passage.only_reads;
  if (call.stop.stop_requested()) return Error{Code::cancelled, "the call was cancelled"};

  if (call.timeout || stages_.timeout) TRY(deadlines_->start());
  const bool may_act = !passage.only_reads || tool.spec.delegates;
  if (stages_.recorder && may_act) TRY(record_intent(passage));
  passage.ran = true;
  Result<Product> product = run(passage, context);
  if (!product && capabilities_.no_files && product.error().type == "no_files")
    return *capabilities_.no_files;
  if (!product) {
    if (const Dialect::Entry* const theirs = words_of(passage))
      product.error().hint = in_their_words(*theirs, product.error().hint);
  }
  if (product && !tool.output) product->json = TRY(checked_output(tool, product->json));
  return product;
}

Policy::Decision Dispatcher::decide(const Call& call, const Tool& tool, Effect effect) const {
  if (!call.policy) return {Verdict::allow, ""};
  const size_t index = registry_.index_of(tool);
  if (!call.policy->allows(index)) return {Verdict::deny, std::string(call.policy->reason(index))};
  if (call.policy->decides_plainly()) return {Verdict::allow, ""};
  return call.policy->decide(index, effect);
}

Result<void> Dispatcher::ask_policy(Passage& passage, const Context& context) {
  const Tool& tool = passage.tool();
  const Call& call = passage.call;
  const Policy::Decision decision = decide(call, tool, passage.effect);
  if (decision.verdict == Verdict::deny) return forbidden(tool, decision.reason);
  Case wanted = case_of(call.who, tool, *passage.bound, decision, context);
  const Demand& demand = wanted.demand;
  if (call.allowed && call.allowed->call == name_of(tool, *passage.bound))
    wanted.allowed_by = call.allowed->by;
  const InnerCall inner = bind_inner(registry_, demand);
  std::optional<Case> inner_case;
  if (inner.tool) {
    const Policy::Decision about = decide(call, *inner.tool, inner.bound->effect());
    if (about.verdict != Verdict::deny)
      inner_case.emplace(case_of(call.who, *inner.tool, *inner.bound, about, context));
  }
  if (inner_case) wanted.inner = &*inner_case;
  passage.only_reads = only_reads(wanted);
  Approvals::Ruling ruling;
  Result<void> permitted =
      (stages_.approvals ? *stages_.approvals : own_)
          .permit(wanted,
                  {.approver = call.approver ? call.approver : stages_.approver,
                   .deadlines = *deadlines_,
                   .stop = call.stop},
                  ruling);
  if (ruling.allows_inner)
    passage.allowed_inside = {name_of(*inner.tool, *inner.bound), ruling.decided};
  passage.record.decided = std::move(ruling.decided);
  // Where it ran is to be known later, whoever allowed it.
  for (size_t i = 0; permitted && i < demand.beyond.size(); ++i)
    passage.record.decided += (passage.record.decided.empty() ? "" : ", ") + demand.beyond[i];
  std::ranges::move(ruling.notes, std::back_inserter(passage.outcome.notes));
  return permitted;
}

Result<void> Dispatcher::run_before_hooks(Passage& passage) {
  const Tool& tool = passage.tool();
  HookAnswer answer =
      stages_.hooks->before({passage.call.who, passage.outcome.call_id, passage.call.caller,
                             tool.spec.name, *passage.arguments, passage.bound->effect()},
                            passage.call.stop);
  for (std::string& failure : answer.failures) passage.outcome.notes.push_back(std::move(failure));
  if (answer.decision == HookAnswer::Decision::deny) {
    return Error{Code::denied,
                 fmt::format("a hook blocked '{}': {}", tool.spec.name,
                             answer.reason.empty() ? "no reason given" : answer.reason),
                 "do what the reason asks, or try another way", "blocked_by_hook"};
  }
  // A hook that was cut short has not agreed to anything.
  if (passage.call.stop.stop_requested()) return Error{Code::cancelled, "the call was cancelled"};
  if (answer.arguments) {
    passage.own = std::move(*answer.arguments);
    passage.arguments = &passage.own;
    passage.outcome.notes.push_back("a hook changed the arguments");
    Result<std::unique_ptr<Bound>> bound = tool.bind(passage.own);
    if (!bound) {
      bound.error().message = "a hook's rewrite is wrong: " + bound.error().message;
      return std::move(bound).error();
    }
    passage.bound = std::move(*bound);
  }
  return {};
}

void Dispatcher::run_after_hooks(Passage& passage, Result<Product>& result) {
  const std::string text = result ? text_of(result->content) : describe(result.error());
  HookCall hooked{passage.call.who,
                  passage.outcome.call_id,
                  passage.call.caller,
                  passage.tool().spec.name,
                  *passage.arguments,
                  passage.effect,
                  text,
                  !result.has_value()};
  HookAnswer answer = stages_.hooks->after(hooked, passage.call.stop);
  if (passage.effect != Effect::read && capabilities_.after_hooks) {
    capabilities_.after_hooks(passage.outcome.call_id);
  }
  for (std::string& failure : answer.failures) passage.outcome.notes.push_back(std::move(failure));
}

// A name that a dialect shares with us does not tell whose other names the caller knows.
const Dialect::Entry* Dispatcher::words_of(const Passage& passage) const {
  const Dialect::Entry* const entry = passage.found.dialect;
  if (!entry || entry->name != entry->tool) return entry;
  const auto is_it = [&](const Dialect::Entry& each) { return &each == entry; };
  const bool is_listed =
      capabilities_.dialect && std::ranges::any_of(capabilities_.dialect->entries, is_it);
  return is_listed ? entry : nullptr;
}

Context Dispatcher::context_of(const Passage& passage) const {
  const Call& call = passage.call;
  return {.who = call.who,
          .caller = call.caller,
          .tool = passage.tool().spec.name,
          .call_id = passage.outcome.call_id,
          .named_session = call.named_session,
          .wants_written = call.wants_written,
          .stop = call.stop,
          .files = capabilities_.files,
          .index = capabilities_.index,
          .witness = capabilities_.witness,
          .results = stages_.results,
          .commands = capabilities_.commands,
          .library = capabilities_.library,
          .agents = capabilities_.agents,
          .memories = capabilities_.memories,
          .clock = capabilities_.clock,
          .guidance = capabilities_.guidance,
          .inventory = &passage.inventory,
          .listener = call.listener,
          .dialect = words_of(passage)};
}

Result<Product> Dispatcher::run(Passage& passage, Context& context) {
  const Call& call = passage.call;
  std::shared_ptr<store::CallStore> store;
  if (capabilities_.store) {
    store = capabilities_.store();
    context.store = store.get();
  }
  NestedCalls calls(*this, call, passage.allowed_inside ? &*passage.allowed_inside : nullptr,
                    context);
  context.calls = &calls;
  auto run = [&] {
    return guarded(passage.tool().spec.name, [&] { return passage.bound->run(context); });
  };
  const std::optional<std::chrono::milliseconds> timeout =
      call.timeout ? call.timeout : stages_.timeout;
  if (!timeout) return run();

  context.deadline = steady_clock::now() + *timeout;
  Deadlines::Guard guard(*deadlines_, *context.deadline, call.stop);
  context.stop = guard.token();
  Result<Product> product = run();
  const bool ran_out = !product && product.error().code == Code::cancelled &&
                       !call.stop.stop_requested() && steady_clock::now() >= *context.deadline;
  if (ran_out) {
    return Error{
        Code::timeout,
        fmt::format("'{}' did not finish within {} ms", passage.tool().spec.name, timeout->count()),
        "ask for less, or allow more time"};
  }
  return product;
}

void Dispatcher::cap(const Call& call, Effect effect, Outcome& outcome) {
  Limits limits = outcome.tool->spec.limits;
  // A tool that states a limit of its own has a reason for it.
  if (stages_.inline_chars && limits.inline_chars == Limits{}.inline_chars)
    limits.inline_chars = *stages_.inline_chars;
  Product& product = outcome.product;
  size_t bytes = 0;
  for (const Content& block : product.content) {
    if (const auto* text = std::get_if<TextContent>(&block)) bytes += text->text.size();
  }
  if (bytes <= limits.inline_chars && product.json.size() <= 2 * limits.inline_chars) return;

  std::string text = text_of(product.content);
  const bool is_short = count_chars(text) <= limits.inline_chars;
  if (is_short) {
    if (product.json.size() <= 2 * limits.inline_chars) return;
    text = product.json;  // little to read, but a large value
  }
  if (text.size() > limits.capture_bytes) {
    outcome.notes.push_back(
        fmt::format("only the first {} of {} bytes were kept", limits.capture_bytes, text.size()));
    text.resize(cut_utf8(text, limits.capture_bytes).size());
  }
  Result<Results::Stored> stored =
      stages_.results->keep(call.who.session, outcome.tool->spec.name, effect, text);
  std::string shown, reader;
  if (stored) {
    reader = reader_of(call, *stored);
    shown = stub_text(*stored, text, limits.preview_chars, reader);
    outcome.stored = std::move(*stored);
  } else {
    outcome.notes.push_back("the whole answer could not be kept: " + describe(stored.error()));
    shown = preview(text, limits.inline_chars);
  }
  Shrunk shrunk = shrink_json(product.json, outcome.tool->output_schema(), limits.inline_chars);
  product.json = std::move(shrunk.json);
  if (!shrunk.left_out.empty()) {
    outcome.notes.push_back(
        fmt::format("the structured value leaves out {}{}", shrunk.left_out,
                    outcome.stored ? fmt::format("; {} reads the whole answer", reader) : ""));
  }
  if (is_short) return;
  std::erase_if(product.content,
                [](const Content& block) { return std::holds_alternative<TextContent>(block); });
  product.content.insert(product.content.begin(), TextContent{std::move(shown)});
}

void Dispatcher::describe_call(Passage& passage) {
  CallRecord& record = passage.record;
  record.id = passage.outcome.call_id;
  record.who = passage.call.who;
  record.caller = passage.call.caller;
  record.tool =
      passage.outcome.tool ? passage.outcome.tool->spec.name : preview(passage.call.tool, 80);
  record.effect = passage.effect;
  if (passage.arguments) {
    record.arguments = to_text(*passage.arguments, kMaxRecordedArguments);
  }
}

// Before the call runs: after a crash the record must show what was attempted.
Result<void> Dispatcher::record_intent(Passage& passage) {
  describe_call(passage);
  passage.record.outcome = "running";
  if (Result<void> begun = stages_.recorder->begin(passage.record); !begun) {
    Error error = std::move(begun).error();
    error.message = fmt::format("'{}' was not run, because it cannot be recorded: {}",
                                passage.tool().spec.name, error.message);
    error.type = error.type_name();
    error.code = Code::unavailable;  // whatever is wrong with the store, the call is not
    return error;
  }
  passage.begun = true;
  return {};
}

void Dispatcher::record_outcome(Passage& passage) {
  if (!passage.begun) describe_call(passage);
  const Outcome& outcome = passage.outcome;
  CallRecord& record = passage.record;
  record.duration_us =
      std::chrono::duration_cast<std::chrono::microseconds>(outcome.duration).count();
  record.outcome = outcome.error ? outcome.error->type_name() : "ok";
  if (outcome.error) record.message = preview(outcome.error->message, 500);
  record.output_bytes = passage.output_bytes;
  if (passage.begun)
    stages_.recorder->finish(record);
  else
    stages_.recorder->note(std::move(record));
}

void Dispatcher::add_notices(const Call& call, Outcome& outcome) {
  Notices::Taken taken = stages_.notices->take(call.who, call.caller);
  if (taken.ids.empty()) return;
  outcome.telling =
      std::make_unique<Telling>(*stages_.notices, call.who.session, std::move(taken.ids));
  std::ranges::move(taken.lines, std::back_inserter(outcome.notes));
}

}  // namespace helve::dispatch
