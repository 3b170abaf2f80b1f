// kb_info: all that is known of a document but its content.
#include <fmt/format.h>

#include "base/text.h"
#include "sys/clock.h"
#include "tools/kb_document.h"

namespace helve::tools {
namespace {

struct KbInfoInput {
  std::string path;
  std::optional<std::int64_t> version;

  static constexpr auto schema() {
    return object("Tell about a document: size, type, versions, where its content came from.",
                  arg<&KbInfoInput::path>("Logical path").min_length(1),
                  opt<&KbInfoInput::version>("An older version; default: the latest").min(1));
  }
};

struct KbInfoOutput {
  KbDocument document;
  std::int64_t latest_version = 0;
  std::string sha256;
  std::optional<std::string> source_modified;

  static constexpr auto schema() {
    return object("A document.", arg<&KbInfoOutput::document>("The version asked for"),
                  arg<&KbInfoOutput::latest_version>("Of the document"),
                  arg<&KbInfoOutput::sha256>("Of the content"),
                  opt<&KbInfoOutput::source_modified>("When the file that was read had changed"));
  }
  std::string text() const {
    std::string out = fmt::format(
        "{}\nversion: {} of {}{}\nsize: {}\ntype: {}\nwritten: {}{}\nsource: {}{}\nsha256: {}\n",
        document.path, document.version, latest_version, document.removed ? " (removed)" : "",
        document.size_text(), document.mime_type, document.written,
        document.agent ? " by " + escape_for_display(*document.agent) : "", document.source,
        document.from ? " " + escape_for_display(*document.from) : "", sha256);
    if (document.change_note)
      out += fmt::format("note: {}\n", escape_for_display(*document.change_note));
    return out;
  }
};

Result<KbInfoOutput> kb_info(const KbInfoInput& in, Context& context) {
  const std::unique_ptr<store::Documents> documents = TRY(need_documents(context));
  const std::string path = TRY(store::document_path(in.path));
  std::optional<std::uint64_t> number;
  if (in.version) number = static_cast<std::uint64_t>(*in.version);
  const store::DocumentVersion version = TRY(documents->find(path, number));
  const store::DocumentVersion latest = TRY(documents->versions(path, 1)).front();
  KbInfoOutput out{.document = KbDocument::of(version),
                   .latest_version = static_cast<std::int64_t>(latest.number),
                   .sha256 = version.hash,
                   .source_modified = {}};
  if (version.source.modified_ms != 0) out.source_modified = sys::utc(version.source.modified_ms);
  return out;
}

}  // namespace

Tool tool_kb_info() {
  return make_tool({.name = "kb_info",
                    .group = "kb",
                    .title = "Tell about a document",
                    .effect = Effect::read,
                    .idempotent = true,
                    .examples = {{"A document", R"({"path": "notes/today.md"})"}}},
                   kb_info);
}

}  // namespace helve::tools
