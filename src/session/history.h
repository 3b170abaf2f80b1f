// History: what was said in a session, for reading: the last of it first, then page by page
// backwards. Long texts are shortened.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "session/item.h"
#include "store/store.h"

namespace helve::session {

constexpr size_t kMaxSaid = 4'000;     // characters of one message
constexpr size_t kMaxTooled = 300;     // characters of a call's arguments, or of its result
constexpr size_t kMaxHistory = 1'000;  // messages at once

struct Said {
  std::uint64_t number = 0;  // of the entry
  std::int64_t created_ms = 0;
  std::string role;    // user, assistant, tool, summary, remark; broken: it cannot be read
  std::string sender;  // who said it: "user", a session, a model, a tool
  std::string text;
  bool is_cut = false;
};

struct HistoryQuery {
  size_t limit = 50;
  std::uint64_t before = 0;    // only entries with a smaller number; 0: all
  bool include_tools = false;  // calls and their results
};

struct History {
  std::vector<Said> said;     // the oldest first
  std::uint64_t earlier = 0;  // `before` of the page before this one; 0: there is none
};

Result<History> read_history(store::Store& store, std::string_view session,
                             const HistoryQuery& query);

// Its text, and what else it has in words.
std::string readable(const model::Message& message);

}  // namespace helve::session
