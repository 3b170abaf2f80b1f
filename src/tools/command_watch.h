// What a command changed in the workspace: seen while it ran, shown after its output, and noted in
// the journal so that undo takes back what can be.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sandbox/policy.h"
#include "search/witness.h"
#include "tool/context.h"
#include "tools/changed_files.h"

namespace helve::tools {

struct CommandChanges {
  std::optional<std::vector<ChangedFile>> files;  // nothing: it is not known
  std::optional<std::string> change;              // in the journal
  std::string lost_because;                       // there is none: why
  std::optional<std::vector<std::string>> beyond_undo;
  std::vector<std::string> notes;
};

class CommandWatch {
 public:
  // Before the command starts. Looks at nothing when the command can change nothing.
  CommandWatch(Context& context, sandbox::Level level);
  // After it has ended.
  CommandChanges end();

 private:
  Context& context_;
  std::shared_ptr<search::Witness::Watch> watch_;  // null: nothing is watched
  std::uint64_t moment_ = 0;                       // of the workspace
  std::chrono::steady_clock::time_point began_;
  bool too_many_ = false;
};

// "changed: M a.c, A b.txt (undo takes it back)"
std::string changes_line(const std::vector<ChangedFile>& files, std::string_view lost_because,
                         const std::vector<std::string>& beyond_undo);

}  // namespace helve::tools
