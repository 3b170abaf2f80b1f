#include "tools/exec_output.h"

#include <fmt/format.h>

#include "base/text.h"
#include "tools/command_watch.h"

namespace helve::tools {

std::string ExecOutput::text() const {
  const bool is_tried = diff.has_value();
  const bool is_run = !is_tried && (exit_code || signal || timed_out);
  std::string out = output;
  const auto add = [&](const std::string& line) {
    if (!out.empty() && !out.ends_with('\n')) out += '\n';
    out += line;
  };
  if (process_id)
    add(fmt::format("running in the background as {}", *process_id));
  else if (signal)
    add(fmt::format("killed by {}{}", *signal, timed_out ? ": its time was up" : ""));
  else if (timed_out)
    add(fmt::format("its time was up; exit code {}", exit_code.value_or(-1)));
  else if (exit_code.value_or(0) != 0)
    add(fmt::format("exit code {}", *exit_code));
  else if (output.empty() && exit_code)
    add("(no output)");
  if (changes && tells_changes) {
    add(changes_line(*changes, lost_because, beyond_undo.value_or(std::vector<std::string>())));
  } else if (changes && !is_run) {
    if (is_tried)
      add(!trial ? "it would change nothing\n"
                 : fmt::format("it would change, as trial {}:\n", *trial));
    add(text_of(*changes));
  }
  if (diff && !diff->empty()) add(escape_lines_for_display(*diff));
  if (!next_step.empty()) add(next_step);
  if (notes) {
    for (const std::string& note : *notes) add("note: " + note);
  }
  return out;
}

}  // namespace helve::tools
