// Trials: what commands would change. A command runs over an overlay of the workspace; what it
// changed is kept until somebody makes it real or drops it. Nothing is acknowledged as changed
// before that.
#pragma once

#include <chrono>
#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "workspace/layer.h"
#include "workspace/workspace.h"

namespace helve::workspace {

constexpr std::uint64_t kMaxTrialBytes = 4ull << 30;  // of all trials together
constexpr size_t kMaxTrials = 10'000;                 // that are looked at

struct TrialLimits {
  size_t diff_chars = 100'000;
  size_t max_changes = kMaxChanges;
  std::uint64_t max_bytes = kMaxTrialBytes;
  std::chrono::milliseconds comparing{2000};  // after that no more files are compared
  std::stop_token stop = {};
};

// Where a command's changes go.
struct TrialLayer {
  std::string root;   // absolute
  std::string upper;  // what is changed there
  std::string work;   // the kernel's own
};

struct Trial {
  std::string id;
  std::string command;
  std::int64_t created_ms = 0;
  std::int64_t began_ns = 0;  // by the kernel's clock, as files have it
  std::vector<TrialLayer> layers;
};

struct TrialFile {
  Altered::What what = Altered::What::created;
  std::string path;  // as the workspace shows it
  sys::FileKind kind = sys::FileKind::file;
  bool only_mode = false;
  std::uint32_t mode_before = 0, mode = 0;  // of what was changed; the same: it stays
  std::int64_t files = 0;                   // that a directory holds or held
  std::int64_t added = 0, removed = 0;      // lines, of text
};

struct AppliedTrial : Applied {
  std::vector<TrialFile> tried = {};  // without counts
};

struct ToldTrial {
  std::string command;
  std::vector<TrialFile> files;  // without counts
};

struct TrialReport {
  std::vector<TrialFile> files;
  std::string diff;
  std::vector<std::string> notes;  // what of it cannot be applied, and why
};

// Several processes may use one directory. No id can be guessed: whoever knows one was told of the
// trial, perhaps before this process began, and may apply it in its workspace.
class Trials {
 public:
  // `directory` is made when it is needed; it must not be inside a root.
  explicit Trials(std::string directory) : directory_(std::move(directory)) {}
  const std::string& directory() const { return directory_; }

  Result<Trial> begin(const Workspace& files, std::string_view command, std::int64_t now_ms);
  // Instead of look(): nobody wants to know.
  void drop(const Trial& trial) const { remove(trial.id); }
  // After the command has ended: what it would change. From then on it can be applied. Errors:
  // too_many_changes, too_large, cancelled.
  Result<TrialReport> look(const Trial& trial, const Workspace& files, const TrialLimits& limits);
  // Makes it real, all or nothing, and forgets it. Whatever changed meanwhile is a conflict
  // (changed_meanwhile). Errors: not_found (unknown_trial, other_workspace).
  Result<AppliedTrial> apply(std::string_view id, Workspace& files, const Author& author);
  // What applying it would change.
  Result<ToldTrial> tell(std::string_view id, const Workspace& files) const;
  Result<void> discard(const Workspace& files, std::string_view id);
  // Drops those that began before, and those of processes that were killed before they ended.
  void drop_before(std::int64_t ms);
  // Drops the oldest until the others have no more bytes. Their ids.
  std::vector<std::string> make_room(std::uint64_t most = kMaxTrialBytes) const;

 private:
  static bool is_id(std::string_view id);
  std::vector<std::string> ids() const;  // oldest first
  Result<void> note_owner(const Trial& trial) const;
  Result<void> note_size(const Trial& trial, std::uint64_t most) const;
  Result<Trial> find(std::string_view id) const;
  Result<Trial> find_for(const Workspace& files, std::string_view id) const;
  std::string place(std::string_view id) const { return directory_ + "/" + std::string(id); }
  void remove(std::string_view id) const;

  std::string directory_;
};

}  // namespace helve::workspace
