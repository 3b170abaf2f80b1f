// read_large_result: the pages of an answer that was too long to be shown and is kept under an id.
#include <fmt/core.h>

#include "tool/make.h"
#include "tool/services.h"

namespace helve::tools {
namespace {

struct ReadLargeResultInput {
  std::string id;
  std::int64_t page = 1;

  static constexpr auto schema() {
    return object(
        "Read an answer that was too long to be shown whole, by the id (lr_1, lr_2, …) that was "
        "given in its "
        "place. Pages have 8000 characters.",
        arg<&ReadLargeResultInput::id>("The id, such as lr_1").pattern("^lr_[0-9]+$"),
        opt<&ReadLargeResultInput::page>("The page, counted from 1").positional().min(1));
  }
};

struct ReadLargeResultOutput {
  std::string id;
  std::int64_t page = 1;
  std::int64_t pages = 1;
  std::int64_t chars = 0;
  std::string text_;

  static constexpr auto schema() {
    return object("A page of a stored answer.",
                  arg<&ReadLargeResultOutput::id>("The stored answer"),
                  arg<&ReadLargeResultOutput::page>("This page, from 1"),
                  arg<&ReadLargeResultOutput::pages>("How many pages there are"),
                  arg<&ReadLargeResultOutput::chars>("Characters of the whole answer"),
                  arg<&ReadLargeResultOutput::text_>("The text of this page"));
  }

  std::string text() const {
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

Result<ReadLargeResultOutput> read_large_result(const ReadLargeResultInput& in, Context& context) {
  if (!context.results) {
    return Error{Code::unsupported, "long results are not stored in this session",
                 "call the tool again with a narrower question"};
  }
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
                                 {"The third page", R"({"id": "lr_1", "page": 3})"}}},
                   read_large_result);
}

}  // namespace helve::tools
