// helve tour: what helve does, on a scratch workspace, without a model or a network.
#include <fmt/format.h>

#include "app/app.h"
#include "app/run_printer.h"
#include "app/scratch.h"
#include "app/snippet.h"
#include "app/staff.h"
#include "app/tour_script.h"
#include "base/text.h"
#include "cli/render.h"
#include "dispatch/question_text.h"
#include "sys/file.h"

namespace helve::app {
namespace {

struct TourInput {
  static constexpr auto schema() {
    return schema::object("Watch an agent use the tools, offline, in a scratch workspace");
  }
};

// Where nobody can be asked, the tour says that it would ask, and goes on.
class Narrator final : public Approver {
 public:
  explicit Narrator(RunPrinter& printer) : printer_(printer) {}
  Result<Answer> ask(const Question& question, std::stop_token) override {
    printer_.note(
        fmt::format("Here you would be asked:\n\n{}\nThere is no terminal, so the tour says yes, "
                    "once. After a no the file would stay as it is.\n",
                    cli::indented(dispatch::question_text(question), 2)));
    return Answer::once;
  }

 private:
  RunPrinter& printer_;
};

Result<Surroundings> prepare(const Scratch& scratch, const Surroundings& ours) {
  Surroundings theirs = ours;
  theirs.current_directory = TRY(scratch.directory("workspace"));
  theirs.config_directory = TRY(scratch.directory("config"));
  theirs.state_directory = TRY(scratch.directory("state"));
  // The tour is the same for everybody.
  std::erase_if(theirs.environment,
                [](const auto& each) { return each.first.starts_with("HELVE_"); });
  for (const auto& [name, content] : kTourFiles)
    TRY(sys::replace_file(fmt::format("{}/{}", theirs.current_directory, name), content, 0644));
  TRY(sys::replace_file(theirs.config_file(), kTourConfig, 0600));
  return theirs;
}

std::string how_to_go_on(const Surroundings& surroundings, const cli::Screen& screen) {
  const cli::Style& style = screen.out.style;
  const std::string& helve = surroundings.invoked_as;
  std::string out = "\n" + style.bold("Connect a model") + "\n";
  out += cli::two_columns(
      {{"ollama serve", "or another server on this machine; then " + helve + " chat"},
       {"export ANTHROPIC_API_KEY=…",
        "or OPENAI_…, GEMINI_…, OPENROUTER_…; then " + helve + " chat --model NAME"},
       {helve + " models", "what there is"}},
      screen.width, style);
  out += "\n" + style.bold("Or give the tools to an MCP client") + "\n";
  out += cli::indented(mcp_snippet_text(program_path(), surroundings.current_directory), 2);
  out += "\n" + style.bold("Or use them here") + "\n";
  out += cli::two_columns({{helve + " help", "every command and tool"},
                           {helve + " doctor", "what is configured, and what is missing"}},
                          screen.width, style);
  return out;
}

Result<void> play(App& app, cli::Run& run, std::stop_token stop) {
  const Scratch scratch = TRY(Scratch::make("tour", app.surroundings()));
  App stage(TRY(prepare(scratch, app.surroundings())), run.screen);
  const std::string script = stage.surroundings().state_directory + "/tour.jsonl";
  TRY(sys::replace_file(script, kTourTurns, 0600));
  cli::Options options;
  options.root = stage.surroundings().current_directory;
  options.color = run.options.color;
  World& world = *TRY(stage.open(options, Purpose::agent));
  RunPrinter printer(run.screen, *world.registry, {.as_json = run.options.json, .tells_all = true});
  Narrator narrator(printer);
  ModelFlags model;
  model.script = script;
  Staff& staff = *TRY(stage.hire({.model = model,
                                  .emit = [&](const agent::Event& event) { printer.show(event); },
                                  .approver = run.screen.out.is_terminal ? nullptr : &narrator}));
  const std::string& session = world.home->who.session;
  TRY(staff.begin(session, world.home->who.agent, "tour", "tour"));
  printer.begin(session);
  if (!run.options.json) {
    run.screen.out.write(fmt::format("{} {}\n", run.screen.out.style.bold("You:"), kTourPrompt));
    run.screen.out.flush();
  }
  const auto work = TRY(staff.runner().post(
      {.session = session, .message = model::user_message(std::string(kTourPrompt))}));
  const agent::Ending ending = staff.runner().see_through(*work, "", stop);
  world.staff.reset();  // nobody tells anything from here on
  printer.finish(ending);
  if (ending.error) return *ending.error;
  return {};
}

}  // namespace

Result<int> take_tour(App& app, cli::Run& run) {
  const std::stop_token stop = TRY(app.watch_signals(exit_code(Code::cancelled)));
  TRY(play(app, run, stop));
  if (!run.options.json) run.screen.out.write(how_to_go_on(app.surroundings(), run.screen));
  return 0;
}

cli::Command tour_command(App& app) {
  return cli::make_command<TourInput>(
      "tour",
      "A scripted model really uses the tools: it searches, runs a command in the sandbox, asks "
      "before it changes a file, and takes the change back. Nothing of yours is read or kept.",
      {{"See what helve does", "helve tour"}},
      [&app](const TourInput&, cli::Run& run) { return take_tour(app, run); });
}

}  // namespace helve::app
