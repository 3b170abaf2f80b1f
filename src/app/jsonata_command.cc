// helve jsonata: a query or a transformation of a JSON document.
#include <fmt/format.h>

#include "app/app.h"
#include "base/text.h"
#include "jsonata/jsonata.h"
#include "sys/memory.h"
#include "sys/whole_file.h"

namespace helve::app {
namespace {

constexpr std::int64_t kMaxTimeout = 86'400'000;
constexpr std::int64_t kMaxDepth = 100'000;

struct JsonataInput {
  std::string expression;
  std::optional<std::string> file;
  std::optional<std::string> bindings;
  std::optional<std::int64_t> timeout_ms;
  std::optional<std::int64_t> max_depth;
  static constexpr auto schema() {
    return schema::object(
        "Query or transform JSON with a JSONata expression",
        schema::arg<&JsonataInput::expression>("The expression").positional(),
        schema::opt<&JsonataInput::file>("The document; default: standard input")
            .file()
            .positional(),
        schema::opt<&JsonataInput::bindings>("Variables, as a JSON object: {\"name\": value}"),
        schema::opt<&JsonataInput::timeout_ms>("Give up after so many milliseconds")
            .min(1)
            .max(kMaxTimeout),
        schema::opt<&JsonataInput::max_depth>("Give up when evaluations nest deeper")
            .min(1)
            .max(kMaxDepth));
  }
};

constexpr std::string_view kDetails =
    "A string is printed as it is, anything else as JSON, with --json both; nothing is printed "
    "when "
    "there is no result. What is wrong with the expression is told with JSONata's code and the "
    "position in it. docs/jsonata.md has the language.";

// The document's text, which the query borrows.
Result<std::string> read_source(const std::optional<std::string>& file,
                                const cli::Program& program) {
  if (!file || *file == "-") return program.read("-");
  return sys::read_whole_file(*file, jsonata::Document::kMaxBytes);
}

// Its errors say which text is wrong.
Result<jsonata::Document> in_source(Result<jsonata::Document> document, std::string_view source) {
  if (!document)
    document.error().message =
        fmt::format("{}: {}", source == "-" ? "standard input" : escape_for_display(source),
                    document.error().message);
  return document;
}

Result<void> print(const jsonata::Output& output, const cli::Run& run) {
  const cli::Stream& out = run.screen.out;
  if (output.is_undefined() || output.type_name() == "function") return {};
  if (output.string() && !run.options.json) {
    out.write(*output.string());
  } else {
    const auto layout =
        out.is_terminal ? jsonata::Output::Layout::indented : jsonata::Output::Layout::compact;
    TRY(output.write(layout, [&out](std::string_view piece) {
      out.write(piece);
      return out.has_reader();
    }));
  }
  out.write("\n");
  return {};
}

Result<void> query(const JsonataInput& in, App& app, cli::Run& run) {
  const jsonata::Expression expression = TRY(jsonata::Expression::compile(in.expression));
  const std::string source = TRY(read_source(in.file, run.program));
  std::optional<jsonata::Document> document;
  if (!trim(source).empty())
    document = TRY(in_source(jsonata::Document::parse(source, sys::prepare_for_writing),
                             in.file.value_or("-")));
  std::optional<jsonata::Document> bindings;
  if (in.bindings) bindings = TRY(in_source(jsonata::Document::parse(*in.bindings), "--bindings"));
  const sys::RealClock clock;
  const auto start = clock.steady();
  jsonata::Options options;
  options.bindings = bindings ? &*bindings : nullptr;
  options.limits.time = std::chrono::milliseconds(in.timeout_ms.value_or(0));
  options.limits.depth = static_cast<size_t>(in.max_depth.value_or(0));
  options.elapsed = [&clock, start] {
    return std::chrono::duration_cast<std::chrono::milliseconds>(clock.steady() - start);
  };
  options.stop = TRY(app.watch_signals(exit_code(Code::cancelled)));
  options.now = clock.unix_ms();
  options.seed = static_cast<std::uint64_t>(start.time_since_epoch().count());
  const jsonata::Output output = TRY(expression.evaluate(document ? &*document : nullptr, options));
  return print(output, run);
}

}  // namespace

cli::Command jsonata_command(App& app) {
  return cli::make_command<JsonataInput>(
      "jsonata", kDetails,
      {{"The names of what costs more than 10",
        "helve jsonata 'items[price > 10].name' order.json"},
       {"How many of each kind", "helve jsonata '${kind: $count($)}' list.json"},
       {"With a variable", "helve jsonata '$x * 2' --bindings '{\"x\": 21}' < /dev/null"}},
      [&app](const JsonataInput& in, cli::Run& run) -> Result<int> {
        const Result<void> done = query(in, app, run);
        if (done) return 0;
        // Also with --json: standard output has results only, so that it can be piped.
        run.screen.err.write(
            fmt::format("helve: {}\n", escape_lines_for_display(describe(done.error()))));
        return exit_code(done.error().code);
      });
}

}  // namespace helve::app
