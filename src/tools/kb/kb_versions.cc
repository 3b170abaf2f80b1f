// kb_versions: the history of a document.
#include <fmt/format.h>

#include "base/text.h"
#include "tools/kb_document.h"

namespace helve::tools {
namespace {

struct KbVersionsInput {
  std::string path;
  std::int64_t limit = 50;

  static constexpr auto schema() {
    return object("List the versions of a document, the newest first, removed documents included.",
                  arg<&KbVersionsInput::path>("Logical path").min_length(1),
                  opt<&KbVersionsInput::limit>("Versions at most")
                      .min(1)
                      .max(store::kMaxVersions)
                      .shorthand('n'));
  }
};

struct KbVersionsOutput {
  std::string path;
  std::vector<KbDocument> versions;
  bool truncated = false;

  static constexpr auto schema() {
    return object("A history.", arg<&KbVersionsOutput::path>("The document"),
                  arg<&KbVersionsOutput::versions>("The newest first"),
                  arg<&KbVersionsOutput::truncated>("True when there are older ones"));
  }
  std::string text() const {
    std::string out = path + "\n";
    for (const KbDocument& each : versions) {
      out += fmt::format("  {} · {} · {}", each.version, each.written,
                         each.removed ? "removed" : each.size_text());
      if (each.source != "inline")
        out += fmt::format(" · {}{}", each.source,
                           each.from ? " " + preview(escape_for_display(*each.from), 80) : "");
      if (each.change_note) out += " · " + escape_for_display(*each.change_note);
      out += '\n';
    }
    if (truncated) out += "  … and older ones\n";
    return out;
  }
};

Result<KbVersionsOutput> kb_versions(const KbVersionsInput& in, Context& context) {
  const std::unique_ptr<store::Documents> documents = TRY(need_documents(context));
  KbVersionsOutput out;
  out.path = TRY(store::document_path(in.path));
  const auto limit = static_cast<size_t>(in.limit);
  std::vector<store::DocumentVersion> found = TRY(documents->versions(out.path, limit + 1));
  out.truncated = found.size() > limit;
  if (out.truncated) found.resize(limit);
  for (const store::DocumentVersion& each : found) out.versions.push_back(KbDocument::of(each));
  return out;
}

}  // namespace

Tool tool_kb_versions() {
  return make_tool({.name = "kb_versions",
                    .group = "kb",
                    .title = "List versions",
                    .effect = Effect::read,
                    .idempotent = true,
                    .examples = {{"Of a document", R"({"path": "notes/today.md"})"}}},
                   kb_versions);
}

}  // namespace helve::tools
