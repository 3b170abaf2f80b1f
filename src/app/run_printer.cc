#include "app/run_printer.h"

#include <fmt/format.h>

#include "base/text.h"

namespace helve::app {
namespace {

constexpr size_t kShownArguments = 60, kShownError = 200;

std::string first_line(std::string_view text, size_t count) {
  text = trim(text);
  return escape_for_display(preview(text.substr(0, text.find('\n')), count));
}

}  // namespace

void RunPrinter::begin(std::string session) {
  std::lock_guard lock(mutex_);
  session_ = std::move(session);
}

void RunPrinter::show(const agent::Event& event) {
  std::lock_guard lock(mutex_);
  if (as_json_) {
    screen_.out.write(to_text(to_json(event)) + "\n");
    screen_.out.flush();
    return;
  }
  const cli::Style& style = screen_.err.style;
  const bool is_own = event.session == session_;
  const std::string_view indent = is_own ? "" : "  ";
  if (const auto* added = std::get_if<agent::TextAdded>(&event.what)) {
    if (is_own && screen_.out.is_terminal && !only_structured_) text(added->text);
  } else if (std::holds_alternative<agent::ModelAsked>(event.what)) {
    has_text_ = has_text_ && !is_own;
  } else if (const auto* call = std::get_if<agent::CallBegun>(&event.what)) {
    note(fmt::format("{}{} {} {}", indent, style.cyan("●"),
                     style.bold(escape_for_display(call->tool)),
                     style.dim(first_line(call->arguments, kShownArguments))));
  } else if (const auto* ended = std::get_if<agent::CallEnded>(&event.what)) {
    if (ended->result.is_error)
      note(fmt::format("{}  {} {}", indent, style.red("✗"),
                       first_line(text_of(ended->result.content), kShownError)));
  } else if (const auto* warned = std::get_if<agent::Warned>(&event.what)) {
    note(fmt::format("{}{} {}", indent, style.yellow("!"), first_line(warned->text, kShownError)));
  } else if (const auto* again = std::get_if<agent::AnswerVoid>(&event.what)) {
    note(fmt::format("{}{} {} (attempt {}, in {:.1f} s)", indent, style.yellow("!"),
                     first_line(again->why.message, kShownError), again->attempt,
                     static_cast<double>(again->wait.count()) / 1000));
  } else if (const auto* compacted = std::get_if<agent::Compacted>(&event.what)) {
    note(fmt::format("{}{} made room: {} of {} tokens are left", indent, style.dim("·"),
                     compacted->after, compacted->before));
  } else if (const auto* begun = std::get_if<agent::SubagentBegun>(&event.what)) {
    note(fmt::format("{}{} sub-agent: {}", indent, style.cyan("▸"),
                     first_line(begun->prompt, kShownArguments)));
  }
}

void RunPrinter::text(std::string_view text) {
  screen_.out.write(escape_lines_for_display(text));
  screen_.out.flush();
  in_line_ = !text.ends_with('\n');
  has_text_ = true;
}

void RunPrinter::end_line() {
  if (std::exchange(in_line_, false)) screen_.out.write("\n");
  screen_.out.flush();
}

void RunPrinter::note(std::string_view line) {
  end_line();
  screen_.err.write(fmt::format("{}\n", line));
  screen_.err.flush();
}

void RunPrinter::finish(const agent::Ending& ending) {
  std::lock_guard lock(mutex_);
  if (as_json_) return;
  if (only_structured_) {
    if (ending.structured) screen_.out.write(to_text(*ending.structured) + "\n");
  } else if (screen_.out.is_terminal) {
    end_line();
    if (!has_text_ && !ending.text.empty()) text(ending.text + "\n");
  } else if (!ending.text.empty()) {
    screen_.out.write(ending.text);
    if (!ending.text.ends_with('\n')) screen_.out.write("\n");
  }
  screen_.out.flush();
  const cli::Style& style = screen_.err.style;
  if (ending.error)
    note(fmt::format("helve: {}", escape_lines_for_display(describe(*ending.error))));
  else if (!ending.ok())
    note(fmt::format("helve: ended by {}; go on with: helve --session {} run",
                     agent::name_of(ending.end), session_));
  (void)style;
}

}  // namespace helve::app
