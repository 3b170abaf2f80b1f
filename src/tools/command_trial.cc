#include "tools/command_trial.h"

#include <fmt/format.h>

#include "base/text.h"

namespace helve::tools {
namespace {

TriedKind kind_of(sys::FileKind kind) {
  switch (kind) {
    case sys::FileKind::file:
      return TriedKind::file;
    case sys::FileKind::directory:
      return TriedKind::directory;
    case sys::FileKind::symlink:
      return TriedKind::symlink;
    default:
      return TriedKind::other;
  }
}

std::string_view word_for(TriedChange change) {
  constexpr std::string_view kWords[] = {"created", "changed", "removed"};
  return kWords[static_cast<size_t>(change)];
}

}  // namespace

std::string text_of(const std::vector<TriedFile>& files) {
  std::string out;
  for (const TriedFile& file : files) {
    out += fmt::format("{} {}", word_for(file.change), escape_for_display(file.path));
    if (file.kind == TriedKind::directory) out += '/';
    if (file.kind == TriedKind::symlink) out += " (symlink)";
    if (file.added.value_or(0) > 0 || file.removed.value_or(0) > 0)
      out += fmt::format(" (+{} -{})", file.added.value_or(0), file.removed.value_or(0));
    out += '\n';
  }
  return out;
}

Result<workspace::Trials> trials_of(const process::Settings& settings) {
  if (!settings.trials.empty()) return workspace::Trials(settings.trials);
  return Error{Code::unsupported, "there is no place to keep what a command would change",
               "set HOME or XDG_STATE_HOME", "no_state"};
}

sandbox::Policy try_out(const workspace::Trials& trials, const workspace::Trial& trial,
                        const process::Settings& settings, process::Plan& plan) {
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
  return policy;
}

std::vector<TriedFile> tried_files(const workspace::TrialReport& report) {
  std::vector<TriedFile> files;
  for (const workspace::TrialFile& each : report.files) {
    TriedFile file{.path = escape_invalid_utf8(each.path),
                   .change = static_cast<TriedChange>(each.what),
                   .kind = kind_of(each.kind),
                   .added = {},
                   .removed = {}};
    if (each.added > 0) file.added = each.added;
    if (each.removed > 0) file.removed = each.removed;
    files.push_back(std::move(file));
  }
  return files;
}

std::vector<TriedFile> applied_files(const workspace::Applied& applied) {
  using What = workspace::Changed::What;
  std::vector<TriedFile> files;
  for (const workspace::Changed& each : applied.files) {
    const TriedChange change = each.what == What::created   ? TriedChange::created
                               : each.what == What::removed ? TriedChange::removed
                                                            : TriedChange::changed;
    files.push_back(
        {.path = escape_invalid_utf8(each.path), .change = change, .added = {}, .removed = {}});
  }
  return files;
}

}  // namespace helve::tools
