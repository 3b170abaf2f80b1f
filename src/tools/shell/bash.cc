// bash: a shell that stays. What a command sets, the next one finds.
#include <fmt/format.h>

#include "base/text.h"
#include "process/commands.h"
#include "tool/make.h"
#include "tools/command_limits.h"
#include "tools/command_output.h"
#include "tools/command_route.h"
#include "tools/command_watch.h"
#include "tools/files.h"

namespace helve::tools {
namespace {

using process::ShellAnswer;
using std::chrono::milliseconds;

constexpr size_t kProgressChars = 2000;
constexpr size_t kLastWords = 4000;  // of a shell that has ended
constexpr std::string_view kBeforeErrors = "\nError:\n";

struct BashInput {
  std::optional<std::string> command;
  bool restart = false;
  std::optional<double> timeout;

  Result<void> check() const { return command ? check_command(*command) : Result<void>(); }
  Demand demand(const Context& context) const {
    const bool is_confined =
        !context.commands || context.commands->settings().policy.level != sandbox::Level::full;
    return {.command = command.value_or(""),
            .bash = true,
            .stays = true,
            .restarts = restart,
            .is_confined = is_confined};
  }
  static constexpr auto schema() {
    return object(
        "Run a command in a bash that stays for the whole session, in the sandbox: variables, "
        "functions, the directory and background jobs are kept between calls. Standard input is "
        "empty. A command whose time is up is interrupted; if that does not help, the shell is "
        "ended and the next call starts a new one.",
        opt<&BashInput::command>("What to run").positional().min_length(1),
        opt<&BashInput::restart>("First end the shell with all that runs in it"),
        opt<&BashInput::timeout>("Seconds; default 120")
            .min_number(0.001)
            .max_number(86'400)
            .shorthand('t'));
  }
};

struct BashOutput {
  std::string stdout_;
  std::string stderr_;
  std::optional<int> exit_code;
  std::optional<bool> timed_out;
  std::optional<std::string> stored;
  std::optional<std::vector<ChangedFile>> changes;
  std::optional<std::string> change;
  std::optional<std::vector<std::string>> beyond_undo;
  Notes notes;
  int shell_status = 0;        // not part of the value
  bool tells_changes = false;  // the same: whether the text has them in a line
  std::string lost_because;    // the same: without `change`: why
  std::unique_ptr<const LongText> written = nullptr;  // the same: Product::written

  static constexpr auto schema() {
    return object(
        "What a command wrote and how it ended.",
        arg<&BashOutput::stdout_>("Its output, control characters escaped"),
        arg<&BashOutput::stderr_>("Its errors, the same"),
        opt<&BashOutput::exit_code>("Absent when nothing was run"),
        opt<&BashOutput::timed_out>("True when it was interrupted: its time was up"),
        opt<&BashOutput::stored>("The whole output can be read by this id"),
        opt<&BashOutput::changes>("What was changed in the workspace meanwhile"),
        opt<&BashOutput::change>("The change in the journal, for undo"),
        opt<&BashOutput::beyond_undo>("What undo leaves as it is: what was there is not known"),
        opt<&BashOutput::notes>("What else is to be known"));
  }

  std::string text() const {
    std::string out = stdout_;
    if (!stderr_.empty()) out.append(kBeforeErrors).append(stderr_);
    const auto add = [&](const std::string& line) {
      if (!out.empty() && !out.ends_with('\n')) out += '\n';
      out += line;
    };
    if (timed_out)
      add("interrupted: its time was up");
    else if (exit_code.value_or(0) != 0)
      add(fmt::format("exit code {}", *exit_code));
    else if (out.empty() && exit_code)
      add("(no output)");
    if (changes && tells_changes)
      add(changes_line(*changes, lost_because, beyond_undo.value_or(std::vector<std::string>())));
    if (notes) {
      for (const std::string& note : *notes) add("note: " + note);
    }
    return out;
  }
};

std::string why_it_ended(const ShellAnswer& answer, double seconds) {
  switch (answer.end) {
    case ShellAnswer::End::lost:
      return fmt::format(
          "the command did not end within {} s, nor when it was interrupted, so the shell was "
          "ended",
          seconds);
    case ShellAnswer::End::broken:
      return "this command or an earlier one broke the shell, which was ended: it cannot be told "
             "whether and how the command ran";
    case ShellAnswer::End::restarted:
      return "another call ended the shell while the command ran";
    default:
      return fmt::format("the command ended the shell: {}", describe(answer.how));
  }
}

Error ended(const ShellAnswer& answer, double seconds) {
  const std::string words =
      readable(answer.out.end(kLastWords)) + readable(answer.err.end(kLastWords));
  const std::string why = why_it_ended(answer, seconds);
  return Error{answer.end == ShellAnswer::End::lost ? Code::timeout : Code::conflict,
               words.empty() ? why : fmt::format("{}\nits last output:\n{}", why, words),
               "the next call starts a new shell; variables, functions and jobs of the old one are "
               "gone",
               "shell_ended"};
}

// What the caller does not expect of a shell that stays.
std::string_view about_before(ShellAnswer::Before before) {
  switch (before) {
    case ShellAnswer::Before::died:
      return "the shell had ended since the last call: this is a new one, without its variables, "
             "functions, directory and jobs";
    case ShellAnswer::Before::other_policy:
      return "what commands may do has changed, so this is a new shell: variables, functions, the "
             "directory and jobs of the old one are gone";
    default:
      return {};
  }
}

std::unique_ptr<const LongText> all_of(ShellAnswer& answer) {
  if (answer.err.size() > 0) {
    answer.out.append(kBeforeErrors);
    answer.err.each_piece([&](std::string_view piece) {
      answer.out.append(piece);
      return true;
    });
  }
  return all_written(std::move(answer.out));
}

Result<BashOutput> shown(ShellAnswer answer, const LimitWatch& limits, CommandChanges changes,
                         Context& context) {
  const size_t chars = context.commands->settings().shown_chars;
  ShownOutput out = show_output(answer.out, chars, context);
  ShownOutput err = show_output(answer.err, chars, context);
  BashOutput output;
  output.stdout_ = std::move(out.text);
  output.stderr_ = std::move(err.text);
  output.exit_code = answer.exit_code;
  output.stored = out.stored ? std::move(out.stored) : std::move(err.stored);
  output.shell_status = answer.exit_code;
  std::vector<std::string> notes = std::move(out.notes);
  std::ranges::move(err.notes, std::back_inserter(notes));
  if (const std::string_view note = about_before(answer.before); !note.empty())
    notes.emplace_back(note);
  if (answer.end == ShellAnswer::End::interrupted) {
    output.timed_out = true;
    output.shell_status = exit_code(Code::timeout);
    notes.push_back("the shell goes on with all it has");
  }
  limits.tell(answer.exit_code, notes);
  if (context.wants_written) output.written = all_of(answer);
  output.tells_changes = changes.files && !context.dialect;
  output.changes = std::move(changes.files);
  output.change = std::move(changes.change);
  output.lost_because = std::move(changes.lost_because);
  output.beyond_undo = std::move(changes.beyond_undo);
  if (!context.dialect) std::ranges::move(changes.notes, std::back_inserter(notes));
  if (!notes.empty()) output.notes = std::move(notes);
  return output;
}

Result<BashOutput> bash(const BashInput& in, Context& context) {
  const process::Time begun = std::chrono::steady_clock::now();
  process::Commands& commands = *TRY(need_commands(context));
  const process::Settings& settings = commands.settings();
  process::Shells& shells = commands.supervisor().shells();
  if (!in.command && !in.restart)
    return Error{Code::invalid_argument,
                 fmt::format("'{}' is missing", context.parameter("command")),
                 "give a command, or restart=true", "invalid_input"};
  if (in.command) {
    TRY(check_no_route(*in.command, settings.routes, context));
  }
  if (in.restart) TRY(shells.end(context.who.session, context.stop));
  if (!in.command) {
    BashOutput out;
    out.notes = {"the next command finds a new shell"};
    return out;
  }
  const double seconds =
      in.timeout.value_or(std::chrono::duration<double>(settings.bash_timeout).count());
  process::ShellCall call{
      .session = context.who.session,
      .command = *in.command,
      .deadline = begun + milliseconds(static_cast<std::int64_t>(seconds * 1000)),
      .grace = settings.grace};
  if (context.listener) {
    call.on_output = [&context](const process::Output& newest, std::uint64_t bytes) {
      context.progress(static_cast<double>(bytes), {}, readable(newest.end(kProgressChars)));
    };
  }
  std::optional<CommandWatch> watch;
  call.on_turn = [&] { watch.emplace(context, settings.policy.level); };
  const std::function directory = [&context] { return directory_to_run_in({}, context); };
  const LimitWatch limits(commands.supervisor(), settings.policy);
  Result<ShellAnswer> run = shells.run(call,
                                       {.policy = settings.policy,
                                        .environment = settings.environment,
                                        .limits = settings.output,
                                        .directory = directory,
                                        .open_files = settings.open_files},
                                       context.stop);
  // What was changed before it was cancelled can be undone, too.
  CommandChanges changes = watch ? watch->end() : CommandChanges();
  ShellAnswer answer = TRY(std::move(run));
  if (answer.end != ShellAnswer::End::done && answer.end != ShellAnswer::End::interrupted)
    return ended(answer, seconds);
  return shown(std::move(answer), limits, std::move(changes), context);
}

}  // namespace

Tool tool_bash() {
  return make_tool(
      {.name = "bash",
       .group = "shell",
       .title = "Run in the session's shell",
       .effect = Effect::execute,
       .destructive = true,
       .subject = {"command", "restart"},
       .examples = {{"Go to a directory for the calls to come", R"({"command": "cd src && ls"})"},
                    {"Begin anew", R"({"restart": true})"}},
       .limits = {.inline_chars = 210'000}},
      bash);
}

}  // namespace helve::tools
