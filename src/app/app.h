// App: the command line of this program, with all that its commands share.
#pragma once

#include <memory>
#include <optional>

#include "app/staff.h"
#include "app/surroundings.h"
#include "app/wire.h"
#include "cli/command.h"
#include "sys/stop_signals.h"

namespace helve::app {

class App {
 public:
  // Borrows the screen.
  App(Surroundings surroundings, cli::Screen& screen)
      : surroundings_(std::move(surroundings)), screen_(screen) {}
  App(const App&) = delete;

  // Everything `helve` understands. Borrows this object.
  cli::Program program();

  const Surroundings& surroundings() const { return surroundings_; }
  // Builds the world and tells what was ignored on the way. It lives as long as the app.
  Result<World*> open(const cli::Options& options, Purpose purpose);
  // The agents of the world that is open, as this command wants them.
  Result<Staff*> hire(StaffOptions options);
  // Requests to end the process become a stop token. Before any thread is started.
  Result<std::stop_token> watch_signals(int late_status);
  Tell tell() const { return screen_.err.write; }

 private:
  Result<const Registry*> all_tools();

  Surroundings surroundings_;
  cli::Screen& screen_;
  std::optional<Registry> all_tools_;  // loaded when words have to be understood
  std::unique_ptr<sys::StopSignals> signals_;
  std::unique_ptr<World> world_;
};

// Colours and width, as the terminal and the options have it.
void fit_screen(cli::Screen& screen, const cli::Options& options, const Surroundings& surroundings);

// The commands, one file each.
cli::Command mcp_command(App& app);
cli::Command tools_command(App& app);
cli::Command log_command(App& app);
cli::Command trust_command(App& app);
cli::Command context_command(App& app);
cli::Command doctor_command(App& app);
cli::Command index_command(App& app);
cli::Command sandbox_command(App& app);
cli::Command chat_command(App& app);
cli::Command run_command(App& app);
cli::Command tour_command(App& app);
Result<int> take_tour(App& app, cli::Run& run);
Result<int> start_chat(App& app, cli::Run& run);
cli::Command models_command(App& app);
cli::Command jsonata_command(App& app);
cli::Command embedder_command(App& app);
cli::Command capabilities_command();
// Without a word: a chat when there is a model, else the tour; what helve is where nobody watches.
Result<int> show_overview(App& app, cli::Run& run);

}  // namespace helve::app
