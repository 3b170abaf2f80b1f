#include "tool/dialect.h"

#include <fmt/core.h>

#include <array>

#include "base/text.h"
#include "schema/schema.h"
#include "tool/dialect_tables.h"

namespace helve {
namespace {

// Their value under our count. Only whole numbers are shifted; what is no number, decoding will
// report.
Result<Json> shifted(const Dialect::Parameter& parameter, const Json& value) {
  auto too_small = [&] {
    return Error{Code::invalid_argument,
                 fmt::format("{}: must be at least {}, got {}", parameter.theirs, parameter.shift,
                             to_text(value)),
                 fmt::format("'{}' counts from {}", parameter.theirs, parameter.shift),
                 "invalid_input"};
  };
  if (parameter.shift == 0) return value;
  if (const std::int64_t* number = value.if_int64()) {
    if (*number < parameter.shift) return too_small();
    return Json(*number - parameter.shift);
  }
  if (const std::uint64_t* number = value.if_uint64()) {
    return Json(*number - static_cast<std::uint64_t>(parameter.shift));
  }
  if (const double* number = value.if_double()) {
    if (*number < parameter.shift) return too_small();
    return Json(*number - parameter.shift);
  }
  return value;
}

const Dialect::Parameter* find_parameter(const Dialect::Entry& entry, std::string_view theirs) {
  for (const Dialect::Parameter& parameter : entry.parameters) {
    if (parameter.theirs == theirs) return &parameter;
  }
  return nullptr;
}

Error two_values(const Dialect::Entry& entry, std::string_view ours, std::string_view theirs) {
  return Error{
      Code::invalid_argument,
      fmt::format("{}: given again as '{}' with another value", ours, escape_for_display(theirs)),
      fmt::format("give '{}' to {} once", ours, entry.name), "invalid_input"};
}

}  // namespace

std::span<const Dialect> dialects() {
  static const std::array<Dialect, 6> kDialects = {
      detail::kClaudeDialect,     detail::kClawDialect,  detail::kAstraDialect,
      detail::kBotholomewDialect, detail::kHyperDialect, detail::kCodexDialect};
  return kDialects;
}

const Dialect* find_dialect(std::string_view name) {
  for (const Dialect& dialect : dialects()) {
    if (dialect.name == name) return &dialect;
  }
  return nullptr;
}

bool is_dialect_name(std::string_view name) {
  for (const Dialect& dialect : dialects()) {
    for (const Dialect::Entry& entry : dialect.entries) {
      // The canonical side counts too: a rule may name a tool that this process did not load.
      if (entry.name == name || entry.tool == name) return true;
    }
  }
  return false;
}

Result<JsonObject> to_canonical(const Dialect::Entry& entry, const JsonObject& arguments) {
  JsonObject out;  // not in the memory of the arguments, which may end before it
  for (const auto& [key, value] : arguments) {
    const Dialect::Parameter* parameter = find_parameter(entry, key);
    if (parameter && parameter->ours.empty()) continue;
    const std::string_view name = parameter ? parameter->ours : std::string_view(key);
    Json ours = parameter ? TRY(shifted(*parameter, value)) : Json(value);
    Json* earlier = out.if_contains(name);
    if (!earlier)
      out.emplace(name, std::move(ours));
    else if (earlier->is_null())
      *earlier = std::move(ours);  // null means absent: no second value
    else if (!ours.is_null() && *earlier != ours)
      return two_values(entry, name, key);
  }
  return out;
}

Error in_dialect(const Dialect::Entry& entry, const Error& invalid_input) {
  const JsonArray* listed = invalid_input.details.if_array();
  if (!listed) return invalid_input;
  std::vector<schema::Problem> problems;
  for (const Json& each : *listed) {
    schema::Problem problem{std::string(string_at(each, "path")),
                            std::string(string_at(each, "message")),
                            std::string(string_at(each, "hint"))};
    for (const Dialect::Parameter& parameter : entry.parameters) {
      if (parameter.ours.empty() || parameter.ours == parameter.theirs) continue;
      const size_t end = std::min(problem.path.find_first_of(".["), problem.path.size());
      if (std::string_view(problem.path).substr(0, end) == parameter.ours)
        problem.path.replace(0, end, parameter.theirs);
      const std::string quoted = fmt::format("'{}'", parameter.ours);
      if (const size_t at = problem.hint.find(quoted); at != problem.hint.npos)
        problem.hint.replace(at, quoted.size(), fmt::format("'{}'", parameter.theirs));
    }
    problems.push_back(std::move(problem));
  }
  return schema::to_error(problems);
}

}  // namespace helve
