// Transforms: |pattern|update, deletions| is a function that changes a copy.
#include <cmath>

#include "jsonata/evaluator.h"
#include "jsonata/number_text.h"

namespace helve::jsonata {

// A copy as if it had been written as text and read again.
Outcome Evaluator::copy(Value value) {
  TRY(tick());
  switch (value.type) {
    case Type::number:
      if (std::isnan(value.real)) return Value::null();
      if (std::isinf(value.real)) return fail_with("D1001", value);
      if (value.real == std::floor(value.real)) return value;
      return Value::number(rounded_to_15_digits(value.real));
    case Type::function:
      return Value::string("");
    case Type::undefined:
      return Value::null();
    case Type::array: {
      TRY(check_stack());
      Items items(arena_);
      ItemCursor cursor(*this, value);
      for (Value item; cursor.next(item);) items.push(TRY(copy(item)));
      return items.array();
    }
    case Type::object: {
      TRY(check_stack());
      Object* const object = arena_.make<Object>();
      MemberCursor members(*this, value);
      std::string_view key;
      for (Value member; members.next(key, member);)
        if (!member.is_undefined()) object->set(key, TRY(copy(member)), arena_);
      return Value::of(object);
    }
    default:
      return value;
  }
}

Outcome Evaluator::apply_transform(const Function& function, std::span<const Value> arguments) {
  const Node& node = *function.node;
  static constexpr Signature kSignature("<(oa):o>");
  const Value value = TRY(validate(kSignature, arguments, Value()))[0];
  if (value.is_undefined()) return value;
  const Value clone = find_variable("clone", function.frame);
  if (!clone.is_function()) return fail({.code = "T2013", .position = node.position});
  Value result = TRY(apply(clone, {&value, 1}, Value::null(), function.frame));
  // A $clone of the expression's own may give the document itself, which cannot be changed.
  if (result.on_tape()) result = TRY(copy(result));
  const Value matches = TRY(evaluate(*node.left, result, function.frame));
  if (matches.is_undefined()) return result;
  std::span<const Value> all(&matches, 1);
  if (matches.is_array()) all = TRY(items_of(matches));
  for (const Value match : all) {
    TRY(tick());
    // What was not copied cannot be changed: only a $clone of the expression's own makes that.
    const bool can_change = match.is_object() && !match.on_tape();
    // The pattern may find what is older than the scratch space and outlives it with its new
    // members.
    escaped_ = escaped_ || can_change;
    const Value update = TRY(evaluate(*node.right, match, function.frame));
    if (!update.is_undefined()) {
      if (!update.is_object())
        return fail({.code = "T2011", .position = place_of(*node.right), .value = shown(update)});
      MemberCursor members(*this, update);
      std::string_view key;
      for (Value member; members.next(key, member);)
        if (can_change) match.object->set(key, member, arena_);
    }
    if (!node.other) continue;
    const Value deletions = TRY(evaluate(*node.other, match, function.frame));
    if (deletions.is_undefined()) continue;
    std::span<const Value> names(&deletions, 1);
    if (deletions.is_array()) names = TRY(items_of(deletions));
    for (const Value name : names) {
      if (!name.is_string())
        return fail(
            {.code = "T2012", .position = place_of(*node.other), .value = shown(deletions)});
    }
    for (const Value name : names)
      if (can_change) match.object->erase(name.text());
  }
  return result;
}

}  // namespace helve::jsonata
