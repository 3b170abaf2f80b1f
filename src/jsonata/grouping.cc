// Objects: {key: value, …} as a constructor and as a grouping, which are the same thing.
#include <bit>

#include "jsonata/evaluator.h"

namespace helve::jsonata {
namespace {

// The items with one key.
struct Bucket {
  std::string_view key;
  size_t pair;
  Items items;
  bool is_list = false;  // more than one item came, so that they are an array
};

// The buckets by their keys, in the order in which the keys came.
class Buckets {
 public:
  Bucket* find(std::string_view key) {
    for (std::uint64_t at = hash_of(key);; ++at) {
      const std::uint32_t entry = index_[at & (index_.size() - 1)];
      if (entry == 0) return nullptr;
      if (all_[entry - 1].key == key) return &all_[entry - 1];
    }
  }
  Bucket& add(std::string_view key, size_t pair, Arena& arena) {
    all_.push_back({key, pair, Items(arena)});
    if (all_.size() * 2 > index_.size()) {
      index_.assign(index_.size() * 4, 0);
      for (size_t i = 0; i < all_.size(); ++i) enter(i);
    } else {
      enter(all_.size() - 1);
    }
    return all_.back();
  }
  std::deque<Bucket>& all() { return all_; }

 private:
  void enter(size_t bucket) {
    std::uint64_t at = hash_of(all_[bucket].key);
    while (index_[at & (index_.size() - 1)] != 0) ++at;
    index_[at & (index_.size() - 1)] = static_cast<std::uint32_t>(bucket + 1);
  }
  std::deque<Bucket> all_;
  std::vector<std::uint32_t> index_ = std::vector<std::uint32_t>(16);
};

// What several values are together: nothing, the only one, or an array of all.
class Joined {
 public:
  explicit Joined(Arena& arena) : items_(arena) {}
  Fallible<void> add(Evaluator& evaluator, Value value) {
    if (value.is_undefined()) return {};
    if (count_++ == 0) {
      first_ = value;
      return {};
    }
    if (count_ == 2) TRY(flatten(evaluator, first_));
    return flatten(evaluator, value);
  }
  Value value() { return count_ > 1 ? items_.array() : first_; }

 private:
  Fallible<void> flatten(Evaluator& evaluator, Value value) {
    if (value.is_array())
      items_.append(TRY(evaluator.items_of(value)));
    else
      items_.push(value);
    return {};
  }
  Items items_;
  Value first_;
  size_t count_ = 0;
};

}  // namespace

// All bindings of a group's tuples: what has several values becomes an array of them.
Fallible<Tuple> Evaluator::merged(std::span<const Value> tuples) {
  struct Collected {
    std::string_view name;
    Joined values;
  };
  std::vector<Collected> all;
  Joined contexts(arena_);
  for (const Value item : tuples) {
    TRY(contexts.add(*this, item.tuple->at));
    std::vector<std::string_view> seen;
    for (const Binding* at = item.tuple->bindings; at; at = at->next) {
      if (std::ranges::find(seen, at->name) != seen.end()) continue;
      seen.push_back(at->name);
      auto entry = std::ranges::find(all, at->name, &Collected::name);
      if (entry == all.end()) entry = all.insert(all.end(), {at->name, Joined(arena_)});
      TRY(entry->values.add(*this, at->value));
    }
  }
  Tuple result{contexts.value(), nullptr};
  for (Collected& collected : all)
    result.bindings =
        arena_.make<Binding>(result.bindings, collected.name, collected.values.value());
  return result;
}

Outcome Evaluator::evaluate_group(std::span<const Pair> pairs, size_t position, Value input,
                                  Frame* frame) {
  const bool is_stream = input.is_stream();
  Buckets buckets;
  const auto put = [&](Value item) -> Fallible<void> {
    const Value context = is_stream ? item.tuple->at : item;
    Frame* const scope = is_stream ? new_frame(frame, item.tuple->bindings) : frame;
    for (size_t pair = 0; pair < pairs.size(); ++pair) {
      Bucket* bucket = nullptr;
      {
        Scratch scratch(*this);
        const Value key = TRY(evaluate(*pairs[pair].key, context, scope));
        if (key.is_undefined()) continue;
        if (!key.is_string())
          return fail({.code = "T1003", .position = position, .value = shown(key)});
        if (key.text() == "_jsonata_lambda" || key.text() == "_jsonata_function")
          return fail({.code = "D1013", .position = position, .value = shown(key)});
        bucket = buckets.find(key.text());
        if (!bucket)
          bucket = &buckets.add(key.text(), pair, arena_);
        else
          scratch.release();
      }
      if (bucket->pair != pair)
        return fail(
            {.code = "D1009", .position = position, .value = shown(Value::string(bucket->key))});
      // The first one stays as it is; when more come, arrays are joined. Tuples stay tuples, and
      // nothing adds nothing.
      if (item.is_undefined() && bucket->items.size() > 0) continue;
      if (bucket->items.size() == 1 && !bucket->is_list && bucket->items.all()[0].is_undefined())
        bucket->items = Items(arena_);
      if (bucket->items.size() > 0 || bucket->is_list) {
        if (!bucket->is_list && bucket->items.all()[0].is_array()) {
          const Value first = bucket->items.all()[0];
          bucket->items = Items(arena_);
          bucket->items.append(TRY(items_of(first)));
        }
        bucket->is_list = true;
      }
      if (bucket->is_list && item.is_array())
        bucket->items.append(TRY(items_of(item)));
      else
        bucket->items.push(item);
    }
    return {};
  };
  if (!input.is_array()) {
    TRY(put(input));
  } else if (count_of(input) == 0 && !is_stream) {
    TRY(put(Value()));  // so that an object can be made of nothing
  } else {
    ItemCursor items(*this, input);
    for (Value item; items.next(item);) {
      TRY(tick());
      TRY(put(item));
    }
  }
  Object* const result = arena_.make<Object>();
  const auto finish = [&](Bucket& bucket) -> Fallible<void> {
    Value context;
    Frame* scope = frame;
    if (is_stream) {
      const Tuple tuple =
          bucket.items.size() == 1 ? *bucket.items.all()[0].tuple : TRY(merged(bucket.items.all()));
      context = tuple.at;
      scope = new_frame(frame, tuple.bindings);
    } else {
      context = bucket.is_list ? bucket.items.array() : bucket.items.all()[0];
    }
    const Value value = TRY(evaluate(*pairs[bucket.pair].value, context, scope));
    if (!value.is_undefined()) result->set(bucket.key, value, arena_);
    return {};
  };
  // Whole numbers come first here too.
  for (Bucket& bucket : buckets.all()) TRY(finish(bucket));
  return Value::of(result);
}

}  // namespace helve::jsonata
