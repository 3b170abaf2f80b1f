#include "tools/agent_memories.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/quick_hash.h"
#include "base/text.h"
#include "sys/file.h"
#include "workspace/path.h"

namespace helve::tools {
namespace {

constexpr std::uint32_t kPrivate = 0700;

}  // namespace

Result<AgentMemory> AgentMemories::of(const std::string& agent, IfMissing if_missing) {
  const std::string directory =
      options_.directory_of ? options_.directory_of(agent) : std::string();
  if (directory.empty() && !options_.files)
    return Error{Code::denied, "there is no memory without a workspace",
                 "start helve in a workspace, or set `memory` of the agent", "no_files"};
  std::lock_guard lock(mutex_);
  auto found = opened_.find(directory);
  if (found == opened_.end()) {
    if (!directory.empty() && if_missing == IfMissing::make)
      TRY(sys::make_directories(directory, kPrivate));
    Opened opened = TRY(open(directory));
    found = opened_.emplace(directory, std::move(opened)).first;
  }
  const Opened& opened = found->second;
  return AgentMemory{opened.root, opened.own ? *opened.own : *options_.files, *opened.memory};
}

Result<AgentMemories::Opened> AgentMemories::open(const std::string& directory) const {
  const sys::Fd* const home =
      directory.empty() ? &options_.files->roots().front().directory : nullptr;
  auto root =
      home ? sys::open_beneath(*home, ".", sys::Open::directory) : sys::open_directory(directory);
  if (!root) {
    Error error = sys::to_error(root.error(), "open the memory in", directory);
    if (root.error() == std::errc::no_such_file_or_directory) {
      error.type = "no_memory";
      error.hint = "there is nothing to read yet: memory_append makes it";
    }
    return error;
  }
  const auto path = sys::path_of(*root);
  if (!path) return sys::to_error(path.error(), "find the memory in", directory);
  Opened opened{.root = *path};
  if (!is_in_workspace(opened.root))
    opened.own = TRY(workspace::Workspace::make({.roots = {{opened.root}},
                                                 .journal_directory = options_.journal_directory,
                                                 .journal_limits = options_.journal_limits}));
  std::optional<knowledge::PassageIndex::Place> place;
  if (!options_.index_directory.empty())
    place = {.directory = options_.index_directory,
             .name = fmt::format("{:016x}.bin", quick_hash(opened.root))};
  opened.memory = std::make_unique<knowledge::Memory>(std::move(*root), clock_,
                                                      options_.find_embedder, std::move(place));
  return opened;
}

bool AgentMemories::is_in_workspace(const std::string& root) const {
  if (!options_.files) return false;
  return std::ranges::any_of(options_.files->roots(),
                             [&](const workspace::Root& each) {
                               return each.access == workspace::Access::writable &&
                                      workspace::below(each.path, root).has_value();
                             }) ||
         options_.files->roots().front().path == root;
}

Result<AgentMemory> need_memory(const Context& context, AgentMemories::IfMissing if_missing) {
  if (context.memories) return context.memories->of(context.who.agent, if_missing);
  return Error{Code::denied, fmt::format("{} has no access to memory", context.tool),
               "this session was started without a workspace", "no_files"};
}

}  // namespace helve::tools
