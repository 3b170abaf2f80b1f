// ScriptHooks: the user's own scripts around every call. A script is named POINT.NAME.sh or
// POINT.NAME.js; the points here are before_tool and after_tool. What a script is told stands in
// hooks/payload.h, what it may answer in hooks/answer.h.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "tool/services.h"

namespace helve::hooks {

enum class Point : unsigned char;
struct ScriptAnswer;

struct Options {
  std::chrono::milliseconds timeout{10'000};  // of each script
  // Ours. Only PATH, HOME, LANG, USER and TMPDIR are passed on: scripts need no secrets of ours.
  std::map<std::string, std::string> environment;
  // Where scripts run. Empty: in their own directory, since a workspace may be a stranger's.
  std::string cwd;
};

struct Script {
  std::string name;  // before_tool.guard.sh
  std::vector<std::string> argv;
  bool is_shell = false;
};

// Scripts run one after another, sorted by name. Thread-safe: it does not change after find().
class ScriptHooks final : public Hooks {
 public:
  struct Found {
    std::unique_ptr<ScriptHooks> hooks;  // null: there are none, so the stage is absent
    std::vector<std::string> notices;    // files that are not run, and why
  };
  // Looks once; scripts that appear later are not seen. A missing directory has no scripts. A
  // script that others could have written is refused: an after_tool script is passed over, a
  // before_tool script is an error, since what it guards must not go through.
  static Result<Found> find(const std::string& directory, Options options);

  HookAnswer before(const HookCall& call, std::stop_token stop) override;
  // Runs although the call was cancelled, since it may have had its effect by then; only the
  // timeout ends a script.
  HookAnswer after(const HookCall& call, std::stop_token stop) override;

  const std::vector<Script>& before_scripts() const { return before_; }
  const std::vector<Script>& after_scripts() const { return after_; }

 private:
  class Finder;
  ScriptHooks() = default;
  ScriptAnswer ask(const Script& script, Point point, const HookCall& call,
                   std::string_view arguments, std::stop_token stop) const;

  std::vector<Script> before_, after_;
  std::chrono::milliseconds timeout_{};
  std::vector<std::string> environment_;  // what every script gets
  std::string cwd_;
};

}  // namespace helve::hooks
