// Calls: functions are applied, partially applied, chained; tail calls go round instead of down.
#include "jsonata/evaluator.h"
#include "jsonata/unicode.h"

namespace helve::jsonata {
namespace {

char letter_of(Value value) {
  switch (value.type) {
    case Type::null:
      return 'l';
    case Type::boolean:
      return 'b';
    case Type::number:
      return 'n';
    case Type::string:
      return 's';
    case Type::array:
      return 'a';
    case Type::object:
      return 'o';
    case Type::function:
      return 'f';
    default:
      return 'm';  // missing
  }
}

std::string_view plural_of(char type) {
  switch (type) {
    case 'a':
      return "arrays";
    case 'b':
      return "booleans";
    case 'f':
      return "functions";
    case 'n':
      return "numbers";
    case 'o':
      return "objects";
    default:
      return "strings";
  }
}

// What a procedure is called in messages.
std::string_view name_of_procedure(const Node& procedure) {
  return procedure.type == NodeType::path ? procedure.items[0]->text : procedure.text;
}
bool has_name(const Node& procedure) {
  const Node& named = procedure.type == NodeType::path ? *procedure.items[0] : procedure;
  if (named.type == NodeType::variable || named.type == NodeType::string) return true;
  return !named.text.empty() && named.type != NodeType::lambda && named.type != NodeType::parent;
}

constexpr size_t kKeptBytes = 64;  // of a string that a tail call passes on

// Whether a value stands on its own, without anything in the arena.
bool is_plain(Value value) {
  return value.type <= Type::number || (value.is_string() && value.size <= kKeptBytes);
}

}  // namespace

int Evaluator::arity_of(const Function& function) const {
  switch (function.kind) {
    case Function::Kind::builtin:
      return builtins()[static_cast<size_t>(function.builtin)].arity;
    case Function::Kind::regex:
      return 2;
    case Function::Kind::next_match:
      return 0;
    case Function::Kind::transform:
    case Function::Kind::chain:
      return 1;
    case Function::Kind::handed_over:
      return arity_of(*function.first);
    default:
      return static_cast<int>(function.parameters.size());
  }
}

Outcome Evaluator::evaluate_lambda(const Node& node, Value input, Frame* frame) {
  Function* const function =
      arena_.make<Function>(node.is_thunk ? Function::Kind::tail_call : Function::Kind::lambda, -1,
                            &node, frame, input, ++serial_);
  function->signature = node.signature;
  if (!node.items.empty()) {
    std::string_view* const names = arena_.array<std::string_view>(node.items.size());
    for (size_t i = 0; i < node.items.size(); ++i) names[i] = node.items[i]->text;
    function->parameters = {names, node.items.size()};
  }
  return Value::of(function);
}

// A function that a lambda gets as an argument has no context where the lambda calls it, and sees
// the variables of where it was handed over.
Value Evaluator::handed_over(Value argument, Frame* frame) {
  if (!argument.is_function()) return argument;
  const Function::Kind kind = argument.function->kind;
  if (kind == Function::Kind::regex || kind == Function::Kind::next_match ||
      kind == Function::Kind::handed_over)
    return argument;
  Function* const function = arena_.make<Function>(Function::Kind::handed_over);
  function->first = argument.function;
  function->frame = frame;
  return Value::of(function);
}

Outcome Evaluator::evaluate_call(const Node& node, Value input, Frame* frame,
                                 const Value* applied_to) {
  const Node& procedure = *node.left;
  const Value function = TRY(evaluate(procedure, input, frame));
  if (function.is_undefined() && procedure.type == NodeType::path &&
      is_truthy(find_variable(procedure.items[0]->text, frame)))
    return fail({.code = "T1005",
                 .position = node.position,
                 .token = std::string(procedure.items[0]->text)});
  const size_t count = node.items.size() + (applied_to ? 1 : 0);
  Value* const arguments = arena_.array<Value>(count);
  size_t filled = 0;
  if (applied_to) arguments[filled++] = *applied_to;
  const bool to_lambda =
      function.is_function() && function.function->kind == Function::Kind::lambda;
  for (const Node* item : node.items) {
    const Value argument = TRY(evaluate(*item, input, frame));
    arguments[filled++] = to_lambda ? handed_over(argument, frame) : argument;
  }
  const bool named = has_name(procedure);
  const std::string_view name = name_of_procedure(procedure);
  if (function.is_function() && function.function->kind != Function::Kind::regex &&
      function.function->kind != Function::Kind::next_match &&
      function.function->kind != Function::Kind::handed_over) {
    function.function->token = name;
    function.function->has_token = named;
    function.function->position = node.position;
  }
  const Outcome outcome = apply(function, {arguments, count}, input, frame);
  if (!outcome) {
    if (!problem_.position && node.position != Node::kNoPosition) problem_.position = node.position;
    if (!problem_.token && named) problem_.token = std::string(name);
  }
  return outcome;
}

Outcome Evaluator::apply(Value function, std::span<const Value> arguments, Value input,
                         Frame* frame) {
  TRY(check_stack());
  Value result = TRY(apply_once(function, arguments, input, frame));
  if (!result.is_function() || result.function->kind != Function::Kind::tail_call) return result;
  // Each round may drop what the one before it made, when nothing of it is passed on.
  Scratch scratch(*this);
  Function call = *result.function;
  std::vector<Value> passed;
  std::vector<std::string> texts;
  while (result.is_function() && result.function->kind == Function::Kind::tail_call) {
    TRY(tick());
    call = *result.function;
    const Node& node = *call.node->left;
    const Value next = TRY(evaluate(*node.left, call.input, call.frame));
    if (next.is_function()) {
      if (node.left->type == NodeType::variable) {
        next.function->token = node.left->text;
        next.function->has_token = true;
      }
      next.function->position = node.left->position;
    }
    passed.clear();
    bool plain = true;
    for (const Node* item : node.items) {
      passed.push_back(TRY(evaluate(*item, call.input, call.frame)));
      plain = plain && is_plain(passed.back());
    }
    // One that was made on the way here goes with the rest, and so does what it refers to.
    const bool is_old = next.is_function() && next.function->kind == Function::Kind::lambda &&
                        next.function->serial <= scratch_serial_;
    if (plain && is_old) {
      texts.clear();
      for (const Value value : passed)
        if (value.is_string()) texts.emplace_back(value.text());
      const Function target = *next.function;
      scratch.release();
      Function* const kept = arena_.make<Function>(target);
      size_t text = 0;
      for (Value& value : passed)
        if (value.is_string()) value = Value::string(arena_.copy(texts[text++]));
      result = TRY(apply_once(Value::of(kept), passed, input, frame));
    } else {
      result = TRY(apply_once(next, passed, input, frame));
    }
  }
  return result;
}

Outcome Evaluator::apply_once(Value function, std::span<const Value> arguments, Value input,
                              Frame* frame) {
  if (!function.is_function()) return fail("T1006");
  const Outcome outcome = apply_function(*function.function, arguments, input, frame);
  if (!outcome) {
    if (!problem_.token && function.function->has_token)
      problem_.token = std::string(function.function->token);
    if (function.function->position != Node::kNoPosition && function.function->position != 0)
      problem_.position = function.function->position;
  }
  return outcome;
}

Outcome Evaluator::apply_function(const Function& function, std::span<const Value> arguments,
                                  Value input, Frame* frame) {
  if (function.signature) arguments = TRY(validate(*function.signature, arguments, input));
  switch (function.kind) {
    case Function::Kind::builtin:
      return builtins()[static_cast<size_t>(function.builtin)].run(*this, arguments,
                                                                   {input, frame});
    case Function::Kind::partial_builtin: {
      const Builtin& builtin = builtins()[static_cast<size_t>(function.builtin)];
      Value* const all = arena_.array<Value>(function.bound.size());
      size_t given = 0;
      for (size_t i = 0; i < function.bound.size(); ++i) {
        all[i] = function.bound[i];
        if (function.is_open[i]) all[i] = given < arguments.size() ? arguments[given++] : Value();
      }
      // Arguments that may be left out and were, at the end, are as if they had not been given.
      const auto parameters = builtin.signature.parameters();
      size_t count = function.bound.size();
      while (count > 0 && all[count - 1].is_undefined() &&
             (count > parameters.size() || parameters[count - 1].least == 0))
        --count;
      const auto fitted = TRY(validate(builtin.signature, {all, count}, Value()));
      return builtin.run(*this, fitted, {Value(), frame});
    }
    case Function::Kind::transform:
      return apply_transform(function, arguments);
    case Function::Kind::regex:
    case Function::Kind::next_match:
      return apply_regex(function, arguments);
    case Function::Kind::chain:
      return apply_chain(function, arguments, input, frame);
    case Function::Kind::handed_over:
      return apply(Value::of(function.first), arguments, Value::null(), function.frame);
    default:
      return apply_lambda(function, arguments);
  }
}

Outcome Evaluator::apply_lambda(const Function& function, std::span<const Value> arguments) {
  Frame* const frame = new_frame(function.frame);
  for (size_t i = 0; i < function.parameters.size(); ++i)
    bind(frame, function.parameters[i], i < arguments.size() ? arguments[i] : Value());
  return evaluate(*function.node->left, function.input, frame);
}

Outcome Evaluator::apply_chain(const Function& function, std::span<const Value> arguments,
                               Value input, Frame* frame) {
  const Value given = arguments.empty() ? Value() : arguments[0];
  const Value between =
      simplified(TRY(apply(Value::of(function.first), {&given, 1}, Value::null(), frame)));
  // This one is a tail call, so its context is that of whoever called the chain.
  return apply(Value::of(function.second), {&between, 1}, input, frame);
}

Outcome Evaluator::evaluate_apply(const Node& node, Value input, Frame* frame) {
  const Value left = TRY(evaluate(*node.left, input, frame));
  if (node.right->type == NodeType::function)
    return evaluate_call(*node.right, input, frame, &left);
  const Value right = TRY(evaluate(*node.right, input, frame));
  if (!right.is_function())
    return fail({.code = "T2006", .position = node.position, .value = shown(right)});
  if (left.is_function()) {
    Function* const chain = arena_.make<Function>(Function::Kind::chain);
    chain->first = left.function;
    chain->second = right.function;
    return Value::of(chain);
  }
  return apply(right, {&left, 1}, Value::null(), frame);
}

Outcome Evaluator::evaluate_partial(const Node& node, Value input, Frame* frame) {
  const size_t count = node.items.size();
  Value* const arguments = arena_.array<Value>(count);
  for (size_t i = 0; i < count; ++i) {
    arguments[i] = Value();
    if (node.items[i]->type != NodeType::placeholder)
      arguments[i] = TRY(evaluate(*node.items[i], input, frame));
  }
  const auto is_open = [&](size_t i) {
    return i < count && node.items[i]->type == NodeType::placeholder;
  };
  const Node& procedure = *node.left;
  const Value function = TRY(evaluate(procedure, input, frame));
  if (function.is_undefined() && procedure.type == NodeType::path &&
      is_truthy(find_variable(procedure.items[0]->text, frame)))
    return fail({.code = "T1007",
                 .position = node.position,
                 .token = std::string(procedure.items[0]->text)});
  if (!function.is_function()) {
    Problem problem{.code = "T1008", .position = node.position};
    if (has_name(procedure)) problem.token = std::string(name_of_procedure(procedure));
    return fail(std::move(problem));
  }
  const bool was_handed = function.function->kind == Function::Kind::handed_over;
  const Function& whole = was_handed ? *function.function->first : *function.function;
  Function* const part = arena_.make<Function>(whole);
  part->signature = nullptr;
  part->has_token = false;
  part->position = Node::kNoPosition;
  part->serial = ++serial_;
  if (whole.kind == Function::Kind::lambda) {
    part->frame = new_frame(whole.frame ? whole.frame : frame);
    std::string_view* const open = arena_.array<std::string_view>(whole.parameters.size());
    size_t opened = 0;
    for (size_t i = 0; i < whole.parameters.size(); ++i) {
      if (is_open(i))
        open[opened++] = whole.parameters[i];
      else
        bind(part->frame, whole.parameters[i], i < count ? arguments[i] : Value());
    }
    part->parameters = {open, opened};
    return Value::of(part);
  }
  // A builtin, or a regex and the like, which take all that they are given.
  const bool is_builtin = whole.kind == Function::Kind::builtin;
  if (!is_builtin && whole.kind != Function::Kind::partial_builtin) return function;
  const size_t size =
      is_builtin ? builtins()[static_cast<size_t>(whole.builtin)].parameters : whole.bound.size();
  Value* const bound = arena_.array<Value>(size);
  bool* const open = arena_.array<bool>(size);
  std::string_view* const names = arena_.array<std::string_view>(size);
  size_t opened = 0, given = 0;
  for (size_t i = 0; i < size; ++i) {
    bound[i] = is_builtin ? Value() : whole.bound[i];
    open[i] = false;
    if (!is_builtin && !whole.is_open[i]) continue;
    open[i] = is_open(given);
    if (!open[i]) bound[i] = given < count ? arguments[given] : Value();
    ++given;
    if (open[i]) names[opened++] = {};
  }
  part->kind = Function::Kind::partial_builtin;
  part->bound = {bound, size};
  part->is_open = {open, size};
  part->parameters = {names, opened};
  return Value::of(part);
}

Outcome Evaluator::fit_array(const Parameter& parameter, Value argument, bool is_alone,
                             size_t index) {
  if (argument.is_undefined()) return argument;
  if (parameter.has_item_type) {
    bool good = true;
    if (!argument.is_array()) {
      good = is_alone && parameter.is_single_type && letter_of(argument) == parameter.item_type;
    } else {
      ItemCursor items(*this, argument);
      for (Value item; good && items.next(item);) good = letter_of(item) == parameter.item_type;
    }
    if (!good)
      return fail({.code = "T0412",
                   .value = shown(argument),
                   .other = std::string(plural_of(parameter.item_type)),
                   .index = index + 1});
  }
  if (argument.is_array()) return argument;
  return Value::array({arena_.make<Value>(argument), 1});
}

Fallible<std::span<const Value>> Evaluator::validate(const Signature& signature,
                                                     std::span<const Value> arguments,
                                                     Value context) {
  std::string letters;
  for (const Value argument : arguments) letters += letter_of(argument);
  std::array<std::uint8_t, Signature::kMaxParameters> taken{};
  if (!signature.match(letters, taken)) {
    const size_t at = signature.first_misfit(letters);
    return fail_with("T0410", at < arguments.size() ? arguments[at] : Value(), at + 1);
  }
  const auto parameters = signature.parameters();
  Value* const fitted = arena_.array<Value>(arguments.size() + parameters.size());
  size_t count = 0, next = 0;
  const auto argument_at = [&](size_t place) {
    return place < arguments.size() ? arguments[place] : Value();
  };
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Parameter& parameter = parameters[i];
    if (taken[i] == 0) {
      if (!parameter.from_context) {
        fitted[count++] = argument_at(next++);
        continue;
      }
      const char letter = letter_of(context);
      if (!parameter.any_context && !(parameter.types & Signature::bit(letter)))
        return fail_with("T0411", context, next + 1);
      fitted[count++] = context;
      continue;
    }
    for (size_t j = 0; j < taken[i]; ++j, ++next) {
      Value argument = argument_at(next);
      if (parameter.is_array) argument = TRY(fit_array(parameter, argument, taken[i] == 1, next));
      fitted[count++] = argument;
    }
  }
  return std::span<const Value>(fitted, count);
}

}  // namespace helve::jsonata
