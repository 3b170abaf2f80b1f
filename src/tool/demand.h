// Demand: what a call wants besides its effect. Policy, approvals and rules see it before the call
// runs; a tool whose input has `Demand demand(const Context&) const` tells it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace helve {

struct Demand {
  // The shell script that it runs; empty: none. What changes its environment stands in front of it
  // (`export CC=clang; make`), so that rules and people see it.
  std::string command = {};
  bool bash = false;  // bash runs it; otherwise any shell may, and some of them take it differently
  // More than the command says what it does: input, a directory, that it is only tried out. To
  // allow it for good does not allow the command itself.
  bool is_particular = false;
  bool is_fed = false;  // it gets input besides
  // Where it starts, when that is not the root of the workspace.
  std::string directory = {};
  bool follows = false;   // it starts where an earlier command ended
  bool stays = false;     // it runs in a shell that goes on: what it leaves there, later ones find
  bool restarts = false;  // that shell, before
  bool is_confined = true;               // otherwise the settings give it no sandbox
  std::vector<std::string> beyond = {};  // what it wants outside of the sandbox, in words as below
  // The call of another tool that it makes before it changes anything: people are asked about both
  // at once.
  struct Inner {
    std::string tool;
    Json arguments;
  };
  std::optional<Inner> inner = {};
  // For a person who is asked: what the arguments only point at, such as the changes behind an id,
  // in lines. Called while the question is made, and only then.
  std::function<std::vector<std::string>()> about = {};
  bool is_unique = false;  // the like never comes again, so there is nothing to allow for good

  bool is_plain() const { return command.empty() && beyond.empty(); }
};

// The words for what lies beyond the sandbox. A permission names them one by one.
inline constexpr std::string_view kBeyondNetwork = "network";
inline constexpr std::string_view kBeyondFull = "full";   // no sandbox at all
inline constexpr std::string_view kBeyondHost = "host:";  // and the name of a host route
inline constexpr std::string_view kBeyondRoot = "root:";  // and the absolute path of a directory

// Whether a rule may speak of it. The error says which words there are.
Result<void> check_beyond(std::string_view word);

}  // namespace helve
