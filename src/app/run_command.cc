// helve run: one prompt, answered by an agent with its tools.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <stop_token>

#include "app/app.h"
#include "app/model_input.h"
#include "app/piped_input.h"
#include "app/run_printer.h"
#include "app/session_choice.h"
#include "app/staff.h"
#include "base/text.h"
#include "schema/validate.h"
#include "sys/file.h"

namespace helve::app {
namespace {

constexpr size_t kMaxSchema = 1u << 20;  // bytes
constexpr int kStandardInput = 0;

struct RunInput : ModelInput {
  std::vector<std::string> prompt;
  std::string output_schema;
  bool continue_ = false;
  std::optional<std::int64_t> turns, tokens;
  std::optional<double> cost, time;

  static constexpr auto schema() {
    using schema::opt;
    return schema::joined(
        schema::object(
            "Let an agent work on one prompt and print its answer",
            opt<&RunInput::prompt>("What it is to do; what is piped in is added below, or where - "
                                   "stands")
                .positional(),
            opt<&RunInput::output_schema>("JSON Schema file that the answer must fit").file(),
            opt<&RunInput::continue_>("Go on with the last session of this workspace")
                .shorthand('c'),
            opt<&RunInput::turns>("Replies of the model at most").min(1).max(100'000),
            opt<&RunInput::tokens>("Tokens at most").min(1).max(config::kMaxTokens),
            opt<&RunInput::cost>("Dollars at most")
                .min_number(0.0001)
                .max_number(config::kMaxDollars),
            opt<&RunInput::time>("Seconds at most")
                .min_number(0.001)
                .max_number(config::kMaxSeconds)),
        ModelInput::schema());
  }
};

constexpr std::string_view kDetails =
    "The answer goes to standard output, what happens on the way to standard error; with --json "
    "every event is a line of JSON. Without a prompt, what was left unanswered in the session is "
    "(--session or --continue). Nothing but reading is done without being asked for, unless a rule "
    "or --approvals off allows it. The exit code is 0 when the work was done, 8 when a limit ended "
    "it, 5 when the model refused, else that of the error.";

std::string silence() {
  return fmt::format(
      "helve: note: nothing came on standard input within {} s, so it is left out; - waits for it, "
      "< /dev/null says that there is none\n",
      std::chrono::duration_cast<std::chrono::seconds>(kPipePatience).count());
}

Result<std::string> prompt_of(const RunInput& in, const cli::Run& run,
                              const std::stop_token& stop) {
  std::string prompt;
  for (const std::string& word : in.prompt) {
    if (!prompt.empty()) prompt += ' ';
    prompt += word == "-" ? "\n\n" + TRY(run.program.read("-")) : word;
  }
  prompt = trim(prompt);
  if (std::ranges::find(in.prompt, "-") != in.prompt.end()) return prompt;
  Piped piped = TRY(read_piped(kStandardInput, kPipePatience, stop));
  if (piped.is_silent) run.screen.err.write(silence());
  if (trim(piped.text).empty()) return prompt;
  if (piped.text.ends_with('\n')) piped.text.pop_back();
  if (prompt.empty()) return piped.text;
  return fmt::format("{}\n\n<stdin>\n{}\n</stdin>", prompt, piped.text);
}

Result<std::optional<JsonObject>> read_schema(const std::string& file) {
  if (file.empty()) return std::nullopt;
  const std::string text = TRY(sys::read_file(file, kMaxSchema));
  Result<Json> schema = parse_json(text);
  Result<void> checked =
      !schema                ? Result<void>(schema.error())
      : !schema->is_object() ? Result<void>(Error{Code::invalid_argument, "it is no object"})
      : string_at(*schema, "type") != "object"
          ? Result<void>(Error{Code::invalid_argument, "its `type` is not \"object\""})
          : schema::check_schema(*schema);
  if (!checked)
    return Error{Code::invalid_argument,
                 fmt::format("'{}' is no JSON Schema: {}", escape_for_display(file),
                             checked.error().message),
                 "it must describe an object: {\"type\": \"object\", \"properties\": …}", "usage"};
  return schema->get_object();
}

int status_of(const agent::Ending& ending) {
  using agent::End;
  if (ending.error) return exit_code(ending.error->code);
  switch (ending.end) {
    case End::done:
    case End::terminal:
      return 0;
    case End::refused:
      return exit_code(Code::denied);
    case End::time:
      return exit_code(Code::timeout);
    case End::cancelled:
      return exit_code(Code::cancelled);
    default:
      return exit_code(Code::partial);
  }
}

Result<int> run_prompt(const RunInput& in, App& app, cli::Run& run) {
  const std::stop_token signals = TRY(app.watch_signals(exit_code(Code::cancelled)));
  const std::string prompt = TRY(prompt_of(in, run, signals));
  const bool resumes = in.continue_ || run.options.session;
  if (prompt.empty() && !resumes)
    return Error{Code::invalid_argument, "there is no prompt",
                 "helve run \"what it is to do\"; it may also come through a pipe", "usage"};
  const std::optional<JsonObject> form = TRY(read_schema(in.output_schema));
  std::stop_source end;
  const std::stop_callback on_signal(signals, [&] { end.request_stop(); });
  const std::stop_token stop = end.get_token();
  World& world = *TRY(app.open(run.options, Purpose::agent));

  RunPrinter printer(run.screen, *world.registry,
                     {.as_json = run.options.json,
                      .only_structured = form.has_value(),
                      .on_no_reader = [&] { end.request_stop(); }});
  Staff& staff =
      *TRY(app.hire({.model = in.flags(),
                     .emit = [&](const agent::Event& event) { printer.show(event); },
                     .adjust =
                         [&](const store::Conversation& conversation, agent::Setup& setup) {
                           const bool is_main = conversation.parent.empty();
                           if (is_main) setup.output_schema = form;
                           if (is_main && in.turns)
                             setup.bounds.turns = static_cast<int>(*in.turns);
                           // Those of sub-agents are spent for the same prompt.
                           if (in.tokens) setup.bounds.tokens = *in.tokens;
                           if (in.cost) setup.bounds.micro_dollars = std::llround(*in.cost * 1e6);
                           if (in.time)
                             setup.bounds.time = std::chrono::milliseconds(
                                 static_cast<std::int64_t>(*in.time * 1000));
                         }}));
  const std::string& agent = world.home->who.agent;
  const ChosenSession chosen = TRY(choose_session(in.continue_, run.options, world, staff, stop));
  if (!chosen.is_known) {
    if (prompt.empty())
      return Error{Code::not_found, fmt::format("no session '{}'", chosen.session),
                   "`helve sessions list` has those that there are", "unknown_session"};
    TRY(staff.begin(chosen.session, agent, agent::title_of(prompt), "run"));
  }
  printer.begin(chosen.session);
  const std::shared_ptr<agent::Work> work =
      prompt.empty() ? staff.runner().resume(chosen.session, agent::Lane::main)
                     : TRY(staff.runner().post(
                           {.session = chosen.session, .message = model::user_message(prompt)}));
  // In the thread that finds nobody reading: before that asks the model for more.
  std::optional<std::stop_callback<std::function<void()>>> at_once(
      std::in_place, stop, [&] { staff.runner().stop(chosen.session); });
  agent::Ending ending = staff.runner().see_through(*work, "", stop);
  // What runs in the background tells this session its end, and that is answered as well.
  for (auto others = staff.runner().at_work(); !others.empty(); others = staff.runner().at_work()) {
    for (const std::shared_ptr<agent::Work>& other : others) {
      agent::Ending last = staff.runner().see_through(*other, "", stop);
      if (other->session() == chosen.session) ending = std::move(last);
    }
  }
  at_once.reset();
  world.staff.reset();  // nobody tells anything from here on
  printer.finish(ending);
  return status_of(ending);
}

}  // namespace

cli::Command run_command(App& app) {
  return cli::make_command<RunInput>(
      "run", kDetails,
      {{"With a model of a local server", "helve run --provider ollama \"What is this project?\""},
       {"With a file, or what comes through a pipe", "helve run \"Review this\" < change.diff"},
       {"As data", "helve run --output-schema bug.json \"Find a bug\""}},
      [&app](const RunInput& in, cli::Run& run) { return run_prompt(in, app, run); });
}

}  // namespace helve::app
