#include "workspace/trial_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/base64.h"
#include "base/diff.h"
#include "base/text.h"
#include "workspace/path.h"
#include "workspace/tree.h"

namespace helve::workspace {
namespace {

using sys::FileKind;
using What = Altered::What;

constexpr std::uint64_t kMaxCompared = 1u << 20;  // bytes of a file whose lines are compared

// Nothing: it is no text, or too large to be compared.
std::optional<std::string> text_of(const sys::Fd& directory, const std::string& path) {
  const auto file = sys::open_beneath(directory, path, sys::Open::read, sys::Links::refuse);
  const auto status = file ? sys::status(*file) : std::unexpected(file.error());
  if (!status || status->kind != FileKind::file || status->size > kMaxCompared) return {};
  std::string content(status->size, '\0');
  const auto read = sys::read_at(*file, content, 0);
  if (!read) return {};
  content.resize(*read);
  if (content.find('\0') != content.npos || !is_utf8(content)) return {};
  return content;
}

void add_difference(const Altered& altered, const BothSides& sides, size_t diff_chars,
                    TrialFile& file, TrialReport& report) {
  if (altered.kind != FileKind::file) return;
  const std::optional<std::string> before =
      altered.what == What::created ? "" : text_of(sides.lower, altered.path);
  const std::optional<std::string> now =
      altered.what == What::removed ? "" : text_of(sides.upper, altered.path);
  if (!before || !now) return;
  const LineCounts counts = count_changes(diff_lines(*before, *now));
  file.added = static_cast<std::int64_t>(counts.added);
  file.removed = static_cast<std::int64_t>(counts.removed);
  const std::string old_name = altered.what == What::created ? "/dev/null" : "a/" + sides.shown;
  const std::string new_name = altered.what == What::removed ? "/dev/null" : "b/" + sides.shown;
  const std::string diff = unified_diff({old_name, new_name}, *before, *now);
  if (report.diff.size() + diff.size() <= diff_chars)
    report.diff += diff;
  else if (report.notes.empty() || !report.notes.back().starts_with("the difference is long"))
    report.notes.emplace_back("the difference is long: not all files are shown in it");
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
  if (const Json* meanwhile = object.if_contains("meanwhile"); meanwhile && meanwhile->is_bool())
    altered.meanwhile = meanwhile->get_bool();
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

void describe(const Altered& altered, const BothSides& sides, size_t diff_chars,
              TrialReport& report) {
  if (!protected_part(altered.path).empty()) {
    constexpr std::string_view kNote = "changes inside .git cannot be applied";
    const auto is_told = [&](const std::string& note) { return note.starts_with(kNote); };
    if (std::ranges::none_of(report.notes, is_told))
      report.notes.push_back(fmt::format("{}: run the command for real to have them", kNote));
    return;
  }
  if (altered.kind == FileKind::socket || altered.kind == FileKind::fifo) {
    report.notes.push_back(fmt::format("'{}' is a {}, which is left out",
                                       escape_for_display(sides.shown), name_of(altered.kind)));
    return;
  }
  if (altered.meanwhile)
    report.notes.push_back(
        fmt::format("somebody else changed '{}' while the command ran: the trial cannot be applied",
                    escape_for_display(sides.shown)));
  TrialFile file{.what = altered.what, .path = sides.shown, .kind = altered.kind};
  add_difference(altered, sides, diff_chars, file, report);
  report.files.push_back(std::move(file));
}

JsonArray altered_json(const std::vector<Altered>& altered) {
  JsonArray list;
  for (const Altered& each : altered) {
    if (each.kind == FileKind::socket || each.kind == FileKind::fifo) continue;
    JsonObject one{{"what", static_cast<int>(each.what)}, {"path", to_base64(each.path)},
                   {"kind", static_cast<int>(each.kind)}, {"mode", each.mode},
                   {"mode_before", each.mode_before},     {"outline", each.outline},
                   {"meanwhile", each.meanwhile}};
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
