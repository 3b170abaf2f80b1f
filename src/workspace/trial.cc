#include "workspace/trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/json.h"
#include "base/text.h"
#include "sys/directory.h"
#include "sys/file.h"
#include "sys/id.h"
#include "workspace/path.h"
#include "workspace/tree.h"
#include "workspace/trial_report.h"

namespace helve::workspace {
namespace {

using What = Altered::What;

constexpr std::string_view kPrefix = "t_";
constexpr const char* kManifest = "trial.json";
constexpr size_t kMaxManifest = 16u << 20;

JsonObject to_json(const Trial& trial) {
  JsonArray layers;
  for (const TrialLayer& layer : trial.layers)
    layers.push_back(
        JsonObject{{"root", layer.root}, {"upper", layer.upper}, {"work", layer.work}});
  return {{"id", trial.id},
          {"session", trial.session},
          {"command", escape_invalid_utf8(trial.command)},
          {"created_ms", trial.created_ms},
          {"layers", std::move(layers)}};
}

std::string text_at(const JsonObject& object, std::string_view key) {
  const Json* value = object.if_contains(key);
  return value && value->is_string() ? std::string(value->get_string()) : std::string();
}

Trial trial_from(const JsonObject& object) {
  Trial trial{.id = text_at(object, "id"),
              .session = text_at(object, "session"),
              .command = text_at(object, "command"),
              .layers = {}};
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
  return Error{Code::not_found,
               fmt::format("no trial '{}' in this session", escape_for_display(preview(id, 80))),
               "run the command with dry_run=true first; a trial is gone once it was applied",
               "unknown_id"};
}

bool is_id(std::string_view id) {
  return id.starts_with(kPrefix) && id.size() < 64 && std::ranges::all_of(id, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
         });
}

// The two trees of one root.
struct Pair {
  sys::Fd upper, lower;
};
Result<Pair> open(const TrialLayer& layer) {
  auto upper = sys::open_directory(layer.upper);
  if (!upper) return sys::to_error(upper.error(), "open", layer.upper);
  auto lower = sys::open_directory(layer.root);
  if (!lower) return sys::to_error(lower.error(), "open", layer.root);
  return Pair{std::move(*upper), std::move(*lower)};
}

// The changes that make a layer real. What they copy must stay open until they are made.
class Plan {
 public:
  Result<void> add(const TrialLayer& layer, const Pair& pair, const Altered& altered) {
    const std::string path = layer.root + "/" + altered.path;
    if (protected_part(altered.path).size() > 0) return {};  // the report told
    if (altered.meanwhile || !is_as_before(altered, pair.lower))
      return Error{Code::conflict,
                   fmt::format("'{}' was changed since the trial", escape_for_display(path)),
                   "run the command again with dry_run=true", "changed_meanwhile"};
    const bool only_content = altered.what == What::changed && altered.mode == altered.mode_before;
    if (only_content) return add_content(path, pair, altered);
    if (altered.what != What::created)
      changes.push_back(
          {.kind = Change::Kind::remove,
           .path = path,
           .expected = altered.kind == sys::FileKind::directory ? std::nullopt : altered.before,
           .tree = altered.kind == sys::FileKind::directory,
           .makes_way = true});
    return altered.what == What::removed ? Result<void>() : add_copy(path, pair, altered);
  }

  std::vector<Change> changes;

 private:
  Result<void> add_content(const std::string& path, const Pair& pair, const Altered& altered) {
    const auto [directory, name] = split_name(altered.path);
    const auto parent =
        sys::open_beneath(pair.upper, directory, sys::Open::directory, sys::Links::refuse);
    if (!parent) return sys::to_error(parent.error(), "read", path);
    std::string content = TRY(essence_of(*parent, name, altered.kind, path));
    changes.push_back({.kind = Change::Kind::write,
                       .path = path,
                       .content = std::move(content),
                       .expected = altered.before});
    return {};
  }

  Result<void> add_copy(const std::string& path, const Pair& pair, const Altered& altered) {
    const auto [directory, name] = split_name(altered.path);
    auto parent =
        sys::open_beneath(pair.upper, directory, sys::Open::directory, sys::Links::refuse);
    if (!parent) return sys::to_error(parent.error(), "open", path);
    std::string essence = TRY(essence_of(*parent, name, altered.kind, path));
    held_.push_back(std::make_unique<sys::Fd>(std::move(*parent)));
    changes.push_back({.kind = Change::Kind::restore,
                       .path = path,
                       .content = std::move(essence),
                       .on_conflict = OnConflict::error,
                       .kept_in = held_.back().get(),
                       .kept = std::string(name),
                       .kind_kept = altered.kind});
    return {};
  }

  // What the journal tells it apart by: the content of a file, where a link leads, the outline of a
  // directory.
  static Result<std::string> essence_of(const sys::Fd& directory, std::string_view name,
                                        sys::FileKind kind, const std::string& path) {
    sys::OrErrno<std::string> essence = std::string();
    if (kind == sys::FileKind::symlink) {
      essence = sys::read_link_at(directory, name);
    } else {
      const auto how = kind == sys::FileKind::directory ? sys::Open::directory : sys::Open::read;
      const auto opened = sys::open_beneath(directory, name, how, sys::Links::refuse);
      if (!opened) return sys::to_error(opened.error(), "read", path);
      essence = kind == sys::FileKind::directory ? outline_of(*opened, kMaxWrite) : whole(*opened);
    }
    if (!essence) return sys::to_error(essence.error(), "read", path);
    return std::move(*essence);
  }

  static sys::OrErrno<std::string> whole(const sys::Fd& file) {
    const auto status = sys::status(file);
    if (!status) return std::unexpected(status.error());
    if (status->size > kMaxWrite) return std::unexpected(std::errc::file_too_large);
    std::string content(status->size, '\0');
    const auto read = sys::read_at(file, content, 0);
    if (!read) return std::unexpected(read.error());
    content.resize(*read);
    return content;
  }

  std::vector<std::unique_ptr<sys::Fd>> held_;
};

}  // namespace

Result<Trial> Trials::begin(const Workspace& files, std::string_view session,
                            std::string_view command, std::int64_t now_ms) {
  Trial trial{.id = sys::new_id(kPrefix, now_ms),
              .session = std::string(session),
              .command = std::string(command),
              .created_ms = now_ms,
              .layers = {}};
  for (const Root& root : files.roots()) {
    if (root.access != Access::writable) continue;
    const std::string base = fmt::format("{}/{}", place(trial.id), trial.layers.size());
    trial.layers.push_back({root.path, base + "/upper", base + "/work"});
    Result<void> made = sys::make_directories(trial.layers.back().upper, 0700);
    if (made) made = sys::make_directories(trial.layers.back().work, 0700);
    if (made) continue;
    drop(trial);
    return std::move(made).error();
  }
  // What was changed before has no later time than what was made now.
  const auto made = sys::status_of(place(trial.id));
  trial.began_ns = made ? made->changed_ns : std::numeric_limits<std::int64_t>::max();
  return trial;
}

Result<TrialReport> Trials::look(const Trial& trial, const Workspace& files,
                                 const TrialLimits& limits) {
  TrialReport report;
  JsonObject manifest = to_json(trial);
  JsonArray layers;
  for (const TrialLayer& layer : trial.layers) {
    const Pair pair = TRY(open(layer));
    const std::vector<Altered> altered = TRY(read_layer(
        pair.upper, pair.lower, {.most = limits.max_changes, .began_ns = trial.began_ns}));
    strip_layer(pair.upper);
    for (const Altered& each : altered)
      describe(each, {pair.upper, pair.lower, files.display(layer.root + "/" + each.path)},
               limits.diff_chars, report);
    layers.push_back(altered_json(altered));
  }
  manifest["altered"] = std::move(layers);
  TRY(sys::replace_file(place(trial.id) + "/" + kManifest, to_text(Json(std::move(manifest))),
                        0600));
  return report;
}

Result<Trial> Trials::find(std::string_view id, std::string_view session) const {
  if (!is_id(id)) return unknown(id);
  const Result<std::string> text = sys::read_file(place(id) + "/" + kManifest, kMaxManifest);
  if (!text) return unknown(id);
  const Json value = TRY(parse_json(*text));
  if (!value.is_object()) return unknown(id);
  Trial trial = trial_from(value.get_object());
  if (trial.id != id || (!session.empty() && trial.session != session)) return unknown(id);
  return trial;
}

Result<Applied> Trials::apply(std::string_view id, std::string_view session, Workspace& files,
                              const Author& author) {
  const Trial trial = TRY(find(id, session));
  const Json manifest =
      TRY(parse_json(TRY(sys::read_file(place(id) + "/" + kManifest, kMaxManifest))));
  const std::vector<std::vector<Altered>> altered = altered_from(manifest);
  std::vector<Pair> pairs;
  Plan plan;
  for (size_t i = 0; i < trial.layers.size() && i < altered.size(); ++i) {
    pairs.push_back(TRY(open(trial.layers[i])));
    for (const Altered& each : altered[i]) TRY(plan.add(trial.layers[i], pairs.back(), each));
  }
  Applied applied = TRY(files.apply(plan.changes, author));
  remove(id);
  return applied;
}

Result<void> Trials::discard(std::string_view id, std::string_view session) {
  TRY(find(id, session));
  remove(id);
  return {};
}

void Trials::drop_before(std::int64_t ms) {
  const auto directory = sys::open_directory(directory_);
  if (!directory) return;
  std::vector<std::string> old;
  (void)sys::for_each_entry(*directory, [&](const sys::DirectoryEntry& entry) {
    const auto status = sys::status_at(*directory, entry.name);
    if (is_id(entry.name) && status && status->modified_ms() < ms) old.emplace_back(entry.name);
    return true;
  });
  for (const std::string& id : old) remove(id);
}

void Trials::remove(std::string_view id) const {
  if (const auto directory = sys::open_directory(directory_))
    (void)remove_tree_at(*directory, std::string(id));
}

}  // namespace helve::workspace
