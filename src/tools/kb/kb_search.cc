// kb_search: finds passages of documents by words, by meaning and by pattern.
#include <fmt/format.h>

#include <algorithm>

#include "base/diff.h"
#include "base/text.h"
#include "knowledge/library.h"
#include "knowledge/searched_text.h"
#include "search/matcher.h"
#include "tools/kb_document.h"
#include "tools/snippet.h"

namespace helve::tools {
namespace {

constexpr size_t kSnippetChars = 300;
constexpr size_t kPerDocument = 3;         // results of one document
constexpr std::int64_t kMaxResults = 100;  // of one answer
constexpr size_t kMaxNamed = 5;            // documents in a note
constexpr std::string_view kSimpler = "avoid repetitions inside repetitions, and look-around";

using knowledge::Mode;

struct KbSearchInput {
  std::optional<std::string> query;
  std::optional<std::string> pattern;
  Mode mode = Mode::hybrid;
  std::int64_t limit = 10;
  std::string path_prefix;
  bool include_history = false;

  static constexpr auto schema() {
    return object(
        "Search the documents of the knowledge store: by a question, ranked by words and meaning, "
        "by a regular expression, or by both: then the ranked passages that match it. At most "
        "three results of a document.",
        opt<&KbSearchInput::query>("What is asked, in words").positional().min_length(1),
        opt<&KbSearchInput::pattern>("A regular expression that a line must match")
            .min_length(1)
            .shorthand('e'),
        opt<&KbSearchInput::mode>("keyword: by words; semantic: by meaning; hybrid: by both"),
        opt<&KbSearchInput::limit>("Results at most").min(1).max(kMaxResults).shorthand('n'),
        opt<&KbSearchInput::path_prefix>("Only documents whose path begins so"),
        opt<&KbSearchInput::include_history>("Older versions and removed documents, too"));
  }
  Result<void> check() const {
    if (query || pattern) return {};
    return Error{Code::invalid_argument, "there is nothing to search for",
                 "pass a query, a pattern, or both"};
  }
};

struct KbFound {
  std::string path;
  std::int64_t version = 0;
  std::optional<double> score;
  std::optional<std::string> score_kind;
  std::optional<std::string> heading;
  std::int64_t start_line = 0;
  std::int64_t end_line = 0;
  std::string snippet;

  static constexpr auto schema() {
    return object("A passage.", arg<&KbFound::path>("The document"),
                  arg<&KbFound::version>("In which it stands"),
                  opt<&KbFound::score>("0 to 1; absent: found by the pattern alone"),
                  opt<&KbFound::score_kind>("keyword, when the others were ranked by meaning, too: "
                                            "this passage has no vector yet"),
                  opt<&KbFound::heading>("The headings above it"),
                  arg<&KbFound::start_line>("Its first line, from 1"),
                  arg<&KbFound::end_line>("Its last line"),
                  arg<&KbFound::snippet>("About 300 characters around the match"));
  }
};

struct KbSearchOutput {
  std::vector<KbFound> results;
  std::string score_kind;
  std::optional<std::vector<std::string>> notes;
  bool is_partial = false;  // not part of the value

  static constexpr auto schema() {
    return object(
        "What was found.", arg<&KbSearchOutput::results>("The best first"),
        arg<&KbSearchOutput::score_kind>("How it was ranked: keyword, semantic, hybrid, or "
                                         "pattern: in the order of the paths"),
        opt<&KbSearchOutput::notes>("What was not searched, and why"));
  }
  void note(std::string note) {
    if (!notes) notes.emplace();
    notes->push_back(std::move(note));
  }
  std::string text() const {
    std::string out;
    size_t number = 0;
    for (const KbFound& each : results) {
      out += fmt::format("[{}] {}:{}-{}", ++number, each.path, each.start_line, each.end_line);
      if (each.score)
        out += fmt::format(" ({}: {:.2f})", each.score_kind.value_or(score_kind), *each.score);
      out += fmt::format(" · version {}", each.version);
      if (each.heading) out += " · " + escape_for_display(*each.heading);
      out += "\n" + escape_lines_for_display(each.snippet) + "\n\n";
    }
    if (results.empty()) out += "nothing was found\n";
    for (const std::string& note : notes.value_or(std::vector<std::string>()))
      out += "note: " + note + "\n";
    return out;
  }
};

// One pattern, tried on many texts. A text with a line on which it takes too many steps is searched
// up to there; any other failure ends the search.
class Pattern {
 public:
  static Result<Pattern> make(const std::string& pattern, const Context& context) {
    return Pattern(TRY(search::Matcher::make(pattern, {.case_mode = search::CaseMode::smart})),
                   search::Interrupt(context.stop, context.deadline));
  }
  struct Found {
    std::vector<search::MatchedLines> lines;
    bool is_whole = true;
  };
  // Where the lines with a match are, at most `limit` of them.
  Result<Found> find(std::string_view text, size_t limit) {
    scratch_->keep_at_most(limit);
    const auto want = limit == 1 ? search::Matcher::Want::first : search::Matcher::Want::all;
    const Result<void> searched = matcher_->find(text, want, *scratch_);
    if (!searched && searched.error().type_name() != "pattern_too_complex") return searched.error();
    Found found{.lines = scratch_->found(), .is_whole = searched.has_value()};
    if (found.lines.size() > limit) found.lines.resize(limit);
    return found;
  }
  size_t place_in(std::string_view line) {
    const auto span = matcher_->first_match(line, *scratch_);
    return span ? span->begin : 0;
  }

 private:
  Pattern(std::unique_ptr<search::Matcher> matcher, search::Interrupt interrupt)
      : matcher_(std::move(matcher)),
        scratch_(std::make_unique<search::Matcher::Scratch>(std::move(interrupt))) {}

  std::unique_ptr<search::Matcher> matcher_;
  std::unique_ptr<search::Matcher::Scratch> scratch_;
};

std::string_view kind_of(Mode mode) {
  return mode == Mode::keyword ? "keyword" : mode == Mode::semantic ? "semantic" : "hybrid";
}

KbFound found_of(const knowledge::LibraryHit& hit, size_t place) {
  KbFound found{.path = hit.path,
                .version = static_cast<std::int64_t>(hit.version),
                .score = hit.score,
                .score_kind = {},
                .heading = {},
                .start_line = static_cast<std::int64_t>(hit.first_line),
                .end_line = static_cast<std::int64_t>(hit.last_line),
                .snippet = shown_content(snippet_around(hit.text, place, kSnippetChars)).text};
  if (!hit.heading.empty()) found.heading = escape_invalid_utf8(hit.heading);
  return found;
}

Result<KbSearchOutput> by_question(const KbSearchInput& in, std::optional<Pattern>& pattern,
                                   store::Documents& documents, Context& context) {
  knowledge::LibraryQuestion question{
      .text = *in.query,
      .mode = in.mode,
      .reach = in.include_history ? knowledge::Reach::history : knowledge::Reach::latest,
      .prefix = in.path_prefix,
      .limit = static_cast<size_t>(in.limit),
      .per_document = kPerDocument};
  Result<void> tried;
  std::int64_t undecided = 0;
  if (pattern)
    question.accepts = [&](const knowledge::PassageView& passage) {
      if (!tried) return false;
      const Result<Pattern::Found> found = pattern->find(passage.text, 1);
      if (!found) tried = found.error();
      if (!found || !found->lines.empty()) return found.has_value();
      undecided += found->is_whole ? 0 : 1;
      return false;
    };
  const knowledge::LibraryAnswer answer = TRY(context.library->search(
      documents, question,
      [&](double done, double total, std::string_view what) {
        context.progress(done, total, what);
      },
      context.stop));
  TRY(std::move(tried));
  TRY(context.checkpoint());  // the pattern may have been stopped
  KbSearchOutput out{.results = {}, .score_kind = std::string(kind_of(answer.mode)), .notes = {}};
  for (const knowledge::LibraryHit& hit : answer.hits) {
    const std::string& text = hit.text;
    size_t place = first_word(text, *in.query);
    if (pattern) {
      const Pattern::Found found = TRY(pattern->find(text, 1));
      if (!found.lines.empty()) place = found.lines.front().begin;
    }
    out.results.push_back(found_of(hit, place));
    if (answer.mode != Mode::keyword && !hit.by_meaning)
      out.results.back().score_kind = kind_of(Mode::keyword);
  }
  if (!answer.notes.empty()) out.notes = answer.notes;
  if (undecided > 0)
    out.note(
        fmt::format("the pattern takes too many steps on a line of {} passages, which were "
                    "left out; {}",
                    undecided, kSimpler));
  out.is_partial = undecided > 0;
  return out;
}

// Whether all of it could be searched.
Result<bool> add_lines(Pattern& pattern, const store::DocumentVersion& version,
                       const std::string& content, size_t limit, KbSearchOutput& out) {
  const knowledge::SearchedText searched(content);
  const std::string_view text = searched.view();
  const Pattern::Found found = TRY(pattern.find(text, limit));
  for (const search::MatchedLines& lines : found.lines) {
    const auto number = static_cast<std::int64_t>(1 + count_newlines(text.substr(0, lines.begin)));
    const std::string_view line = text.substr(lines.begin, lines.end - lines.begin);
    out.results.push_back(
        {.path = version.path,
         .version = static_cast<std::int64_t>(version.number),
         .score = {},
         .score_kind = {},
         .heading = {},
         .start_line = number,
         .end_line = number,
         .snippet =
             shown_content(snippet_around(line, pattern.place_in(line), kSnippetChars)).text});
  }
  return found.is_whole;
}

// Documents with a line on which the pattern takes too many steps.
struct Undecided {
  std::vector<std::string> first;
  std::int64_t count = 0;

  void add(const store::DocumentVersion& version) {
    if (first.size() < kMaxNamed)
      first.push_back(fmt::format("{}:{}", version.path, version.number));
    ++count;
  }
  void note_in(KbSearchOutput& out) const {
    if (count == 0) return;
    out.is_partial = true;
    const auto more = count - static_cast<std::int64_t>(first.size());
    out.note(fmt::format(
        "the pattern takes too many steps on a line, searched up to there: {}{}; {}",
        join(first, ", "), more > 0 ? fmt::format(" and {} more", more) : "", kSimpler));
  }
};

// Since it was listed, by somebody else.
bool is_forgotten(const auto& result) { return !result && result.error().code == Code::not_found; }

// What it finds in some versions of a document, until the answer is full.
Result<void> search_versions(const std::vector<store::DocumentVersion>& versions, Pattern& pattern,
                             store::Documents& documents, size_t limit, Undecided& undecided,
                             KbSearchOutput& out) {
  const size_t before = out.results.size();
  for (const store::DocumentVersion& version : versions) {
    const size_t room =
        std::min(kPerDocument - (out.results.size() - before), limit - out.results.size());
    if (room == 0) return {};
    if (version.is_removed) continue;
    const Result<std::string> content = documents.content(version);
    if (is_forgotten(content)) continue;
    if (!content) return content.error();
    if (!TRY(add_lines(pattern, version, *content, room, out))) undecided.add(version);
  }
  return {};
}

// Every content is read: what an index leaves out is found, too.
Result<KbSearchOutput> by_pattern(const KbSearchInput& in, Pattern& pattern,
                                  store::Documents& documents, Context& context) {
  KbSearchOutput out{.results = {}, .score_kind = "pattern", .notes = {}};
  Undecided undecided;
  const auto limit = static_cast<size_t>(in.limit);
  store::DocumentFilter filter{.under = {}, .removed = in.include_history};
  const auto total = static_cast<double>(TRY(documents.totals("")).documents);
  double done = 0;
  bool is_last = false;
  while (!is_last) {
    const std::vector<store::DocumentVersion> page = TRY(documents.list(filter));
    for (const store::DocumentVersion& latest : page) {
      TRY(context.checkpoint());
      context.progress(done++, total, latest.path);
      if (!latest.path.starts_with(in.path_prefix)) continue;
      std::vector<store::DocumentVersion> versions{latest};
      if (in.include_history) {
        Result<std::vector<store::DocumentVersion>> all =
            documents.versions(latest.path, store::kMaxVersions);
        if (is_forgotten(all)) continue;
        versions = TRY(std::move(all));
      }
      TRY(search_versions(versions, pattern, documents, limit, undecided, out));
      if (out.results.size() >= limit) break;
    }
    is_last = page.size() < store::kMaxDocumentsListed || out.results.size() >= limit;
    if (!page.empty()) filter.after = page.back().path;
  }
  TRY(context.checkpoint());  // the pattern may have been stopped
  if (out.results.size() >= limit)
    out.note("there may be more: raise limit, or narrow the pattern or path_prefix");
  undecided.note_in(out);
  return out;
}

Result<KbSearchOutput> kb_search(const KbSearchInput& in, Context& context) {
  const std::unique_ptr<store::Documents> documents = TRY(need_documents(context));
  std::optional<Pattern> pattern;
  if (in.pattern) pattern = TRY(Pattern::make(*in.pattern, context));
  return in.query ? by_question(in, pattern, *documents, context)
                  : by_pattern(in, *pattern, *documents, context);
}

}  // namespace

Tool tool_kb_search() {
  return make_tool({.name = "kb_search",
                    .group = "kb",
                    .title = "Search documents",
                    .effect = Effect::read,
                    .idempotent = true,
                    .examples = {{"A question", R"({"query": "how are releases made?"})"},
                                 {"A pattern in some documents",
                                  R"({"pattern": "TODO|FIXME", "path_prefix": "notes/"})"}},
                    .limits = {.inline_chars = 50'000}},
                   kb_search);
}

}  // namespace helve::tools
