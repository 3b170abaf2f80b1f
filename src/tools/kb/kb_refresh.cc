// kb_refresh: reads the files again that documents came from.
#include <fmt/format.h>

#include "base/text.h"
#include "tools/files.h"
#include "tools/kb_document.h"
#include "tools/kb_intake.h"

namespace helve::tools {
namespace {

constexpr size_t kMaxTold = 100;  // documents

struct KbRefreshInput {
  std::string path;
  bool force = false;

  static constexpr auto schema() {
    return object(
        "Read the files again that documents were added from. Where a file has changed, its "
        "document gets a new version. Documents that were edited since, and those whose file is "
        "gone, stay as they are and are told.",
        opt<&KbRefreshInput::path>("Only this document and what lies below it; empty: all")
            .positional(),
        opt<&KbRefreshInput::force>(
            "Also read files whose time of change and size are as they were"));
  }
};

struct KbRefreshOutput {
  std::vector<KbWritten> refreshed;
  std::int64_t total = 0;
  std::int64_t unchanged = 0;
  std::vector<std::string> missing;
  std::int64_t missing_total = 0;
  std::optional<std::vector<std::string>> edited;
  std::int64_t edited_total = 0;  // not part of the value
  Notes notes;
  bool is_partial = false;  // not part of the value

  static constexpr auto schema() {
    return object("What was read again.",
                  arg<&KbRefreshOutput::refreshed>("New versions, the first hundred of them"),
                  arg<&KbRefreshOutput::total>("New versions"),
                  arg<&KbRefreshOutput::unchanged>("Documents whose files are as they were"),
                  arg<&KbRefreshOutput::missing>(
                      "Documents whose files cannot be read, and why; the first hundred"),
                  arg<&KbRefreshOutput::missing_total>("Of all"),
                  opt<&KbRefreshOutput::edited>("Documents that were edited since their files were "
                                                "read, which have changed, too; the first hundred"),
                  opt<&KbRefreshOutput::notes>("What new versions do not have of their files, and "
                                               "what to do about edited documents"));
  }
  std::string text() const {
    std::string out;
    for (const KbWritten& each : refreshed)
      out += fmt::format("{} (version {})\n", each.path, each.version);
    for (const std::string& each : missing) out += fmt::format("not read: {}\n", each);
    for (const std::string& each : edited.value_or(std::vector<std::string>()))
      out += fmt::format("edited since, not refreshed: {}\n", each);
    for (const std::string& note : notes.value_or(std::vector<std::string>()))
      out += "note: " + note + "\n";
    return out + fmt::format("{} refreshed, {} unchanged, {} not read\n", total, unchanged,
                             missing_total);
  }
};

enum class Fresh : unsigned char { unchanged, refreshed, edited };

Result<Fresh> refresh(const store::DocumentVersion& old, const KbRefreshInput& in,
                      const workspace::Workspace& files, Context& context,
                      store::Documents& documents, KbRefreshOutput& out, FileNotes& notes) {
  if (is_shared(context) && !old.source.from.starts_with('/'))
    return Error{Code::not_found, fmt::format("nobody knows in which workspace '{}' lies",
                                              escape_for_display(old.source.from))};
  const workspace::OpenFile file = TRY(files.open_file(old.source.from));
  // Whoever restores a file restores its time as well. Of what was converted the size is not known.
  const bool is_same_size =
      old.hash != old.source.hash || static_cast<std::uint64_t>(file.status.size) == old.bytes;
  const bool is_as_it_was =
      file.status.modified_ns / 1'000'000 == old.source.modified_ms && is_same_size;
  if (is_as_it_was && !in.force) return Fresh::unchanged;
  Intake intake = TRY(take_in(files, old.source.from, context));
  if (intake.source.hash == old.source.hash) return Fresh::unchanged;
  if (old.source.kind == "edit") return Fresh::edited;
  store::DocumentVersion version =
      version_by(context, old.path, std::move(intake.source), "refreshed");
  version.mime_type = std::move(intake.mime_type);
  const store::DocumentVersion written = TRY(store::write_document(
      documents, {version, intake.content, store::Expected::version(old.number)}));
  notes.add(written.path, intake.notes);
  out.is_partial = out.is_partial || intake.is_cut;
  if (out.refreshed.size() < kMaxTold) out.refreshed.push_back(KbWritten::of(written));
  return Fresh::refreshed;
}

void count(Fresh fresh, const store::DocumentVersion& version, KbRefreshOutput& out) {
  if (fresh == Fresh::unchanged) ++out.unchanged;
  if (fresh == Fresh::refreshed) ++out.total;
  if (fresh != Fresh::edited) return;
  ++out.edited_total;
  if (!out.edited) out.edited.emplace();
  if (out.edited->size() < kMaxTold)
    out.edited->push_back(
        fmt::format("{}, of {}", version.path, escape_for_display(version.source.from)));
}

Result<KbRefreshOutput> kb_refresh(const KbRefreshInput& in, Context& context) {
  const std::unique_ptr<store::Documents> documents = TRY(need_documents(context));
  const workspace::Workspace& files = *TRY(need_files(context, "kb_refresh"));
  store::DocumentFilter filter;
  filter.under = TRY(document_folder(in.path));
  const auto all = static_cast<double>(TRY(documents->totals(filter.under)).documents);
  KbRefreshOutput out;
  FileNotes notes;
  double done = 0;
  while (true) {
    const std::vector<store::DocumentVersion> page = TRY(documents->list(filter));
    for (const store::DocumentVersion& each : page) {
      TRY(context.checkpoint());
      context.progress(done++, all, each.path);
      if (!each.source.is_of_file()) continue;
      const Result<Fresh> fresh = refresh(each, in, files, context, *documents, out, notes);
      if (!fresh && fresh.error().code == Code::cancelled) return fresh.error();
      if (fresh) {
        count(*fresh, each, out);
      } else {
        ++out.missing_total;
        if (out.missing.size() < kMaxTold)
          out.missing.push_back(fmt::format("{}: {}", each.path, fresh.error().message));
      }
    }
    if (page.size() < store::kMaxDocumentsListed) break;
    filter.after = page.back().path;
  }
  notes.append_to(out.notes);
  if (out.edited_total == 0) return out;
  if (!out.notes) out.notes.emplace();
  out.notes->push_back(
      fmt::format("documents that were edited since: {}; {} with one file as source, and the "
                  "document as path, takes what the file has now",
                  out.edited_total, context.other_tool("kb_add")));
  return out;
}

}  // namespace

Tool tool_kb_refresh() {
  return make_tool(
      {.name = "kb_refresh",
       .group = "kb",
       .title = "Refresh documents",
       .effect = Effect::write,
       .idempotent = true,
       .subject = {"path"},
       .examples = {{"All that has changed", "{}"}, {"Below a path", R"({"path": "manual"})"}}},
      kb_refresh);
}

}  // namespace helve::tools
