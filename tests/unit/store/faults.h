// What the helper process does and the tests expect of it.
#pragma once

#include <array>
#include <string>

namespace helve::store {

constexpr int kAppendRounds = 1;
// More than a page, so that a write has several parts.
inline std::string append_text(int round) {
  return std::string(6000, static_cast<char>('a' + round));
}

// A migration whose steps build on each other.
constexpr std::array<const char*, 2> kTwoSteps{
    "CREATE TABLE one (a INTEGER) STRICT; INSERT INTO one VALUES (1); INSERT INTO one VALUES (2);",
    "CREATE TABLE two AS SELECT a * 10 AS b FROM one; DROP TABLE one;",
};

}  // namespace helve::store
