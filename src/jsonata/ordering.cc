// Ordering: ^(…) and $sort. Each key is computed once; equal items keep their order.
#include <algorithm>

#include "jsonata/evaluator.h"
#include "jsonata/unicode.h"

namespace helve::jsonata {
namespace {

enum class Order : unsigned char { keep, swap };

// Merges as JSONata does, so that a function that is no proper order gives what it gives there.
template <class Entry, class Compare>
Fallible<void> merge_sort(std::span<Entry> entries, std::span<Entry> spare, Compare& compare) {
  if (entries.size() <= 1) return {};
  const size_t middle = entries.size() / 2;
  TRY(merge_sort(entries.first(middle), spare.first(middle), compare));
  TRY(merge_sort(entries.subspan(middle), spare.subspan(middle), compare));
  std::ranges::copy(entries, spare.begin());
  size_t left = 0, right = middle;
  for (size_t out = 0; out < entries.size(); ++out) {
    if (left == middle) {
      entries[out] = spare[right++];
    } else if (right == entries.size()) {
      entries[out] = spare[left++];
    } else {
      const Order order = TRY(compare(spare[left], spare[right]));
      entries[out] = order == Order::swap ? spare[right++] : spare[left++];
    }
  }
  return {};
}

bool is_orderable(Value value) { return value.is_string() || value.is_number(); }

}  // namespace

struct Evaluator::SortEntry {
  Value item;
  Value key;             // of the first term
  std::uint32_t number;  // among the input
};

Outcome Evaluator::evaluate_sort(const Node& node, Value input, Frame* frame) {
  const std::span<const Value> items = TRY(items_of(input));
  if (items.size() <= 1) return input;
  TRY(reserve(items.size() * sizeof(SortEntry) * 2));
  const auto evaluate_key = [&](const Term& term, Value item) -> Outcome {
    if (!input.is_stream()) return evaluate(*term.expression, item, frame);
    return evaluate(*term.expression, item.tuple->at, new_frame(frame, item.tuple->bindings));
  };
  // Negative when a comes first, positive when b does, for one term.
  const auto compare_keys = [&](Value a, Value b) -> Fallible<int> {
    if (a.is_undefined()) return b.is_undefined() ? 0 : 1;
    if (b.is_undefined()) return -1;
    if (!is_orderable(a) || !is_orderable(b))
      return fail(
          {.code = "T2008", .position = node.position, .value = shown(is_orderable(a) ? b : a)});
    if (a.type != b.type)
      return fail(
          {.code = "T2007", .position = node.position, .value = shown(a), .other = shown(b)});
    if (a.is_number()) return a.real < b.real ? -1 : a.real == b.real ? 0 : 1;
    return compare_text(a.text(), b.text());
  };
  std::vector<SortEntry> entries;
  entries.reserve(items.size());
  for (const Value item : items) {
    const Value key = TRY(evaluate_key(node.terms[0], item));
    entries.push_back({item, key, static_cast<std::uint32_t>(entries.size())});
  }
  // Keys of further terms are needed only where the ones before are equal.
  const size_t further = node.terms.size() - 1;
  std::vector<Value> more(further * items.size());
  std::vector<bool> known(further * items.size());
  const auto key_of = [&](const SortEntry& entry, size_t term) -> Outcome {
    if (term == 0) return entry.key;
    const size_t place = entry.number * further + term - 1;
    if (!known[place]) {
      more[place] = TRY(evaluate_key(node.terms[term], entry.item));
      known[place] = true;
    }
    return more[place];
  };
  const auto compare = [&](const SortEntry& a, const SortEntry& b) -> Fallible<Order> {
    TRY(tick());
    for (size_t term = 0; term < node.terms.size(); ++term) {
      const Value left = TRY(key_of(a, term));
      const Value right = TRY(key_of(b, term));
      int order = TRY(compare_keys(left, right));
      if (order == 0) continue;
      if (node.terms[term].descending && !left.is_undefined() && !right.is_undefined())
        order = -order;
      return order > 0 ? Order::swap : Order::keep;
    }
    return Order::keep;
  };
  const bool all_numbers =
      node.terms.size() == 1 && std::ranges::all_of(entries, [](const SortEntry& entry) {
        return entry.key.is_number() && entry.key.real == entry.key.real;
      });
  if (all_numbers) {
    const bool descending = node.terms[0].descending;
    std::ranges::stable_sort(entries, [descending](const SortEntry& a, const SortEntry& b) {
      return descending ? b.key.real < a.key.real : a.key.real < b.key.real;
    });
  } else {
    std::vector<SortEntry> spare(entries.size());
    TRY(merge_sort<SortEntry>(entries, spare, compare));
  }
  Value* const sorted = arena_.array<Value>(entries.size());
  for (size_t i = 0; i < entries.size(); ++i) sorted[i] = entries[i].item;
  return Value::array({sorted, entries.size()}, input.flags & Value::kTuples);
}

Fallible<Value> Evaluator::sorted(Value array, Value comparator, Frame* frame) {
  const std::span<const Value> items = TRY(items_of(array));
  if (items.size() <= 1) return array;
  TRY(reserve(items.size() * sizeof(Value) * 2));
  Value* const entries = arena_.array<Value>(items.size());
  std::ranges::copy(items, entries);
  const std::span<Value> all(entries, items.size());
  if (comparator.is_undefined()) {
    bool numbers = true, strings = true;
    for (const Value item : items) {
      numbers = numbers && TRY(is_numeric(item));
      strings = strings && item.is_string();
    }
    if (!numbers && !strings) return fail({.code = "D3070", .index = 1});
    std::ranges::stable_sort(all, [numbers](const Value& a, const Value& b) {
      return numbers ? a.real < b.real : compare_text(a.text(), b.text()) < 0;
    });
    return Value::array(all);
  }
  const auto compare = [&](const Value& a, const Value& b) -> Fallible<Order> {
    const Value pair[] = {a, b};
    Scratch scratch(*this);
    const Value outcome = TRY(apply(comparator, pair, Value::null(), frame));
    const Order order = is_truthy(outcome) ? Order::swap : Order::keep;
    scratch.release();
    return order;
  };
  std::vector<Value> spare(items.size());
  TRY(merge_sort<Value>(all, spare, compare));
  return Value::array(all);
}

}  // namespace helve::jsonata
