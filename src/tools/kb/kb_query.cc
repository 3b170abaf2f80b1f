// kb_query: questions in JSONata about stored JSON.
#include <fmt/format.h>

#include <chrono>

#include "base/text.h"
#include "jsonata/jsonata.h"
#include "jsonata/syntax.h"
#include "knowledge/mime_type.h"
#include "sys/clock.h"
#include "tools/kb_document.h"

namespace helve::tools {
namespace {

constexpr std::chrono::milliseconds kTime{5'000};
constexpr size_t kMemory = 512u << 20;  // bytes of an evaluation, besides the document
constexpr size_t kMaxResultDepth = 1'000;
constexpr size_t kMaxShownBytes = 16u << 20;  // of a result that is not stored

struct KbQueryInput {
  std::string path;
  std::string expression;
  std::optional<std::string> output_path;
  std::int64_t max_input_bytes = 20'000'000;
  std::optional<std::string> change_note;

  static constexpr auto schema() {
    return object(
        "Ask a question of a stored JSON document in JSONata: filter, pluck, group, sort, count. "
        "With output_path the result is stored as a document instead of shown, to be asked "
        "further. The expression ? shows the syntax.",
        arg<&KbQueryInput::path>("Logical path of a JSON document").min_length(1),
        arg<&KbQueryInput::expression>("JSONata, such as $[amount > 100].name; ? shows the syntax")
            .min_length(1)
            .max_length(100'000),
        opt<&KbQueryInput::output_path>("Store the result under this path").min_length(1),
        opt<&KbQueryInput::max_input_bytes>("A larger document is refused")
            .min(1)
            .max(store::kMaxDocumentBytes),
        opt<&KbQueryInput::change_note>("Kept with the version that is stored")
            .max_length(kMaxNoteChars));
  }
};

struct KbQueryOutput {
  std::optional<Json> result;
  std::string result_type;
  std::int64_t result_count = 0;
  std::optional<KbWritten> stored;
  std::optional<std::string> syntax;

  static constexpr auto schema() {
    return object("An answer.",
                  opt<&KbQueryOutput::result>("Absent when it is undefined, or stored"),
                  arg<&KbQueryOutput::result_type>(
                      "string, number, boolean, null, array, object, function or undefined"),
                  arg<&KbQueryOutput::result_count>("Items of an array; else 1, or 0"),
                  opt<&KbQueryOutput::stored>("Where the result is"),
                  opt<&KbQueryOutput::syntax>("When it was asked for"));
  }
  std::string text() const {
    if (syntax) return *syntax;
    if (stored)
      return fmt::format("{}\n{}, {} {}\n", stored->text(), result_type, result_count,
                         result_count == 1 ? "item" : "items");
    if (!result) return fmt::format("nothing ({})\n", result_type);
    return to_pretty(*result);
  }
};

Error typed(Error error, std::string_view type) {
  error.type = type;
  return error;
}

Result<store::DocumentVersion> find_source(store::Documents& documents, const KbQueryInput& in) {
  const std::string path = TRY(store::document_path(in.path));
  Result<store::DocumentVersion> found = documents.find(path);
  if (!found && found.error().code == Code::not_found)
    return typed(std::move(found).error(), "source_not_found");
  if (found && found->bytes > static_cast<std::uint64_t>(in.max_input_bytes))
    return Error{
        Code::too_large,
        fmt::format("'{}' has {} bytes, more than {}", path, found->bytes, in.max_input_bytes),
        "raise max_input_bytes, or store less", "source_too_large"};
  return found;
}

// As JSON, unless it grows too large.
Result<std::string> json_of(const jsonata::Output& output, size_t limit) {
  std::string json;
  TRY(output.write(jsonata::Output::Layout::compact, [&](std::string_view piece) {
    json += piece;
    return json.size() <= limit;
  }));
  if (json.size() <= limit) return json;
  return Error{Code::too_large, fmt::format("the result has more than {}", human_size(limit)),
               limit < store::kMaxDocumentBytes ? "store it with output_path, or ask for less"
                                                : "ask for less",
               "evaluation_error"};
}

Result<KbWritten> store_result(const KbQueryInput& in, const std::string& path, std::string json,
                               store::Documents& documents, Context& context) {
  store::DocumentVersion version = version_by(
      context, path, {.kind = "query", .from = fmt::format("{}: {}", in.path, in.expression)},
      in.change_note);
  version.mime_type = "application/json";
  json += '\n';
  Result<store::DocumentVersion> written = store::write_document(documents, {version, json});
  if (!written) return typed(std::move(written).error(), "write_failed");
  return KbWritten::of(*written);
}

Result<KbQueryOutput> kb_query(const KbQueryInput& in, Context& context) {
  KbQueryOutput out;
  if (trim(in.expression) == "?") {
    out.result_type = "undefined";
    out.syntax = jsonata::syntax_page();
    return out;
  }
  const std::unique_ptr<store::Documents> documents = TRY(need_documents(context));
  const store::DocumentVersion source = TRY(find_source(*documents, in));
  std::string output_path;
  if (in.output_path) output_path = TRY(store::document_path(*in.output_path));
  Result<jsonata::Expression> expression = jsonata::Expression::compile(in.expression);
  if (!expression) {
    Error error = typed(std::move(expression).error(), "invalid_expression");
    error.hint = jsonata::syntax_page();
    return error;
  }
  const std::string text = TRY(documents->content(source));
  const Result<jsonata::Document> document = jsonata::Document::parse(text);
  if (!document) {
    Error error = typed(document.error(), "invalid_json");
    error.message = fmt::format("'{}' is no JSON: {}", source.path, error.message);
    error.hint = "kb_read shows it; kb_pipe with format=json stores structured values";
    return error;
  }
  const auto begun = std::chrono::steady_clock::now();
  const jsonata::Options options{
      .limits = {.time = kTime, .memory = kMemory},
      .elapsed =
          [begun] {
            return std::chrono::duration_cast<std::chrono::milliseconds>(
                std::chrono::steady_clock::now() - begun);
          },
      .stop = context.stop,
      .now = context.clock ? context.clock->unix_ms() : sys::RealClock().unix_ms(),
      .seed = static_cast<std::uint64_t>(begun.time_since_epoch().count())};
  Result<jsonata::Output> output = expression->evaluate(&*document, options);
  if (!output) {
    TRY(context.checkpoint());
    return typed(std::move(output).error(), "evaluation_error");
  }
  out.result_type = output->is_undefined() ? "undefined" : output->type_name();
  out.result_count = static_cast<std::int64_t>(output->count());
  if (output->is_undefined()) return out;
  std::string json =
      TRY(json_of(*output, in.output_path ? store::kMaxDocumentBytes - 1 : kMaxShownBytes));
  if (in.output_path) {
    out.stored = TRY(store_result(in, output_path, std::move(json), *documents, context));
    return out;
  }
  Result<Json> shown = parse_json(json, {.bytes = json.size(), .depth = kMaxResultDepth});
  if (!shown)
    return Error{Code::too_large,
                 fmt::format("the result is nested deeper than {} levels", kMaxResultDepth),
                 "store it with output_path, or ask for less", "evaluation_error"};
  out.result = std::move(*shown);
  return out;
}

}  // namespace

Tool tool_kb_query() {
  return make_tool(
      {.name = "kb_query",
       .group = "kb",
       .title = "Query a JSON document",
       .effect = Effect::write,
       .subject = {"path", "output_path"},
       .examples = {{"Filter", R"({"path": "orders.json", "expression": "$[amount > 100].id"})"},
                    {"Group and store", R"({"path": "orders.json", "expression":
             "${customer: $sum(amount)}", "output_path": "totals.json"})"},
                    {"The syntax", R"({"path": "orders.json", "expression": "?"})"}}},
      kb_query,
      [](const KbQueryInput& in) { return in.output_path ? Effect::write : Effect::read; });
}

}  // namespace helve::tools
