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

void report(HookAnswer& answer, const Script& script, std::string_view failure) {
  answer.failures.push_back(fmt::format("{}: {}", script.name, failure));
}

}  // namespace

HookAnswer ScriptHooks::before_prompt(const HookTalk& talk, std::stop_token stop) {
  return guard(
      Point::before_prompt, "prompt",
      [&](const HookAnswer&) { return told_of(Point::before_prompt, talk); }, stop);
}

HookAnswer ScriptHooks::before(const HookCall& call, std::stop_token stop) {
  return guard(
      Point::before_tool, "call",
      [&](const HookAnswer& so_far) {
        return told_of(Point::before_tool, call,
                       to_text(so_far.arguments ? *so_far.arguments : call.arguments));
      },
      stop);
}

HookAnswer ScriptHooks::after_response(const HookTalk& talk, std::stop_token) {
  return observe(Point::after_response, "response",
                 [&](const HookAnswer&) { return told_of(Point::after_response, talk); });
}

HookAnswer ScriptHooks::after(const HookCall& call, std::stop_token) {
  return observe(Point::after_tool, "call", [&](const HookAnswer&) {
    return told_of(Point::after_tool, call, to_text(call.arguments));
  });
}

HookAnswer ScriptHooks::guard(Point point, std::string_view what, const Tell& tell,
                              std::stop_token stop) const {
  HookAnswer merged;
  for (const Script& script : scripts(point)) {
    std::optional<Told> told = tell(merged);
    if (!told) {
      // A script that cannot look must not be passed by: whoever wants around it would only have to
      // send more.
      merged.decision = Decision::deny;
      merged.reason = fmt::format("the {} is larger than {}, more than hooks can be shown", what,
                                  human_size(kMaxGuarded));
      break;
    }
    ScriptAnswer answer = ask(script, std::move(*told), stop);
    if (!answer.failure.empty()) report(merged, script, answer.failure);
    if (stop.stop_requested()) break;
    if (answer.arguments && point != Point::before_tool)
      report(merged, script, fmt::format("arguments have no effect on a {}", what));
    else if (answer.arguments)
      merged.arguments = std::move(answer.arguments);
    if (answer.decision <= merged.decision) continue;
    merged.decision = answer.decision;
    merged.reason = answer.reason.empty() ? fmt::format("the hook {} says so", script.name)
                                          : std::move(answer.reason);
    if (merged.decision == Decision::deny) break;
  }
  if (merged.decision == Decision::deny) merged.arguments.reset();
  return merged;
}

HookAnswer ScriptHooks::observe(Point point, std::string_view what, const Tell& tell) const {
  HookAnswer merged;
  for (const Script& script : scripts(point)) {
    const ScriptAnswer answer = ask(script, tell(merged).value(), {});
    if (!answer.failure.empty()) report(merged, script, answer.failure);
    if (answer.decision == Decision::deny)
      report(merged, script,
             fmt::format("a deny has no effect after the {}{}{}", what,
                         answer.reason.empty() ? "" : ": ", answer.reason));
    if (answer.arguments)
      report(merged, script, fmt::format("new arguments have no effect after the {}", what));
  }
  return merged;
}

ScriptAnswer ScriptHooks::ask(const Script& script, Told told, std::stop_token stop) const {
  sys::Command command;
  command.env = environment_;
  std::ranges::move(told.variables, std::back_inserter(command.env));
  command.stdin_text = std::move(told.payload);
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
