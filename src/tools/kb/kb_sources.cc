// kb_sources: where documents came from.
#include <fmt/format.h>

#include "base/text.h"
#include "sys/clock.h"
#include "tools/kb_document.h"

namespace helve::tools {
namespace {

constexpr std::int64_t kMostListed = store::kMaxDocumentsListed - 1;

struct KbSourcesInput {
  std::string path;
  std::optional<std::string> kind;
  std::int64_t limit = 100;
  std::optional<std::string> after;

  static constexpr auto schema() {
    return object(
        "List where the latest versions of documents came from: files, results, calls, other "
        "documents.",
        opt<&KbSourcesInput::path>("Only this document and what lies below it; empty: all")
            .positional(),
        opt<&KbSourcesInput::kind>(
            "Only these: inline, file, edit, result, pipe, query, copy, move or import"),
        opt<&KbSourcesInput::limit>("Documents at most").min(1).max(kMostListed).shorthand('n'),
        opt<&KbSourcesInput::after>("Only paths after this one: to go on"));
  }
};

struct KbSource {
  std::string path;
  std::string kind;
  std::optional<std::string> from;
  std::optional<std::string> modified;
  std::string read;

  static constexpr auto schema() {
    return object("Where a document came from.", arg<&KbSource::path>("The document"),
                  arg<&KbSource::kind>("What it came from"),
                  opt<&KbSource::from>("Which one that was"),
                  opt<&KbSource::modified>("When the file had last changed"),
                  arg<&KbSource::read>("When it was stored"));
  }
};

struct KbSourcesOutput {
  std::vector<KbSource> sources;
  std::optional<std::string> next_after;

  static constexpr auto schema() {
    return object(
        "Sources.", arg<&KbSourcesOutput::sources>("In the order of the documents' paths"),
        opt<&KbSourcesOutput::next_after>("`after` of what follows; absent: nothing does"));
  }
  std::string text() const {
    std::string out;
    for (const KbSource& each : sources)
      out += fmt::format("{} · {}{} · {}\n", each.path, each.kind,
                         each.from ? " " + escape_for_display(*each.from) : "", each.read);
    if (sources.empty()) out += "no documents\n";
    if (next_after) out += fmt::format("(after={} shows more)\n", *next_after);
    return out;
  }
};

Result<KbSourcesOutput> kb_sources(const KbSourcesInput& in, Context& context) {
  const std::unique_ptr<store::Documents> documents = TRY(need_documents(context));
  store::DocumentFilter filter;
  filter.under = TRY(document_folder(in.path));
  filter.after = in.after.value_or("");
  KbSourcesOutput out;
  while (true) {
    const std::vector<store::DocumentVersion> page = TRY(documents->list(filter));
    for (const store::DocumentVersion& each : page) {
      if (in.kind && each.source.kind != *in.kind) continue;
      if (out.sources.size() == static_cast<size_t>(in.limit)) {
        out.next_after = out.sources.back().path;
        return out;
      }
      KbSource& source = out.sources.emplace_back(KbSource{.path = each.path,
                                                           .kind = each.source.kind,
                                                           .from = {},
                                                           .modified = {},
                                                           .read = sys::utc(each.created_ms)});
      if (!each.source.from.empty()) source.from = escape_invalid_utf8(each.source.from);
      if (each.source.modified_ms != 0) source.modified = sys::utc(each.source.modified_ms);
    }
    if (page.size() < store::kMaxDocumentsListed) return out;
    filter.after = page.back().path;
    TRY(context.checkpoint());
  }
}

}  // namespace

Tool tool_kb_sources() {
  return make_tool({.name = "kb_sources",
                    .group = "kb",
                    .title = "List sources",
                    .effect = Effect::read,
                    .idempotent = true,
                    .examples = {{"Of all documents", "{}"},
                                 {"Files below a path", R"({"path": "manual", "kind": "file"})"}}},
                   kb_sources);
}

}  // namespace helve::tools
