// The part of workspace/trial.h about how long trials are kept, and how many.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <ranges>

#include "base/text.h"
#include "sys/directory.h"
#include "sys/file.h"
#include "sys/process_identity.h"
#include "workspace/tree.h"
#include "workspace/trial.h"
#include "workspace/trial_plan.h"

namespace helve::workspace {
namespace {

constexpr const char* kOwner = "owner";  // of one whose command still runs: its process
constexpr const char* kSize = "size";    // of one that was looked at, in bytes
constexpr size_t kMaxSmall = 4096;       // bytes of either

// Whether nobody will come back to it.
bool is_abandoned(const std::string& owner) {
  const size_t line = owner.find('\n');
  if (line == owner.npos) return false;
  const auto machine = trim(std::string_view(owner).substr(line + 1));
  return sys::liveness_of(owner.substr(0, line), machine) == sys::Liveness::gone;
}

}  // namespace

Result<void> Trials::note_owner(const Trial& trial) const {
  return sys::replace_file(
      place(trial.id) + "/" + kOwner,
      fmt::format("{}\n{}\n", sys::process_identity(), sys::machine_identity()), 0600);
}

std::vector<std::string> Trials::ids() const {
  std::vector<std::string> ids;
  const auto directory = sys::open_directory(directory_);
  if (!directory) return ids;
  (void)sys::for_each_entry(*directory, [&](const sys::DirectoryEntry& entry) {
    if (is_id(entry.name)) ids.emplace_back(entry.name);
    return ids.size() < kMaxTrials;
  });
  std::ranges::sort(ids);
  return ids;
}

void Trials::drop_before(std::int64_t ms) {
  for (const std::string& id : ids()) {
    const auto status = sys::status_of(place(id));
    const bool is_old = status && status->modified_ms() < ms;
    const auto size = sys::read_file(place(id) + "/" + kSize, kMaxSmall);
    const auto owner = sys::read_file(place(id) + "/" + kOwner, kMaxSmall);
    if (is_old || (!size && owner && is_abandoned(*owner))) remove(id);
  }
}

Result<void> Trials::note_size(const Trial& trial, std::uint64_t most) const {
  std::uint64_t bytes = 0;
  for (const TrialLayer& layer : trial.layers) {
    const BothTrees trees = TRY(open_trees(layer));
    const auto walked = walk_tree(trees.upper, [&](const TreeEntry& entry) {
      const auto status = sys::status_at(entry.directory, entry.name);
      if (status && status->kind == sys::FileKind::file) bytes += status->size;
      return true;
    });
    if (!walked && walked.error() == std::errc::filename_too_long)
      return Error{
          Code::too_large,
          fmt::format("the command changes what lies deeper than {} directories", kMaxTreeDepth),
          "run it for real", "too_large"};
  }
  if (bytes > most)
    return Error{
        Code::too_large,
        fmt::format("the command writes {}, the limit is {}", human_size(bytes), human_size(most)),
        "run it for real", "too_large"};
  return sys::replace_file(place(trial.id) + "/" + kSize, std::to_string(bytes), 0600);
}

std::vector<std::string> Trials::make_room(std::uint64_t most) const {
  std::vector<std::string> dropped, known = ids();
  std::uint64_t total = 0;
  for (const std::string& id : known | std::views::reverse) {  // newest first
    const auto text = sys::read_file(place(id) + "/" + kSize, kMaxSmall);
    std::uint64_t bytes = 0;
    if (text) (void)std::from_chars(text->data(), text->data() + text->size(), bytes);
    total += bytes;
    if (total <= most || !text) continue;
    total -= bytes;
    remove(id);
    dropped.push_back(id);
  }
  return dropped;
}

}  // namespace helve::workspace
