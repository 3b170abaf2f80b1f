#include "jsonata/evaluator.h"

#include <fmt/core.h>

#include <cmath>

#include "base/text.h"
#include "jsonata/parser.h"
#include "jsonata/write.h"

namespace helve::jsonata {
namespace {

constexpr std::int64_t kTicks = 512;  // evaluations between two looks at the clock
constexpr size_t kShownBytes = 200;   // of a value in a message

}  // namespace

Evaluator::Evaluator(const Tree& tree, const EvaluatorLimits& limits, Ticker elapsed,
                     std::stop_token stop, double now, std::uint64_t seed)
    : limits_(limits),
      elapsed_(std::move(elapsed)),
      stop_(std::move(stop)),
      now_(now),
      random_(seed),
      arena_(limits.memory),
      memos_(tree.nodes.size()),
      tree_(tree),
      regex_steps_(limits.regex_steps) {
  root_ = new_frame(nullptr);
  builtin_functions_.reserve(builtins().size());
  for (size_t i = 0; i < builtins().size(); ++i)
    builtin_functions_.push_back({.kind = Function::Kind::builtin,
                                  .builtin = static_cast<int>(i),
                                  .signature = &builtins()[i].signature});
}

Value Evaluator::add_document(const Document& document) {
  documents_.push_back(&document);
  return load(document.root(), static_cast<std::uint32_t>(documents_.size() - 1));
}

Outcome Evaluator::run(Value input) {
  stack_start_ = static_cast<const char*>(__builtin_frame_address(0));
  bind(root_, "$", input);
  // An array as a whole is one input, not many.
  if (input.is_array()) {
    Items wrapper(arena_);
    wrapper.push(input);
    input = wrapper.array(Value::kSequence | Value::kOuterWrapper);
  }
  return evaluate(*tree_.root, input, root_);
}

// --- limits and failures ---

Failed Evaluator::fail(Problem problem) {
  problem_ = std::move(problem);
  return {};
}

Failed Evaluator::fail_with(std::string_view code, Value value, size_t index) {
  return fail({.code = code, .value = shown(value), .index = index});
}

std::string Evaluator::shown(Value value) {
  if (value.is_undefined()) return "nothing";
  if (value.is_function()) return "a function";
  std::string text;
  JsonWriter writer(*this, text, {.at_most = kShownBytes});
  if (!writer.write(value)) return "a value";
  return text;
}

Fallible<void> Evaluator::check_limits() {
  ticks_ = kTicks;
  if (arena_.exhausted()) return reserve(limits_.memory);
  if (stop_.stop_requested())
    return fail({.code = "D1012", .message = "the evaluation was stopped"});
  if (limits_.time.count() > 0 && elapsed_ && elapsed_() > limits_.time)
    return fail({.code = "D1012", .value = std::to_string(limits_.time.count())});
  return {};
}

Fallible<void> Evaluator::check_stack() {
  const char* const here = static_cast<const char*>(__builtin_frame_address(0));
  const size_t used = static_cast<size_t>(here < stack_start_ ? stack_start_ - here : 0);
  if (used <= limits_.stack_bytes) return {};
  return fail({.code = "D1011"});
}

Fallible<void> Evaluator::reserve(size_t bytes) {
  if (arena_.allows(bytes)) return {};
  return fail({.code = "D2016", .value = human_size(limits_.memory)});
}

Outcome Evaluator::text(std::string_view text) {
  TRY(reserve(text.size()));
  return Value::string(arena_.copy(text));
}

double Evaluator::random() { return std::uniform_real_distribution<double>(0, 1)(random_); }

// --- scopes ---

Frame* Evaluator::new_frame(Frame* outer, const Binding* bindings) {
  return arena_.make<Frame>(outer, bindings, bindings, ++serial_);
}

void Evaluator::bind(Frame* frame, std::string_view name, Value value) {
  if (frame->serial <= scratch_serial_) escaped_ = true;
  for (const Binding* at = frame->bindings; at != frame->shared; at = at->next) {
    if (at->name == name) {
      const_cast<Binding*>(at)->value = value;  // NOLINT: it is this frame's own
      return;
    }
  }
  frame->bindings = arena_.make<Binding>(frame->bindings, name, value);
}

Value Evaluator::find_variable(std::string_view name, Frame* frame) {
  for (; frame; frame = frame->outer)
    for (const Binding* at = frame->bindings; at; at = at->next)
      if (at->name == name) return at->value;
  const int builtin = find_builtin(name);
  return builtin < 0 ? Value() : builtin_function(builtin);
}

Value Evaluator::builtin_function(int number) {
  return Value::of(&builtin_functions_[static_cast<size_t>(number)]);
}

// --- evaluation ---

Value Evaluator::simplified(Value value) {
  if (!value.is_sequence() || value.is_stream()) return value;
  if (value.size == 0) return {};
  if (value.size == 1 && !(value.flags & Value::kKeepSingleton)) return value.elements[0];
  return value;
}

Outcome Evaluator::evaluate(const Node& node, Value input, Frame* frame) {
  if (++depth_ > limits_.depth) return fail({.code = "D1011"});
  TRY(tick());
  Value result = TRY(evaluate_kind(node, input, frame));
  for (const Stage& predicate : node.predicates)
    result = TRY(evaluate_filter(*predicate.filter, result, frame));
  if (node.group && node.type != NodeType::path)
    result = TRY(evaluate_group(node.group->pairs, node.group->position, result, frame));
  if (result.is_sequence()) {
    if (node.keeps_array && !result.is_stream()) result.flags |= Value::kKeepSingleton;
    result = simplified(result);
  }
  --depth_;
  return result;
}

Outcome Evaluator::evaluate_kind(const Node& node, Value input, Frame* frame) {
  switch (node.type) {
    case NodeType::path:
      return evaluate_path(node, input, frame);
    case NodeType::string:
    case NodeType::number:
    case NodeType::literal:
      return node.value;
    case NodeType::name:
      return lookup(input, node.text, memo_of(node));
    case NodeType::variable:
      return evaluate_variable(node, input, frame);
    case NodeType::binary:
      return evaluate_binary(node, input, frame);
    default:
      break;
  }
  TRY(check_stack());
  switch (node.type) {
    case NodeType::function:
      return evaluate_call(node, input, frame, nullptr);
    case NodeType::condition: {
      const Value condition = TRY(evaluate(*node.left, input, frame));
      if (TRY(to_boolean(condition))) return evaluate(*node.right, input, frame);
      return node.other ? evaluate(*node.other, input, frame) : Outcome(Value());
    }
    case NodeType::block:
      return evaluate_block(node, input, frame);
    case NodeType::bind: {
      const Value value = TRY(evaluate(*node.right, input, frame));
      bind(frame, node.left->text, value);
      return value;
    }
    case NodeType::array:
      return evaluate_array(node, input, frame);
    case NodeType::object:
      return evaluate_group(node.pairs, node.position, input, frame);
    case NodeType::lambda:
      return evaluate_lambda(node, input, frame);
    case NodeType::apply:
      return evaluate_apply(node, input, frame);
    case NodeType::partial:
      return evaluate_partial(node, input, frame);
    case NodeType::negation:
      return evaluate_negation(node, input, frame);
    case NodeType::wildcard:
      return evaluate_wildcard(input);
    case NodeType::descendants:
      return evaluate_descendants(input);
    case NodeType::parent:
      return find_variable(node.slot->label, frame);
    case NodeType::regex:
      return Value::of(arena_.make<Function>(Function::Kind::regex, -1, &node));
    case NodeType::transform:
      return Value::of(arena_.make<Function>(Function::Kind::transform, -1, &node, frame));
    default:
      return Value();
  }
}

Outcome Evaluator::evaluate_variable(const Node& node, Value input, Frame* frame) {
  if (node.text.empty()) {
    if (input.is_array() && input.flags & Value::kOuterWrapper) return input.elements[0];
    return input;
  }
  return find_variable(node.text, frame);
}

Outcome Evaluator::evaluate_block(const Node& node, Value input, Frame* frame) {
  Frame* const inner = new_frame(frame);
  Value result;
  for (const Node* item : node.items) result = TRY(evaluate(*item, input, inner));
  return result;
}

Outcome Evaluator::evaluate_negation(const Node& node, Value input, Frame* frame) {
  const Value value = TRY(evaluate(*node.left, input, frame));
  if (value.is_undefined()) return value;
  if (TRY(is_numeric(value))) return Value::number(-value.real);
  return fail({.code = "D1002", .position = node.position, .token = "-", .value = shown(value)});
}

Outcome Evaluator::evaluate_array(const Node& node, Value input, Frame* frame) {
  const std::uint8_t flags = node.constructs ? Value::kConstructed : 0;
  if (node.items.size() == 1 && node.items[0]->type != NodeType::array) {
    // What is there already need not be copied.
    const Value value = TRY(evaluate(*node.items[0], input, frame));
    if (value.is_array()) return Value::array(TRY(items_of(value)), flags);
    Items items(arena_);
    if (!value.is_undefined()) items.push(value);
    return items.array(flags);
  }
  Items items(arena_);
  for (const Node* item : node.items) {
    const Value value = TRY(evaluate(*item, input, frame));
    if (value.is_undefined()) continue;
    if (item->type != NodeType::array && value.is_array()) {
      TRY(reserve(count_of(value) * sizeof(Value)));
      items.append(TRY(items_of(value)));
    } else {
      items.push(value);
    }
  }
  return items.array(flags);
}

Fallible<void> Evaluator::flatten(Value value, Items& out) {
  TRY(tick());
  if (!value.is_array()) {
    out.push(value);
    return {};
  }
  TRY(check_stack());
  ItemCursor items(*this, value);
  for (Value item; items.next(item);) TRY(flatten(item, out));
  return {};
}

Outcome Evaluator::evaluate_wildcard(Value input) {
  if (input.is_array() && input.flags & Value::kOuterWrapper && input.size > 0)
    input = input.elements[0];
  Items results(arena_);
  bool any_array = false;  // then the result is an ordinary array, even with one item
  const auto add = [&](Value value) {
    any_array = any_array || value.is_array();
    return flatten(value, results);
  };
  if (input.is_array()) {
    ItemCursor items(*this, input);
    for (Value item; items.next(item);) TRY(add(item));
  } else if (input.is_object()) {
    MemberCursor members(*this, input);
    std::string_view key;
    for (Value value; members.next(key, value);) TRY(add(value));
  }
  return any_array ? results.array() : results.sequence();
}

Fallible<void> Evaluator::collect_descendants(Value value, Items& out) {
  TRY(tick());
  TRY(check_stack());
  if (value.is_array()) {
    ItemCursor items(*this, value);
    for (Value item; items.next(item);) TRY(collect_descendants(item, out));
    return {};
  }
  out.push(value);
  if (!value.is_object()) return {};
  MemberCursor members(*this, value);
  std::string_view key;
  for (Value member; members.next(key, member);) TRY(collect_descendants(member, out));
  return {};
}

Outcome Evaluator::evaluate_descendants(Value input) {
  if (input.is_undefined()) return input;
  Items results(arena_);
  TRY(collect_descendants(input, results));
  return results.size() == 1 ? results.all()[0] : results.sequence();
}

Outcome Evaluator::evaluate_text(std::string_view source, Value input, Frame* frame) {
  std::unique_ptr<Tree>& tree = eval_trees_[std::string(source)];
  if (!tree) {
    eval_bytes_ += source.size();
    TRY(reserve(eval_bytes_));
    Result<std::unique_ptr<Tree>> parsed = parse(source);
    if (!parsed) return fail({.code = "D3120", .value = std::move(parsed.error().message)});
    tree = std::move(*parsed);
    eval_bytes_ += tree->nodes.size() * sizeof(Node);
    const std::uint32_t first = static_cast<std::uint32_t>(memos_.size());
    for (Node& node : tree->nodes) node.number_in_tree += first;
    memos_.resize(memos_.size() + tree->nodes.size());
  }
  const Outcome outcome = evaluate(*tree->root, input, frame);
  if (!outcome) {
    const bool out_of_limits =
        problem_.code == "D1011" || problem_.code == "D1012" || problem_.code == "D2016";
    if (!out_of_limits) return fail({.code = "D3121", .value = message_of(problem_)});
  }
  return outcome;
}

}  // namespace helve::jsonata
