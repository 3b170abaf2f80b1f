// What a command would change, as exec shows it, and making it real.
#pragma once

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

// The plan, with the workspace seen through an overlay; the policy that it needs.
sandbox::Policy try_out(const workspace::Trials& trials, const workspace::Trial& trial,
                        const process::Settings& settings, process::Plan& plan);

std::vector<TriedFile> tried_files(const workspace::TrialReport& report);
std::vector<TriedFile> applied_files(const workspace::Applied& applied);

}  // namespace helve::tools
