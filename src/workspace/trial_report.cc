#include "workspace/trial_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/base64.h"
#include "base/diff.h"
#include "base/text.h"
#include "workspace/path.h"
#include "workspace/take_in.h"
#include "workspace/tree.h"

namespace helve::workspace {
namespace {

using sys::FileKind;
using What = Altered::What;

constexpr std::uint64_t kMaxCompared = 1u << 20;  // bytes of a file whose lines are compared
constexpr size_t kMaxListed = 500;                // files in directories that came or went …
constexpr size_t kMaxWalked = 20'000;             // … and what is counted of each
constexpr FileKind kNothing = FileKind::device;
constexpr const char* kLongDifference = "the difference is long: not all files are shown in it";

bool is_left_out(FileKind kind) { return kind == FileKind::socket || kind == FileKind::fifo; }

// Nothing: it is no text, or too large to be compared.
std::optional<std::string> text_of(sys::OrErrno<FileContent> read) {
  if (!read || read->text.find('\0') != read->text.npos || !is_utf8(read->text)) return {};
  return std::move(read->text);
}
// Modes of files that belong to others stay as they are.
std::optional<std::string> text_below(const sys::Fd& lower, const std::string& path,
                                      FileKind kind) {
  if (kind == FileKind::symlink) return text_of(read_kept(lower, path, kMaxCompared));
  const auto file = sys::open_beneath(lower, path, sys::Open::read, sys::Links::refuse);
  const auto status = file ? sys::status(*file) : std::unexpected(file.error());
  if (!status || status->kind != FileKind::file || status->size > kMaxCompared) return {};
  FileContent content{.text = std::string(status->size, '\0')};
  const auto read = sys::read_at(*file, content.text, 0);
  if (!read) return {};
  content.text.resize(*read);
  return text_of(std::move(content));
}

// The lines that the patch adds and removes.
LineCounts count_lines_of(std::string_view patch) {
  LineCounts counts;
  size_t number = 0;
  for (const std::string_view line : split_lines(patch)) {
    if (++number <= 2) continue;  // the names
    if (line.starts_with('+')) ++counts.added;
    if (line.starts_with('-')) ++counts.removed;
  }
  return counts;
}

std::uint64_t number_at(const JsonObject& object, std::string_view key) {
  const Json* value = object.if_contains(key);
  if (value && value->is_uint64()) return value->get_uint64();
  return value && value->is_int64() ? static_cast<std::uint64_t>(value->get_int64()) : 0;
}

Altered altered_from(const JsonObject& object) {
  Altered altered;
  altered.what = static_cast<What>(std::min<std::uint64_t>(number_at(object, "what"), 2));
  altered.kind = static_cast<FileKind>(std::min<std::uint64_t>(number_at(object, "kind"), 5));
  altered.mode = static_cast<std::uint32_t>(number_at(object, "mode"));
  altered.mode_before = static_cast<std::uint32_t>(number_at(object, "mode_before"));
  if (const Json* path = object.if_contains("path"); path && path->is_string())
    altered.path = from_base64(path->get_string()).value_or("");
  if (const Json* outline = object.if_contains("outline"); outline && outline->is_string())
    altered.outline = outline->get_string();
  altered.parent = number_at(object, "parent");
  altered.kind_before =
      static_cast<FileKind>(std::min<std::uint64_t>(number_at(object, "kind_before"), 5));
  for (const auto& [key, member] :
       {std::pair("meanwhile", &Altered::meanwhile), std::pair("only_mode", &Altered::only_mode)}) {
    if (const Json* value = object.if_contains(key); value && value->is_bool())
      altered.*member = value->get_bool();
  }
  const Json* before = object.if_contains("before");
  if (before && before->is_object()) {
    const JsonObject& version = before->get_object();
    altered.before = Version{number_at(version, "device"), number_at(version, "inode"),
                             number_at(version, "size"),
                             static_cast<std::int64_t>(number_at(version, "modified_ns")),
                             static_cast<std::int64_t>(number_at(version, "changed_ns"))};
  }
  return altered;
}

}  // namespace

bool is_applied(const Altered& altered) {
  return !is_left_out(altered.kind) || altered.what != What::created;
}
bool can_be_applied(const Altered& altered) {
  return !is_left_out(altered.kind) || altered.what != What::changed;
}

TrialFile trial_file(const Altered& altered, std::string shown) {
  TrialFile file{.what = altered.what,
                 .path = std::move(shown),
                 .kind = altered.kind,
                 .only_mode = altered.only_mode};
  const bool has_modes = altered.what == What::changed && altered.kind == altered.kind_before &&
                         altered.kind != FileKind::symlink;
  if (has_modes) file.mode_before = altered.mode_before, file.mode = altered.mode;
  return file;
}

void Description::note(std::string text) {
  if (std::ranges::find(report_.notes, text) == report_.notes.end())
    report_.notes.push_back(std::move(text));
}

void Description::note_left_out(FileKind kind, const std::string& shown) {
  note(fmt::format("'{}' is a {}, which is left out", escape_for_display(shown), name_of(kind)));
}

void Description::note_protected() {
  note("changes inside .git cannot be applied: run the command for real to have them");
}

void Description::add_refusal(const Error& error) {
  if (!is_refused_) note(fmt::format("the trial cannot be applied: {}", error.message));
  is_refused_ = true;
}

void Description::add(const Altered& altered, const BothSides& sides) {
  if (!protected_part(altered.path).empty()) return note_protected();
  if (is_left_out(altered.kind) && altered.what == What::created)
    return note_left_out(altered.kind, sides.shown);
  if (altered.meanwhile) {
    note(
        fmt::format("somebody else changed '{}' while the command ran: the trial cannot be applied",
                    escape_for_display(sides.shown)));
    is_refused_ = true;
  }
  TrialFile file = trial_file(altered, sides.shown);
  if (!altered.is_directory() && !altered.only_mode)
    compare(altered.path,
            {altered.what == What::removed ? kNothing : altered.kind,
             altered.what == What::created ? kNothing : altered.kind_before},
            sides, file);
  report_.files.push_back(std::move(file));
  if ((altered.is_directory() || altered.was_directory()) && !altered.only_mode)
    add_inside(altered, sides);
}

// A directory that came, went or became another: what is in it is what somebody wants to see.
void Description::add_inside(const Altered& altered, const BothSides& sides) {
  const size_t itself = report_.files.size() - 1;
  std::map<std::string, Inside> inside;
  bool is_all = true;
  const auto walk = [&](const sys::Fd& tree, FileKind Inside::*side) {
    const auto opened =
        sys::open_beneath(tree, altered.path, sys::Open::directory, sys::Links::refuse);
    const auto walked = opened ? walk_tree(*opened,
                                           [&](const TreeEntry& entry) {
                                             inside[std::string(entry.path)].*side = entry.kind;
                                             is_all = inside.size() < kMaxWalked;
                                             return is_all;
                                           })
                               : sys::OrErrno<void>(std::unexpected(opened.error()));
    is_all &= walked.has_value();
  };
  if (altered.is_directory()) walk(sides.upper, &Inside::above);
  if (altered.was_directory()) walk(sides.lower, &Inside::below);
  // What was a file before its name became a directory's.
  if (altered.what == What::changed && !altered.was_directory())
    compare(altered.path, {kNothing, altered.kind_before}, sides, report_.files[itself]);
  size_t files = 0, unlisted = 0;
  for (auto& [name, each] : inside) {
    const auto is_none = [](FileKind kind) {
      return kind == kNothing || kind == FileKind::directory;
    };
    if (is_none(each.above) && is_none(each.below)) continue;
    if (is_left_out(each.above)) {
      note_left_out(each.above, sides.shown + "/" + name);
      if (is_none(each.below)) continue;
      each.above = kNothing;
    }
    if (each.above != kNothing && !protected_part(name).empty()) {
      note_protected();
      if (is_none(each.below)) continue;
      each.above = kNothing;
    }
    ++files;
    if (listed_ >= kMaxListed)
      ++unlisted;
    else
      add_one(altered.path + "/" + name, each,
              {sides.upper, sides.lower, sides.shown + "/" + name});
  }
  report_.files[itself].files = static_cast<std::int64_t>(files);
  if (unlisted > 0 || !is_all)
    note(fmt::format("{}{} files in '{}' are not listed", is_all ? "" : "at least ", unlisted,
                     escape_for_display(sides.shown)));
}

void Description::add_one(const std::string& path, const Inside& inside, const BothSides& sides) {
  const bool is_there = inside.above != kNothing && inside.above != FileKind::directory;
  const bool was_there = inside.below != kNothing && inside.below != FileKind::directory;
  if (is_there && was_there && inside.above == FileKind::file && inside.below == FileKind::file &&
      same_file(sides.upper, sides.lower, path))
    return;
  TrialFile file{.what = !was_there ? What::created
                         : is_there ? What::changed
                                    : What::removed,
                 .path = sides.shown,
                 .kind = is_there ? inside.above : inside.below};
  compare(path, inside, sides, file);
  report_.files.push_back(std::move(file));
  ++listed_;
}

void Description::compare(const std::string& path, const Inside& inside, const BothSides& sides,
                          TrialFile& file) {
  const auto has_text = [](FileKind kind) {
    return kind == FileKind::file || kind == FileKind::symlink;
  };
  const bool is_text = has_text(inside.above), was_text = has_text(inside.below);
  if (is_full_ || (!is_text && !was_text)) return;
  if (std::chrono::steady_clock::now() > until_ || limits_.stop.stop_requested()) {
    is_full_ = true;
    return note(kLongDifference);
  }
  // As git has it: the one goes and the other comes.
  if (is_text && was_text && inside.above != inside.below) {
    add_difference(path, {kNothing, inside.below}, sides, file);
    if (!is_full_) add_difference(path, {inside.above, kNothing}, sides, file);
    return;
  }
  add_difference(path, inside, sides, file);
}

void Description::add_difference(const std::string& path, const Inside& inside,
                                 const BothSides& sides, TrialFile& file) {
  const bool is_there = inside.above == FileKind::file || inside.above == FileKind::symlink;
  const bool was_there = inside.below == FileKind::file || inside.below == FileKind::symlink;
  const std::optional<std::string> before =
      was_there ? text_below(sides.lower, path, inside.below) : "";
  const std::optional<std::string> now =
      is_there ? text_of(read_kept(sides.upper, path, kMaxCompared)) : "";
  if (!before || !now) return;
  std::string diff = unified_diff(
      {was_there ? "a/" + sides.shown : "/dev/null", is_there ? "b/" + sides.shown : "/dev/null"},
      *before, *now);
  const bool is_link = inside.above == FileKind::symlink || inside.below == FileKind::symlink;
  if (is_link) {
    constexpr const char* kMode = "file mode 120000\n";
    const std::string mode = was_there && is_there ? ""
                             : is_there            ? fmt::format("new {}", kMode)
                                                   : fmt::format("deleted {}", kMode);
    diff = fmt::format("diff --git a/{0} b/{0}\n{1}{2}", sides.shown, mode, diff);
  } else {
    const LineCounts counts = count_lines_of(diff);
    file.added += static_cast<std::int64_t>(counts.added);
    file.removed += static_cast<std::int64_t>(counts.removed);
  }
  is_full_ = report_.diff.size() + diff.size() > limits_.diff_chars;
  if (is_full_) return note(kLongDifference);
  report_.diff += diff;
}

JsonArray altered_json(const std::vector<Altered>& altered) {
  JsonArray list;
  for (const Altered& each : altered) {
    if (!is_applied(each)) continue;
    JsonObject one{{"what", static_cast<int>(each.what)},
                   {"path", to_base64(each.path)},
                   {"kind", static_cast<int>(each.kind)},
                   {"mode", each.mode},
                   {"mode_before", each.mode_before},
                   {"outline", each.outline},
                   {"parent", each.parent},
                   {"meanwhile", each.meanwhile},
                   {"only_mode", each.only_mode},
                   {"kind_before", static_cast<int>(each.kind_before)}};
    if (each.before)
      one["before"] = JsonObject{{"device", each.before->device},
                                 {"inode", each.before->inode},
                                 {"size", each.before->size},
                                 {"modified_ns", each.before->modified_ns},
                                 {"changed_ns", each.before->changed_ns}};
    list.push_back(std::move(one));
  }
  return list;
}

std::vector<std::vector<Altered>> altered_from(const Json& manifest) {
  std::vector<std::vector<Altered>> layers;
  const Json* all = manifest.is_object() ? manifest.get_object().if_contains("altered") : nullptr;
  if (!all || !all->is_array()) return layers;
  for (const Json& layer : all->get_array()) {
    layers.emplace_back();
    if (!layer.is_array()) continue;
    for (const Json& each : layer.get_array()) {
      if (each.is_object()) layers.back().push_back(altered_from(each.get_object()));
    }
  }
  return layers;
}

}  // namespace helve::workspace
