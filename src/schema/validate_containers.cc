// The keywords for arrays and objects, and those for what no other keyword has looked at.
#include <fmt/format.h>

#include <unordered_map>

#include "base/text.h"
#include "schema/validate_evaluation.h"

namespace helve::schema {
namespace {

const JsonObject* object_at(const JsonObject& schema, std::string_view keyword) {
  const Json* found = schema.if_contains(keyword);
  return found ? found->if_object() : nullptr;
}

// A count of a schema, such as minContains; `otherwise` when there is none.
std::uint64_t count_at(const JsonObject& schema, std::string_view keyword,
                       std::uint64_t otherwise) {
  const Json* found = schema.if_contains(keyword);
  if (!found) return otherwise;
  if (const std::int64_t* count = found->if_int64())
    return *count < 0 ? 0 : static_cast<std::uint64_t>(*count);
  if (const std::uint64_t* count = found->if_uint64()) return *count;
  if (const double* count = found->if_double(); count && *count >= 0 && *count < 0x1p53) {
    return static_cast<std::uint64_t>(*count);
  }
  return otherwise;
}

}  // namespace

bool Evaluation::check_array(const JsonObject& schema, const At& at) {
  bool ok = count_within(schema, at, "minItems", "maxItems", at.value.get_array().size(), "items");
  ok = check_items(schema, at) && ok;
  if (schema.contains("contains")) ok = check_contains(schema, at) && ok;
  const Json* unique = schema.if_contains("uniqueItems");
  if (unique && *unique == Json(true)) ok = check_unique(at) && ok;
  return ok;
}

bool Evaluation::check_items(const JsonObject& schema, const At& at) {
  const size_t size = at.value.get_array().size();
  const Json* first = schema.if_contains("prefixItems");
  const Json* rest = schema.if_contains("items");
  if (rest && rest->is_array()) {  // as drafts before 2020-12 wrote it
    first = rest;
    rest = schema.if_contains("additionalItems");
  }
  bool ok = true;
  size_t done = 0;
  if (first && first->is_array()) {
    const JsonArray& schemas = first->get_array();
    for (; done < size && done < schemas.size(); ++done)
      ok = apply_item(schemas[done], at, done) && ok;
  }
  if (!rest) return ok;
  for (; done < size && !stopped_; ++done) ok = apply_item(*rest, at, done) && ok;
  return ok;
}

bool Evaluation::check_contains(const JsonObject& schema, const At& at) {
  const JsonArray& array = at.value.get_array();
  const Json& wanted = *schema.if_contains("contains");
  std::uint64_t count = 0;
  for (size_t i = 0; i < array.size() && !stopped_; ++i) {
    if (!apply(wanted, At{array[i], nullptr, at.depth + 1, nullptr, nullptr})) continue;
    ++count;
    if (at.seen) at.seen->items.insert(i);
  }
  const std::uint64_t least = count_at(schema, "minContains", 1);
  const std::uint64_t most = count_at(schema, "maxContains", UINT64_MAX);
  if (count < least)
    return fail(at,
                fmt::format("must have at least {} items of a certain kind, got {}", least, count));
  if (count > most)
    return fail(at,
                fmt::format("must have at most {} items of a certain kind, got {}", most, count));
  return true;
}

bool Evaluation::check_unique(const At& at) {
  const JsonArray& array = at.value.get_array();
  std::unordered_multimap<std::uint64_t, size_t> known;
  for (size_t i = 0; i < array.size() && !stopped_; ++i) {
    const std::uint64_t key = hash(array[i]);
    const auto [begin, end] = known.equal_range(key);
    for (auto earlier = begin; earlier != end; ++earlier) {
      if (!equal(array[earlier->second], array[i])) continue;
      return fail(at, fmt::format("items {} and {} are the same", earlier->second, i));
    }
    known.emplace(key, i);
  }
  return true;
}

bool Evaluation::check_object(const JsonObject& schema, const At& at) {
  const JsonObject& object = at.value.get_object();
  bool ok = count_within(schema, at, "minProperties", "maxProperties", object.size(), "members");
  if (const Json* required = schema.if_contains("required"); required && required->is_array()) {
    for (const Json& name : required->get_array()) {
      if (!name.is_string() || object.contains(name.get_string())) continue;
      ok = fail_member(at, name.get_string(), "required, but missing");
    }
  }
  if (const Json* names = schema.if_contains("propertyNames")) {
    for (const auto& member : object) {
      if (!spend(1)) return false;
      const Json name(std::string_view(member.key()));
      const Path path{at.path, member.key()};
      ok = apply(*names, At{name, &path, at.depth + 1, at.problems, nullptr}) && ok;
    }
  }
  ok = check_members(schema, at) && ok;
  return check_dependencies(schema, at) && ok;
}

bool Evaluation::check_members(const JsonObject& schema, const At& at) {
  const JsonObject* named = object_at(schema, "properties");
  const JsonObject* patterned = object_at(schema, "patternProperties");
  const Json* others = schema.if_contains("additionalProperties");
  if (!named && !patterned && !others) return true;
  bool ok = true;
  for (const auto& [key, value] : at.value.get_object()) {
    if (!spend(1)) return false;
    bool known = false;
    if (const Json* own = named ? named->if_contains(key) : nullptr) {
      known = true;
      ok = apply_member(*own, at, key, value) && ok;
    }
    if (patterned) {
      for (const auto& [expression, own] : *patterned) {
        if (!matches(expression, key)) continue;
        known = true;
        ok = apply_member(own, at, key, value) && ok;
      }
    }
    if (known || !others) continue;
    if (*others != Json(false)) {
      ok = apply_member(*others, at, key, value) && ok;
      continue;
    }
    std::vector<std::string_view> names;
    if (named && at.problems) {
      for (const auto& member : *named) names.push_back(member.key());
    }
    std::string hint = did_you_mean(key, names);
    if (hint.empty() && !names.empty()) hint = fmt::format("known: {}", fmt::join(names, ", "));
    ok = fail_member(at, key, "unknown parameter", std::move(hint));
  }
  return ok;
}

bool Evaluation::check_dependencies(const JsonObject& schema, const At& at) {
  const JsonObject& object = at.value.get_object();
  bool ok = true;
  for (std::string_view keyword : {"dependentRequired", "dependentSchemas", "dependencies"}) {
    const JsonObject* dependencies = object_at(schema, keyword);
    if (!dependencies) continue;
    for (const auto& [key, needed] : *dependencies) {
      if (!object.contains(key)) continue;
      const JsonArray* names = needed.if_array();
      if (!names) {
        ok = apply_here(needed, at) && ok;
        continue;
      }
      for (const Json& name : *names) {
        if (!name.is_string() || object.contains(name.get_string())) continue;
        ok = fail_member(
            at, name.get_string(),
            fmt::format("required when '{}' is given, but missing", escape_for_display(key)));
      }
    }
  }
  return ok;
}

bool Evaluation::check_unevaluated(const JsonObject& schema, const At& at) {
  bool ok = true;
  const Json* members = schema.if_contains("unevaluatedProperties");
  if (members && at.value.is_object()) {
    for (const auto& [key, value] : at.value.get_object()) {
      if (!at.seen->keys.contains(key)) ok = apply_member(*members, at, key, value) && ok;
    }
  }
  const Json* items = schema.if_contains("unevaluatedItems");
  if (items && at.value.is_array()) {
    for (size_t i = 0; i < at.value.get_array().size() && !stopped_; ++i) {
      if (!at.seen->items.contains(i)) ok = apply_item(*items, at, i) && ok;
    }
  }
  return ok;
}

}  // namespace helve::schema
