// Functions that take functions.
#include "jsonata/evaluator.h"

namespace helve::jsonata::builtin {
namespace {

using Arguments = std::span<const Value>;

// Passes as many of (value, key or position, whole) as the function takes.
class Callback {
 public:
  Callback(Evaluator& evaluator, Value function, Value whole, const CallSite& site)
      : evaluator_(evaluator), function_(function), frame_(site.frame) {
    const int arity = function.is_function() ? evaluator.arity_of(*function.function) : 1;
    count_ = arity >= 3 ? 3 : arity == 2 ? 2 : 1;
    arguments_[2] = whole;
  }
  Outcome call(Value value, Value key) {
    arguments_[0] = value;
    arguments_[1] = key;
    return evaluator_.apply(function_, {arguments_, count_}, Value::null(), frame_);
  }

 private:
  Evaluator& evaluator_;
  Value function_;
  Frame* frame_;
  Value arguments_[3];
  size_t count_;
};

Value position(size_t index) { return Value::number(static_cast<double>(index)); }

}  // namespace

Outcome map(Evaluator& evaluator, Arguments arguments, const CallSite& site) {
  if (arguments[0].is_undefined()) return Value();
  Callback callback(evaluator, arguments[1], arguments[0], site);
  Items results(evaluator.arena());
  ItemCursor items(evaluator, arguments[0]);
  size_t index = 0;
  for (Value item; items.next(item); ++index) {
    const Value result = TRY(callback.call(item, position(index)));
    if (!result.is_undefined()) results.push(result);
  }
  return results.sequence();
}

Outcome filter(Evaluator& evaluator, Arguments arguments, const CallSite& site) {
  if (arguments[0].is_undefined()) return Value();
  Callback callback(evaluator, arguments[1], arguments[0], site);
  Items results(evaluator.arena());
  ItemCursor items(evaluator, arguments[0]);
  size_t index = 0;
  for (Value item; items.next(item); ++index) {
    const Value outcome = TRY(callback.call(item, position(index)));
    if (TRY(evaluator.to_boolean(outcome))) results.push(item);
  }
  return results.sequence();
}

Outcome single(Evaluator& evaluator, Arguments arguments, const CallSite& site) {
  if (arguments[0].is_undefined()) return Value();
  Callback callback(evaluator, arguments[1], arguments[0], site);
  std::optional<Value> result;
  ItemCursor items(evaluator, arguments[0]);
  size_t index = 0;
  for (Value item; items.next(item); ++index) {
    TRY(evaluator.tick());
    if (!arguments[1].is_undefined()) {
      const Value outcome = TRY(callback.call(item, position(index)));
      if (!TRY(evaluator.to_boolean(outcome))) continue;
    }
    if (result) return evaluator.fail({.code = "D3138", .index = index});
    result = item;
  }
  if (!result) return evaluator.fail("D3139");
  return *result;
}

Outcome reduce(Evaluator& evaluator, Arguments arguments, const CallSite& site) {
  const Value sequence = arguments[0], function = arguments[1];
  if (sequence.is_undefined()) return Value();
  const int arity = evaluator.arity_of(*function.function);
  if (arity < 2) return evaluator.fail({.code = "D3050", .index = 1});
  ItemCursor items(evaluator, sequence);
  Value result = arguments[2];
  size_t index = 0;
  if (result.is_undefined() && items.next(result)) index = 1;
  for (Value item; items.next(item); ++index) {
    const Value passed[] = {result, item, position(index), sequence};
    result = TRY(evaluator.apply(function, {passed, static_cast<size_t>(arity >= 4 ? 4 : arity)},
                                 Value::null(), site.frame));
  }
  return result;
}

Outcome each(Evaluator& evaluator, Arguments arguments, const CallSite& site) {
  Items results(evaluator.arena());
  if (!arguments[0].is_object()) return results.sequence();
  Callback callback(evaluator, arguments[1], arguments[0], site);
  MemberCursor members(evaluator, arguments[0]);
  std::string_view key;
  for (Value value; members.next(key, value);) {
    const Value result = TRY(callback.call(value, Value::string(key)));
    if (!result.is_undefined()) results.push(result);
  }
  return results.sequence();
}

Outcome sift(Evaluator& evaluator, Arguments arguments, const CallSite& site) {
  if (!arguments[0].is_object()) return Value();
  Callback callback(evaluator, arguments[1], arguments[0], site);
  Object* const result = evaluator.arena().make<Object>();
  MemberCursor members(evaluator, arguments[0]);
  std::string_view key;
  for (Value value; members.next(key, value);) {
    const Value outcome = TRY(callback.call(value, Value::string(key)));
    if (TRY(evaluator.to_boolean(outcome))) result->set(key, value, evaluator.arena());
  }
  return result->size > 0 ? Value::of(result) : Value();
}

}  // namespace helve::jsonata::builtin
