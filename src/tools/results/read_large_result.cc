// read_large_result: the pages of an answer that was too long to be shown and is kept under an id,
// or the lines of it that match a pattern.
#include <fmt/core.h>

#include "base/diff.h"
#include "base/text.h"
#include "search/matcher.h"
#include "tool/make.h"
#include "tool/services.h"

namespace helve::tools {
namespace {

constexpr size_t kMaxMatches = 100;     // lines that are shown; the rest is counted
constexpr size_t kMaxMatchChars = 500;  // of a line

struct ReadLargeResultInput {
  std::string id;
  std::int64_t page = 1;
  std::optional<std::string> grep;

  static constexpr auto schema() {
    return object(
        "Read an answer that was too long to be shown whole, by the id (lr_1, lr_2, …) that was "
        "given in its "
        "place, or search it with grep. Pages have 8000 characters.",
        arg<&ReadLargeResultInput::id>("The id, such as lr_1").pattern("^lr_[0-9]+$"),
        opt<&ReadLargeResultInput::page>("The page, counted from 1").positional().min(1),
        opt<&ReadLargeResultInput::grep>(
            "Instead of a page: the lines of the whole answer that match this regular expression, "
            "with their numbers and pages")
            .min_length(1)
            .shorthand('e'));
  }
};

struct MatchingLine {
  std::int64_t line = 0;
  std::int64_t page = 0;
  std::string text;

  static constexpr auto schema() {
    return object("A line.", arg<&MatchingLine::line>("Its number, from 1"),
                  arg<&MatchingLine::page>("On which it begins"),
                  arg<&MatchingLine::text>("Its first 500 characters"));
  }
};

struct ReadLargeResultOutput {
  std::string id;
  std::int64_t page = 1;
  std::int64_t pages = 1;
  std::int64_t chars = 0;
  std::string text_;
  std::optional<std::vector<MatchingLine>> lines;
  std::optional<std::int64_t> matches;

  static constexpr auto schema() {
    return object("A page of a stored answer.",
                  arg<&ReadLargeResultOutput::id>("The stored answer"),
                  arg<&ReadLargeResultOutput::page>("This page, from 1"),
                  arg<&ReadLargeResultOutput::pages>("How many pages there are"),
                  arg<&ReadLargeResultOutput::chars>("Characters of the whole answer"),
                  arg<&ReadLargeResultOutput::text_>("The text of this page; empty with grep"),
                  opt<&ReadLargeResultOutput::lines>("With grep: the first hundred that match"),
                  opt<&ReadLargeResultOutput::matches>("With grep: how many match"));
  }

  std::string text() const {
    if (lines) {
      std::string out = fmt::format("{} · {} {} of {} pages\n", id, *matches,
                                    *matches == 1 ? "line matches" : "lines match", pages);
      for (const MatchingLine& each : *lines)
        out += fmt::format("{} (page {}): {}\n", each.line, each.page, each.text);
      if (static_cast<size_t>(*matches) > lines->size()) out += "…\n";
      return out;
    }
    const std::string next = page < pages ? fmt::format(" · next page={}", page + 1) : " · end";
    return fmt::format("{} · page {} of {} · {} characters{}\n{}", id, page, pages, chars, next,
                       text_);
  }
};

Error unknown_id(const std::string& id, Results& results, const std::string& session) {
  Error error{Code::not_found,
              fmt::format("there is no stored result '{}' in this session", id),
              {},
              "unknown_id"};
  const auto stored = results.list(session);
  if (!stored || stored->empty()) {
    error.hint = "nothing is stored; call the tool again";
  } else if (stored->size() == 1) {
    error.hint = fmt::format("only {} is stored", stored->front().id);
  } else {
    error.hint = fmt::format("{} results are stored, {} to {}", stored->size(), stored->front().id,
                             stored->back().id);
  }
  return error;
}

Result<ReadLargeResultOutput> search_result(const ReadLargeResultInput& in, Context& context) {
  const std::unique_ptr<search::Matcher> matcher =
      TRY(search::Matcher::make(*in.grep, {.case_mode = search::CaseMode::smart}));
  const Result<std::string> kept = context.results->text(context.who.session, in.id);
  if (!kept && kept.error().code == Code::not_found)
    return unknown_id(in.id, *context.results, context.who.session);
  if (!kept) return kept.error();
  const std::string_view text = *kept;
  search::Matcher::Scratch scratch(search::Interrupt(context.stop, context.deadline));
  TRY(matcher->find(text, search::Matcher::Want::all, scratch));
  TRY(context.checkpoint());
  const size_t chars = count_chars(text);
  ReadLargeResultOutput out{.id = in.id,
                            .pages = static_cast<std::int64_t>(Results::pages_of(chars)),
                            .chars = static_cast<std::int64_t>(chars),
                            .text_ = {},
                            .lines = std::vector<MatchingLine>(),
                            .matches = static_cast<std::int64_t>(scratch.found().size())};
  size_t place = 0, line = 1, character = 0;  // of the match before
  for (const search::MatchedLines& match : scratch.found()) {
    if (out.lines->size() == kMaxMatches) break;
    const std::string_view between = text.substr(place, match.begin - place);
    line += count_newlines(between);
    character += count_chars(between);
    place = match.begin;
    out.lines->push_back({.line = static_cast<std::int64_t>(line),
                          .page = static_cast<std::int64_t>(character / Results::kPageChars) + 1,
                          .text = preview(escape_for_display(text.substr(place, match.end - place)),
                                          kMaxMatchChars)});
  }
  return out;
}

Result<ReadLargeResultOutput> read_large_result(const ReadLargeResultInput& in, Context& context) {
  if (!context.results) {
    return Error{Code::unsupported, "long results are not stored in this session",
                 "call the tool again with a narrower question"};
  }
  if (in.grep) return search_result(in, context);
  Result<Results::Page> stored =
      context.results->page(context.who.session, in.id, static_cast<std::uint64_t>(in.page));
  if (!stored) {
    if (stored.error().code != Code::not_found) return stored.error();
    return unknown_id(in.id, *context.results, context.who.session);
  }
  const auto pages = static_cast<std::int64_t>(stored->pages);
  if (in.page > pages) {
    return Error{Code::invalid_argument, fmt::format("{} has no page {}", in.id, in.page),
                 fmt::format("its pages are 1 to {}", pages), "page_out_of_range"};
  }
  return ReadLargeResultOutput{.id = in.id,
                               .page = in.page,
                               .pages = pages,
                               .chars = static_cast<std::int64_t>(stored->chars),
                               .text_ = std::move(stored->text)};
}

}  // namespace

Tool tool_read_large_result() {
  return make_tool({.name = "read_large_result",
                    .group = "results",
                    .title = "Read a long result",
                    .effect = Effect::read,
                    .idempotent = true,
                    .examples = {{"The first page", R"({"id": "lr_1"})"},
                                 {"The third page", R"({"id": "lr_1", "page": 3})"},
                                 {"Lines of all pages", R"({"id": "lr_1", "grep": "error"})"}}},
                   read_large_result);
}

}  // namespace helve::tools
