// kb_count_lines: how long a document is.
#include <fmt/format.h>

#include "tools/kb_document.h"

namespace helve::tools {
namespace {

struct KbCountLinesInput {
  std::string path;
  std::optional<std::int64_t> version;

  static constexpr auto schema() {
    return object("Count the lines and bytes of a document without reading it.",
                  arg<&KbCountLinesInput::path>("Logical path").min_length(1),
                  opt<&KbCountLinesInput::version>("An older version; default: the latest").min(1));
  }
};

struct KbCountLinesOutput {
  std::string path;
  std::int64_t version = 0;
  std::int64_t lines = 0;
  std::int64_t bytes = 0;

  static constexpr auto schema() {
    return object("Counts.", arg<&KbCountLinesOutput::path>("The document"),
                  arg<&KbCountLinesOutput::version>("That was counted"),
                  arg<&KbCountLinesOutput::lines>("Of it"),
                  arg<&KbCountLinesOutput::bytes>("Of it"));
  }
  std::string text() const {
    return fmt::format("{} line{}, {} byte{}: {}\n", lines, lines == 1 ? "" : "s", bytes,
                       bytes == 1 ? "" : "s", path);
  }
};

Result<KbCountLinesOutput> kb_count_lines(const KbCountLinesInput& in, Context& context) {
  const std::unique_ptr<store::Documents> documents = TRY(need_documents(context));
  std::optional<std::uint64_t> number;
  if (in.version) number = static_cast<std::uint64_t>(*in.version);
  const store::DocumentVersion found =
      TRY(documents->find(TRY(store::document_path(in.path)), number));
  return KbCountLinesOutput{.path = found.path,
                            .version = static_cast<std::int64_t>(found.number),
                            .lines = static_cast<std::int64_t>(found.lines),
                            .bytes = static_cast<std::int64_t>(found.bytes)};
}

}  // namespace

Tool tool_kb_count_lines() {
  return make_tool({.name = "kb_count_lines",
                    .group = "kb",
                    .title = "Count the lines of a document",
                    .effect = Effect::read,
                    .idempotent = true,
                    .examples = {{"A document", R"({"path": "notes/today.md"})"}}},
                   kb_count_lines);
}

}  // namespace helve::tools
