// The keywords that apply other schemas to the same value.
#include <fmt/format.h>

#include "schema/validate_evaluation.h"

namespace helve::schema {

bool Evaluation::check_combined(const JsonObject& schema, const At& at) {
  bool ok = true;
  if (const Json* all = schema.if_contains("allOf"); all && all->is_array()) {
    for (const Json& branch : all->get_array()) ok = apply_here(branch, at) && ok;
  }
  if (const Json* any = schema.if_contains("anyOf"); any && any->is_array()) {
    ok = check_any_of(any->get_array(), at) && ok;
  }
  if (const Json* one = schema.if_contains("oneOf"); one && one->is_array()) {
    ok = check_one_of(one->get_array(), at) && ok;
  }
  if (const Json* unwanted = schema.if_contains("not")) {
    const bool fitted = apply(*unwanted, At{at.value, at.path, at.depth + 1, nullptr, nullptr});
    if (fitted) ok = fail(at, "is one of the values that are excluded");
  }
  return check_condition(schema, at) && ok;
}

bool Evaluation::check_any_of(const JsonArray& branches, const At& at) {
  bool found = false;
  std::vector<std::vector<Problem>> problems;
  for (const Json& branch : branches) {
    std::vector<Problem>* listen = at.problems && !found ? &problems.emplace_back() : nullptr;
    found = apply(branch, At{at.value, at.path, at.depth + 1, listen, at.seen}) || found;
    if (found && !tracks_) return true;  // the others matter only for what they look at
  }
  return found || none_fits(at, std::move(problems));
}

bool Evaluation::check_one_of(const JsonArray& branches, const At& at) {
  std::vector<size_t> fitting;
  std::vector<std::vector<Problem>> problems;
  for (size_t i = 0; i < branches.size() && fitting.size() < 2; ++i) {
    std::vector<Problem>* listen =
        at.problems && fitting.empty() ? &problems.emplace_back() : nullptr;
    if (apply(branches[i], At{at.value, at.path, at.depth + 1, listen, at.seen}))
      fitting.push_back(i);
  }
  if (fitting.size() == 1) return true;
  if (fitting.empty()) return none_fits(at, std::move(problems));
  return fail(at,
              fmt::format("fits two alternatives, number {} and {}, where exactly one is wanted",
                          fitting[0] + 1, fitting[1] + 1));
}

// The hint tells of the alternative that came nearest: the one that complains least.
bool Evaluation::none_fits(const At& at, std::vector<std::vector<Problem>> branches) {
  const std::vector<Problem>* nearest = nullptr;
  for (const std::vector<Problem>& branch : branches) {
    if (!branch.empty() && (!nearest || branch.size() < nearest->size())) nearest = &branch;
  }
  std::string hint;
  if (nearest) {
    const Problem& first = nearest->front();
    hint = "nearest: " + (first.path.empty() ? "" : first.path + ": ") + first.message;
  }
  return fail_type(nullptr, at, fmt::format("fits none of the {} alternatives", branches.size()),
                   std::move(hint));
}

bool Evaluation::check_condition(const JsonObject& schema, const At& at) {
  const Json* condition = schema.if_contains("if");
  if (!condition) return true;
  const Json* branch = schema.if_contains(fits(*condition, at) ? "then" : "else");
  return !branch || apply_here(*branch, at);
}

}  // namespace helve::schema
