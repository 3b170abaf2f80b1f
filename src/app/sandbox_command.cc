// helve sandbox: runs any command as tools would run it, and tells what that means here.
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>

#include "app/app.h"
#include "app/commands.h"
#include "base/text.h"
#include "cli/render.h"
#include "process/attached.h"
#include "sandbox/report.h"

namespace helve::app {
namespace {

enum class Level : unsigned char { read_only, workspace_write, full };

constexpr std::string_view kWords[] = {"explain"};

struct SandboxInput {
  std::vector<std::string> command;
  std::optional<Level> level;
  bool network = false;

  static constexpr auto schema() {
    return schema::object(
        "Run a command in the sandbox, or explain what the sandbox allows",
        schema::opt<&SandboxInput::command>(
            "`explain`, or behind -- the command and its arguments; it gets this terminal")
            .suggest(kWords)
            .positional()
            .max_length(10'000),
        schema::opt<&SandboxInput::level>("Instead of the configured one"),
        schema::opt<&SandboxInput::network>("With the network"));
  }
};

constexpr std::string_view kStart =
    R"(command -v "$1" >/dev/null || {
printf "helve: there is no command '%s' in the sandbox\n  hint: %s\n" "$1" \
  "name a program in PATH, or one by its path; what only a shell knows runs by sh -c '…'" >&2
exit 127
}
exec "$@")";

constexpr std::string_view kDetails =
    "The command sees what commands of tools see: the workspace (--root, or the current directory) "
    "and a private /tmp to write to, everything else read-only, secrets hidden, no network. Its "
    "exit code is passed on. `explain` builds the sandbox, tries what holds on this machine, and "
    "prints the effective policy.";

int show_policy(const sandbox::Policy& policy, const std::vector<process::Route>& routes,
                process::Supervisor& supervisor, cli::Run& run) {
  const sandbox::Facts facts = sandbox::find_facts(supervisor.try_out(policy));
  if (run.options.json) {
    JsonObject all = sandbox::to_json(policy, facts);
    JsonArray outside;
    for (const process::Route& route : routes) outside.emplace_back(describe(route));
    if (!outside.empty()) all["routes"] = std::move(outside);
    cli::show_json(std::move(all), run.screen);
  } else {
    cli::Rows rows;
    for (const sandbox::Line& line : sandbox::explain(policy, facts))
      rows.emplace_back(line.topic, escape_lines_for_display(line.text));
    for (const process::Route& route : routes)
      rows.emplace_back("outside", escape_for_display(describe(route)));
    run.screen.out.write(cli::two_columns(rows, run.screen.width, run.screen.out.style));
  }
  return facts.failure ? exit_code(facts.failure->code) : 0;
}

Result<int> run_sandbox(const SandboxInput& in, App& app, cli::Run& run) {
  const std::stop_token stop = TRY(app.watch_signals(130));
  World& world = *TRY(app.open(run.options, Purpose::inspect));
  const Place& place = *world.home;
  if (!place.files) return Error(*place.no_files);
  const process::Settings& settings = place.commands->settings();
  sandbox::Policy policy = settings.policy;
  if (in.level) policy.level = static_cast<sandbox::Level>(*in.level);
  if (in.network) policy.network = true;
  if (in.command == std::vector<std::string>{"explain"})
    return show_policy(policy, settings.routes, *world.supervisor, run);
  if (in.command.empty())
    return Error{Code::invalid_argument, "no command was given",
                 "helve sandbox -- COMMAND …, or helve sandbox explain"};
  process::Plan plan;
  // The shell finds the program and says what is wrong with it.
  plan.launch.argv = {"/bin/sh", "-c", std::string(kStart), "helve sandbox"};
  std::ranges::copy(in.command, std::back_inserter(plan.launch.argv));
  plan.launch.env = settings.environment;
  const auto terminal = app.surroundings().environment.find("TERM");
  if (terminal != app.surroundings().environment.end())
    process::set_variable(plan.launch.env, "TERM", terminal->second);
  plan.launch.cwd = place.files->roots().front().path;
  plan.launch.open_files = settings.open_files;
  plan.streams = {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO};
  const process::Ended ended =
      TRY(process::run_attached(*world.supervisor, policy, std::move(plan), settings.grace, stop));
  if (ended.is_lost) return Error{Code::unavailable, "the command was lost: its keeper was killed"};
  if (ended.signal_number == 0) return ended.exit_code;
  // As a shell, which has nothing to say of a reader who has read enough or of Control-C.
  if (ended.signal_number != SIGPIPE && ended.signal_number != SIGINT)
    run.screen.err.write(fmt::format("helve: {}\n", describe(ended)));
  return 128 + ended.signal_number;
}

}  // namespace

cli::Command sandbox_command(App& app) {
  return cli::make_command<SandboxInput>(
      "sandbox", kDetails,
      {{"Run the tests without the network", "helve sandbox -- make test"},
       {"Look around in it", "helve sandbox --level read-only -- bash"},
       {"What it allows here", "helve sandbox explain"}},
      [&app](const SandboxInput& in, cli::Run& run) { return run_sandbox(in, app, run); });
}

}  // namespace helve::app
