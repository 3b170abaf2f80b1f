// What a command would change, as exec shows it, and making it real.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "process/commands.h"
#include "sandbox/policy.h"
#include "tool/make.h"
#include "workspace/trial.h"

namespace helve::tools {

enum class TriedChange : unsigned char { created, changed, removed };
enum class TriedKind : unsigned char { file, directory, symlink, other };

struct TriedFile {
  std::string path;
  TriedChange change = TriedChange::created;
  TriedKind kind = TriedKind::file;
  std::optional<std::int64_t> added, removed;

  static constexpr auto schema() {
    return object("What becomes of one path.", arg<&TriedFile::path>("Relative to the workspace"),
                  arg<&TriedFile::change>("What happens to it"),
                  arg<&TriedFile::kind>("What it is; a new directory stands for all it holds"),
                  opt<&TriedFile::added>("Lines"), opt<&TriedFile::removed>("Lines"));
  }
};

// "created a.txt (+3)", a line each.
std::string text_of(const std::vector<TriedFile>& files);

// The trials of this workspace's state. Errors: there is no place to keep them.
Result<workspace::Trials> trials_of(const process::Settings& settings);

// One command that is tried out. Until look() has told what it would change, the trial goes with
// this: after a failure or a cancelled call nothing is left of it.
class TryOut {
 public:
  // From then on the plan runs over an overlay of the workspace, under policy().
  static Result<std::unique_ptr<TryOut>> begin(std::string_view command, const Context& context,
                                               process::Plan& plan);
  TryOut(const TryOut&) = delete;
  ~TryOut();

  const std::string& id() const { return trial_.id; }
  const sandbox::Policy& policy() const { return policy_; }
  // After nothing of the command runs any more.
  Result<workspace::TrialReport> look(const workspace::Workspace& files, size_t diff_chars);

 private:
  TryOut(workspace::Trials trials, workspace::Trial trial, sandbox::Policy policy)
      : trials_(std::move(trials)), trial_(std::move(trial)), policy_(std::move(policy)) {}

  workspace::Trials trials_;
  const workspace::Trial trial_;
  const sandbox::Policy policy_;
  bool is_kept_ = false;
};

std::vector<TriedFile> tried_files(const workspace::TrialReport& report);
std::vector<TriedFile> applied_files(const workspace::Applied& applied);

}  // namespace helve::tools
