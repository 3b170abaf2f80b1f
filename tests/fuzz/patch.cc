// Patches from anywhere, for any file: whatever the bytes, a patch is applied as a whole or refused
// with a reason, and a difference that we write ourselves is applied to the very bytes.
#include "base/diff.h"
#include "edit/plan.h"
#include "target.h"

namespace {

using namespace helve;
using fuzz::expect;

void check_error(const Error& error) {
  expect(!error.message.empty() && !error.hint.empty(), "an error says what and what to do",
         error.message);
}

Result<std::vector<edit::PlannedFile>> plan(std::string_view content, std::string_view patch) {
  std::vector<edit::FilePatch> patches = TRY(edit::parse_patch(patch, "x"));
  for (const edit::FilePatch& file : patches)
    expect(!file.path.empty() || !file.to.empty(), "a file has a name");
  return edit::plan_patch(std::move(patches),
                          {[](std::string_view name) { return std::string(name); },
                           [&](const std::string& name) -> Result<std::optional<std::string>> {
                             if (name.starts_with("new")) return std::nullopt;
                             return std::string(content);
                           }});
}

void check_patch(std::string_view content, std::string_view patch) {
  const auto planned = plan(content, patch);
  if (!planned) return check_error(planned.error());
  for (const edit::PlannedFile& file : *planned) {
    if (file.kind != edit::PlannedFile::Kind::update) continue;
    expect(file.changed, "an update changes something");
    expect(count_lines(content) + file.added >= file.removed, "no more goes than there was");
  }
}

void check_own_difference(std::string_view old_text, std::string_view new_text) {
  const std::string patch = unified_diff({"a/x", "b/x"}, old_text, new_text);
  expect(patch.empty() == (old_text == new_text), "a difference is written when there is one");
  if (patch.empty() || old_text.empty() || new_text.empty()) return;
  // A carriage return alone ends lines in some files, and then is no part of a line.
  if (old_text.find('\r') != old_text.npos && old_text.find('\n') == old_text.npos) return;
  const auto planned = plan(old_text, patch);
  expect(planned.has_value(), "our own difference is a patch", patch);
  expect((*planned)[0].content == new_text, "our own difference gives the new text", patch);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  const size_t half = text.find('\0');
  const std::string_view content = half == text.npos ? text : text.substr(0, half);
  const std::string_view patch = half == text.npos ? text : text.substr(half + 1);
  check_patch(content, patch);
  check_own_difference(content, patch);
  return 0;
}
