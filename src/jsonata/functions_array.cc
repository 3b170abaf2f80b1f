// Functions on arrays.
#include <algorithm>

#include "jsonata/evaluator.h"

namespace helve::jsonata::builtin {
namespace {

using Arguments = std::span<const Value>;

}  // namespace

Outcome count(Evaluator& evaluator, Arguments arguments, const CallSite&) {
  if (arguments[0].is_undefined()) return Value::number(0);
  return Value::number(static_cast<double>(evaluator.count_of(arguments[0])));
}

Outcome append(Evaluator& evaluator, Arguments arguments, const CallSite&) {
  return evaluator.append(arguments[0], arguments[1]);
}

Outcome reverse(Evaluator& evaluator, Arguments arguments, const CallSite&) {
  if (arguments[0].is_undefined() || evaluator.count_of(arguments[0]) <= 1) return arguments[0];
  Items items(evaluator.arena());
  items.append(TRY(evaluator.items_of(arguments[0])));
  std::ranges::reverse(items.all());
  return items.array();
}

Outcome sort(Evaluator& evaluator, Arguments arguments, const CallSite& site) {
  if (arguments[0].is_undefined()) return Value();
  return evaluator.sorted(arguments[0], arguments[1], site.frame);
}

Outcome shuffle(Evaluator& evaluator, Arguments arguments, const CallSite&) {
  if (arguments[0].is_undefined() || evaluator.count_of(arguments[0]) <= 1) return arguments[0];
  Items items(evaluator.arena());
  items.append(TRY(evaluator.items_of(arguments[0])));
  const std::span<Value> all = items.all();
  for (size_t i = all.size() - 1; i > 0; --i)
    std::swap(all[i], all[static_cast<size_t>(evaluator.random() * static_cast<double>(i + 1))]);
  return items.array();
}

Outcome distinct(Evaluator& evaluator, Arguments arguments, const CallSite&) {
  const Value value = arguments[0];
  if (!value.is_array() || evaluator.count_of(value) <= 1) return value;
  Items results(evaluator.arena());
  std::vector<std::uint32_t> index(64);
  const auto enter = [&](std::uint64_t hash, size_t number) {
    while (index[hash & (index.size() - 1)] != 0) ++hash;
    index[hash & (index.size() - 1)] = static_cast<std::uint32_t>(number + 1);
  };
  ItemCursor items(evaluator, value);
  for (Value item; items.next(item);) {
    TRY(evaluator.tick());
    const std::uint64_t hash = evaluator.hash(item);
    bool known = false;
    for (std::uint64_t at = hash; !known; ++at) {
      const std::uint32_t entry = index[at & (index.size() - 1)];
      if (entry == 0) break;
      known = TRY(evaluator.equals(results.all()[entry - 1], item));
    }
    if (known) continue;
    results.push(item);
    if (results.size() * 2 > index.size()) {
      index.assign(index.size() * 4, 0);
      for (size_t i = 0; i < results.size(); ++i) enter(evaluator.hash(results.all()[i]), i);
    } else {
      enter(hash, results.size() - 1);
    }
  }
  return results.array(value.is_sequence() ? Value::kSequence : 0);
}

Outcome zip(Evaluator& evaluator, Arguments arguments, const CallSite&) {
  size_t shortest = SIZE_MAX;
  std::vector<std::span<const Value>> columns;
  for (const Value argument : arguments) {
    if (argument.is_undefined()) shortest = 0;
    columns.emplace_back();
    if (argument.is_array()) columns.back() = TRY(evaluator.items_of(argument));
    shortest = std::min(shortest, columns.back().size());
  }
  if (columns.empty()) shortest = 0;
  TRY(evaluator.reserve(shortest * (columns.size() + 1) * sizeof(Value)));
  Items rows(evaluator.arena());
  for (size_t i = 0; i < shortest; ++i) {
    TRY(evaluator.tick());
    Items row(evaluator.arena());
    for (const auto& column : columns) row.push(column[i]);
    rows.push(row.array());
  }
  return rows.array();
}

}  // namespace helve::jsonata::builtin
