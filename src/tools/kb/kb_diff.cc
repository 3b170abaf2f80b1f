// kb_diff: what changed between two versions of a document.
#include <fmt/format.h>

#include "base/diff.h"
#include "base/text.h"
#include "tools/kb_document.h"

namespace helve::tools {
namespace {

constexpr size_t kMaxDiff = 256 * 1024;  // bytes; the rest is counted
constexpr size_t kMaxLines = 2'000'000;  // compared, of both versions

struct KbDiffInput {
  std::string path;
  std::optional<std::int64_t> from;
  std::optional<std::int64_t> to;

  static constexpr auto schema() {
    return object(
        "Show what changed between two versions of a document, as a unified diff of at most 256 "
        "KB. At most two million lines are compared: those between the first difference and the "
        "last.",
        arg<&KbDiffInput::path>("Logical path").min_length(1),
        opt<&KbDiffInput::from>(
            "The older version; default: the newest one that is kept before `to`")
            .min(1),
        opt<&KbDiffInput::to>("The newer version; default: the latest").min(1));
  }
};

struct KbDiffOutput {
  std::string path;
  std::int64_t from = 0;
  std::int64_t to = 0;
  std::int64_t added = 0;
  std::int64_t removed = 0;
  std::string diff;
  std::optional<bool> truncated;

  static constexpr auto schema() {
    return object("A difference.", arg<&KbDiffOutput::path>("The document"),
                  arg<&KbDiffOutput::from>("Version; 0: nothing, as before the first"),
                  arg<&KbDiffOutput::to>("Version"), arg<&KbDiffOutput::added>("Lines"),
                  arg<&KbDiffOutput::removed>("Lines"),
                  arg<&KbDiffOutput::diff>("Unified; empty: they are the same"),
                  opt<&KbDiffOutput::truncated>("True when the end of it is left out"));
  }
  std::string text() const {
    if (diff.empty()) return fmt::format("{}: versions {} and {} are the same\n", path, from, to);
    return escape_lines_for_display(diff) + (truncated ? "… the rest is left out\n" : "");
  }
};

// A version that removed the document holds nothing, and neither does what was before the first.
Result<std::string> content_of(store::Documents& documents, const std::string& path,
                               std::uint64_t number, const Context& context) {
  std::string content;
  if (number == 0) return content;
  const store::DocumentVersion version = TRY(documents.find(path, number));
  if (version.is_removed) return content;
  content.reserve(version.bytes);
  TRY(documents.read(version, [&](std::string_view piece) {
    content += piece;
    return context.checkpoint().has_value();
  }));
  TRY(context.checkpoint());
  return content;
}

// Some may have been forgotten. `kept` has the newest first.
std::int64_t newest_before(const std::vector<store::DocumentVersion>& kept, std::int64_t number) {
  for (const store::DocumentVersion& each : kept) {
    if (static_cast<std::int64_t>(each.number) < number)
      return static_cast<std::int64_t>(each.number);
  }
  return 0;
}

Result<KbDiffOutput> kb_diff(const KbDiffInput& in, Context& context) {
  const std::unique_ptr<store::Documents> documents = TRY(need_documents(context));
  KbDiffOutput out;
  out.path = TRY(store::document_path(in.path));
  const std::vector<store::DocumentVersion> kept =
      TRY(documents->versions(out.path, store::kMaxVersions));
  out.to = in.to.value_or(static_cast<std::int64_t>(kept.front().number));
  out.from = in.from.value_or(newest_before(kept, out.to));
  const std::string old =
      TRY(content_of(*documents, out.path, static_cast<std::uint64_t>(out.from), context));
  const std::string now =
      TRY(content_of(*documents, out.path, static_cast<std::uint64_t>(out.to), context));
  const std::string from = fmt::format("version {}", out.from);
  const std::string to = fmt::format("version {}", out.to);
  // Before the first version there was nothing.
  const bool is_new = out.from == 0;
  Result<Patch> patch = bounded_patch(
      {is_new ? "/dev/null" : out.path, out.path, is_new ? "" : std::string_view(from), to}, old,
      now, {.lines = kMaxLines, .bytes = kMaxDiff + 1, .is_over = [&] {
              return !context.checkpoint();
            }});
  TRY(context.checkpoint());
  if (!patch && patch.error().code == Code::too_large)
    patch.error().hint = "kb_read shows each version by pages, kb_search finds lines by a pattern";
  const auto [diff, counts] = TRY(std::move(patch));
  out.added = static_cast<std::int64_t>(counts.added);
  out.removed = static_cast<std::int64_t>(counts.removed);
  const std::string_view shown = cut_utf8(diff, kMaxDiff);
  if (shown.size() < diff.size()) out.truncated = true;
  out.diff = escape_invalid_utf8(shown);
  return out;
}

}  // namespace

Tool tool_kb_diff() {
  return make_tool({.name = "kb_diff",
                    .group = "kb",
                    .title = "Compare versions",
                    .effect = Effect::read,
                    .idempotent = true,
                    .examples = {{"The latest change", R"({"path": "notes/today.md"})"},
                                 {"Two versions", R"({"path": "notes/today.md", "from": 1,
                                 "to": 3})"}}},
                   kb_diff);
}

}  // namespace helve::tools
