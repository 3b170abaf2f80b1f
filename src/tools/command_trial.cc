#include "tools/command_trial.h"

#include <fmt/format.h>

#include "base/text.h"
#include "sys/clock.h"

namespace helve::tools {

Result<workspace::Trials> trials_of(const process::Settings& settings) {
  if (!settings.trials.empty()) return workspace::Trials(settings.trials);
  return Error{Code::unsupported, "there is no place to keep what a command would change",
               "set HOME or XDG_STATE_HOME", "no_state"};
}

Result<std::unique_ptr<TryOut>> TryOut::begin(std::string_view command, const Context& context,
                                              process::Plan& plan) {
  const process::Settings& settings = context.commands->settings();
  workspace::Trials trials = TRY(trials_of(settings));
  const std::int64_t now = context.clock ? context.clock->unix_ms() : sys::RealClock().unix_ms();
  trials.drop_before(now - std::chrono::milliseconds(kTrialLife).count());
  workspace::Trial trial = TRY(trials.begin(*context.files, command, now));
  sandbox::Policy policy = settings.policy;
  policy.scratch = trials.directory();
  if (policy.level == sandbox::Level::full) {  // without walls there is no overlay either
    policy.level = sandbox::Level::workspace_write;
    policy.network = true;
  }
  for (const workspace::TrialLayer& layer : trial.layers) {
    plan.launch.overlays.push_back(layer.root);
    plan.launch.overlays.push_back(layer.upper);
    plan.launch.overlays.push_back(layer.work);
  }
  plan.outlives_nothing = true;
  return std::unique_ptr<TryOut>(
      new TryOut(std::move(trials), std::move(trial), std::move(policy)));
}

TryOut::~TryOut() {
  if (!is_kept_) trials_.drop(trial_);
}

Result<workspace::TrialReport> TryOut::look(const Context& context) {
  const size_t diff_chars = context.commands->settings().shown_chars;
  workspace::TrialReport report =
      TRY(trials_.look(trial_, *context.files, {.diff_chars = diff_chars, .stop = context.stop}));
  is_kept_ = !report.files.empty();
  for (const std::string& id : is_kept_ ? trials_.make_room() : std::vector<std::string>())
    report.notes.push_back(fmt::format("the trial {} was dropped: together they may have {}", id,
                                       human_size(workspace::kMaxTrialBytes)));
  return report;
}

std::vector<ChangedFile> tried_files(const std::vector<workspace::TrialFile>& tried,
                                     Counts counts) {
  std::vector<ChangedFile> files;
  for (const workspace::TrialFile& each : tried) {
    ChangedFile file{
        .path = escape_invalid_utf8(each.path),
        .change = each.only_mode ? ChangeOfFile::mode : static_cast<ChangeOfFile>(each.what),
        .kind = kind_of(each.kind)};
    const bool has_count = counts == Counts::known && !each.only_mode;
    if (each.kind == sys::FileKind::directory && has_count) file.files = each.files;
    if (each.added > 0) file.added = each.added;
    if (each.removed > 0) file.removed = each.removed;
    if (each.mode != each.mode_before) {
      file.old_mode = fmt::format("{:o}", each.mode_before);
      file.new_mode = fmt::format("{:o}", each.mode);
    }
    files.push_back(std::move(file));
  }
  return files;
}

}  // namespace helve::tools
