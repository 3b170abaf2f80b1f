// kb_remove: a version that says that the document is gone. What it held stays until it is pruned.
#include <fmt/format.h>

#include "tools/kb_document.h"

namespace helve::tools {
namespace {

struct KbRemoveInput {
  std::string path;
  bool recursive = false;
  std::optional<std::string> change_note;

  static constexpr auto schema() {
    return object(
        "Remove a document from the knowledge store. Its versions can still be read until kb_prune "
        "forgets them.",
        arg<&KbRemoveInput::path>("Logical path").min_length(1),
        opt<&KbRemoveInput::recursive>("Also every document below the path").shorthand('r'),
        opt<&KbRemoveInput::change_note>("Why; kept with the version").max_length(kMaxNoteChars));
  }
};

struct KbRemoveOutput {
  std::vector<std::string> removed;
  std::int64_t total = 0;

  static constexpr auto schema() {
    return object("What was removed.",
                  arg<&KbRemoveOutput::removed>("Paths, the first hundred of them"),
                  arg<&KbRemoveOutput::total>("Documents"));
  }
  std::string text() const {
    std::string out;
    for (const std::string& path : removed) out += fmt::format("Removed {}\n", path);
    const auto more = total - static_cast<std::int64_t>(removed.size());
    if (more > 0) out += fmt::format("… and {} more\n", more);
    return out;
  }
};
constexpr size_t kMaxTold = 100;

Result<KbRemoveOutput> kb_remove(const KbRemoveInput& in, Context& context) {
  const std::unique_ptr<store::Documents> documents = TRY(need_documents(context));
  const std::string path = TRY(store::document_path(in.path));
  KbRemoveOutput out;
  while (true) {
    std::vector<store::Draft> drafts;
    const auto add = [&](std::string each) {
      if (out.removed.size() < kMaxTold) out.removed.push_back(each);
      drafts.push_back({version_by(context, std::move(each), {}, in.change_note)});
      drafts.back().version.is_removed = true;
    };
    if (in.recursive) {
      for (store::DocumentVersion& each : TRY(documents->list({.under = path})))
        add(std::move(each.path));
    }
    // One that is not there is an error.
    if (!in.recursive || (drafts.empty() && out.total == 0)) add(path);
    TRY(documents->write(drafts));
    out.total += static_cast<std::int64_t>(drafts.size());
    if (drafts.size() < store::kMaxDocumentsListed) return out;
    TRY(context.checkpoint());
  }
}

}  // namespace

Tool tool_kb_remove() {
  return make_tool({.name = "kb_remove",
                    .group = "kb",
                    .title = "Remove a document",
                    .effect = Effect::write,
                    .subject = {"path", "recursive"},
                    .examples = {{"A document", R"({"path": "notes/today.md"})"},
                                 {"All below a path", R"({"path": "notes", "recursive": true})"}}},
                   kb_remove);
}

}  // namespace helve::tools
