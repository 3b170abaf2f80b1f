// Evaluation: one value checked against one schema document. Internal to the validator.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "schema/pattern.h"
#include "schema/references.h"
#include "schema/validate.h"

namespace helve::schema {

class Evaluation {
 public:
  // Borrows both for its life.
  Evaluation(const Json& document, const Bounds& bounds) : document_(document), bounds_(bounds) {}

  std::vector<Problem> run(const Json& value);

 private:
  // Where a value stands in the whole value; links on the stack, written out only when there is a
  // problem.
  struct Path {
    const Path* up = nullptr;
    std::string_view key = {};
    size_t index = 0;
  };
  // Members and items that some schema has looked at: the others are what unevaluated… keywords
  // apply to.
  struct Seen {
    std::set<std::string_view> keys;
    std::set<size_t> items;
  };
  // The value under evaluation, and where to tell what is wrong with it.
  struct At {
    const Json& value;
    const Path* path;
    size_t depth;
    std::vector<Problem>* problems;  // null: only yes or no is wanted
    Seen* seen;                      // null: nobody asks
  };

  // True when the value fits. Marks what it looked at in at.seen only then.
  bool apply(const Json& schema, const At& at);
  bool apply_keywords(const Json& schema, const JsonObject& keywords, const At& at);

  // Groups of keywords; each is true when the value fits or the keywords are absent.
  bool check_reference(const Json& schema, std::string_view keyword, const At& at);
  bool check_any_type(const JsonObject& schema, const At& at);
  bool check_number(const JsonObject& schema, const At& at);
  bool check_string(const JsonObject& schema, const At& at);
  bool check_array(const JsonObject& schema, const At& at);
  bool check_items(const JsonObject& schema, const At& at);
  bool check_contains(const JsonObject& schema, const At& at);
  bool check_unique(const At& at);
  bool check_object(const JsonObject& schema, const At& at);
  bool check_members(const JsonObject& schema, const At& at);
  bool check_dependencies(const JsonObject& schema, const At& at);
  bool check_combined(const JsonObject& schema, const At& at);
  bool check_any_of(const JsonArray& branches, const At& at);
  bool check_one_of(const JsonArray& branches, const At& at);
  bool check_condition(const JsonObject& schema, const At& at);
  bool check_unevaluated(const JsonObject& schema, const At& at);

  // At the same value, or at a part of it.
  bool apply_here(const Json& schema, const At& at) { return apply(schema, deeper(at)); }
  bool fits(const Json& schema, const At& at);
  bool apply_item(const Json& schema, const At& at, size_t index);
  bool apply_member(const Json& schema, const At& at, std::string_view key, const Json& value);
  static At deeper(const At& at) { return {at.value, at.path, at.depth + 1, at.problems, at.seen}; }

  bool matches(std::string_view expression, std::string_view text);
  bool equal(const Json& a, const Json& b);
  std::uint64_t hash(const Json& value);

  // False, after saying so when somebody listens.
  bool fail(const At& at, std::string message, std::string hint = {});
  // The same for a value of another type than the schema wants; null: than several want.
  bool fail_type(const JsonObject* wanted, const At& at, std::string message,
                 std::string hint = {});
  bool fail_member(const At& at, std::string_view key, std::string message, std::string hint = {});
  bool count_within(const JsonObject& schema, const At& at, std::string_view least,
                    std::string_view most, size_t count, std::string_view what);
  bool none_fits(const At& at, std::vector<std::vector<Problem>> branches);
  // False once the bounds are reached: nothing is decided any more, and run() reports why.
  bool spend(std::uint64_t steps);
  bool stop(std::string why, std::string hint);

  const Json& document_;
  const Bounds& bounds_;
  std::uint64_t spent_ = 0;
  std::uint64_t pattern_steps_ = 0;
  bool tracks_ = false;                   // the document has an unevaluated… keyword
  std::optional<Problem> stopped_;        // why no further work is done
  std::optional<References> references_;  // made at the first reference
  std::map<std::string, std::optional<Pattern>, std::less<>> patterns_;
};

}  // namespace helve::schema
