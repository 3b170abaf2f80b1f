// kb_stats: how much is kept.
#include <fmt/format.h>

#include "base/text.h"
#include "tools/kb_document.h"

namespace helve::tools {
namespace {

struct KbStatsInput {
  std::string path;

  static constexpr auto schema() {
    return object(
        "Count the documents of the knowledge store, their versions and bytes.",
        opt<&KbStatsInput::path>("Only what lies there and below; empty: all").positional());
  }
};

struct KbStatsOutput {
  std::int64_t documents = 0;
  std::int64_t removed = 0;
  std::int64_t versions = 0;
  std::int64_t bytes = 0;
  std::int64_t stored_bytes = 0;

  static constexpr auto schema() {
    return object("Counts.", arg<&KbStatsOutput::documents>("That are there"),
                  arg<&KbStatsOutput::removed>("That were removed and have older versions"),
                  arg<&KbStatsOutput::versions>("Of all of them"),
                  arg<&KbStatsOutput::bytes>("Of the latest versions"),
                  arg<&KbStatsOutput::stored_bytes>("Of all versions"));
  }
  std::string text() const {
    const auto size = [](std::int64_t count) {
      return human_size(static_cast<std::uint64_t>(count));
    };
    return fmt::format("documents: {} ({})\nremoved: {}\nversions: {} ({})\n", documents,
                       size(bytes), removed, versions, size(stored_bytes));
  }
};

Result<KbStatsOutput> kb_stats(const KbStatsInput& in, Context& context) {
  const std::unique_ptr<store::Documents> documents = TRY(need_documents(context));
  const store::Totals totals = TRY(documents->totals(TRY(document_folder(in.path))));
  return KbStatsOutput{.documents = static_cast<std::int64_t>(totals.documents),
                       .removed = static_cast<std::int64_t>(totals.removed),
                       .versions = static_cast<std::int64_t>(totals.versions),
                       .bytes = static_cast<std::int64_t>(totals.bytes),
                       .stored_bytes = static_cast<std::int64_t>(totals.stored_bytes)};
}

}  // namespace

Tool tool_kb_stats() {
  return make_tool({.name = "kb_stats",
                    .group = "kb",
                    .title = "Count documents",
                    .effect = Effect::read,
                    .idempotent = true,
                    .examples = {{"All", "{}"}}},
                   kb_stats);
}

}  // namespace helve::tools
