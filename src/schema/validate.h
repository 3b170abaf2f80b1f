// Checks values against JSON Schemas that came from outside, draft 2020-12. Described structs do
// not need this: decoding checks them. Work is bounded by counts, never by time, so that the same
// input always gives the same answer.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "schema/schema.h"

namespace helve::schema {

struct Bounds {
  size_t depth = 64;                        // schemas applied within schemas, references included
  std::uint64_t evaluations = 1'000'000;    // schemas applied, and values compared
  std::uint64_t pattern_steps = 4'000'000;  // of all patterns together
  size_t problems = 50;                     // that are reported
};

// Everything wrong with the value; empty when it fits. `format` is not checked. A reference that
// leaves the schema is a problem, never fetched; so is a schema or value that goes over the bounds.
std::vector<Problem> validate(const Json& schema, const Json& value, const Bounds& bounds = {});

// Whether validate() can work with this schema at all: keywords have values of their type,
// references lead somewhere in it and not in a circle, patterns compile, depth and size are
// bounded. The error says where ("#/properties/x").
constexpr size_t kMaxSubschemas = 20'000;
Result<void> check_schema(const Json& schema, const Bounds& bounds = {});

}  // namespace helve::schema
