#include "workspace/trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/json.h"
#include "base/text.h"
#include "sys/file.h"
#include "sys/id.h"
#include "workspace/path.h"
#include "workspace/tree.h"
#include "workspace/trial_plan.h"
#include "workspace/trial_report.h"

namespace helve::workspace {
namespace {

constexpr std::string_view kPrefix = "t_";
constexpr const char* kManifest = "trial.json";
constexpr size_t kMaxManifest = 16u << 20;
constexpr std::uint32_t kOurs = 0700;  // of the upper directory's mode, whatever the root has

JsonObject to_json(const Trial& trial) {
  JsonArray layers;
  for (const TrialLayer& layer : trial.layers)
    layers.push_back(
        JsonObject{{"root", layer.root}, {"upper", layer.upper}, {"work", layer.work}});
  return {{"id", trial.id},
          {"command", escape_invalid_utf8(trial.command)},
          {"created_ms", trial.created_ms},
          {"layers", std::move(layers)}};
}

std::string text_at(const JsonObject& object, std::string_view key) {
  const Json* value = object.if_contains(key);
  return value && value->is_string() ? std::string(value->get_string()) : std::string();
}

Trial trial_from(const JsonObject& object) {
  Trial trial{.id = text_at(object, "id"), .command = text_at(object, "command"), .layers = {}};
  if (const Json* time = object.if_contains("created_ms"); time && time->is_int64())
    trial.created_ms = time->get_int64();
  if (const Json* layers = object.if_contains("layers"); layers && layers->is_array()) {
    for (const Json& layer : layers->get_array()) {
      if (!layer.is_object()) continue;
      const JsonObject& each = layer.get_object();
      trial.layers.push_back(
          {text_at(each, "root"), text_at(each, "upper"), text_at(each, "work")});
    }
  }
  return trial;
}

Error unknown(std::string_view id) {
  return Error{Code::not_found, fmt::format("no trial '{}'", escape_for_display(preview(id, 80))),
               "run the command with dry_run=true first; a trial is gone once it was applied",
               "unknown_trial"};
}

// The command sees the mode of the upper directory; what is above that keeps others out. We must
// be able to empty it again.
void show_mode(const std::string& root, const std::string& upper) {
  const auto status = sys::status_of(root);
  const auto directory = sys::open_directory(upper);
  if (status && directory) (void)sys::set_mode(*directory, status->mode | kOurs);
}

// Nobody tells of the root itself but its mode.
std::optional<Altered> altered_root(const TrialLayer& layer) {
  constexpr std::uint32_t kMode = 01777;
  const auto now = sys::status_of(layer.upper), before = sys::status_of(layer.root);
  const bool is_known = now && before;
  if (!is_known || (now->mode & kMode) == ((before->mode | kOurs) & kMode)) return {};
  return Altered{.what = Altered::What::changed,
                 .path = kLayerRoot,
                 .kind = sys::FileKind::directory,
                 .mode = now->mode,
                 .before = Version::of(*before),
                 .kind_before = sys::FileKind::directory,
                 .mode_before = before->mode,
                 .only_mode = true};
}

std::string not_undone(const std::string& shown) {
  return fmt::format(
      "undo will not take '{}' away: it holds more than {} entries, or {}; remove it by hand then",
      escape_for_display(shown), kMaxMovedEntries, human_size(kMaxChangeBytes));
}

// The kernel cannot lay one overlay over another.
Error needs_another_place(const std::string& directory) {
  return Error{Code::unsupported,
               fmt::format("a command cannot be tried out: '{}' is on an overlay file system, as "
                           "containers have them, and cannot take what it would change",
                           escape_for_display(directory)),
               "set XDG_STATE_HOME to a directory on ext4, xfs, btrfs or tmpfs", "no_state"};
}

}  // namespace

bool Trials::is_id(std::string_view id) {
  return id.starts_with(kPrefix) && id.size() < 64 && std::ranges::all_of(id, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
         });
}

Result<Trial> Trials::begin(const Workspace& files, std::string_view command, std::int64_t now_ms) {
  Trial trial{.id = sys::new_id(kPrefix, now_ms),
              .command = std::string(command),
              .created_ms = now_ms,
              .layers = {}};
  for (const Root& root : files.roots()) {
    if (root.access != Access::writable) continue;
    const std::string base = fmt::format("{}/{}", place(trial.id), trial.layers.size());
    trial.layers.push_back({root.path, base + "/upper", base + "/work"});
    Result<void> made = sys::make_directories(trial.layers.back().upper, 0700);
    if (made) made = sys::make_directories(trial.layers.back().work, 0700);
    if (made) show_mode(root.path, trial.layers.back().upper);
    if (made) continue;
    drop(trial);
    return std::move(made).error();
  }
  const auto directory = sys::open_directory(directory_);
  if (directory && sys::is_overlay(*directory)) {
    drop(trial);
    return needs_another_place(directory_);
  }
  if (Result<void> noted = note_owner(trial); !noted) {
    drop(trial);
    return std::move(noted).error();
  }
  // What was changed before has no later time than what was made now.
  const auto made = sys::status_of(place(trial.id));
  trial.began_ns = made ? made->changed_ns : std::numeric_limits<std::int64_t>::max();
  return trial;
}

Result<TrialReport> Trials::look(const Trial& trial, const Workspace& files,
                                 const TrialLimits& limits) {
  // Before they are opened for us.
  std::vector<std::optional<Altered>> roots;
  for (const TrialLayer& layer : trial.layers) roots.push_back(altered_root(layer));
  TRY(note_size(trial, limits.max_bytes));  // which also refuses what is too deep for the rest
  Description description(limits);
  JsonObject manifest = to_json(trial);
  JsonArray layers;
  TrialPlan plan;
  Result<void> planned;
  for (const TrialLayer& layer : trial.layers) {
    const BothTrees trees = TRY(open_trees(layer));
    std::vector<Altered> altered = TRY(read_layer(
        trees.upper, trees.lower, {.most = limits.max_changes, .began_ns = trial.began_ns}));
    if (const auto& root = roots[layers.size()]) altered.insert(altered.begin(), *root);
    for (const Altered& each : altered)
      description.add(each,
                      {trees.upper, trees.lower, files.display(layer.root + "/" + each.path)});
    strip_layer(trees.upper);
    for (const Altered& each : altered) {
      if (planned && is_applied(each)) planned = plan.add(layer, trees, each);
    }
    layers.push_back(altered_json(altered));
  }
  if (limits.stop.stop_requested()) return Error{Code::cancelled, "the call was cancelled"};
  // Better told now than when somebody wants it.
  if (planned && !plan.changes.empty()) planned = files.check(plan.changes);
  if (!planned) description.add_refusal(planned.error());
  for (const std::string& path : planned ? plan.too_large_to_undo : std::vector<std::string>())
    description.note(not_undone(files.display(path)));
  manifest["altered"] = std::move(layers);
  TRY(sys::replace_file(place(trial.id) + "/" + kManifest, to_text(Json(std::move(manifest))),
                        0600));
  return description.take();
}

Result<Trial> Trials::find(std::string_view id) const {
  if (!is_id(id)) return unknown(id);
  const Result<std::string> text = sys::read_file(place(id) + "/" + kManifest, kMaxManifest);
  if (!text) return unknown(id);
  const Json value = TRY(parse_json(*text));
  if (!value.is_object()) return unknown(id);
  Trial trial = trial_from(value.get_object());
  if (trial.id != id) return unknown(id);
  return trial;
}

Result<Trial> Trials::find_for(const Workspace& files, std::string_view id) const {
  Trial trial = TRY(find(id));
  for (const TrialLayer& layer : trial.layers) {
    const bool is_here = std::ranges::any_of(files.roots(), [&](const Root& root) {
      return root.path == layer.root && root.access == Access::writable;
    });
    if (!is_here)
      return Error{Code::not_found,
                   fmt::format("the trial '{}' is of '{}', which is not written here", trial.id,
                               escape_for_display(layer.root)),
                   "apply or discard it in that workspace", "other_workspace"};
  }
  return trial;
}

Result<AppliedTrial> Trials::apply(std::string_view id, Workspace& files, const Author& author) {
  const Trial trial = TRY(find_for(files, id));
  const Json manifest =
      TRY(parse_json(TRY(sys::read_file(place(id) + "/" + kManifest, kMaxManifest))));
  const std::vector<std::vector<Altered>> altered = altered_from(manifest);
  std::vector<BothTrees> trees;
  TrialPlan plan;
  AppliedTrial applied;
  for (size_t i = 0; i < trial.layers.size() && i < altered.size(); ++i) {
    const TrialLayer& layer = trial.layers[i];
    trees.push_back(TRY(open_trees(layer)));
    for (const Altered& each : altered[i]) {
      TRY(plan.add(layer, trees.back(), each));
      if (protected_part(each.path).empty())
        applied.tried.push_back(trial_file(each, files.display(layer.root + "/" + each.path)));
    }
  }
  if (!plan.changes.empty() || plan.modes.empty())
    static_cast<Applied&>(applied) = TRY(files.apply(plan.changes, author));
  plan.set_modes(files, applied.notes);
  for (const std::string& path : plan.too_large_to_undo)
    applied.notes.push_back(not_undone(files.display(path)));
  remove(id);
  return applied;
}

Result<ToldTrial> Trials::tell(std::string_view id, const Workspace& files) const {
  const Trial trial = TRY(find_for(files, id));
  const auto altered =
      altered_from(TRY(parse_json(TRY(sys::read_file(place(id) + "/" + kManifest, kMaxManifest)))));
  ToldTrial told{.command = trial.command, .files = {}};
  for (size_t i = 0; i < trial.layers.size() && i < altered.size(); ++i) {
    for (const Altered& each : altered[i]) {
      if (is_applied(each) && protected_part(each.path).empty())
        told.files.push_back(
            trial_file(each, files.display(trial.layers[i].root + "/" + each.path)));
    }
  }
  return told;
}

Result<void> Trials::discard(const Workspace& files, std::string_view id) {
  TRY(find_for(files, id));
  remove(id);
  return {};
}

void Trials::remove(std::string_view id) const {
  if (const auto directory = sys::open_directory(directory_))
    (void)remove_tree_at(*directory, std::string(id));
}

}  // namespace helve::workspace
