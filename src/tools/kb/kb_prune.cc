// kb_prune: the only way in which versions are forgotten.
#include <fmt/format.h>

#include "base/text.h"
#include "sys/clock.h"
#include "tools/kb_document.h"

namespace helve::tools {
namespace {

constexpr std::int64_t kDay = 24ll * 60 * 60 * 1000;

struct KbPruneInput {
  std::optional<std::int64_t> keep_versions;
  std::optional<std::int64_t> removed_days;
  std::string path;
  bool dry_run = false;

  static constexpr auto schema() {
    return object(
        "Forget old versions of documents for good. The latest version of a document that is there "
        "is never forgotten.",
        opt<&KbPruneInput::keep_versions>("Keep so many of each document")
            .min(1)
            .max(store::kMaxVersions),
        opt<&KbPruneInput::removed_days>(
            "Forget documents that were removed so many days ago, or earlier; 0: all that were "
            "removed")
            .min(0)
            .max(100'000),
        opt<&KbPruneInput::path>("Only what lies there and below; empty: all"),
        opt<&KbPruneInput::dry_run>("Only count"));
  }
  Result<void> check() const {
    if (keep_versions || removed_days) return {};
    return Error{Code::invalid_argument, "nothing says what is to be forgotten",
                 "pass keep_versions, removed_days, or both"};
  }
};

struct KbPruneOutput {
  std::int64_t versions = 0;
  std::int64_t documents = 0;
  std::int64_t bytes = 0;
  std::optional<bool> dry_run;

  static constexpr auto schema() {
    return object("What was forgotten.", arg<&KbPruneOutput::versions>("Of all documents"),
                  arg<&KbPruneOutput::documents>("Of which nothing is left"),
                  arg<&KbPruneOutput::bytes>("Of all these versions"),
                  opt<&KbPruneOutput::dry_run>("True: it was only counted"));
  }
  std::string text() const {
    return fmt::format("{} {} versions ({}), {} documents as a whole\n",
                       dry_run ? "Would forget" : "Forgot", versions,
                       human_size(static_cast<std::uint64_t>(bytes)), documents);
  }
};

Result<KbPruneOutput> kb_prune(const KbPruneInput& in, Context& context) {
  const std::unique_ptr<store::Documents> documents = TRY(need_documents(context));
  store::Forget what{.under = {}, .rehearse = in.dry_run};
  what.under = TRY(document_folder(in.path));
  if (in.keep_versions) what.keep = static_cast<std::uint64_t>(*in.keep_versions);
  const std::int64_t now = context.clock ? context.clock->unix_ms() : sys::RealClock().unix_ms();
  // Of this very moment as well.
  if (in.removed_days) what.removed_before_ms = now + 1 - *in.removed_days * kDay;
  const store::Forgotten forgotten = TRY(documents->forget(what));
  KbPruneOutput out{.versions = static_cast<std::int64_t>(forgotten.versions),
                    .documents = static_cast<std::int64_t>(forgotten.documents),
                    .bytes = static_cast<std::int64_t>(forgotten.bytes),
                    .dry_run = {}};
  if (in.dry_run) out.dry_run = true;
  return out;
}

}  // namespace

Tool tool_kb_prune() {
  return make_tool(
      {.name = "kb_prune",
       .group = "kb",
       .title = "Forget old versions",
       .effect = Effect::write,
       .idempotent = true,
       .destructive = true,
       .examples = {{"Keep five versions of each", R"({"keep_versions": 5})"},
                    {"What was removed a month ago", R"({"removed_days": 30, "dry_run": true})"}}},
      kb_prune);
}

}  // namespace helve::tools
