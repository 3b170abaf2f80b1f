#include "hooks/script_hooks.h"

#include <fmt/format.h>

#include "base/text.h"
#include "hooks/answer.h"
#include "hooks/payload.h"
#include "sys/process.h"

namespace helve::hooks {
namespace {

using Decision = HookAnswer::Decision;

Result<sys::Finished> run(const Script& script, sys::Command command, std::stop_token stop) {
  command.argv = script.argv;
  Result<sys::Finished> finished = sys::run(command, stop);
  // An executable without a #! line: shells run it themselves, so we do, too.
  if (!finished && finished.error().type == "not_a_program" && script.is_shell) {
    command.argv.insert(command.argv.begin(), "/bin/sh");
    return sys::run(command, stop);
  }
  return finished;
}

}  // namespace

HookAnswer ScriptHooks::before(const HookCall& call, std::stop_token stop) {
  HookAnswer merged;
  if (before_.empty()) return merged;
  std::string arguments = to_text(call.arguments);
  for (const Script& script : before_) {
    if (arguments.size() > kMaxArguments) {
      // A script that cannot look must not be passed by: whoever wants around it would only have to
      // send more.
      merged.decision = Decision::deny;
      merged.reason = fmt::format("the arguments are larger than {}, more than hooks can be shown",
                                  human_size(kMaxArguments));
      break;
    }
    ScriptAnswer answer = ask(script, Point::before_tool, call, arguments, stop);
    if (!answer.failure.empty())
      merged.failures.push_back(fmt::format("{}: {}", script.name, answer.failure));
    if (stop.stop_requested()) break;
    if (answer.arguments) {
      arguments = to_text(*answer.arguments);
      merged.arguments = std::move(answer.arguments);
    }
    if (answer.decision <= merged.decision) continue;
    merged.decision = answer.decision;
    merged.reason = answer.reason.empty() ? fmt::format("the hook {} says so", script.name)
                                          : std::move(answer.reason);
    if (merged.decision == Decision::deny) break;
  }
  if (merged.decision == Decision::deny) merged.arguments.reset();
  return merged;
}

HookAnswer ScriptHooks::after(const HookCall& call, std::stop_token) {
  HookAnswer merged;
  if (after_.empty()) return merged;
  std::string arguments = to_text(call.arguments);
  if (arguments.size() > kMaxArguments) arguments = "null";
  for (const Script& script : after_) {
    const ScriptAnswer answer = ask(script, Point::after_tool, call, arguments, {});
    auto report = [&](std::string_view what) {
      merged.failures.push_back(fmt::format("{}: {}", script.name, what));
    };
    if (!answer.failure.empty()) report(answer.failure);
    if (answer.decision == Decision::deny)
      report("a deny has no effect after the call" +
             (answer.reason.empty() ? "" : ": " + answer.reason));
    if (answer.arguments) report("new arguments have no effect after the call");
  }
  return merged;
}

ScriptAnswer ScriptHooks::ask(const Script& script, Point point, const HookCall& call,
                              std::string_view arguments, std::stop_token stop) const {
  sys::Command command;
  command.env = environment_;
  append_variables(command.env, point, call, arguments);
  command.stdin_text = payload(point, call, arguments);
  command.cwd = cwd_;
  command.timeout = timeout_;
  command.stdout_limit = kMaxPayload;
  const Result<sys::Finished> finished = run(script, std::move(command), stop);
  if (!finished) return {.failure = describe(finished.error())};
  if (finished->timed_out)
    return {.failure = fmt::format("ended after {} ms, its limit", timeout_.count())};
  return read_answer(*finished);
}

}  // namespace helve::hooks
