// kb_list: the documents that are kept.
#include <fmt/format.h>

#include "tools/kb_document.h"

namespace helve::tools {
namespace {

// One more is asked for, to know whether there is more.
constexpr std::int64_t kMostListed = store::kMaxDocumentsListed - 1;

struct KbListInput {
  std::string path;
  std::int64_t limit = 100;
  std::optional<std::string> after;
  bool removed = false;

  static constexpr auto schema() {
    return object(
        "List the documents of the knowledge store in the order of their paths.",
        opt<&KbListInput::path>("Only this document and what lies below it; empty: all")
            .positional(),
        opt<&KbListInput::limit>("Documents at most").min(1).max(kMostListed).shorthand('n'),
        opt<&KbListInput::after>("Only paths after this one: to go on"),
        opt<&KbListInput::removed>("Also documents that were removed"));
  }
};

struct KbListOutput {
  std::vector<KbDocument> documents;
  std::optional<std::string> next_after;

  static constexpr auto schema() {
    return object("Documents.", arg<&KbListOutput::documents>("In the order of their paths"),
                  opt<&KbListOutput::next_after>("`after` of what follows; absent: nothing does"));
  }
  std::string text() const {
    std::string out;
    for (const KbDocument& each : documents)
      out += fmt::format("{} · version {}{} · {}\n", each.path, each.version,
                         each.removed ? ", removed" : " · " + each.size_text(), each.written);
    if (documents.empty()) out += "no documents\n";
    if (next_after) out += fmt::format("(after={} shows more)\n", *next_after);
    return out;
  }
};

Result<KbListOutput> kb_list(const KbListInput& in, Context& context) {
  const std::unique_ptr<store::Documents> documents = TRY(need_documents(context));
  const auto limit = static_cast<size_t>(in.limit);
  const std::string folder = TRY(document_folder(in.path));
  std::vector<store::DocumentVersion> found = TRY(documents->list({.under = folder,
                                                                   .after = in.after.value_or(""),
                                                                   .removed = in.removed,
                                                                   .limit = limit + 1}));
  KbListOutput out;
  if (found.size() > limit) {
    found.resize(limit);
    out.next_after = found.back().path;
  }
  for (const store::DocumentVersion& each : found) out.documents.push_back(KbDocument::of(each));
  return out;
}

}  // namespace

Tool tool_kb_list() {
  return make_tool({.name = "kb_list",
                    .group = "kb",
                    .title = "List documents",
                    .effect = Effect::read,
                    .idempotent = true,
                    .examples = {{"All", "{}"}, {"Below a path", R"({"path": "notes"})"}}},
                   kb_list);
}

}  // namespace helve::tools
