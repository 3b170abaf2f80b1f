// What the helper process does and the tests expect of it, and how its system calls are made to
// fail.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "unit/store/support.h"

namespace helve::store {

constexpr int kAppendRounds = 1;
// More than a page, so that a write has several parts.
inline std::string append_text(int round) {
  return std::string(6000, static_cast<char>('a' + round));
}

// What is done with the conversation s_1 besides, and how often a person is answered there.
constexpr int kTurns = 2;
constexpr int kConversationActs = 5 + 2 * kTurns;
constexpr Spent kSpentInATurn{.input = 3, .micro_dollars = 10};
inline Entry asked(int turn, std::string post = "") {
  return {
      .kind = "message", .body = append_text(turn), .created_ms = kNow, .post = std::move(post)};
}
inline Entry answered(int turn) {
  return {.kind = "message", .body = "answer " + std::to_string(turn), .created_ms = kNow};
}
inline Post posted(int turn) {
  return {.id = "p_" + std::to_string(turn),
          .session = "s_1",
          .sender = "ada",
          .body = append_text(turn),
          .posted_ms = kNow};
}
inline Conversation begun(std::string session) {
  return {.session = std::move(session), .title = "begun", .created_ms = kNow};
}

// A migration whose steps build on each other.
constexpr std::array<const char*, 2> kTwoSteps{
    "CREATE TABLE one (a INTEGER) STRICT; INSERT INTO one VALUES (1); INSERT INTO one VALUES (2);",
    "CREATE TABLE two AS SELECT a * 10 AS b FROM one; DROP TABLE one;",
};

bool can_trace();
constexpr const char* kNoTrace =
    "strace does not work here: install it (scripts/packages names it) and permit ptrace";

// The words before a command that make its system call number `when` of that kind fail or kill it.
std::vector<std::string> injecting(const std::string& call, const std::string& what, int when,
                                   const TempDir& traced);
// How many calls of that kind the command made.
int traced_calls(const TempDir& traced);
bool was_reached(const TempDir& traced, int when);

constexpr int kMostCalls = 1000;  // of one kind: a helper makes far fewer
// Sanitizers look for other faults, and with them a process takes ten times as long to start.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int kStep = 7;
#else
constexpr int kStep = 1;
#endif

// Everything that changes what is on disk or in the shared memory, or separates such changes.
constexpr const char* kChangingCalls[] = {"mknodat",   "openat",    "pwrite64", "write",
                                          "fdatasync", "ftruncate", "unlink",   "fcntl"};

// All that is in one directory into the other.
void copy_files(const TempDir& from, const TempDir& to);

// The file is as SQLite wants it.
void check_sound(const std::string& path);

}  // namespace helve::store
