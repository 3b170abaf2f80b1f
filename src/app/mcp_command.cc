// helve mcp: serves the tools to an MCP client over standard input and output.
#include <fmt/format.h>

#include <cstdlib>

#include "app/app.h"
#include "app/dialect_face.h"
#include "app/prompts.h"
#include "app/resources.h"
#include "app/uri.h"
#include "base/text.h"
#include "cli/render.h"
#include "mcp/stdio.h"
#include "sys/environment.h"

namespace helve::app {
namespace {

constexpr int kIn = 0, kOut = 1;
// Of the recorder, when calls are left. With the grace and patience of Stdio it must fit into the
// time that StopSignals leaves.
constexpr std::chrono::milliseconds kLastWrites{1500};

struct McpInput {
  std::optional<config::Structured> structured;

  static constexpr auto schema() {
    return schema::object("Serve the tools to an MCP client on standard input and output",
                          schema::opt<&McpInput::structured>(
                              "Give values beside the text; default: mcp.structured, else auto"));
  }
};

constexpr std::string_view kDetails =
    "The workspace is --root, else the client's roots, else the current directory. Up to 20 tools "
    "are offered; --tools all, or a list of names "
    "and groups, chooses others. --dialect shows them under the names that models of that kind "
    "know. Answers are text for the model and a structured value for programs; clients that show "
    "the model the value instead of the text, as Claude Code and Codex do, get the text alone.";

// For the model on the other side.
std::string instructions(const World& world, const cli::Options& options) {
  std::string text = "Paths are relative to the workspace.";
  const workspace::Workspace* files = world.home->files.get();
  // Without --root the client may still name another one.
  if (files && options.root)
    text = fmt::format("Paths are relative to the workspace {}.",
                       escape_for_display(files->roots().front().path));
  if (world.registry->find("read_large_result").tool) {
    text +=
        " Answers that are too long are kept under an id such as lr_1; read_large_result reads "
        "them page by page.";
  }
  return text;
}

// All that a served world has besides tools.
struct Offer {
  Offer(World& world, const Surroundings& surroundings, const Tell& tell)
      : face(*world.registry, world.dialect),
        resources(world),
        prompts(world, surroundings.config_directory, tell) {}
  DialectFace face;
  Resources resources;
  Prompts prompts;
  mcp::Server* server = nullptr;  // once it is there
};

void log_to(const Tell& tell, Level level, std::string_view message) {
  tell(fmt::format("helve: {}: {}\n", name_of(level), escape_lines_for_display(message)));
}

// The client's directories become the workspace, with their own rules.
void follow_roots(World& world, Offer& offer, const std::vector<std::string>& uris,
                  const cli::Options& options, const Surroundings& surroundings, const Tell& tell) {
  std::vector<std::string> roots;
  for (const std::string& uri : uris) {
    if (Result<std::string> path = path_of_uri(uri))
      roots.push_back(std::move(*path));
    else
      log_to(tell, Level::warning, "a root of the client is left out: " + describe(path.error()));
  }
  // The list of tools uses the old rules until it has the new ones.
  const std::shared_ptr<const Place> before = world.place();
  if (Result<void> moved = move_world(world, roots, options, surroundings, tell); !moved) {
    log_to(tell, Level::warning, "there is no workspace: " + describe(moved.error()));
  }
  offer.server->list_by(world.place()->policy.get());
}

// The first command should not have to wait for the sandbox to be made.
void prepare_commands(World& world) {
  const std::shared_ptr<const Place> place = world.place();
  const Tool* const exec = world.registry->find("exec").tool;
  if (!place->commands || !exec) return;
  if (place->policy && !place->policy->allows(world.registry->index_of(*exec))) return;
  world.supervisor->warm_up([place] { return place->commands->settings().policy; });
}

mcp::Structured as_served(config::Structured when) {
  switch (when) {
    case config::Structured::always:
      return mcp::Structured::always;
    case config::Structured::never:
      return mcp::Structured::never;
    default:
      return mcp::Structured::auto_;
  }
}

mcp::Options server_options(World& world, Offer& offer, const McpInput& in,
                            const cli::Options& options, const Surroundings& surroundings,
                            const Tell& tell) {
  const config::Config& config = world.home->settings.config;
  mcp::Options out{.instructions = instructions(world, options),
                   .structured = as_served(in.structured.value_or(config.mcp.structured))};
  if (world.dialect) {
    out.tool_name = [&offer](const Tool& tool) { return offer.face.name(tool); };
    out.description = [&offer](const Tool& tool) { return offer.face.description(tool); };
    out.input_schema = [&offer](const Tool& tool) { return offer.face.input_schema(tool); };
  }
  out.resources = &offer.resources;
  out.prompts = &offer.prompts;
  if (!options.root) {
    out.on_roots = [&world, &offer, &options, &surroundings, tell](std::vector<std::string> uris) {
      follow_roots(world, offer, uris, options, surroundings, tell);
    };
    out.on_no_roots = [&world](std::string why) { leave_workspace(world, std::move(why)); };
    out.place = [&world] { return world.served_place(); };
  }
  out.on_listed = [&world] { prepare_commands(world); };
  const Level lowest = config.verbose ? Level::debug : Level::warning;
  out.log = [tell, lowest](Level level, std::string_view message) {
    if (level >= lowest) log_to(tell, level, message);
  };
  return out;
}

Result<int> serve(App& app, const McpInput& in, cli::Run& run) {
  const std::stop_token stop = TRY(app.watch_signals(0));
  World& world = *TRY(app.open(run.options, Purpose::serve));
  if (sys::is_terminal(kIn))
    app.tell()(
        fmt::format("helve: an MCP client is expected on standard input, and what is typed here "
                    "counts as its messages\n  hint: {} doctor shows what connects clients\n",
                    app.surroundings().invoked_as));
  if (world.home->no_files) log_to(app.tell(), Level::warning, describe(*world.home->no_files));

  Offer offer(world, app.surroundings(), app.tell());
  mcp::Server server(*world.home->dispatcher, world.clock, world.home->policy.get(),
                     server_options(world, offer, in, run.options, app.surroundings(), app.tell()));
  offer.server = &server;
  const auto max_line = static_cast<size_t>(world.home->settings.config.limits.max_frame_bytes);
  mcp::Stdio stdio =
      TRY(mcp::Stdio::make(server, world.home->who, kIn, kOut, {.max_line = max_line}));
  const std::stop_callback on_signal(stop, [&] { stdio.stop(); });
  const mcp::Served served = TRY(stdio.serve());
  const int code = served.failure ? show(*served.failure, cli::Form::text, run.screen) : 0;
  if (served.still_running == 0) return code;
  // Those calls still use the world, so it must not be destroyed; what is known of the others is
  // written down.
  const Result<void> recorded =
      world.recorder ? world.recorder->flush_within(kLastWrites) : Result<void>{};
  if (!recorded)
    log_to(app.tell(), Level::error,
           "the records of the last calls are lost: " + describe(recorded.error()));
  std::_Exit(code);
}

}  // namespace

cli::Command mcp_command(App& app) {
  return cli::make_command<McpInput>(
      "mcp", kDetails,
      {{"Serve a project, without changing it", "helve mcp --root ~/project --read-only"},
       {"Some tools, under the names that Claude Code has for them",
        "helve mcp --dialect claude --tools fs"}},
      [&app](const McpInput& in, cli::Run& run) -> Result<int> {
        Result<int> code = serve(app, in, run);
        // Standard output belongs to frames, so an error is text on standard error whatever was
        // asked for.
        return code ? *code : show(code.error(), cli::Form::text, run.screen);
      });
}

}  // namespace helve::app
