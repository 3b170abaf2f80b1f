// process: what becomes of commands in the background.
#include <fmt/format.h>
#include <signal.h>
#include <string.h>

#include <charconv>

#include "base/text.h"
#include "process/jobs.h"
#include "sys/clock.h"
#include "tool/make.h"
#include "tools/command_output.h"
#include "tools/files.h"

namespace helve::tools {
namespace {

using process::JobInfo;
using process::Jobs;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::int64_t kMaxInput = 1 << 20;  // characters at once
constexpr milliseconds kInputPatience{5000};
constexpr double kUsualWait = 60;
constexpr double kLongestWait = 86'400;
constexpr std::int64_t kMaxSide = 1000;
constexpr size_t kCommandChars = 200;

enum class Action : unsigned char { status, poll, input, signal, list, wait, kill, resize };

struct ProcessInput {
  Action action = Action::list;
  std::optional<std::string> process_id;
  std::optional<std::string> input;
  bool eof = false;
  std::string signal = "SIGTERM";
  std::optional<std::int64_t> offset;
  double timeout = kUsualWait;
  std::int64_t rows = 24;
  std::int64_t columns = 80;

  static constexpr auto schema() {
    return object(
        "Look after commands that `exec` runs in the background: list them; status; poll: status "
        "and output; wait: until it ends; input: write to its standard input; signal: to all its "
        "processes; kill: end it; resize: its terminal. Looking takes nothing away: output can be "
        "read again, and you are told once when a command has ended, with whatever answer comes "
        "next. Commands of earlier processes of this session are listed, too.",
        arg<&ProcessInput::action>("What to do"),
        opt<&ProcessInput::process_id>("Which command, as exec told").positional().min_length(1),
        opt<&ProcessInput::input>("input: the text; end it with a newline where one is expected")
            .from_stdin()
            .max_length(kMaxInput),
        opt<&ProcessInput::eof>("input: then close its standard input"),
        opt<&ProcessInput::signal>("signal: SIGINT, TERM, 9, …").min_length(1).max_length(20),
        opt<&ProcessInput::offset>(
            "poll: byte of the output to go on from, as next_offset told; default: its end")
            .min(0),
        opt<&ProcessInput::timeout>("wait: seconds").min_number(0).max_number(kLongestWait),
        opt<&ProcessInput::rows>("resize").min(1).max(kMaxSide),
        opt<&ProcessInput::columns>("resize").min(1).max(kMaxSide));
  }
};

struct ProcessEntry {
  std::string process_id;
  std::string state;
  std::string command;
  std::string started;
  std::optional<std::string> ended;
  std::optional<std::string> end;
  std::optional<int> exit_code;
  std::optional<std::string> signal;
  std::optional<bool> timed_out;
  std::int64_t output_bytes = 0;

  static constexpr auto schema() {
    return object(
        "A command in the background.", arg<&ProcessEntry::process_id>("Its id"),
        arg<&ProcessEntry::state>("running; stopped by a signal until it gets SIGCONT; elsewhere: "
                                  "in another process of helve; ended; or lost with the process "
                                  "that ran it"),
        arg<&ProcessEntry::command>("What was asked for"),
        arg<&ProcessEntry::started>("When it began, UTC"),
        opt<&ProcessEntry::ended>("When it ended, UTC"), opt<&ProcessEntry::end>("How it ended"),
        opt<&ProcessEntry::exit_code>("Absent when a signal ended it"),
        opt<&ProcessEntry::signal>("The signal that ended it"),
        opt<&ProcessEntry::timed_out>("True when it was ended because its time was up"),
        arg<&ProcessEntry::output_bytes>("What it wrote so far, as far as is known"));
  }

  std::string text() const {
    std::string line = fmt::format("{} · {} · {}", process_id, end ? *end : state,
                                   escape_for_display(preview(command, kCommandChars)));
    const bool is_known = output_bytes > 0 || (state != "lost" && state != "elsewhere");
    if (is_known)
      line += fmt::format(" · {} of output", human_size(static_cast<std::uint64_t>(output_bytes)));
    return line;
  }
};

struct ProcessOutput {
  std::optional<ProcessEntry> process;
  std::optional<std::vector<ProcessEntry>> processes;
  std::optional<std::string> output;
  std::optional<std::int64_t> offset;
  std::optional<std::int64_t> next_offset;
  std::optional<std::int64_t> written;
  Notes notes;

  static constexpr auto schema() {
    return object("What is known of commands in the background.",
                  opt<&ProcessOutput::process>("The command that was asked about"),
                  opt<&ProcessOutput::processes>("All of this session, the oldest first"),
                  opt<&ProcessOutput::output>("Its output, control characters escaped"),
                  opt<&ProcessOutput::offset>("Of the first byte of this output"),
                  opt<&ProcessOutput::next_offset>("Where to go on"),
                  opt<&ProcessOutput::written>("Bytes of the input that it took"),
                  opt<&ProcessOutput::notes>("What else is to be known"));
  }

  std::string text() const {
    std::string out;
    if (process) out += process->text() + "\n";
    if (processes) {
      for (const ProcessEntry& entry : *processes) out += entry.text() + "\n";
      if (processes->empty()) out += "no commands in the background\n";
    }
    if (written) out += fmt::format("it took {} bytes\n", *written);
    if (output) out += output->empty() ? "(no output)\n" : *output;
    if (!out.ends_with('\n')) out += '\n';
    if (notes) {
      for (const std::string& note : *notes) out += "note: " + note + "\n";
    }
    return out;
  }
};

ProcessEntry entry_of(const JobInfo& job) {
  ProcessEntry entry{.process_id = job.id,
                     .state = std::string(job.is_stopped ? "stopped" : process::name_of(job.state)),
                     .command = escape_invalid_utf8(job.command),
                     .started = sys::utc(job.started_ms),
                     .ended = {},
                     .end = {},
                     .exit_code = {},
                     .signal = {},
                     .timed_out = {},
                     .output_bytes = static_cast<std::int64_t>(job.output_bytes)};
  if (process::runs(job.state)) return entry;
  if (job.ended_ms > 0) entry.ended = sys::utc(job.ended_ms);
  entry.end = job.end;
  if (!job.signal.empty()) entry.signal = job.signal;
  if (job.signal.empty() && job.state == process::JobState::ended) entry.exit_code = job.exit_code;
  if (job.timed_out) entry.timed_out = true;
  return entry;
}

// SIGTERM, term and 15 are the same.
Result<int> signal_number(std::string_view name) {
  int number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  const bool is_number = error == std::errc() && end == name.data() + name.size();
  if (is_number && number > 0 && number < NSIG) return number;
  std::string_view word = name;
  if (word.size() > 3 && equals_ignoring_case(word.substr(0, 3), "SIG")) word.remove_prefix(3);
  for (number = 1; number < NSIG; ++number) {
    const char* known = sigabbrev_np(number);
    if (known && equals_ignoring_case(word, known)) return number;
  }
  return Error{Code::invalid_argument,
               fmt::format("no signal is called '{}'", escape_for_display(name)),
               "SIGTERM, SIGINT, SIGKILL, SIGHUP, SIGUSR1 are some", "unknown_signal"};
}

// A page begins and ends between characters, and never within an escape code, so that pages can be
// put together. What is cut off at the very end is shown as it is.
void cut_to_characters(Jobs::Seen& seen, bool is_the_end) {
  size_t begin = 0;
  while (is_the_end && seen.offset > seen.first && begin < std::min<size_t>(seen.bytes.size(), 3) &&
         (static_cast<unsigned char>(seen.bytes[begin]) & 0xc0) == 0x80)
    ++begin;
  seen.bytes.erase(0, begin);
  seen.offset += begin;
  const bool may_go_on = seen.next < seen.job.output_bytes || process::runs(seen.job.state);
  const size_t whole = may_go_on ? whole_length(seen.bytes) : 0;
  if (whole > 0) seen.bytes.resize(whole);
  seen.next = seen.offset + seen.bytes.size();
}

void add_output(Jobs::Seen seen, ProcessOutput& out, std::optional<std::int64_t> wanted,
                Context& context) {
  cut_to_characters(seen, !wanted);
  out.offset = static_cast<std::int64_t>(seen.offset);
  out.next_offset = static_cast<std::int64_t>(seen.next);
  ShownOutput shown =
      show_part(seen.bytes, context, seen.job.has_terminal ? Origin::terminal : Origin::pipe);
  out.output = std::move(shown.text);
  std::vector<std::string> notes = std::move(shown.notes);
  if (!seen.is_kept)
    notes.push_back(seen.job.state == process::JobState::elsewhere
                        ? "its output is known only to the process of helve that runs it"
                    : seen.job.state == process::JobState::lost
                        ? "what it wrote was lost with the process that ran it"
                        : "its output is no longer kept");
  else if (wanted && static_cast<std::uint64_t>(*wanted) < seen.offset)
    notes.push_back(fmt::format("{} before this are no longer kept",
                                human_size(seen.offset - static_cast<std::uint64_t>(*wanted))));
  else if (!wanted && seen.offset > seen.first)
    notes.push_back(fmt::format("{} come before this; offset={} starts {}",
                                human_size(seen.offset - seen.first), seen.first,
                                seen.first ? "where it is kept from" : "at the beginning"));
  else if (!wanted && seen.first > 0)
    notes.push_back(fmt::format("{} before this are no longer kept", human_size(seen.first)));
  if (seen.next < seen.job.output_bytes)
    notes.push_back(fmt::format("offset={} shows what follows", seen.next));
  if (!notes.empty()) out.notes = std::move(notes);
}

Result<ProcessOutput> about_one(const ProcessInput& in, const std::string& id, Jobs& jobs,
                                Context& context) {
  const std::string& session = context.who.session;
  const size_t chars = context.commands->settings().background_chars;
  ProcessOutput out;
  switch (in.action) {
    case Action::status:
    case Action::list:
      break;
    case Action::wait: {
      const auto longest = milliseconds(static_cast<std::int64_t>(in.timeout * 1000));
      TRY(jobs.wait(session, id, steady_clock::now() + longest, context.stop));
      [[fallthrough]];
    }
    case Action::poll: {
      std::optional<std::uint64_t> offset;
      if (in.offset) offset = static_cast<std::uint64_t>(*in.offset);
      add_output(TRY(jobs.output(session, id, offset, chars)), out, in.offset, context);
      break;
    }
    case Action::input: {
      if (!in.input && !in.eof)
        return Error{Code::invalid_argument, "there is no input", "give `input`, or eof=true",
                     "no_input"};
      const std::string text = in.input.value_or("");
      out.written =
          static_cast<std::int64_t>(TRY(jobs.input(session, id, text, in.eof, kInputPatience)));
      if (static_cast<size_t>(*out.written) < text.size())
        out.notes = {"it does not read its input at the moment: try again with the rest"};
      break;
    }
    case Action::signal:
      TRY(jobs.signal(session, id, TRY(signal_number(in.signal))));
      break;
    case Action::kill:
      TRY(jobs.kill(session, id, context.stop));
      break;
    case Action::resize:
      TRY(jobs.resize(
          session, id,
          {static_cast<std::uint16_t>(in.rows), static_cast<std::uint16_t>(in.columns)}));
      break;
  }
  out.process = entry_of(TRY(jobs.info(session, id)));
  return out;
}

Result<ProcessOutput> process(const ProcessInput& in, Context& context) {
  Jobs& jobs = TRY(need_commands(context))->supervisor().jobs();
  if (in.process_id) return about_one(in, *in.process_id, jobs, context);
  if (in.action != Action::list && in.action != Action::status)
    return Error{Code::invalid_argument,
                 fmt::format("'{}' is missing", context.parameter("process_id")),
                 "the action `list` shows the ids", "invalid_input"};
  ProcessOutput out;
  out.processes.emplace();
  const Jobs::Listed listed = jobs.list(context.who.session);
  for (const JobInfo& job : listed.jobs) out.processes->push_back(entry_of(job));
  if (listed.problem)
    out.notes = {"commands of earlier processes may be missing: " + describe(*listed.problem)};
  return out;
}

Effect effect_of(const ProcessInput& in) {
  switch (in.action) {
    case Action::status:
    case Action::poll:
    case Action::list:
    case Action::wait:
      return Effect::read;
    default:
      return Effect::execute;
  }
}

}  // namespace

Tool tool_process() {
  return make_tool({.name = "process",
                    .group = "shell",
                    .title = "Commands in the background",
                    .effect = Effect::execute,
                    .examples = {{"What runs", R"({"action": "list"})"},
                                 {"How it goes", R"({"action": "poll", "process_id": "j_…"})"},
                                 {"Stop it", R"({"action": "kill", "process_id": "j_…"})"}},
                    .limits = {.inline_chars = 30'000}},
                   process, effect_of);
}

}  // namespace helve::tools
