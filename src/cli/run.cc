#include "cli/run.h"

#include <fmt/format.h>

#include <cmath>

#include "base/text.h"
#include "cli/flag_docs.h"
#include "cli/help.h"
#include "cli/parse.h"
#include "cli/progress_line.h"
#include "cli/render.h"
#include "cli/shell_words.h"
#include "schema/flags.h"

namespace helve::cli {
namespace {

constexpr std::string_view kUnknownResult = "unknown_id";  // as read_large_result says it

// What a running tool has to tell goes to standard error: warnings always, the rest with --verbose.
// The output of a command goes where the answer will go, unless that is cut or for programs; when
// nobody reads it any more, the call is to `end`.
class Teller final : public Listener {
 public:
  Teller(Screen& screen, const Options& options, std::stop_source end)
      : screen_(screen),
        line_(screen.err, screen.width),
        verbose_(options.verbose),
        shows_output_(!options.json && !options.cap),
        end_(std::move(end)) {}

  void progress(double done, std::optional<double> total, std::string_view message) override {
    if (!verbose_) {
      if (total) line_.show(done, *total, message);
      return;
    }
    const std::string of = total ? fmt::format("{}/{}", done, *total) : fmt::format("{}", done);
    tell(fmt::format("  … {} {}", of, message));
  }
  void log(Level level, std::string_view message) override {
    if (verbose_ || level >= Level::warning)
      tell(fmt::format("helve: {}: {}", name_of(level), message));
  }
  // The call has ended: what follows is its answer.
  void finish() { line_.clear(); }
  bool wants_output() const override { return shows_output_; }
  void output(std::string_view text) override {
    line_.clear();
    screen_.out.write(text);
    screen_.out.flush();
    if (!screen_.out.has_reader()) end_.request_stop();
  }

 private:
  void tell(std::string_view line) {
    line_.clear();
    screen_.err.write(escape_for_display(line) + "\n");
  }
  Screen& screen_;
  ProgressLine line_;
  bool verbose_;
  bool shows_output_;
  std::stop_source end_;
};

Form form_of(const Options& options) { return options.json ? Form::json : Form::text; }

Result<int> run_tool(const Parsed& parsed, Run& run) {
  if (!parsed.options.input) {
    const Json arguments = TRY(parse_arguments(run.program, *parsed.tool, parsed.words));
    return call_tool(run, parsed.tool->name, &arguments, {}, &*parsed.tool);
  }
  if (!parsed.words.empty()) return given_twice(parsed.words.front());
  const std::string raw = TRY(read_input(run));
  return call_tool(run, parsed.tool->name, nullptr, raw);
}

Result<void> check_required(const Command& command, const JsonObject& arguments) {
  for (const schema::Field& field : command.input->fields) {
    if (!field.required || arguments.contains(field.name)) continue;
    return Error{
        Code::invalid_argument,
        fmt::format("helve {} needs {}", command.name, usage_of(*command.input)),
        fmt::format("{}; helve {} --help tells more", schema::hint_of(field), command.name),
        "usage"};
  }
  return {};
}

Result<int> run_command(const Parsed& parsed, Run& run) {
  const Command& command = *parsed.command;
  const JsonObject arguments = TRY(parse_words(command.name, *command.input, parsed.words,
                                               [&] { return run.program.read("-"); }));
  TRY(check_required(command, arguments));
  return command.run(Json(arguments), run);
}

Result<int> run_parsed(const Parsed& parsed, Run& run) {
  if (parsed.options.version) return show_version(run);
  if (parsed.options.help || !parsed.group.empty()) return show_help(parsed, run);
  if (parsed.tool) return run_tool(parsed, run);
  if (parsed.command) return run_command(parsed, run);
  return run.program.overview(run);
}

}  // namespace

Result<std::string> read_input(Run& run) {
  Result<std::string> text = run.program.read(*run.options.input);
  if (!text) {
    text.error().message = "--input: " + text.error().message;
    if (text.error().hint.empty())
      text.error().hint = "name a file that can be read, or - for standard input";
  }
  return text;
}

Error given_twice(std::string_view argument) {
  return Error{Code::invalid_argument,
               fmt::format("--input gives all arguments, but '{}' is given too",
                           escape_for_display(argument)),
               "leave one of them out", "usage"};
}

Result<int> show_version(Run& run) {
  if (run.options.json)
    show_json(JsonObject{{"version", HELVE_VERSION}}, run.screen);
  else
    run.screen.out.write("helve " HELVE_VERSION "\n");
  return 0;
}

Result<int> show_help(const Parsed& about, Run& run) {
  const Page page{run.screen.width, run.screen.out.style};
  std::string text;
  if (about.command) {
    text = command_help(*about.command, page);
  } else {
    const Registry& registry = *TRY(run.program.tools());
    if (about.tool)
      text = tool_help(registry, *about.tool, page);
    else if (!about.group.empty())
      text = group_help(registry, about.group, page);
    else
      text = program_help(run.program, registry, page);
  }
  run.screen.out.write(text);
  return 0;
}

int call_tool(Run& run, std::string_view tool, const Json* arguments,
              std::string_view raw_arguments, const Named* by_flags) {
  const Options& options = run.options;
  Result<Session> session = run.program.open(options);
  if (!session) return show(session.error(), form_of(options), run.screen);
  std::stop_source end;
  const std::stop_callback on_stop(session->stop, [&] { end.request_stop(); });
  Teller teller(run.screen, options, end);
  std::optional<std::chrono::milliseconds> timeout;
  if (options.timeout)
    timeout = std::chrono::milliseconds(std::llround(std::ceil(*options.timeout * 1000)));
  dispatch::Outcome outcome = session->dispatcher.call(
      {.tool = tool,
       .arguments = arguments,
       .raw_arguments = raw_arguments,
       .caller = Caller::cli,
       .who = session->who,
       .named_session = options.session.has_value(),
       .policy = session->policy,
       .cap = options.cap ? dispatch::Cap::inline_limit : dispatch::Cap::none,
       .stop = end.get_token(),
       .timeout = timeout,
       .listener = &teller});
  teller.finish();
  if (outcome.error && outcome.error->code == Code::cancelled && !run.screen.out.has_reader())
    outcome.error->message = "standard output was closed, so the call was stopped";
  // A command line without --session is a session of its own, where nothing can be stored yet.
  if (outcome.error && outcome.error->type == kUnknownResult && !options.session)
    outcome.error->hint = "pass the --session that it belongs to; helve log --json shows it";
  // Programs find the names that every other surface has.
  if (outcome.error && by_flags && !options.json)
    outcome.error =
        in_shell_words(session->dispatcher.registry(), *by_flags, std::move(*outcome.error));
  return show(outcome, form_of(options), run.screen);
}

int run(const Program& program, std::span<const std::string> words, Screen& screen,
        const std::function<void(const Options&, Screen&)>& finish_screen) {
  const Result<Parsed> parsed = parse(program, words);
  if (finish_screen) finish_screen(parsed ? parsed->options : Options{}, screen);
  if (!parsed) return show(parsed.error(), asks_for_json(words) ? Form::json : Form::text, screen);
  Run run{program, parsed->options, screen};
  const Result<int> code = run_parsed(*parsed, run);
  return code ? *code : show(code.error(), form_of(parsed->options), screen);
}

}  // namespace helve::cli
