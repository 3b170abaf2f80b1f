// Operators between two values.
#include <cmath>

#include "jsonata/evaluator.h"
#include "jsonata/number_text.h"
#include "jsonata/unicode.h"
#include "jsonata/write.h"

namespace helve::jsonata {
namespace {

constexpr double kMaxRange = 1e7;

bool is_comparable(Value value) {
  return value.is_undefined() || value.is_string() || value.is_number();
}

bool is_whole(Value value) {
  return value.is_number() && std::isfinite(value.real) && value.real == std::floor(value.real);
}

}  // namespace

Outcome Evaluator::evaluate_binary(const Node& node, Value input, Frame* frame) {
  TRY(check_stack());
  if (node.operation == Operator::and_ || node.operation == Operator::or_)
    return evaluate_logic(node, input, frame);
  const Value left = TRY(evaluate(*node.left, input, frame));
  const Value right = TRY(evaluate(*node.right, input, frame));
  const Outcome outcome = compute(node.operation, left, right);
  if (!outcome) {
    problem_.position = node.position;
    problem_.token = std::string(text_of(node.operation));
  }
  return outcome;
}

Outcome Evaluator::evaluate_logic(const Node& node, Value input, Frame* frame) {
  const Value left = TRY(evaluate(*node.left, input, frame));
  const auto decide = [&]() -> Outcome {
    const bool truth = TRY(to_boolean(left));
    if (truth == (node.operation == Operator::or_)) return Value::boolean(truth);
    return Value::boolean(TRY(to_boolean(TRY(evaluate(*node.right, input, frame)))));
  };
  const Outcome outcome = decide();
  if (!outcome) {
    problem_.position = node.position;
    problem_.token = std::string(text_of(node.operation));
  }
  return outcome;
}

Outcome Evaluator::compute(Operator operation, Value left, Value right) {
  switch (operation) {
    case Operator::equal:
    case Operator::not_equal: {
      if (left.is_undefined() || right.is_undefined()) return Value::boolean(false);
      return Value::boolean(TRY(equals(left, right)) == (operation == Operator::equal));
    }
    case Operator::less:
    case Operator::less_equal:
    case Operator::greater:
    case Operator::greater_equal:
      return compare(operation, left, right);
    case Operator::concatenate:
      return concatenate(left, right);
    case Operator::range:
      return range(left, right);
    case Operator::in:
      return includes(left, right);
    default:
      return arithmetic(operation, left, right);
  }
}

Outcome Evaluator::arithmetic(Operator operation, Value left, Value right) {
  if (!left.is_undefined() && !TRY(is_numeric(left))) return fail_with("T2001", left);
  if (!right.is_undefined() && !TRY(is_numeric(right))) return fail_with("T2002", right);
  if (left.is_undefined() || right.is_undefined()) return Value();
  switch (operation) {
    case Operator::add:
      return Value::number(left.real + right.real);
    case Operator::subtract:
      return Value::number(left.real - right.real);
    case Operator::multiply:
      return Value::number(left.real * right.real);
    case Operator::divide:
      return Value::number(left.real / right.real);
    default:
      return Value::number(std::fmod(left.real, right.real));
  }
}

Outcome Evaluator::compare(Operator operation, Value left, Value right) {
  if (!is_comparable(left) || !is_comparable(right))
    return fail_with("T2010", left.is_string() || left.is_number() ? right : left);
  if (left.is_undefined() || right.is_undefined()) return Value();
  if (left.type != right.type)
    return fail({.code = "T2009", .value = shown(left), .other = shown(right)});
  const auto decide = [operation](auto a, auto b) {
    switch (operation) {
      case Operator::less:
        return a < b;
      case Operator::less_equal:
        return a <= b;
      case Operator::greater:
        return a > b;
      default:
        return a >= b;
    }
  };
  if (left.is_number()) return Value::boolean(decide(left.real, right.real));
  return Value::boolean(decide(compare_text(left.text(), right.text()), 0));
}

Outcome Evaluator::includes(Value left, Value right) {
  if (left.is_undefined() || right.is_undefined()) return Value::boolean(false);
  // Arrays and objects are the same only when they are one.
  const auto is_same = [this](Value a, Value b) -> Fallible<bool> {
    if (a.type != b.type) return false;
    if (a.is_array() || a.is_object()) return a.bits == b.bits;
    return equals(a, b);
  };
  if (!right.is_array()) return Value::boolean(TRY(is_same(left, right)));
  ItemCursor items(*this, right);
  for (Value item; items.next(item);) {
    TRY(tick());
    if (TRY(is_same(item, left))) return Value::boolean(true);
  }
  return Value::boolean(false);
}

Outcome Evaluator::concatenate(Value left, Value right) {
  const Value parts[] = {left, right};
  std::string_view texts[2];
  std::string written[2];
  for (int i = 0; i < 2; ++i) {
    if (parts[i].is_string()) {
      texts[i] = parts[i].text();
    } else if (!parts[i].is_undefined()) {
      TRY(append_string(parts[i], written[i], false));
      texts[i] = written[i];
    }
  }
  const size_t size = texts[0].size() + texts[1].size();
  TRY(reserve(size));
  char* const bytes = static_cast<char*>(arena_.allocate(size));
  if (!texts[0].empty()) std::memcpy(bytes, texts[0].data(), texts[0].size());
  if (!texts[1].empty()) std::memcpy(bytes + texts[0].size(), texts[1].data(), texts[1].size());
  return Value::string({bytes, size});
}

Outcome Evaluator::range(Value left, Value right) {
  if (!left.is_undefined() && !is_whole(left)) return fail_with("T2003", left);
  if (!right.is_undefined() && !is_whole(right)) return fail_with("T2004", right);
  if (left.is_undefined() || right.is_undefined() || left.real > right.real) return Value();
  const double size = right.real - left.real + 1;
  if (size > kMaxRange) return fail({.code = "D2014", .value = number_text(size)});
  const size_t count = static_cast<size_t>(size);
  TRY(reserve(count * sizeof(Value)));
  Value* const items = arena_.array<Value>(count);
  for (size_t i = 0; i < count; ++i) items[i] = Value::number(left.real + static_cast<double>(i));
  return Value::array({items, count}, Value::kSequence);
}

// As $string has it.
Fallible<void> Evaluator::append_string(Value value, std::string& out, bool pretty) {
  if (value.is_string()) {
    out += value.text();
    return {};
  }
  if (value.is_function()) return {};
  if (value.is_number() && !std::isfinite(value.real)) return fail_with("D3001", value);
  if (value.is_array() && value.flags & Value::kOuterWrapper) value = value.elements[0];
  JsonWriter writer(*this, out, {.at_most = limits_.memory, .pretty = pretty, .for_string = true});
  return writer.write(value);
}

}  // namespace helve::jsonata
