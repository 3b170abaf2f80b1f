// exec: runs a command in the sandbox, to its end or in the background.
#include <fmt/format.h>

#include <map>

#include "base/text.h"
#include "process/foreground.h"
#include "process/numbers.h"
#include "process/shell_scripts.h"
#include "sys/stream.h"
#include "tool/make.h"
#include "tools/command_demand.h"
#include "tools/command_limits.h"
#include "tools/command_output.h"
#include "tools/command_route.h"
#include "tools/command_watch.h"
#include "tools/exec_trial.h"
#include "tools/files.h"

namespace helve::tools {
namespace {

using process::Running;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::int64_t kMaxVariables = 200;
constexpr std::int64_t kMaxInput = 16 << 20;  // characters
constexpr std::int64_t kMaxSide = 1000;       // of a terminal
constexpr size_t kProgressChars = 2000;

enum class Shell : unsigned char { sh, bash };

struct ExecInput {
  std::string command;
  bool dry_run = false;
  std::optional<std::string> apply, discard;
  std::optional<std::string> workdir;
  std::map<std::string, std::string> env;
  std::optional<std::string> input;
  bool background = false;
  std::optional<double> timeout;
  std::optional<std::int64_t> timeout_ms;
  std::optional<std::int64_t> yield_ms;
  bool keep_directory = false;
  bool network = false;
  bool full = false;
  std::optional<Shell> shell;
  bool terminal = false;
  std::int64_t rows = 24;
  std::int64_t columns = 80;

  Leave leave() const { return {.network = network, .full = full}; }
  shell::Reader reader(const process::Settings& settings) const {
    const bool is_bash_run =
        keep_directory || (shell ? shell == Shell::bash : is_bash(settings.shell));
    return is_bash_run ? shell::Reader::bash : shell::Reader::any_shell;
  }
  Result<void> check() const {
    const int wishes = !command.empty() + apply.has_value() + discard.has_value();
    if (wishes != 1)
      return Error{
          Code::invalid_argument,
          wishes == 0 ? "there is no command" : "a command, apply and discard exclude each other",
          "give exactly one of command, apply and discard", "invalid_input"};
    if (dry_run && (background || yield_ms || keep_directory || full))
      return Error{Code::invalid_argument,
                   "dry_run goes with neither background, yield_ms, keep_directory nor full",
                   "run it to its end to see what it would change", "invalid_input"};
    return command.empty() ? Result<void>() : check_command(command);
  }
  Demand demand(const Context& context) const {
    if (apply && context.commands && context.files)
      return {.about = [this, &context] { return about_trial(*apply, context); },
              .is_unique = true};
    if (command.empty()) return {};
    Demand demand = command_demand(command, env);
    demand.is_particular = dry_run || input || workdir || terminal;
    demand.is_fed = input.has_value();
    demand.follows = keep_directory && !workdir;
    if (!context.commands) return demand;
    const process::Settings& settings = context.commands->settings();
    demand.is_confined = settings.policy.level != sandbox::Level::full;
    demand.directory = start_elsewhere(context);
    demand.bash = reader(settings) == shell::Reader::bash;
    demand.beyond = ways_out(leave(), settings.policy);
    const auto routed = find_route(command, settings.routes, reader(settings));
    if (routed && *routed) demand.beyond = {std::string(kBeyondHost) + (*routed)->route->name};
    return demand;
  }
  // The directory that it starts in, where that is not the workspace's.
  std::string start_elsewhere(const Context& context) const;
  static constexpr auto schema() {
    return object(
        "Run a shell command in a sandbox: it writes only in the workspace and a private /tmp, and "
        "has no network unless the settings allow it. Standard input is empty, output and errors "
        "come together in the order in which they were written. When it ends, everything it "
        "started ends. Long output is shown by its beginning and end; the whole can be read by its "
        "id.",
        opt<&ExecInput::command>("What to run, as a shell takes it").positional(),
        opt<&ExecInput::dry_run>(
            "Run it over a copy of the workspace and tell what it would change, as a diff; `apply` "
            "then makes that real")
            .shorthand('n'),
        opt<&ExecInput::apply>(
            "Instead of a command: make real what this trial would change, all or nothing; "
            "refused where something changed meanwhile")
            .min_length(1),
        opt<&ExecInput::discard>("Instead of a command: drop this trial").min_length(1),
        opt<&ExecInput::workdir>("Directory to run in; default: the workspace")
            .directory()
            .min_length(1)
            .shorthand('C'),
        opt<&ExecInput::env>("Variables besides the usual ones").max_length(kMaxVariables),
        opt<&ExecInput::input>("Text for its standard input").from_stdin().max_length(kMaxInput),
        opt<&ExecInput::background>("Do not wait: you are told when it has ended; `process` tells "
                                    "how it goes and writes to "
                                    "its standard input")
            .shorthand('b'),
        opt<&ExecInput::timeout>("Seconds; then it is ended with all it started. Default 1800; "
                                 "less than 10 is taken as 10")
            .min_number(0)
            .max_number(1e12)
            .shorthand('t'),
        opt<&ExecInput::timeout_ms>("Milliseconds; then it is ended with all it started").min(0),
        opt<&ExecInput::yield_ms>("Wait this long; when it still runs then, it goes on in the "
                                  "background and you are told "
                                  "when it has ended")
            .min(0)
            .max(86'400'000),
        opt<&ExecInput::keep_directory>(
            "Start where the last such command of this session ended, and remember where this one "
            "ends; variables are not kept"),
        opt<&ExecInput::network>("Give it the network; a rule or a person must allow that"),
        opt<&ExecInput::full>(
            "Run it without the sandbox, when it cannot do its work there; a rule or a person must "
            "allow that"),
        opt<&ExecInput::shell>("Default: sh, unless the settings name another"),
        opt<&ExecInput::terminal>("Give it a terminal, for programs that want one"),
        opt<&ExecInput::rows>("Of the terminal").min(1).max(kMaxSide),
        opt<&ExecInput::columns>("Of the terminal").min(1).max(kMaxSide));
  }
};

// In a dialect a time is for what somebody waits for, and often not the caller's but its default.
milliseconds timeout_of(const ExecInput& in, const Context& context,
                        std::vector<std::string>& notes) {
  const process::Settings& settings = context.commands->settings();
  const bool is_given = (in.timeout || in.timeout_ms) && !(in.background && context.dialect);
  if (!is_given) return settings.timeout;
  const double wanted = in.timeout_ms ? static_cast<double>(*in.timeout_ms) : *in.timeout * 1000;
  const auto seconds = [](milliseconds time) { return static_cast<double>(time.count()) / 1000; };
  const milliseconds least = settings.shortest_timeout, most = settings.longest_timeout;
  if (wanted < static_cast<double>(least.count())) {
    notes.push_back(fmt::format("the timeout was raised to {} s, the least", seconds(least)));
    return least;
  }
  if (wanted > static_cast<double>(most.count())) {
    notes.push_back(fmt::format("the timeout was lowered to {} s, the most", seconds(most)));
    return most;
  }
  return milliseconds(static_cast<milliseconds::rep>(wanted));
}

// A shell that keeps its directory tells where it ends on a descriptor of its own, which bash alone
// can name by such a number. A command that sets this trap anew, or becomes another program, does
// not tell. On the first line, so that errors name the lines of the command.
// Nobody listens any more to one that went on in the background.
std::string tell_directory(int number) {
  return fmt::format("trap 'trap \"\" PIPE; pwd -P 2>/dev/null >&{}' EXIT; ", number);
}
constexpr size_t kMaxDirectory = 4096;

process::Plan plan_of(const ExecInput& in, const Context& context,
                      std::vector<std::string> environment, std::string directory) {
  const process::Settings& settings = context.commands->settings();
  process::Plan plan;
  std::string shell = settings.shell;
  if (in.shell) shell = *in.shell == Shell::bash ? "/bin/bash" : "/bin/sh";
  plan.launch.argv = {std::move(shell), "-c", "--", in.command};
  if (in.keep_directory)
    plan.launch.argv = {"/bin/bash", "-c", "--",
                        tell_directory(process::highest_number(settings.open_files)) +
                            process::evaluated(in.command)};
  plan.launch.env = std::move(environment);
  if (in.terminal && !in.env.contains("TERM"))
    process::set_variable(plan.launch.env, "TERM", process::kTerminalName);
  plan.launch.cwd = std::move(directory);
  plan.launch.open_files = settings.open_files;
  plan.launch.has_terminal = in.terminal;
  plan.launch.terminal = {static_cast<std::uint16_t>(in.rows),
                          static_cast<std::uint16_t>(in.columns)};
  plan.limits = output_limits(settings, context);
  if (in.input) {
    plan.input = process::Plan::Input::text;
    plan.input_text = *in.input;
  } else if (in.background || in.yield_ms) {
    plan.input = process::Plan::Input::open;
  }
  return plan;
}

// The directory that commands of the session keep, when it still can be run in.
Result<std::string> directory_of(const ExecInput& in, const Context& context,
                                 std::vector<std::string>& notes) {
  if (in.keep_directory && !in.workdir) {
    const std::string kept = context.commands->supervisor().directory_of(context.who.session);
    if (!kept.empty()) {
      if (Result<std::string> directory = directory_to_run_in(kept, context)) return directory;
      notes.push_back(
          fmt::format("'{}' is gone; the command ran in the workspace", escape_for_display(kept)));
    }
  }
  return directory_to_run_in(in.workdir, context);
}

std::string ExecInput::start_elsewhere(const Context& context) const {
  if (!workdir && !keep_directory) return "";
  std::vector<std::string> notes;
  const Result<std::string> directory = directory_of(*this, context, notes);
  const Result<std::string> root = directory_to_run_in({}, context);
  if (directory && root && *directory == *root) return "";
  return directory ? *directory : "?";
}

// Where the shell ended is where the next one starts, if that is in the workspace.
void keep_directory(const sys::Fd& told, Context& context, ExecOutput& out,
                    std::vector<std::string>& notes) {
  std::string directory(kMaxDirectory, '\0');
  const sys::ReadOutcome read = sys::read_some(told.get(), directory.data(), directory.size());
  directory.resize(read.bytes);
  process::Supervisor& supervisor = context.commands->supervisor();
  if (directory.ends_with('\n')) {
    directory.pop_back();
    if (directory_to_run_in(directory, context))
      supervisor.set_directory(context.who.session, directory);
    else
      notes.push_back(
          fmt::format("'{}' is outside the workspace: the next command starts where "
                      "this one did",
                      escape_for_display(directory)));
  } else if (out.exit_code && !out.timed_out) {
    notes.push_back(
        "where the command ended is not known, since it set a trap on EXIT or became another "
        "program: the next one starts where this one did");
  }
  const std::string kept = supervisor.directory_of(context.who.session);
  out.directory = kept.empty() ? context.files->roots().front().path : kept;
}

Origin origin_of(const Running& running) {
  return running.has_terminal() ? Origin::terminal : Origin::pipe;
}

Result<ExecOutput> to_background(std::unique_ptr<Running> running, const ExecInput& in,
                                 const process::Plan& plan, process::Time deadline,
                                 Context& context) {
  const process::Settings& settings = context.commands->settings();
  const std::string output =
      readable(running->out().shown(settings.background_chars).text, origin_of(*running));
  const auto bytes = static_cast<std::int64_t>(running->out().size());
  ExecOutput out;
  out.process_id =
      TRY(context.commands->supervisor().jobs().adopt({.session = context.who.session,
                                                       .command = in.command,
                                                       .cwd = plan.launch.cwd,
                                                       .deadline = deadline,
                                                       .grace = settings.grace,
                                                       .is_recorded = settings.records_jobs},
                                                      std::move(running)));
  out.output = output;
  out.output_bytes = bytes;
  return out;
}

ExecOutput ended(Running& running, process::Waited waited, Context& context,
                 std::vector<std::string>& notes) {
  const process::Ended& how = running.ended();
  ShownOutput shown = show_output(running.out(), context.commands->settings().shown_chars, context,
                                  origin_of(running));
  ExecOutput out;
  out.output = std::move(shown.text);
  out.stored = std::move(shown.stored);
  out.output_bytes = static_cast<std::int64_t>(running.out().size());
  if (how.signal.empty()) out.exit_code = how.exit_code;
  if (!how.signal.empty()) out.signal = how.signal;
  if (waited == process::Waited::timed_out) out.timed_out = true;
  out.shell_status = out.timed_out       ? exit_code(Code::timeout)
                     : how.signal_number ? 128 + how.signal_number
                                         : how.exit_code;
  if (context.wants_written) out.written = all_written(running.take_out());
  std::ranges::move(shown.notes, std::back_inserter(notes));
  if (how.left_others && waited == process::Waited::ended)
    notes.push_back(
        fmt::format("processes that it left running were ended with it; {}=true keeps "
                    "a command running",
                    context.parameter("background")));
  return out;
}

Error no_background(std::string_view parameter) {
  return Error{Code::unsupported,
               fmt::format("'{}' needs a session that goes on: here everything ends with the call",
                           parameter),
               "leave it out, or run it through `helve mcp`", "no_background"};
}

Error cannot_be_tried(std::string_view command, const Context& context) {
  return Error{Code::unsupported,
               fmt::format("'{}' runs elsewhere, where it cannot be tried out", command),
               fmt::format("leave out {}", context.parameter("dry_run")), "runs_elsewhere"};
}

Result<void> check_end(const Running& running) {
  constexpr size_t kLastWords = 500;
  if (!running.ended().is_lost) return {};
  return process::lost_command(readable(running.out().end(kLastWords), origin_of(running)));
}

// A command that ssh or docker could not bring to its place has not run.
Result<void> check_arrival(const Routed& routed, const Running& running) {
  constexpr size_t kLastWords = 4096;
  std::optional<Error> failure =
      process::failure_of(*routed.route, running.ended().exit_code, running.out().end(kLastWords));
  if (failure) return std::move(*failure);
  return {};
}

// A dialect has its own idea of what a command's text is; the value has the changes anyway.
void tell(CommandChanges changes, const Context& context, ExecOutput& out,
          std::vector<std::string>& notes) {
  out.tells_changes = changes.files && !context.dialect;
  out.changes = std::move(changes.files);
  out.change = std::move(changes.change);
  out.lost_because = std::move(changes.lost_because);
  out.beyond_undo = std::move(changes.beyond_undo);
  if (!context.dialect) std::ranges::move(changes.notes, std::back_inserter(notes));
}

// What commands have put in PATH is not run outside. The program of a route is not found there.
void leave_sandbox(process::Plan& plan, const sandbox::Policy& usual,
                   const std::optional<Routed>& routed, std::vector<std::string>& notes) {
  const std::vector<std::string> taken = keep_path_outside(plan.launch.env, usual.roots);
  if (!taken.empty() && !routed)
    notes.push_back(fmt::format("PATH was used without {}: commands in the sandbox can write there",
                                escape_for_display(join(taken, ", "))));
}

Result<ExecOutput> exec(const ExecInput& in, Context& context) {
  process::Commands& commands = *TRY(need_commands(context));
  const process::Settings& settings = commands.settings();
  if (in.apply || in.discard) return settle_trial({in.apply, in.discard}, context);
  if (!settings.has_background && in.background)
    return no_background(context.parameter("background"));
  if (!settings.has_background && in.yield_ms) return no_background(context.parameter("yield_ms"));
  std::vector<std::string> notes;
  const milliseconds timeout = timeout_of(in, context, notes);
  const std::optional<Routed> routed =
      TRY(find_route(in.command, settings.routes, in.reader(settings)));
  if (routed && in.dry_run) return cannot_be_tried(routed->words[0], context);
  const std::string directory = TRY(directory_of(in, context, notes));
  process::Plan plan =
      plan_of(in, context, TRY(process::environment_with(settings.environment, in.env)), directory);
  if (routed) TRY(take_route(*routed, {in.env, directory, in.workdir.has_value()}, context, plan));
  std::optional<sys::Pipe> told;
  if (in.keep_directory && !routed) {
    told = TRY(sys::make_pipe());
    const int number = process::highest_number(settings.open_files);
    plan.launch.numbers = {static_cast<std::uint64_t>(number)};
    plan.others = {told->write.get()};
  }
  std::unique_ptr<TryOut> tried;  // outlives what runs in it
  if (in.dry_run) tried = TRY(TryOut::begin(in.command, context, plan));
  const sandbox::Policy& usual = tried ? tried->policy() : settings.policy;
  std::optional<sandbox::Policy> beyond;
  if (routed)
    beyond = policy_beyond({.full = true}, usual);
  else if (in.network || in.full)
    beyond = policy_beyond(in.leave(), usual);
  if (beyond && beyond->level != usual.level) leave_sandbox(plan, usual, routed, notes);
  std::optional<CommandWatch> watch;
  if (!in.dry_run && !in.background) watch.emplace(context, beyond ? beyond->level : usual.level);
  const sandbox::Policy& policy = beyond ? *beyond : usual;
  const LimitWatch limits(commands.supervisor(), policy);
  std::unique_ptr<Running> running =
      TRY(commands.supervisor().start(policy, plan, {.stop = context.stop}));
  if (told) told->write = sys::Fd();

  const process::Time now = steady_clock::now();
  process::Patience patience{.deadline = now + timeout, .yield_at = {}, .grace = settings.grace};
  if (in.yield_ms) patience.yield_at = now + milliseconds(*in.yield_ms);
  LiveOutput live(context, origin_of(*running));
  const auto tell_progress = [&] {
    if (live.is_heard()) return live.tell(running->out(), LiveOutput::Until::now);
    const auto bytes = static_cast<double>(running->out().size());
    context.progress(bytes, {}, readable(running->out().end(kProgressChars), origin_of(*running)));
  };
  process::Waited waited = process::Waited::yielded;
  if (!in.background)
    waited =
        TRY(process::stay_with(*running, patience, context.stop,
                               context.listener ? std::function<void()>(tell_progress) : nullptr));
  // What was changed before it was cancelled can be undone, too.
  CommandChanges changes;
  if (watch && waited != process::Waited::yielded) changes = watch->end();
  TRY(context.checkpoint());
  ExecOutput out;
  if (waited == process::Waited::yielded) {
    out = TRY(to_background(std::move(running), in, plan, patience.deadline, context));
    if (!in.background)
      notes.push_back(
          fmt::format("it still ran after {} ms and goes on in the background", *in.yield_ms));
  } else {
    TRY(check_end(*running));
    if (routed && waited == process::Waited::ended) TRY(check_arrival(*routed, *running));
    live.tell(running->out(), LiveOutput::Until::end);
    out = ended(*running, waited, context, notes);
    if (live.is_heard()) out.told_bytes = out.output.size();
    limits.tell(out.shell_status, notes);
    if (told) keep_directory(told->read, context, out, notes);
    tell(std::move(changes), context, out, notes);
    if (tried) TRY(report_trial(*tried, context, out, notes));
  }
  if (!notes.empty()) out.notes = std::move(notes);
  return out;
}

}  // namespace

Tool tool_exec() {
  return make_tool(
      {.name = "exec",
       .group = "shell",
       .top_level = true,
       .title = "Run a command",
       .effect = Effect::execute,
       .destructive = true,
       .subject = {"command", "dry_run", "apply", "discard", "workdir", "env", "input", "shell",
                   "keep_directory", "terminal", "background"},
       .examples = {{"Build", R"({"command": "make -j2"})"},
                    {"In a directory, with a variable",
                     R"({"command": "npm test", "workdir": "web", "env": {"CI": "1"}})"},
                    {"See what it would change first",
                     R"({"command": "sed -i s/colour/color/ *.md", "dry_run": true})"}},
       .limits = {.inline_chars = 210'000, .preview_chars = 500, .capture_bytes = 64u << 20}},
      exec);
}

}  // namespace helve::tools
