// ScriptHooks: the user's own scripts around every call and every prompt. A script is named
// POINT.NAME.sh or POINT.NAME.js; the points stand in hooks/point.h, what a script is told in
// hooks/payload.h, what it may answer in hooks/answer.h.
#pragma once

#include <array>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "hooks/point.h"
#include "tool/services.h"

namespace helve::hooks {

struct ScriptAnswer;
struct Told;

struct Options {
  std::chrono::milliseconds timeout{10'000};  // of each script
  // Ours. Only PATH, HOME, LANG, USER and TMPDIR are passed on: scripts need no secrets of ours.
  std::map<std::string, std::string> environment;
  // Where commands in the sandbox can write: what of PATH lies in there is not passed on, since
  // scripts run outside.
  std::vector<std::string> writable;
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
  // script that others could have written is refused: one that observes is passed over, a guard is
  // an error, since what it guards must not go through.
  static Result<Found> find(const std::string& directory, Options options);

  HookAnswer before_prompt(const HookTalk& talk, std::stop_token stop) override;
  HookAnswer before(const HookCall& call, std::stop_token stop) override;
  // These run although the work was cancelled, since it may have had its effect by then; only the
  // timeout ends a script.
  HookAnswer after_response(const HookTalk& talk, std::stop_token stop) override;
  HookAnswer after(const HookCall& call, std::stop_token stop) override;

  const std::vector<Script>& scripts(Point point) const {
    return scripts_[static_cast<size_t>(point)];
  }

 private:
  class Finder;
  // What the next script is told; nothing when it is too much.
  using Tell = std::function<std::optional<Told>(const HookAnswer& so_far)>;
  ScriptHooks() = default;
  // `what` is what scripts look at, for people.
  HookAnswer guard(Point point, std::string_view what, const Tell& tell,
                   std::stop_token stop) const;
  HookAnswer observe(Point point, std::string_view what, const Tell& tell) const;
  ScriptAnswer ask(const Script& script, Told told, std::stop_token stop) const;

  std::array<std::vector<Script>, kPointNames.size()> scripts_;
  std::chrono::milliseconds timeout_{};
  std::vector<std::string> environment_;  // what every script gets
  std::string cwd_;
};

}  // namespace helve::hooks
