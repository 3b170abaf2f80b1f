// Evaluator: runs one expression on one document. Everything that it makes lives in its arena. Not
// thread-safe; an evaluation has its own.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <random>
#include <stop_token>
#include <unordered_map>
#include <vector>

#include "jsonata/builtin.h"
#include "jsonata/document.h"
#include "jsonata/fallible.h"
#include "jsonata/node.h"
#include "jsonata/problem.h"

namespace helve::jsonata {

// A variable in a scope, or what a tuple carries.
struct Binding {
  const Binding* next;
  std::string_view name;
  Value value;
};

struct Frame {
  Frame* outer;
  const Binding* bindings;
  const Binding* shared;  // those from here on belong to a tuple and must not change
  std::uint64_t serial;   // frames that were made later have a higher one
};

// An item of a stream whose steps bind variables.
struct Tuple {
  Value at;
  const Binding* bindings;
};

struct Function {
  enum class Kind : unsigned char {
    builtin,
    lambda,
    tail_call,
    partial_builtin,
    regex,
    next_match,
    transform,
    chain,
    handed_over,  // as an argument: called without the context of the call
  };
  Kind kind;
  int builtin = -1;
  const Node* node = nullptr;  // of a lambda, a tail call, a regex, a transform
  Frame* frame = nullptr;
  Value input;               // the context of a lambda; the text of a next match
  std::uint64_t serial = 0;  // of a lambda: as that of a frame
  std::span<const std::string_view> parameters;
  const Signature* signature = nullptr;
  std::span<const Value> bound;  // arguments of a partial builtin; undefined ones are open
  std::span<const bool> is_open;
  const Function* first = nullptr;  // of a chain; what was handed over
  const Function* second = nullptr;
  size_t from = 0;  // where the next match begins, in bytes
  // Where it was last called by name: errors inside it are told there.
  mutable std::string_view token;
  mutable bool has_token = false;
  mutable std::uint32_t position = Node::kNoPosition;
};

struct EvaluatorLimits {
  size_t depth = 100'000;
  size_t stack_bytes = 3u << 20;  // of the machine's stack, whatever the depth
  size_t memory = size_t{1} << 30;
  std::chrono::milliseconds time{0};  // 0: none
  std::uint64_t regex_steps = 100'000'000;
};

class Evaluator {
 public:
  using Ticker = std::function<std::chrono::milliseconds()>;

  // `elapsed` says how long the evaluation has run; `now` is what $now returns.
  Evaluator(const Tree& tree, const EvaluatorLimits& limits, Ticker elapsed, std::stop_token stop,
            double now, std::uint64_t seed);

  // Values of a document are valid as long as it is.
  Value add_document(const Document& document);
  void bind_global(std::string_view name, Value value) { bind(root_, name, value); }
  Outcome run(Value input);

  // --- for the functions ---
  Outcome evaluate(const Node& node, Value input, Frame* frame);
  Outcome apply(Value function, std::span<const Value> arguments, Value input, Frame* frame);
  // Evaluates another expression in a scope: $eval.
  Outcome evaluate_text(std::string_view source, Value input, Frame* frame);
  int arity_of(const Function& function) const;

  Arena& arena() { return arena_; }
  double now() const { return now_; }
  double random();
  std::uint64_t& regex_steps() { return regex_steps_; }
  const EvaluatorLimits& limits() const { return limits_; }

  // Text in the arena; fails when there is no room for it.
  Outcome text(std::string_view text);
  Fallible<void> reserve(size_t bytes);
  // To be called in loops that do not evaluate anything.
  Fallible<void> tick() { return --ticks_ > 0 ? Fallible<void>() : check_limits(); }
  Fallible<void> check_stack();

  Failed fail(Problem problem);
  Failed fail(std::string_view code) { return fail(Problem{.code = code}); }
  Failed fail_with(std::string_view code, Value value, size_t index = 0);
  Problem& problem() { return problem_; }

  // The items of an array, wherever it is. Those of a document take memory.
  Fallible<std::span<const Value>> items_of(Value array);
  Value load(const Word* node, std::uint32_t document) const;
  const Document& document(std::uint32_t number) const { return *documents_[number]; }
  size_t count_of(Value array) const;
  // Undefined when there is none.
  Value member_of(Value object, std::string_view key) const;
  size_t members_of(Value object) const;
  // The members with that name of an object, or of the objects in an array.
  Outcome lookup(Value input, std::string_view key, std::uint32_t* memo = nullptr);
  Outcome append(Value first, Value second);
  // A copy as if it had been written as text and read again, which can be changed.
  Outcome copy(Value value);
  Fallible<Value> sorted(Value array, Value comparator, Frame* frame);

  // True for numbers, except NaN; an infinite one fails.
  Fallible<bool> is_numeric(Value value);
  Fallible<bool> to_boolean(Value value);
  // As JavaScript has it, which is not what the language has: [] and {} are true.
  static bool is_truthy(Value value);
  Fallible<bool> equals(Value a, Value b);
  // Of what is nested, as deep as `levels`. Equal values have equal ones.
  std::uint64_t hash(Value value, int levels = 4);
  // As $string has it.
  Fallible<void> append_string(Value value, std::string& out, bool pretty);
  // JSON, for messages: cut when it is long.
  std::string shown(Value value);

  static std::optional<size_t> place_of(const Node& node) {
    if (node.position == Node::kNoPosition) return std::nullopt;
    return node.position;
  }
  // A sequence of one is its item, and an empty one is nothing.
  static Value simplified(Value value);

 private:
  friend class ItemCursor;
  friend class MemberCursor;
  class Scratch;

  Outcome evaluate_kind(const Node& node, Value input, Frame* frame);
  Outcome evaluate_variable(const Node& node, Value input, Frame* frame);
  Outcome evaluate_array(const Node& node, Value input, Frame* frame);
  Outcome evaluate_wildcard(Value input);
  Fallible<void> flatten(Value value, Items& out);
  Outcome evaluate_descendants(Value input);
  Fallible<void> collect_descendants(Value value, Items& out);
  Outcome evaluate_negation(const Node& node, Value input, Frame* frame);
  Outcome evaluate_block(const Node& node, Value input, Frame* frame);

  // paths.cc
  Outcome evaluate_path(const Node& node, Value input, Frame* frame);
  Outcome evaluate_names(const Node& node, size_t step, Value input, Frame* frame);
  Outcome evaluate_step(const Node& step, Value input, Frame* frame, bool is_last);
  Outcome evaluate_step_on_item(const Node& step, Value item, Frame* frame);
  Outcome evaluate_filter(const Node& predicate, Value input, Frame* frame);
  Outcome filter_by_number(double number, Value input);
  Fallible<bool> filter_by_constants(const Node& predicate, std::span<const Value> items,
                                     Items& out);
  Fallible<size_t> times_selected(Value outcome, size_t index, size_t size);

  // tuples.cc
  Outcome evaluate_tuple_step(const Node& step, Value input, Value tuples, Frame* frame);
  Outcome evaluate_stages(const Node& step, Value input, Frame* frame);
  Outcome sort_into_tuples(const Node& step, Value input, Frame* frame);
  Fallible<void> bind_step(const Node& step, const Tuple& tuple, Value result, Items& out);
  Value plain_items(Value tuples);

  // operators.cc
  Outcome evaluate_binary(const Node& node, Value input, Frame* frame);
  Outcome compute(Operator operation, Value left, Value right);
  Outcome arithmetic(Operator operation, Value left, Value right);
  Outcome compare(Operator operation, Value left, Value right);
  Outcome range(Value left, Value right);
  Outcome concatenate(Value left, Value right);
  Outcome includes(Value left, Value right);
  Outcome evaluate_logic(const Node& node, Value input, Frame* frame);

  // grouping.cc
  Outcome evaluate_group(std::span<const Pair> pairs, size_t position, Value input, Frame* frame);
  Fallible<Tuple> merged(std::span<const Value> tuples);

  // ordering.cc
  struct SortEntry;
  Outcome evaluate_sort(const Node& node, Value input, Frame* frame);

  // calls.cc
  Outcome evaluate_call(const Node& node, Value input, Frame* frame, const Value* applied_to);
  Outcome evaluate_apply(const Node& node, Value input, Frame* frame);
  Outcome evaluate_partial(const Node& node, Value input, Frame* frame);
  Outcome evaluate_lambda(const Node& node, Value input, Frame* frame);
  Outcome apply_once(Value function, std::span<const Value> arguments, Value input, Frame* frame);
  Outcome apply_function(const Function& function, std::span<const Value> arguments, Value input,
                         Frame* frame);
  Outcome apply_lambda(const Function& function, std::span<const Value> arguments);
  Outcome apply_transform(const Function& function, std::span<const Value> arguments);
  Outcome apply_regex(const Function& function, std::span<const Value> arguments);
  Outcome apply_chain(const Function& function, std::span<const Value> arguments, Value input,
                      Frame* frame);
  Fallible<std::span<const Value>> validate(const Signature& signature,
                                            std::span<const Value> arguments, Value context);
  Outcome fit_array(const Parameter& parameter, Value argument, bool is_alone, size_t index);
  Value handed_over(Value argument, Frame* frame);
  Value builtin_function(int number);

  Value find_variable(std::string_view name, Frame* frame);
  void bind(Frame* frame, std::string_view name, Value value);
  Frame* new_frame(Frame* outer, const Binding* bindings = nullptr);
  Fallible<void> check_limits();

  Value member_on_tape(Value object, std::string_view key, std::uint32_t* memo) const;
  std::uint32_t* memo_of(const Node& node) { return &memos_[node.number_in_tree]; }

  EvaluatorLimits limits_;
  Ticker elapsed_;
  std::stop_token stop_;
  double now_;
  std::mt19937_64 random_;
  Arena arena_;
  Problem problem_;
  std::vector<const Document*> documents_;
  std::vector<std::uint32_t> memos_;  // by node: where its name was found in the last object
  std::vector<Function> builtin_functions_;
  std::unordered_map<std::string, std::unique_ptr<Tree>> eval_trees_;
  size_t eval_bytes_ = 0;  // of the trees, about
  const Tree& tree_;
  Frame* root_ = nullptr;
  size_t depth_ = 0;
  std::int64_t ticks_ = 1;
  const char* stack_start_ = nullptr;
  std::uint64_t serial_ = 0;
  std::uint64_t scratch_serial_ = 0;  // a binding in an older frame outlives the scratch space
  bool escaped_ = false;
  std::uint64_t regex_steps_;
};

// The items of an array one after the other.
class ItemCursor {
 public:
  ItemCursor(const Evaluator& evaluator, Value array) : evaluator_(evaluator), array_(array) {
    if (array.on_tape()) {
      word_ = array.node + 1;
      end_ = array.node + tape::span(*array.node);
    }
  }
  bool next(Value& item) {
    if (word_) {
      if (word_ == end_) return false;
      item = evaluator_.load(word_, array_.size);
      word_ += tape::span(*word_);
      return true;
    }
    if (index_ == array_.size) return false;
    item = array_.elements[index_++];
    return true;
  }

 private:
  const Evaluator& evaluator_;
  Value array_;
  const Word* word_ = nullptr;
  const Word* end_ = nullptr;
  std::uint32_t index_ = 0;
};

// The members of an object in their order.
class MemberCursor {
 public:
  MemberCursor(const Evaluator& evaluator, Value object) : evaluator_(evaluator), object_(object) {
    if (object.on_tape()) {
      word_ = object.node + 1;
      end_ = object.node + tape::span(*object.node);
    } else {
      members_ = object.object->all();
    }
  }
  bool next(std::string_view& key, Value& value) {
    if (word_) {
      if (word_ == end_) return false;
      key = evaluator_.document(object_.size).string(*word_);
      value = evaluator_.load(++word_, object_.size);
      word_ += tape::span(*word_);
      return true;
    }
    if (index_ == members_.size()) return false;
    key = members_[index_].key;
    value = members_[index_++].value;
    return true;
  }

 private:
  const Evaluator& evaluator_;
  Value object_;
  const Word* word_ = nullptr;
  const Word* end_ = nullptr;
  std::span<const Object::Member> members_;
  size_t index_ = 0;
};

// Memory that is given back when a part of an evaluation left nothing behind: its result was taken,
// and it bound no variable of a scope outside.
class Evaluator::Scratch {
 public:
  explicit Scratch(Evaluator& evaluator)
      : evaluator_(evaluator),
        mark_(evaluator.arena_.mark()),
        outer_serial_(std::exchange(evaluator.scratch_serial_, evaluator.serial_)),
        outer_escaped_(std::exchange(evaluator.escaped_, false)) {}
  ~Scratch() {
    evaluator_.scratch_serial_ = outer_serial_;
    evaluator_.escaped_ = evaluator_.escaped_ || outer_escaped_;
  }
  Scratch(const Scratch&) = delete;
  void release() {
    if (!evaluator_.escaped_) evaluator_.arena_.release(mark_);
  }

 private:
  Evaluator& evaluator_;
  Arena::Mark mark_;
  std::uint64_t outer_serial_;
  bool outer_escaped_;
};

}  // namespace helve::jsonata
