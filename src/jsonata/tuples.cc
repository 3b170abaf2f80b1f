// Streams of tuples: steps that bind the context (@), the position (#) or the parent (%) to a name,
// which the steps after them can use.
#include "jsonata/evaluator.h"

namespace helve::jsonata {

Value Evaluator::plain_items(Value tuples) {
  Items items(arena_);
  for (const Value tuple : tuples.items()) items.push(tuple.tuple->at);
  return items.sequence();
}

// What a step found for one tuple: a new tuple for each of them, with its bindings added.
Fallible<void> Evaluator::bind_step(const Node& step, const Tuple& tuple, Value result,
                                    Items& out) {
  std::span<const Value> found(&result, 1);
  if (result.is_array()) found = TRY(items_of(result));
  for (size_t i = 0; i < found.size(); ++i) {
    TRY(tick());
    Tuple* const next = arena_.make<Tuple>(tuple);
    const auto add = [&](std::string_view name, Value value) {
      next->bindings = arena_.make<Binding>(next->bindings, name, value);
    };
    if (result.is_stream()) {
      // Its bindings come first, in their order.
      std::vector<const Binding*> inner;
      for (const Binding* at = found[i].tuple->bindings; at; at = at->next) inner.push_back(at);
      for (auto at = inner.rbegin(); at != inner.rend(); ++at) add((*at)->name, (*at)->value);
      next->at = found[i].tuple->at;
    } else {
      if (step.focus.empty())
        next->at = found[i];
      else
        add(step.focus, found[i]);
      if (!step.index.empty()) add(step.index, Value::number(static_cast<double>(i)));
      if (step.ancestor) add(step.ancestor->label, tuple.at);
    }
    out.push(Value::of(next));
  }
  return {};
}

Outcome Evaluator::sort_into_tuples(const Node& step, Value input, Frame* frame) {
  const Value sorted = TRY(evaluate_sort(step, input, frame));
  Items tuples(arena_);
  double index = 0;
  ItemCursor items(*this, sorted);
  for (Value item; items.next(item); ++index) {
    const Binding* const binding =
        step.index.empty() ? nullptr
                           : arena_.make<Binding>(nullptr, step.index, Value::number(index));
    tuples.push(Value::of(arena_.make<Tuple>(item, binding)));
  }
  return tuples.array(Value::kSequence | Value::kTuples);
}

Outcome Evaluator::evaluate_tuple_step(const Node& step, Value input, Value tuples, Frame* frame) {
  if (step.type == NodeType::sort) {
    const Value sorted = tuples.is_undefined() ? TRY(sort_into_tuples(step, input, frame))
                                               : TRY(evaluate_sort(step, tuples, frame));
    return evaluate_stages(step, sorted, frame);
  }
  Items results(arena_);
  const auto take = [&](const Tuple& tuple) -> Fallible<void> {
    Frame* const scope = new_frame(frame, tuple.bindings);
    const Value result = TRY(evaluate(step, tuple.at, scope));
    if (result.is_undefined()) return {};
    return bind_step(step, tuple, result, results);
  };
  if (tuples.is_undefined()) {
    if (!input.is_array()) {
      TRY(take({input, nullptr}));
    } else {
      ItemCursor items(*this, input);
      for (Value item; items.next(item);) TRY(take({item, nullptr}));
    }
  } else {
    for (const Value tuple : tuples.items()) TRY(take(*tuple.tuple));
  }
  return evaluate_stages(step, results.array(Value::kSequence | Value::kTuples), frame);
}

Outcome Evaluator::evaluate_stages(const Node& step, Value input, Frame* frame) {
  Value result = input;
  for (const Stage& stage : step.stages) {
    if (stage.filter) {
      result = TRY(evaluate_filter(*stage.filter, result, frame));
      continue;
    }
    Items numbered(arena_);
    double index = 0;
    for (const Value item : result.items()) {
      const Tuple& tuple = *item.tuple;
      const Binding* const binding =
          arena_.make<Binding>(tuple.bindings, stage.index, Value::number(index++));
      numbered.push(Value::of(arena_.make<Tuple>(tuple.at, binding)));
    }
    result = numbered.array(result.flags);
  }
  return result;
}

}  // namespace helve::jsonata
