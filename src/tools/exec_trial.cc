#include "tools/exec_trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tools/files.h"

namespace helve::tools {
namespace {

// As whoever called says it the next time.
std::string next_step(const std::string& trial, const Context& context) {
  const auto with = [&](std::string_view parameter) {
    return context.caller == Caller::cli
               ? fmt::format("helve exec --{} {}", parameter, trial)
               : fmt::format("{}={}", context.parameter(parameter), trial);
  };
  return fmt::format("apply it: {}; drop it: {}; it is kept for {} days", with("apply"),
                     with("discard"), kTrialLife.count());
}

// The kernel's words for it, and the name that some programs show instead.
bool tells_of_another_device(std::string_view output) {
  return output.find("nvalid cross-device link") != output.npos ||
         output.find("EXDEV") != output.npos;
}

// A trial has some places of its own.
std::optional<std::string> about_temporary(std::string_view command) {
  constexpr std::array<std::string_view, 3> kTemporary = {"/tmp", "/dev/shm", "TMPDIR"};
  const bool is_named = std::ranges::any_of(
      kTemporary, [&](std::string_view place) { return command.contains(place); });
  if (!is_named) return {};
  return "while a command is tried out, /tmp, /var/tmp and /dev/shm are not those of other "
         "commands, "
         "and what it leaves there is not applied";
}

}  // namespace

Result<ExecOutput> settle_trial(const Settling& wish, Context& context) {
  workspace::Workspace& files = *TRY(need_files(context, "exec"));
  workspace::Trials trials = TRY(trials_of(context.commands->settings()));
  ExecOutput out;
  if (wish.discard) {
    TRY(trials.discard(files, *wish.discard));
    out.notes = {fmt::format("the trial {} is dropped", *wish.discard)};
    return out;
  }
  workspace::AppliedTrial applied = TRY(trials.apply(*wish.apply, files, author_of(context)));
  out.changes = tried_files(applied.tried, Counts::unknown);
  out.change = change_of(applied);
  out.notes = notes_of(std::move(applied));
  return out;
}

std::vector<std::string> about_trial(const std::string& id, const Context& context) {
  const Result<workspace::Trials> trials = trials_of(context.commands->settings());
  Result<workspace::ToldTrial> told =
      trials ? trials->tell(id, *context.files) : Result<workspace::ToldTrial>(trials.error());
  if (!told) return {told.error().message};
  std::vector<std::string> lines{"makes real what this would change: " + told->command};
  for (const ChangedFile& file : tried_files(told->files, Counts::unknown))
    lines.push_back(short_text(file));
  return lines;
}

Result<void> report_trial(TryOut& tried, Context& context, ExecOutput& out,
                          std::vector<std::string>& notes) {
  if (out.shell_status != 0 && tells_of_another_device(out.output))
    notes.push_back(
        "while a command is tried out, directories of the workspace cannot be renamed, only copied "
        "('Invalid cross-device link'): run it for real");
  if (auto note = about_temporary(tried.command())) notes.push_back(std::move(*note));
  Result<workspace::TrialReport> looked = tried.look(context);
  if (!looked && looked.error().code == Code::too_large) {
    notes.push_back(fmt::format("{}, too much to be shown or applied: nothing of it is kept",
                                looked.error().message));
    return {};
  }
  // The command has run: what it wrote and how it ended is an answer all the same.
  if (!looked && looked.error().code != Code::cancelled) {
    notes.push_back(fmt::format("what it would change cannot be told: {}; nothing of it is kept",
                                looked.error().message));
    return {};
  }
  workspace::TrialReport report = TRY(std::move(looked));
  if (tried.is_kept()) {
    out.trial = tried.id();
    out.next_step = next_step(tried.id(), context);
  }
  out.changes = tried_files(report.files, Counts::known);
  out.diff = std::move(report.diff);
  std::ranges::move(report.notes, std::back_inserter(notes));
  return {};
}

}  // namespace helve::tools
