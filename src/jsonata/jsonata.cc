#include "jsonata/jsonata.h"

#include "jsonata/evaluator.h"
#include "jsonata/parser.h"
#include "jsonata/write.h"

namespace helve::jsonata {

// An evaluator together with what it found: values live in its arena.
class Evaluation {
 public:
  Evaluation(const Tree& tree, const EvaluatorLimits& limits, const Options& options)
      : source(tree.source),
        evaluator(tree, limits, options.elapsed, options.stop, static_cast<double>(options.now),
                  options.seed) {}
  std::string_view source;
  Evaluator evaluator;
  Value result;
};

Expression::Expression(std::unique_ptr<const Tree> tree) : tree_(std::move(tree)) {}
Expression::Expression(Expression&&) noexcept = default;
Expression& Expression::operator=(Expression&&) noexcept = default;
Expression::~Expression() = default;

Result<Expression> Expression::compile(std::string_view source) {
  return Expression(TRY(parse(source)));
}

Result<Output> Expression::evaluate(const Document* input, const Options& options) const {
  EvaluatorLimits limits;
  limits.time = options.limits.time;
  limits.memory = options.limits.memory;
  if (options.limits.depth > 0) limits.depth = options.limits.depth;
  auto evaluation = std::make_unique<Evaluation>(*tree_, limits, options);
  Evaluator& evaluator = evaluation->evaluator;
  if (options.bindings) {
    const Value bindings = evaluator.add_document(*options.bindings);
    if (!bindings.is_object())
      return Error{Code::invalid_argument, "the bindings are no object",
                   "give them as {\"name\": value}"};
    MemberCursor members(evaluator, bindings);
    std::string_view key;
    for (Value value; members.next(key, value);) evaluator.bind_global(key, value);
  }
  try {
    const Outcome outcome = evaluator.run(input ? evaluator.add_document(*input) : Value());
    if (!outcome) return to_error(evaluator.problem(), tree_->source);
    evaluation->result = *outcome;
    return Output(std::move(evaluation));
  } catch (const std::bad_alloc&) {
    // The system gives less than the limit.
    return Error{Code::too_large, "D2016: the evaluation needs more memory than there is", "",
                 "D2016"};
  }
}

Output::Output(std::unique_ptr<Evaluation> evaluation) : evaluation_(std::move(evaluation)) {}
Output::Output(Output&&) noexcept = default;
Output& Output::operator=(Output&&) noexcept = default;
Output::~Output() = default;

bool Output::is_undefined() const { return evaluation_->result.is_undefined(); }

std::string_view Output::type_name() const {
  constexpr std::string_view kNames[] = {"undefined", "null",  "boolean", "number",
                                         "string",    "array", "object",  "function"};
  return kNames[std::min<size_t>(static_cast<size_t>(evaluation_->result.type), 7)];
}

size_t Output::count() const {
  const Value value = evaluation_->result;
  if (value.is_array()) return evaluation_->evaluator.count_of(value);
  return value.is_undefined() ? 0 : 1;
}

std::optional<std::string_view> Output::string() const {
  if (!evaluation_->result.is_string()) return std::nullopt;
  return evaluation_->result.text();
}

Result<void> Output::write(Layout layout, const Sink& sink) const {
  std::string text;
  WriteOptions options;
  options.pretty = layout == Layout::indented;
  bool has_enough = false;
  options.flush = [&](std::string& written) {
    has_enough = !sink(written);
    written.clear();
    return !has_enough;
  };
  JsonWriter writer(evaluation_->evaluator, text, std::move(options));
  const bool is_written = static_cast<bool>(writer.write(evaluation_->result));
  if (has_enough) return {};
  if (!is_written) return to_error(evaluation_->evaluator.problem(), evaluation_->source);
  sink(text);
  return {};
}

Result<std::string> Output::json(Layout layout) const {
  std::string all;
  TRY(write(layout, [&all](std::string_view piece) {
    all += piece;
    return true;
  }));
  return all;
}

}  // namespace helve::jsonata
