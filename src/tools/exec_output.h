// What exec answers, whether it ran a command, tried one out or settled a trial.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tool/make.h"
#include "tools/command_trial.h"
#include "tools/files.h"

namespace helve::tools {

struct ExecOutput {
  std::string output;
  std::optional<std::string> trial;
  std::optional<std::vector<ChangedFile>> changes;
  std::optional<std::string> diff;
  std::optional<std::string> change;
  std::optional<std::vector<std::string>> beyond_undo;
  std::optional<int> exit_code;
  std::optional<std::string> signal;
  std::optional<bool> timed_out;
  std::optional<std::string> process_id;
  std::int64_t output_bytes = 0;
  std::optional<std::string> stored;
  std::optional<std::string> directory;
  Notes notes;
  int shell_status = 0;        // not part of the value
  bool tells_changes = false;  // the same: whether the text has them in a line
  std::string lost_because;    // the same: without `change`: why
  std::string next_step;       // the same: what becomes of the trial
  size_t told_bytes = 0;       // the same: of the text, while it ran
  std::unique_ptr<const LongText> written = nullptr;  // the same: Product::written

  static constexpr auto schema() {
    return object(
        "What a command wrote and how it ended.",
        arg<&ExecOutput::output>("Output and errors, in order; control characters escaped"),
        opt<&ExecOutput::trial>("apply makes real what is in `changes`, discard drops it"),
        opt<&ExecOutput::changes>(
            "What it changed, would change (with `trial`), or what apply changed"),
        opt<&ExecOutput::diff>("The same as a patch"),
        opt<&ExecOutput::change>("The change in the journal, for undo"),
        opt<&ExecOutput::beyond_undo>("What undo leaves as it is: what was there is not known"),
        opt<&ExecOutput::exit_code>("Absent when a signal ended it or it still runs"),
        opt<&ExecOutput::signal>("The signal that ended it, such as SIGSEGV"),
        opt<&ExecOutput::timed_out>("True when it was ended because its time was up"),
        opt<&ExecOutput::process_id>("It runs in the background under this id"),
        arg<&ExecOutput::output_bytes>("All it wrote, whatever is shown here"),
        opt<&ExecOutput::stored>("The whole output can be read by this id"),
        opt<&ExecOutput::directory>("Where the next command with keep_directory starts"),
        opt<&ExecOutput::notes>("What else is to be known"));
  }

  std::string text() const;
};

}  // namespace helve::tools
