// Functions on objects, and those that take any value.
#include "jsonata/evaluator.h"

namespace helve::jsonata::builtin {
namespace {

using Arguments = std::span<const Value>;

Fallible<void> collect_keys(Evaluator& evaluator, Value value, Object& keys) {
  TRY(evaluator.tick());
  if (value.is_array()) {
    TRY(evaluator.check_stack());
    ItemCursor items(evaluator, value);
    for (Value item; items.next(item);) TRY(collect_keys(evaluator, item, keys));
  } else if (value.is_object()) {
    MemberCursor members(evaluator, value);
    std::string_view key;
    for (Value member; members.next(key, member);)
      keys.set(key, Value::boolean(true), evaluator.arena());
  }
  return {};
}

Fallible<void> spread_into(Evaluator& evaluator, Value value, Items& out) {
  TRY(evaluator.tick());
  if (value.is_array()) {
    TRY(evaluator.check_stack());
    ItemCursor items(evaluator, value);
    for (Value item; items.next(item);) TRY(spread_into(evaluator, item, out));
  } else if (value.is_object()) {
    MemberCursor members(evaluator, value);
    std::string_view key;
    for (Value member; members.next(key, member);) {
      Object* const object = evaluator.arena().make<Object>();
      object->set(key, member, evaluator.arena());
      out.push(Value::of(object));
    }
  } else if (!value.is_undefined()) {
    out.push(value);
  }
  return {};
}

}  // namespace

Outcome keys(Evaluator& evaluator, Arguments arguments, const CallSite&) {
  Object found;
  TRY(collect_keys(evaluator, arguments[0], found));
  Items names(evaluator.arena());
  for (const Object::Member& member : found.all()) names.push(Value::string(member.key));
  return names.sequence();
}

Outcome lookup(Evaluator& evaluator, Arguments arguments, const CallSite&) {
  const std::string_view key = arguments[1].is_string() ? arguments[1].text() : "undefined";
  return evaluator.lookup(arguments[0], key);
}

Outcome spread(Evaluator& evaluator, Arguments arguments, const CallSite&) {
  const Value value = arguments[0];
  if (!value.is_array() && !value.is_object()) return value;
  Items results(evaluator.arena());
  TRY(spread_into(evaluator, value, results));
  // Joining arrays makes an ordinary one, also of empty ones, except that nothing was joined.
  bool joined = false;
  if (value.is_array()) {
    ItemCursor items(evaluator, value);
    for (Value item; !joined && items.next(item);) joined = !item.is_undefined();
  }
  return joined ? results.array() : results.sequence();
}

Outcome merge(Evaluator& evaluator, Arguments arguments, const CallSite&) {
  if (arguments[0].is_undefined()) return Value();
  Object* const result = evaluator.arena().make<Object>();
  ItemCursor items(evaluator, arguments[0]);
  for (Value item; items.next(item);) {
    MemberCursor members(evaluator, item);
    std::string_view key;
    for (Value member; members.next(key, member);) {
      TRY(evaluator.tick());
      result->set(key, member, evaluator.arena());
    }
  }
  return Value::of(result);
}

Outcome clone(Evaluator& evaluator, Arguments arguments, const CallSite&) {
  Value value = arguments[0];
  if (value.is_undefined()) return value;
  if (value.is_array() && value.flags & Value::kOuterWrapper) value = value.elements[0];
  return evaluator.copy(value);
}

Outcome boolean(Evaluator& evaluator, Arguments arguments, const CallSite&) {
  if (arguments[0].is_undefined()) return Value();
  return Value::boolean(TRY(evaluator.to_boolean(arguments[0])));
}

Outcome logical_not(Evaluator& evaluator, Arguments arguments, const CallSite&) {
  if (arguments[0].is_undefined()) return Value();
  return Value::boolean(!TRY(evaluator.to_boolean(arguments[0])));
}

Outcome exists(Evaluator&, Arguments arguments, const CallSite&) {
  return Value::boolean(!arguments[0].is_undefined());
}

Outcome type(Evaluator& evaluator, Arguments arguments, const CallSite&) {
  constexpr std::string_view kNames[] = {"undefined", "null",  "boolean", "number",
                                         "string",    "array", "object",  "function"};
  const Value value = arguments[0];
  if (value.is_undefined()) return value;
  if (value.is_number()) TRY(evaluator.is_numeric(value));
  return Value::string(kNames[static_cast<size_t>(value.type)]);
}

Outcome error(Evaluator& evaluator, Arguments arguments, const CallSite&) {
  const bool given = arguments[0].is_string() && arguments[0].size > 0;
  return evaluator.fail(
      {.code = "D3137",
       .message = given ? std::string(arguments[0].text()) : "$error() function evaluated"});
}

Outcome assertion(Evaluator& evaluator, Arguments arguments, const CallSite&) {
  if (Evaluator::is_truthy(arguments[0])) return Value();
  const bool given = arguments[1].is_string() && arguments[1].size > 0;
  return evaluator.fail(
      {.code = "D3141",
       .message = given ? std::string(arguments[1].text()) : "$assert() statement failed"});
}

Outcome eval(Evaluator& evaluator, Arguments arguments, const CallSite& site) {
  if (arguments[0].is_undefined()) return Value();
  Value input = site.input;
  if (!arguments[1].is_undefined()) {
    input = arguments[1];
    if (input.is_array() && !input.is_sequence()) {
      Items wrapper(evaluator.arena());
      wrapper.push(input);
      input = wrapper.array(Value::kSequence | Value::kOuterWrapper);
    }
  }
  return evaluator.evaluate_text(arguments[0].text(), input, site.frame);
}

}  // namespace helve::jsonata::builtin
