// JSONata: queries and transformations of JSON. Compile an expression once, evaluate it on any
// number of documents. An expression reaches nothing but the document and what is bound to it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/result.h"
#include "jsonata/document.h"

namespace helve::jsonata {

struct Tree;
class Evaluation;

struct Limits {
  std::chrono::milliseconds time{0};  // 0: none; needs a clock in Options
  size_t depth = 0;                   // of nested evaluations; 0: what the stack can bear
  size_t memory = size_t{1} << 30;    // bytes that the evaluation may use, besides the document
};

struct Options {
  // JSON with an object whose members become variables; it must outlive the output. May be null.
  const Document* bindings = nullptr;
  Limits limits;
  // How long it is since the evaluation began, for the time limit.
  std::function<std::chrono::milliseconds()> elapsed;
  std::stop_token stop = {};
  std::int64_t now = 0;    // milliseconds since 1970: what $now and $millis say
  std::uint64_t seed = 1;  // of $random and $shuffle
};

// What an expression gave. Borrows the document and the bindings; one thread at a time.
class Output {
 public:
  Output(Output&&) noexcept;
  Output& operator=(Output&&) noexcept;
  ~Output();

  bool is_undefined() const;
  std::string_view type_name() const;  // string, number, boolean, null, array, object, function
  size_t count() const;                // items of an array; else 1, or 0 when undefined
  // The text when it is a string.
  std::optional<std::string_view> string() const;

  // JSON, in pieces; stops when `sink` returns false. Fails when it cannot be written in time.
  using Sink = std::function<bool(std::string_view)>;
  enum class Layout : unsigned char { compact, indented };
  Result<void> write(Layout layout, const Sink& sink) const;
  Result<std::string> json(Layout layout = Layout::compact) const;

 private:
  friend class Expression;
  explicit Output(std::unique_ptr<Evaluation> evaluation);
  std::unique_ptr<Evaluation> evaluation_;
};

// Immutable: any number of threads may evaluate one.
class Expression {
 public:
  // An error's type is JSONata's code, such as S0201; its details have code, position and token.
  static Result<Expression> compile(std::string_view source);

  Expression(Expression&&) noexcept;
  Expression& operator=(Expression&&) noexcept;
  ~Expression();

  // The document, if there is one, must outlive the output, and so must the expression.
  Result<Output> evaluate(const Document* input, const Options& options) const;

 private:
  explicit Expression(std::unique_ptr<const Tree> tree);
  std::unique_ptr<const Tree> tree_;
};

}  // namespace helve::jsonata
