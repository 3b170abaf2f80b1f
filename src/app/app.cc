#include "app/app.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "base/text.h"
#include "cli/run.h"
#include "sys/environment.h"
#include "sys/file.h"
#include "sys/terminal.h"

namespace helve::app {
namespace {

constexpr size_t kMaxInput = 64u << 20;  // bytes of a file or of standard input that hold arguments
constexpr int kOut = 1, kErr = 2;
constexpr size_t kMinWidth = 40;

Result<std::string> read_standard_input() {
  std::string text;
  char block[65536];
  for (size_t count; (count = std::fread(block, 1, sizeof block, stdin)) > 0;) {
    text.append(block, count);
    if (text.size() > kMaxInput)
      return Error{Code::too_large,
                   fmt::format("standard input is longer than {}", human_size(kMaxInput))};
  }
  if (std::ferror(stdin)) return Error{Code::unavailable, "standard input cannot be read"};
  return text;
}

Result<std::string> read_input(std::string_view name) {
  return name == "-" ? read_standard_input() : sys::read_file(std::string(name), kMaxInput);
}

cli::Color to_color(config::Color color) { return static_cast<cli::Color>(color); }

void color_screen(cli::Screen& screen, cli::Color color, const Surroundings& surroundings) {
  const auto term = surroundings.environment.find("TERM");
  const bool dumb = term != surroundings.environment.end() && term->second == "dumb";
  for (cli::Stream* stream : {&screen.out, &screen.err}) {
    stream->style =
        cli::Style(wants_color(color, {stream->is_terminal, surroundings.has("NO_COLOR"), dumb}));
  }
}

}  // namespace

void fit_screen(cli::Screen& screen, const cli::Options& options,
                const Surroundings& surroundings) {
  screen.out.is_terminal = sys::is_terminal(kOut);
  screen.err.is_terminal = sys::is_terminal(kErr);
  if (screen.out.is_terminal) {
    const size_t columns = sys::terminal_columns(kOut);
    if (columns > 0) screen.width = std::clamp(columns, kMinWidth, cli::kMaxWidth);
  }
  color_screen(screen, options.color, surroundings);
}

cli::Program App::program() {
  cli::Program program;
  program.commands = {mcp_command(*this),    tools_command(*this),   context_command(*this),
                      log_command(*this),    trust_command(*this),   doctor_command(*this),
                      index_command(*this),  sandbox_command(*this), chat_command(*this),
                      run_command(*this),    tour_command(*this),    models_command(*this),
                      jsonata_command(*this)};
  for (cli::Command& command : cli::own_commands()) program.commands.push_back(std::move(command));
  program.tools = [this] { return all_tools(); };
  program.open = [this](const cli::Options& options) -> Result<cli::Session> {
    const std::stop_token stop = TRY(watch_signals(exit_code(Code::cancelled)));
    World& world = *TRY(open(options, Purpose::call));
    return cli::Session{*world.home->dispatcher, world.home->who, world.home->policy.get(), stop};
  };
  program.read = read_input;
  program.overview = [this](cli::Run& run) { return show_overview(*this, run); };
  return program;
}

Result<const Registry*> App::all_tools() {
  if (!all_tools_) all_tools_ = TRY(Registry::load(builtin_tools()));
  return &*all_tools_;
}

Result<World*> App::open(const cli::Options& options, Purpose purpose) {
  world_ = TRY(make_world(options, surroundings_, purpose, tell()));
  const config::Config& config = world_->home->settings.config;
  if (options.color == cli::Color::auto_ && config.color != config::Color::auto_)
    color_screen(screen_, to_color(config.color), surroundings_);
  if (purpose != Purpose::inspect) {
    for (const std::string& notice : world_->notices)
      tell()(fmt::format("helve: note: {}\n", escape_lines_for_display(notice)));
  }
  return world_.get();
}

Result<Staff*> App::hire(StaffOptions options) {
  world_->staff = TRY(Staff::make(*world_, surroundings_, std::move(options)));
  return world_->staff.get();
}

Result<std::stop_token> App::watch_signals(int late_status) {
  signals_ = TRY(sys::StopSignals::make({.late_status = late_status}));
  return signals_->token();
}

}  // namespace helve::app
