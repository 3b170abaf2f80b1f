// What the evaluator knows of values: loading from the tape, members, equality, truth.
#include <cmath>

#include "jsonata/evaluator.h"

namespace helve::jsonata {

Value Evaluator::load(const Word* node, std::uint32_t document) const {
  const Word word = *node;
  switch (tape::kind(word)) {
    case tape::Kind::null:
      return Value::null();
    case tape::Kind::no:
      return Value::boolean(false);
    case tape::Kind::yes:
      return Value::boolean(true);
    case tape::Kind::integer:
      return Value::number(static_cast<std::int32_t>(tape::low(word)));
    case tape::Kind::number:
      return Value::number(documents_[document]->number(word));
    case tape::Kind::string:
    case tape::Kind::key:
      return Value::string(documents_[document]->string(word));
    case tape::Kind::array:
      return Value::of(Type::array, node, document);
    case tape::Kind::object:
      return Value::of(Type::object, node, document);
  }
  return {};
}

size_t Evaluator::count_of(Value array) const {
  return array.on_tape() ? tape::count(array.node) : array.size;
}

size_t Evaluator::members_of(Value object) const {
  return object.on_tape() ? tape::count(object.node) : object.object->size;
}

Fallible<std::span<const Value>> Evaluator::items_of(Value array) {
  if (!array.on_tape()) return array.items();
  const size_t count = count_of(array);
  TRY(reserve(count * sizeof(Value)));
  Value* const items = arena_.array<Value>(count);
  ItemCursor cursor(*this, array);
  for (size_t i = 0; i < count; ++i) cursor.next(items[i]);
  return std::span<const Value>(items, count);
}

Value Evaluator::member_on_tape(Value object, std::string_view key, std::uint32_t* memo) const {
  const Document& document = *documents_[object.size];
  const Word* const start = object.node;
  const std::uint32_t span = tape::span(*start);
  if (span == 1) return {};
  // Records that look alike have their members at the same places.
  if (memo && *memo != 0 && *memo < span) {
    const Word word = start[*memo];
    if (tape::kind(word) == tape::Kind::key && tape::key_length(word) == key.size() &&
        tape::key_depth(word) == tape::key_depth(start[1]) && document.string(word) == key)
      return load(start + *memo + 1, object.size);
  }
  for (std::uint32_t at = 1; at < span; at += 1 + tape::span(start[at + 1])) {
    if (tape::key_length(start[at]) == key.size() && document.string(start[at]) == key) {
      if (memo) *memo = at;
      return load(start + at + 1, object.size);
    }
  }
  return {};
}

Value Evaluator::member_of(Value object, std::string_view key) const {
  if (object.on_tape()) return member_on_tape(object, key, nullptr);
  const Value* const value = object.object->find(key);
  return value ? *value : Value();
}

Outcome Evaluator::lookup(Value input, std::string_view key, std::uint32_t* memo) {
  if (input.is_object()) {
    if (input.on_tape()) return member_on_tape(input, key, memo);
    return member_of(input, key);
  }
  if (!input.is_array()) return Value();
  TRY(check_stack());
  Items results(arena_);
  ItemCursor items(*this, input);
  for (Value item; items.next(item);) {
    TRY(tick());
    const Value found = item.is_object() && item.on_tape() ? member_on_tape(item, key, memo)
                                                           : TRY(lookup(item, key, memo));
    if (found.is_array())
      results.append(TRY(items_of(found)));
    else if (!found.is_undefined())
      results.push(found);
  }
  return results.sequence();
}

Outcome Evaluator::append(Value first, Value second) {
  if (first.is_undefined()) return second;
  if (second.is_undefined()) return first;
  const size_t count =
      (first.is_array() ? count_of(first) : 1) + (second.is_array() ? count_of(second) : 1);
  TRY(reserve(count * sizeof(Value)));
  Items items(arena_);
  items.reserve(count);
  for (const Value value : {first, second}) {
    if (value.is_array())
      items.append(TRY(items_of(value)));
    else
      items.push(value);
  }
  return items.array();
}

Fallible<bool> Evaluator::is_numeric(Value value) {
  if (!value.is_number() || std::isnan(value.real)) return false;
  if (std::isinf(value.real)) return fail_with("D1001", value);
  return true;
}

Fallible<bool> Evaluator::to_boolean(Value value) {
  switch (value.type) {
    case Type::boolean:
      return value.truth;
    case Type::string:
      return value.size > 0;
    case Type::number:
      return TRY(is_numeric(value)) && value.real != 0;
    case Type::object:
      return members_of(value) > 0;
    case Type::array: {
      TRY(check_stack());
      bool any = false;
      ItemCursor items(*this, value);
      for (Value item; items.next(item);) any = TRY(to_boolean(item)) || any;
      return any;
    }
    default:
      return false;
  }
}

bool Evaluator::is_truthy(Value value) {
  switch (value.type) {
    case Type::undefined:
    case Type::null:
      return false;
    case Type::boolean:
      return value.truth;
    case Type::number:
      return value.real != 0 && value.real == value.real;
    case Type::string:
      return value.size > 0;
    default:
      return true;
  }
}

Fallible<bool> Evaluator::equals(Value a, Value b) {
  if (a.type != b.type) return false;
  switch (a.type) {
    case Type::undefined:
    case Type::null:
      return true;
    case Type::boolean:
      return a.truth == b.truth;
    case Type::number:
      return a.real == b.real;
    case Type::string:
      return a.text() == b.text();
    case Type::function:
      return a.function == b.function;
    case Type::array: {
      TRY(check_stack());
      if (count_of(a) != count_of(b)) return false;
      ItemCursor left(*this, a), right(*this, b);
      for (Value x, y; left.next(x) && right.next(y);) {
        TRY(tick());
        if (!TRY(equals(x, y))) return false;
      }
      return true;
    }
    case Type::object: {
      TRY(check_stack());
      if (a.bits == b.bits && a.flags == b.flags && a.size == b.size) return true;
      if (members_of(a) != members_of(b)) return false;
      MemberCursor members(*this, a);
      std::string_view key;
      for (Value value; members.next(key, value);) {
        TRY(tick());
        const Value other = member_of(b, key);
        if (other.is_undefined() || !TRY(equals(value, other))) return false;
      }
      return true;
    }
    default:
      return false;
  }
}

namespace {

// Every bit of the word counts for every bit of the result: numbers and sums differ in few.
std::uint64_t mixed(std::uint64_t word) {
  constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15;
  word = (word ^ word >> 32) * kFactor;
  word = (word ^ word >> 29) * kFactor;
  return word ^ word >> 32;
}

}  // namespace

std::uint64_t Evaluator::hash(Value value, int levels) {
  const std::uint64_t kind = mixed(static_cast<std::uint64_t>(value.type) + 1);
  switch (value.type) {
    case Type::boolean:
      return kind + (value.truth ? 1 : 0);
    case Type::number: {
      const double real = value.real == 0 ? 0.0 : value.real;  // -0 equals 0
      std::uint64_t bits;
      std::memcpy(&bits, &real, sizeof bits);
      return mixed(bits ^ kind);
    }
    case Type::string:
      return hash_of(value.text());
    case Type::array: {
      std::uint64_t sum = kind + count_of(value);
      ItemCursor items(*this, value);
      size_t looked_at = 0;
      // Enough to tell most apart; what is deep or long is compared anyway.
      for (Value item; looked_at < 8 && items.next(item); ++looked_at)
        sum = mixed(sum ^ (levels > 0 ? hash(item, levels - 1) : 1));
      return sum;
    }
    case Type::object: {
      std::uint64_t sum = kind;
      MemberCursor members(*this, value);
      std::string_view key;
      for (Value item; members.next(key, item);)
        sum += mixed(hash_of(key) ^ mixed(levels > 0 ? hash(item, levels - 1) : 1));
      return sum;
    }
    default:
      return kind;
  }
}

}  // namespace helve::jsonata
