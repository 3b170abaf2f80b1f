// Paths: steps that map over what the step before them found, and predicates that select.
#include <algorithm>
#include <cmath>

#include "jsonata/evaluator.h"

namespace helve::jsonata {
namespace {

constexpr double kMaxConstantRange = 1e7;

// Collects what the steps on single items give, flattened.
class StepResults {
 public:
  StepResults(Evaluator& evaluator, bool is_last)
      : evaluator_(evaluator), items_(evaluator.arena()), is_last_(is_last) {}

  Fallible<void> add(Value result) {
    if (result.is_undefined()) return {};
    if (count_++ == 0) {
      first_ = result;
      return {};
    }
    if (count_ == 2) TRY(flatten(first_));
    return flatten(result);
  }

  Outcome all() {
    if (count_ == 0) return items_.sequence();
    if (count_ > 1) return items_.sequence();
    // A single array goes on as it is, at the end of a path; before, its items do.
    if (!first_.is_array()) {
      items_.push(first_);
      return items_.sequence();
    }
    if (is_last_ && !first_.is_sequence()) return first_;
    if (first_.flags & Value::kConstructed) {
      items_.push(first_);
      return items_.sequence();
    }
    return Value::array(TRY(evaluator_.items_of(first_)), Value::kSequence);
  }

 private:
  Fallible<void> flatten(Value result) {
    if (!result.is_array() || result.flags & Value::kConstructed) {
      items_.push(result);
      return {};
    }
    ItemCursor cursor(evaluator_, result);
    for (Value item; cursor.next(item);) items_.push(item);
    return {};
  }

  Evaluator& evaluator_;
  Items items_;
  bool is_last_;
  size_t count_ = 0;
  Value first_;
};

}  // namespace

// The most frequent kind of path: nothing but names, on a single object. Arrays on the way are left
// to the general case.
Outcome Evaluator::evaluate_names(const Node& node, size_t step, Value input, Frame* frame) {
  Value value = input;
  for (; step < node.items.size(); ++step) {
    const Node& name = *node.items[step];
    value = value.on_tape() ? member_on_tape(value, name.text, memo_of(name))
                            : member_of(value, name.text);
    if (value.is_object()) continue;
    if (!value.is_array() || step + 1 == node.items.size())
      return step + 1 == node.items.size() ? value : Value();
    // The rest of the path, on each item of the array.
    for (++step; step < node.items.size(); ++step) {
      value = TRY(evaluate_step(*node.items[step], value, frame, step + 1 == node.items.size()));
      if (value.is_array() && count_of(value) == 0) break;
    }
    return value;
  }
  return value;
}

Outcome Evaluator::evaluate_path(const Node& node, Value input, Frame* frame) {
  if (node.is_name_path && input.is_object()) return evaluate_names(node, 0, input, frame);
  TRY(check_stack());
  Value current = input;
  if (!input.is_array() || node.items[0]->type == NodeType::variable) {
    Items single(arena_);
    single.push(input);
    current = single.sequence();
  }
  Value result;
  Value tuples;
  bool is_stream = false;
  for (size_t i = 0; i < node.items.size(); ++i) {
    const Node& step = *node.items[i];
    is_stream = is_stream || step.has_tuples;
    if (i == 0 && step.constructs)
      result = TRY(evaluate(step, current, frame));
    else if (is_stream)
      tuples = TRY(evaluate_tuple_step(step, current, tuples, frame));
    else
      result = TRY(evaluate_step(step, current, frame, i + 1 == node.items.size()));
    if (!is_stream && (result.is_undefined() || (result.is_array() && count_of(result) == 0)))
      break;
    if (step.focus.empty()) current = result;
  }
  if (is_stream) result = node.has_tuples ? tuples : plain_items(tuples);
  if (node.keeps_singleton && result.is_array()) {
    if (result.flags & Value::kConstructed && !result.is_sequence()) {
      Items single(arena_);
      single.push(result);
      result = single.sequence();
    }
    result.flags |= Value::kKeepSingleton;
  }
  if (node.group)
    return evaluate_group(node.group->pairs, node.group->position, is_stream ? tuples : result,
                          frame);
  return result;
}

Outcome Evaluator::evaluate_step_on_item(const Node& step, Value item, Frame* frame) {
  Value result;
  if (step.type == NodeType::name && step.predicates.empty() && !step.group && !step.keeps_array) {
    if (depth_ >= limits_.depth) return fail({.code = "D1011"});
    result = simplified(TRY(lookup(item, step.text, memo_of(step))));
  } else {
    result = TRY(evaluate(step, item, frame));
  }
  for (const Stage& stage : step.stages)
    result = TRY(evaluate_filter(*stage.filter, result, frame));
  return result;
}

Outcome Evaluator::evaluate_step(const Node& step, Value input, Frame* frame, bool is_last) {
  if (step.type == NodeType::sort) {
    const Value sorted = TRY(evaluate_sort(step, input, frame));
    return evaluate_stages(step, sorted, frame);
  }
  StepResults results(*this, is_last);
  // Only an array constructor with a predicate gives a single value, and JSONata takes no step
  // from there.
  if (!input.is_array()) return results.all();
  ItemCursor items(*this, input);
  for (Value item; items.next(item);) {
    TRY(tick());
    TRY(results.add(TRY(evaluate_step_on_item(step, item, frame))));
  }
  return results.all();
}

// --- predicates ---

Outcome Evaluator::filter_by_number(double number, Value input) {
  const double size = static_cast<double>(count_of(input));
  double index = std::floor(number);
  if (index < 0) index += size;
  Items results(arena_);
  if (index >= 0 && index < size) {
    Value item;
    if (input.on_tape()) {
      ItemCursor cursor(*this, input);
      for (double at = 0; at <= index; ++at) cursor.next(item);
    } else {
      item = input.elements[static_cast<size_t>(index)];
    }
    if (item.is_array()) return item;
    if (!item.is_undefined()) results.push(item);
  }
  return results.array(Value::kSequence | (input.flags & Value::kTuples));
}

// [[0..9]] and the like select by position: they need not be evaluated for every item. False when
// the predicate is not of that kind.
Fallible<bool> Evaluator::filter_by_constants(const Node& predicate, std::span<const Value> items,
                                              Items& out) {
  if (predicate.type != NodeType::array || !predicate.predicates.empty() || predicate.group ||
      predicate.items.empty())
    return false;
  std::vector<std::int64_t> places;
  const double size = static_cast<double>(items.size());
  const auto add = [&](double number) {
    double place = std::floor(number);
    if (place < 0) place += size;
    if (place >= 0 && place < size) places.push_back(static_cast<std::int64_t>(place));
  };
  const auto is_constant = [](const Node& node) {
    return node.type == NodeType::number && node.predicates.empty() && !node.group;
  };
  for (const Node* item : predicate.items) {
    if (is_constant(*item)) {
      add(item->value.real);
      continue;
    }
    if (item->operation != Operator::range || item->type != NodeType::binary ||
        !is_constant(*item->left) || !is_constant(*item->right))
      return false;
    const double first = item->left->value.real, last = item->right->value.real;
    if (first != std::floor(first) || last != std::floor(last) || last - first >= kMaxConstantRange)
      return false;
    for (double number = first; number <= last; ++number) add(number);
  }
  std::ranges::sort(places);
  for (const std::int64_t place : places) out.push(items[static_cast<size_t>(place)]);
  return true;
}

// How many times an item is selected: truth selects it once, numbers those at their positions.
Fallible<size_t> Evaluator::times_selected(Value outcome, size_t index, size_t size) {
  const auto is_here = [&](double number) {
    double place = std::floor(number);
    if (place < 0) place += static_cast<double>(size);
    return place == static_cast<double>(index);
  };
  if (outcome.type == Type::boolean) return outcome.truth ? 1 : 0;
  if (TRY(is_numeric(outcome))) return is_here(outcome.real) ? 1 : 0;
  if (!outcome.is_array()) return TRY(to_boolean(outcome)) ? 1 : 0;
  size_t times = 0;
  bool all_numbers = true;
  ItemCursor cursor(*this, outcome);
  for (Value item; cursor.next(item);) {
    if (!TRY(is_numeric(item)))
      all_numbers = false;
    else if (is_here(item.real))
      ++times;
  }
  if (all_numbers) return times;
  return TRY(to_boolean(outcome)) ? 1 : 0;
}

Outcome Evaluator::evaluate_filter(const Node& predicate, Value input, Frame* frame) {
  if (!input.is_array()) {
    Items single(arena_);
    single.push(input);
    input = single.sequence();
  }
  if (predicate.type == NodeType::number) return filter_by_number(predicate.value.real, input);
  Items results(arena_);
  const std::uint8_t flags = Value::kSequence | (input.flags & Value::kTuples);
  const size_t size = count_of(input);
  if (predicate.type == NodeType::array && size > 0 && !input.is_stream()) {
    const auto all = TRY(items_of(input));
    if (TRY(filter_by_constants(predicate, all, results))) return results.array(flags);
  }
  ItemCursor items(*this, input);
  size_t index = 0;
  for (Value item; items.next(item); ++index) {
    size_t times = 0;
    {
      Scratch scratch(*this);
      Value context = item;
      Frame* scope = frame;
      if (input.is_stream()) {
        context = item.tuple->at;
        scope = new_frame(frame, item.tuple->bindings);
      }
      const Value outcome = TRY(evaluate(predicate, context, scope));
      times = TRY(times_selected(outcome, index, size));
      scratch.release();
    }
    for (; times > 0; --times) results.push(item);
  }
  return results.array(flags);
}

}  // namespace helve::jsonata
