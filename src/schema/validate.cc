#include "schema/validate.h"

#include <fmt/format.h>

#include "base/text.h"
#include "schema/validate_evaluation.h"

namespace helve::schema {
namespace {

constexpr size_t kShownKey = 80;      // characters of a key in a path
constexpr size_t kSearchDepth = 256;  // of JSON within JSON

// Looks everywhere, not only where schemas stand: a reference may lead anywhere.
bool mentions_unevaluated(const Json& json, size_t depth) {
  if (depth == 0) return true;
  if (const JsonArray* array = json.if_array()) {
    return std::any_of(array->begin(), array->end(),
                       [&](const Json& item) { return mentions_unevaluated(item, depth - 1); });
  }
  const JsonObject* object = json.if_object();
  if (!object) return false;
  if (object->contains("unevaluatedItems") || object->contains("unevaluatedProperties"))
    return true;
  return std::any_of(object->begin(), object->end(), [&](const auto& member) {
    return mentions_unevaluated(member.value(), depth - 1);
  });
}

}  // namespace

std::vector<Problem> validate(const Json& schema, const Json& value, const Bounds& bounds) {
  return Evaluation(schema, bounds).run(value);
}

std::vector<Problem> Evaluation::run(const Json& value) {
  tracks_ = mentions_unevaluated(document_, kSearchDepth);
  pattern_steps_ = bounds_.pattern_steps;
  std::vector<Problem> problems;
  const bool fits = apply(document_, At{value, nullptr, 0, &problems, nullptr});
  if (problems.size() >= bounds_.problems)
    problems.push_back({"", "further problems are not listed", ""});
  if (stopped_) problems.push_back(*stopped_);
  if (!fits && problems.empty()) problems.push_back({"", "does not fit its schema", ""});
  return problems;
}

bool Evaluation::apply(const Json& schema, const At& at) {
  if (!spend(1)) return false;
  if (at.depth > bounds_.depth) {
    return stop(fmt::format("nested more than {} schemas deep", bounds_.depth),
                "give a flatter value");
  }
  if (const bool* anything = schema.if_bool()) return *anything || fail(at, "is not allowed here");
  const JsonObject* keywords = schema.if_object();
  if (!keywords) return stop("the schema is broken: it has something that is no schema", "");
  if (!tracks_) return apply_keywords(schema, *keywords, at);

  Seen own;
  if (!apply_keywords(schema, *keywords, At{at.value, at.path, at.depth, at.problems, &own}))
    return false;
  if (at.seen) {
    at.seen->keys.merge(own.keys);
    at.seen->items.merge(own.items);
  }
  return true;
}

bool Evaluation::apply_keywords(const Json& schema, const JsonObject& keywords, const At& at) {
  bool ok = check_reference(schema, "$ref", at);
  ok = check_reference(schema, "$dynamicRef", at) && ok;
  ok = check_any_type(keywords, at) && ok;
  if (at.value.is_number())
    ok = check_number(keywords, at) && ok;
  else if (at.value.is_string())
    ok = check_string(keywords, at) && ok;
  else if (at.value.is_array())
    ok = check_array(keywords, at) && ok;
  else if (at.value.is_object())
    ok = check_object(keywords, at) && ok;
  // Nobody wants the rest of the list when only yes or no is asked.
  if (!ok && !at.problems) return false;
  ok = check_combined(keywords, at) && ok;
  return check_unevaluated(keywords, at) && ok;
}

bool Evaluation::check_reference(const Json& schema, std::string_view keyword, const At& at) {
  const std::string_view reference = string_at(schema, keyword);
  if (reference.empty()) return true;
  if (!references_) references_.emplace(document_, bounds_.depth);
  if (const Json* target = references_->resolve(schema, reference)) return apply_here(*target, at);
  return fail(at,
              fmt::format("cannot be checked: the schema refers to '{}', which is not in it",
                          preview(escape_for_display(reference), kShownKey)),
              "references to other documents are not followed");
}

bool Evaluation::apply_item(const Json& schema, const At& at, size_t index) {
  const Path path{at.path, {}, index};
  const bool ok =
      apply(schema, At{at.value.get_array()[index], &path, at.depth + 1, at.problems, nullptr});
  if (at.seen) at.seen->items.insert(index);
  return ok;
}

bool Evaluation::apply_member(const Json& schema, const At& at, std::string_view key,
                              const Json& value) {
  const Path path{at.path, key};
  const bool ok = apply(schema, At{value, &path, at.depth + 1, at.problems, nullptr});
  if (at.seen) at.seen->keys.insert(key);
  return ok;
}

bool Evaluation::fits(const Json& schema, const At& at) {
  return apply(schema, At{at.value, at.path, at.depth + 1, nullptr, at.seen});
}

bool Evaluation::fail(const At& at, std::string message, std::string hint) {
  // Once stopped, nothing is known to be wrong any more.
  if (stopped_ || !at.problems || at.problems->size() >= bounds_.problems) return false;
  std::vector<const Path*> steps;
  for (const Path* step = at.path; step; step = step->up) steps.push_back(step);
  std::string path;
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    if ((*step)->key.data() == nullptr)
      path += fmt::format("[{}]", (*step)->index);
    else
      path.append(path.empty() ? "" : ".")
          .append(preview(escape_for_display((*step)->key), kShownKey));
  }
  at.problems->push_back({std::move(path), std::move(message), std::move(hint)});
  return false;
}

bool Evaluation::fail_type(const JsonObject* wanted, const At& at, std::string message,
                           std::string hint) {
  const size_t before = at.problems ? at.problems->size() : 0;
  fail(at, std::move(message), std::move(hint));
  if (at.problems && at.problems->size() > before) {
    at.problems->back().misfit = &at.value;
    at.problems->back().wanted = wanted;
  }
  return false;
}

bool Evaluation::fail_member(const At& at, std::string_view key, std::string message,
                             std::string hint) {
  const Path path{at.path, key};
  return fail(At{at.value, &path, at.depth, at.problems, nullptr}, std::move(message),
              std::move(hint));
}

bool Evaluation::spend(std::uint64_t steps) {
  if (stopped_) return false;
  spent_ += steps;
  if (spent_ <= bounds_.evaluations) return true;
  return stop(fmt::format("too much to check: more than {} steps", bounds_.evaluations),
              "give a smaller value");
}

bool Evaluation::stop(std::string why, std::string hint) {
  if (!stopped_) stopped_ = Problem{"", std::move(why), std::move(hint)};
  return false;
}

}  // namespace helve::schema
