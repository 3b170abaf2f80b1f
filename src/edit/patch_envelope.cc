// Reads the envelope: *** Begin Patch, sections by file, *** End Patch.
#include <fmt/format.h>

#include "base/text.h"
#include "edit/patch_reader.h"

namespace helve::edit {

namespace {

constexpr std::string_view kAdd = "*** Add File:";
constexpr std::string_view kUpdate = "*** Update File:";
constexpr std::string_view kDelete = "*** Delete File:";
constexpr std::string_view kMove = "*** Move to:";
constexpr std::string_view kEndOfFile = "*** End of File";

bool at_end(const PatchReader& reader) {
  return reader.done() || reader.line().starts_with(kEndPatch);
}

Result<std::string> path_of(const PatchReader& reader, std::string_view marker) {
  const std::string_view path = trim(trim(reader.line()).substr(marker.size()));
  if (path.empty())
    return bad_patch(reader.number(), fmt::format("'{}' without a path", marker),
                     "name the file after the colon");
  return std::string(path);
}

Result<FilePatch> start(PatchReader& reader, FilePatch::Kind kind, std::string_view marker) {
  FilePatch patch{.kind = kind, .path = {}, .patch_line = reader.number()};
  patch.path = TRY(path_of(reader, marker));
  reader.next();
  return patch;
}

Result<FilePatch> parse_add(PatchReader& reader) {
  FilePatch patch = TRY(start(reader, FilePatch::Kind::add, kAdd));
  Hunk content{.anchors = {}, .lines = {}, .patch_line = reader.number()};
  for (; !at_end(reader) && reader.line().starts_with('+'); reader.next())
    content.lines.push_back({HunkLine::Kind::added, reader.line().substr(1)});
  patch.hunks.push_back(std::move(content));
  return patch;
}

Result<Hunk> parse_hunk(PatchReader& reader) {
  Hunk hunk{.anchors = {}, .lines = {}, .patch_line = reader.number()};
  std::string_view anchor;
  HunkRange range;
  while (!reader.done() && parse_anchor(reader.line(), anchor)) {
    if (parse_range(reader.line(), range)) {
      hunk.numbered = true;
      hunk.old_line = range.old_line;
    } else if (!anchor.empty()) {
      hunk.anchors.push_back(anchor);
    }
    reader.next();
  }
  read_hunk_lines(reader, hunk, Form::envelope);
  if (!reader.done() && trim(reader.line()) == kEndOfFile) {
    hunk.at_end = true;
    reader.next();
  }
  if (hunk.lines.empty())
    return bad_patch(hunk.patch_line, "a hunk without lines",
                     "begin its lines with ' ', '-' or '+'");
  return hunk;
}

Result<FilePatch> parse_update(PatchReader& reader) {
  FilePatch patch = TRY(start(reader, FilePatch::Kind::update, kUpdate));
  if (!reader.done() && trim(reader.line()).starts_with(kMove)) {
    patch.to = TRY(path_of(reader, kMove));
    reader.next();
  }
  while (!at_end(reader)) {
    const std::string_view line = reader.line();
    if (trim(line).empty()) {
      reader.next();
      continue;
    }
    if (line.starts_with("*** ") || (line[0] != ' ' && trim(line).starts_with("*** "))) break;
    const bool starts_hunk =
        line.starts_with("@@") ||
        (patch.hunks.empty() && std::string_view(" +-").find(line[0]) != std::string_view::npos);
    if (!starts_hunk) {
      return bad_patch(
          reader.number(),
          fmt::format("'{}' is not a line of a hunk", escape_for_display(preview(line, 80))),
          "begin lines with ' ', '-' or '+', a hunk with @@, a file with '*** Update File: p'");
    }
    patch.hunks.push_back(TRY(parse_hunk(reader)));
  }
  if (patch.hunks.empty() && patch.to.empty()) {
    return bad_patch(patch.patch_line,
                     fmt::format("the update of {} has no hunks", escape_for_display(patch.path)),
                     "say what changes with ' ', '-' and '+' lines");
  }
  return patch;
}

Error no_section(const PatchReader& reader) {
  return bad_patch(
      reader.number(),
      fmt::format("'{}' begins no file", escape_for_display(preview(trim(reader.line()), 80))),
      "files begin with '*** Add File: p', '*** Update File: p' or '*** Delete File: p', and each "
      "line of a new file with '+'");
}

// Up to the end marker or the end.
Result<void> parse_sections(PatchReader& reader, std::vector<FilePatch>& patches) {
  while (!at_end(reader)) {
    const std::string_view line = trim(reader.line());
    if (line.empty())
      reader.next();
    else if (line.starts_with(kAdd))
      patches.push_back(TRY(parse_add(reader)));
    else if (line.starts_with(kUpdate))
      patches.push_back(TRY(parse_update(reader)));
    else if (line.starts_with(kDelete))
      patches.push_back(TRY(start(reader, FilePatch::Kind::remove, kDelete)));
    else
      return no_section(reader);
  }
  return {};
}

}  // namespace

Result<std::vector<FilePatch>> parse_envelope(PatchReader& reader) {
  std::vector<FilePatch> patches;
  while (!reader.done()) {
    const std::string_view line = trim(reader.line());
    if (line.empty()) {
      reader.next();
    } else if (line == kBeginPatch) {
      reader.next();
      TRY(parse_sections(reader, patches));
      if (reader.done()) {
        return bad_patch(reader.number() - 1, fmt::format("the patch ends without '{}'", kEndPatch),
                         "it may have been cut off; send all of it");
      }
      reader.next();
    } else {
      const size_t before = patches.size();
      TRY(parse_sections(reader, patches));  // the markers around it may be missing
      if (!reader.done() && at_end(reader)) reader.next();
      if (patches.size() == before) return no_section(reader);
    }
  }
  return patches;
}

}  // namespace helve::edit
