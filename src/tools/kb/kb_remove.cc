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
    if (total == 0) return "Nothing was left to remove\n";
    std::string out;
    for (const std::string& path : removed) out += fmt::format("Removed {}\n", path);
    const auto more = total - static_cast<std::int64_t>(removed.size());
    if (more > 0) out += fmt::format("… and {} more\n", more);
    return out;
  }
};
constexpr size_t kMaxTold = 100;

std::vector<store::Draft> removals(std::vector<std::string> paths, const KbRemoveInput& in,
                                   const Context& context) {
  std::vector<store::Draft> drafts;
  for (std::string& path : paths) {
    drafts.push_back({version_by(context, std::move(path), {}, in.change_note)});
    drafts.back().version.is_removed = true;
  }
  return drafts;
}

Result<std::vector<std::string>> paths_below(const std::string& path, store::Documents& documents) {
  std::vector<std::string> paths;
  for (store::DocumentVersion& each : TRY(documents.list({.under = path})))
    paths.push_back(std::move(each.path));
  return paths;
}

Result<KbRemoveOutput> kb_remove(const KbRemoveInput& in, Context& context) {
  const std::unique_ptr<store::Documents> documents = TRY(need_documents(context));
  const std::string path = TRY(store::document_path(in.path));
  KbRemoveOutput out;
  bool was_there = false;
  while (true) {
    std::vector<std::string> paths;
    if (in.recursive) paths = TRY(paths_below(path, *documents));
    if (paths.empty() && was_there) return out;
    was_there = !paths.empty();
    // One that is not there is an error.
    if (paths.empty()) paths.push_back(path);
    Result<std::vector<store::DocumentVersion>> removed =
        documents->write(removals(std::move(paths), in, context));
    // Somebody else removes the same ones: what they left is listed anew.
    if (!removed && was_there && removed.error().type_name() == "unknown_document") {
      TRY(context.checkpoint());
      continue;
    }
    for (store::DocumentVersion& each : TRY(std::move(removed))) {
      if (out.removed.size() < kMaxTold) out.removed.push_back(std::move(each.path));
      ++out.total;
    }
    if (!was_there) return out;
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
