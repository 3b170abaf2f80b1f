#include "app/run_printer.h"

#include <fmt/format.h>

#include "app/happenings.h"
#include "base/text.h"

namespace helve::app {

using std::chrono::steady_clock;

RunPrinter::RunPrinter(cli::Screen& screen, const Registry& registry, Options options)
    : screen_(screen),
      registry_(registry),
      options_(std::move(options)),
      streams_((screen.out.is_terminal || options_.tells_all) && !options_.only_structured),
      view_({.colours = (streams_ ? screen.out : screen.err).style.is_on(),
             .columns = screen.width,
             .shows_prompts = false,
             .shows_text = streams_,
             .has_keys = false},
            [this](std::string_view text) {
              const cli::Stream& stream = streams_ ? screen_.out : screen_.err;
              stream.write(text);
              stream.flush();
            }) {}

void RunPrinter::begin(std::string session) {
  std::lock_guard lock(mutex_);
  view_.set_session(session);
  session_ = std::move(session);
}

void RunPrinter::show(const agent::Event& event) {
  bool has_reader = true;
  {
    std::lock_guard lock(mutex_);
    write(event);
    has_reader = screen_.out.has_reader();
  }
  if (!has_reader) options_.on_no_reader();
}

void RunPrinter::note(std::string_view rows) {
  std::lock_guard lock(mutex_);
  if (!options_.as_json) view_.note(rows);
}

void RunPrinter::write(const agent::Event& event) {
  if (options_.as_json) {
    screen_.out.write(to_text(to_json(event)) + "\n");
    screen_.out.flush();
    return;
  }
  const bool is_own = event.session == session_;
  if (is_own && std::holds_alternative<agent::ModelAsked>(event.what)) has_text_ = false;
  if (is_own && std::holds_alternative<agent::TextAdded>(event.what)) has_text_ = true;
  if (const auto happening = happening_of(event, &registry_))
    view_.show(*happening, steady_clock::now());
}

void RunPrinter::finish(const agent::Ending& ending) {
  std::lock_guard lock(mutex_);
  if (!screen_.out.has_reader() && !ending.ok())
    screen_.err.write(
        fmt::format("helve: standard output was closed, so the work was stopped; go on with: helve "
                    "--session {} "
                    "run\n",
                    session_));
  if (options_.as_json || !screen_.out.has_reader()) return;
  if (options_.only_structured) {
    if (ending.structured) screen_.out.write(to_text(*ending.structured) + "\n");
  } else if (streams_) {
    if (!has_text_)
      view_.show(
          {.kind = terminal::Happening::Kind::text, .session = session_, .text = ending.text},
          steady_clock::now());
  } else if (!ending.text.empty()) {
    screen_.out.write(ending.text);
    if (!ending.text.ends_with('\n')) screen_.out.write("\n");
  }
  screen_.out.flush();
  view_.end();
  if (ending.ok()) return;
  const bool has_error = ending.error && ending.end != agent::End::time;
  const bool is_refused = ending.end == agent::End::refused;
  const std::string why = has_error    ? describe(*ending.error)
                          : is_refused ? "the model or its provider refused"
                                       : fmt::format("ended by {}", agent::name_of(ending.end));
  // A hint of its own ends the line of an error.
  screen_.err.write(fmt::format("helve: {}{}", escape_lines_for_display(why),
                                has_error ? "\nhelve: go on with: " : "; go on with: "));
  const bool is_answered = is_refused || ending.end == agent::End::cut;
  screen_.err.write(
      fmt::format("helve --session {} run{}\n", session_, is_answered ? " \"go on\"" : ""));
}

}  // namespace helve::app
