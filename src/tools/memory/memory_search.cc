// memory_search: finds notes again, by keywords, by meaning, or by both.
#include <fmt/format.h>

#include <cmath>

#include "base/text.h"
#include "tool/make.h"
#include "tools/agent_memories.h"

namespace helve::tools {
namespace {

using knowledge::MemoryAnswer;
using knowledge::MemoryHit;
using knowledge::Mode;
using knowledge::ScoreKind;

struct MemorySearchInput {
  std::string query;
  Mode mode = Mode::hybrid;
  std::int64_t max_results = 6;
  double min_score = 0.35;
  double recency = 0;

  static constexpr auto schema() {
    return object(
        "Search what was remembered: past decisions, facts, preferences and notes, in MEMORY.md "
        "and "
        "the "
        "Markdown files below memory/. Use it before answering questions about earlier work. "
        "Results have the file and the lines; memory_get reads more of it.",
        arg<&MemorySearchInput::query>("What to look for: a question, or words of the note")
            .min_length(1)
            .max_length(10'000),
        opt<&MemorySearchInput::mode>(
            "keyword: how often the words occur; semantic: by meaning; hybrid: by both"),
        opt<&MemorySearchInput::max_results>("At most so many").min(1).max(100),
        opt<&MemorySearchInput::min_score>(
            "Leave out what scores less, from 0 to 1; does not apply to keyword")
            .min(0)
            .max(1),
        opt<&MemorySearchInput::recency>("How much newer notes are preferred, from 0 to 1")
            .min(0)
            .max(1));
  }

  Result<void> check() const {
    if (!trim(query).empty()) return {};
    return Error{Code::invalid_argument, "the query is empty", "say what to look for"};
  }
};

struct MemoryResult {
  std::string path;
  std::int64_t start_line = 1;
  std::int64_t end_line = 1;
  double score = 0;
  ScoreKind score_kind = ScoreKind::hybrid;
  std::optional<std::string> heading;
  std::string snippet;

  static constexpr auto schema() {
    return object("A passage of a note.", arg<&MemoryResult::path>("The file, for memory_get"),
                  arg<&MemoryResult::start_line>("Its first line in the file, from 1"),
                  arg<&MemoryResult::end_line>("Its last line"),
                  arg<&MemoryResult::score>("The higher, the better"),
                  arg<&MemoryResult::score_kind>(
                      "keyword_count: occurrences of the words; else from 0 to 1, by words (bm25), "
                      "by meaning (semantic) or by both (hybrid)"),
                  opt<&MemoryResult::heading>("The headings above it"),
                  arg<&MemoryResult::snippet>("What it says, up to 500 characters"));
  }
};

struct MemorySearchOutput {
  std::vector<MemoryResult> results;
  std::int64_t files = 0;
  std::int64_t bytes = 0;
  std::optional<std::vector<std::string>> notes;

  static constexpr auto schema() {
    return object(
        "What was found.", arg<&MemorySearchOutput::results>("The best first"),
        arg<&MemorySearchOutput::files>("Files that were searched, as they are now"),
        arg<&MemorySearchOutput::bytes>("Their size together"),
        opt<&MemorySearchOutput::notes>("What could not be read, or not be searched by meaning"));
  }

  std::string text() const;
};

// Counts as they are; with recency they may have a fraction.
std::string shown_score(const MemoryResult& result) {
  if (result.score_kind != ScoreKind::keyword_count) return fmt::format("{:.2f}", result.score);
  const bool is_whole = result.score == std::floor(result.score);
  return fmt::format("{:.{}f}", result.score, is_whole ? 0 : 1);
}

std::string MemorySearchOutput::text() const {
  std::string out;
  if (files == 0) {
    out = "No memory files found. The memory directory is empty.";
  } else if (results.empty()) {
    out = fmt::format(
        "No memory matches found. Searched {} file(s) ({:.1f} KB total). Try different keywords.",
        files, static_cast<double>(bytes) / 1024);
  }
  for (size_t i = 0; i < results.size(); ++i) {
    const MemoryResult& result = results[i];
    if (i > 0) out += "\n\n---\n\n";
    out += fmt::format("[{}] {}", i + 1, escape_for_display(result.path));
    const bool is_counted = result.score_kind == ScoreKind::keyword_count;
    if (!is_counted) out += fmt::format(":{}-{}", result.start_line, result.end_line);
    out += fmt::format(" (score: {})", shown_score(result));
    if (result.heading) out += " " + *result.heading;
    out += "\n" + result.snippet;
  }
  if (notes) {
    out += "\n";
    for (const std::string& note : *notes) out += "\nnote: " + note;
  }
  return out;
}

MemoryResult result_of(const MemoryHit& hit) {
  const ScoreKind kind = hit.score_kind;
  // More digits would say more than is known.
  const double score =
      kind == ScoreKind::keyword_count ? hit.score : std::round(hit.score * 1e4) / 1e4;
  MemoryResult result{.path = escape_invalid_utf8(hit.path),
                      .start_line = static_cast<std::int64_t>(hit.first_line),
                      .end_line = static_cast<std::int64_t>(hit.last_line),
                      .score = score,
                      .score_kind = kind,
                      .snippet = escape_invalid_utf8(hit.snippet)};
  if (!hit.heading.empty()) result.heading = escape_invalid_utf8(hit.heading);
  return result;
}

Result<MemorySearchOutput> memory_search(const MemorySearchInput& in, Context& context) {
  TRY(context.checkpoint());
  const Result<AgentMemory> memory = need_memory(context);
  if (!memory && memory.error().type == "no_memory") return MemorySearchOutput();
  if (!memory) return memory.error();
  Result<MemoryAnswer> answer =
      memory->memory.search({.text = in.query,
                             .mode = in.mode,
                             .limit = static_cast<size_t>(in.max_results),
                             .min_score = in.min_score,
                             .recency = in.recency},
                            context.stop, [&](double done, double total, std::string_view what) {
                              context.progress(done, total, what);
                            });
  TRY(context.checkpoint());
  if (!answer) return std::move(answer).error();
  MemorySearchOutput out{.files = static_cast<std::int64_t>(answer->files),
                         .bytes = static_cast<std::int64_t>(answer->bytes)};
  for (const MemoryHit& hit : answer->hits) out.results.push_back(result_of(hit));
  if (!answer->notes.empty()) out.notes = std::move(answer->notes);
  return out;
}

}  // namespace

Tool tool_memory_search() {
  return make_tool(
      {.name = "memory_search",
       .group = "memory",
       .title = "Search memory",
       .effect = Effect::read,
       .idempotent = true,
       .examples = {{"What was decided", R"({"query": "which database did we choose, and why"})"},
                    {"By exact words", R"({"query": "ORA-00942 staging", "mode": "keyword"})"}}},
      memory_search);
}

}  // namespace helve::tools
