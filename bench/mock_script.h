// What the mock model says: so many turns with one tool call each, then a text. How far a
// conversation is, it sees from the tool results in the request; it keeps no state.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

struct Script {
  size_t turns = 30;
  std::string tool = "read";
  // In both, {turn} stands for the number of the turn, from 1.
  std::string arguments = R"({"path":"notes-{turn}.txt"})";
  std::string expected;  // in the result of each turn
};

enum class Dialect { none, chat, responses, messages };

struct Asked {
  Dialect dialect = Dialect::none;
  bool is_main = false;  // offers the script's tool: no request for a title, no warm-up
  bool is_stream = false;
  size_t results = 0;  // of tools
  bool is_expected = true;
  std::vector<std::string> tools;
  std::string last_result;
};

Asked inspect(std::string_view path, std::string_view body, const Script& script);

struct Answer {
  std::string_view type;
  std::string body;
};

Answer answer(const Asked& asked, const Script& script);
