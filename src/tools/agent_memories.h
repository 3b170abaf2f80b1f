// AgentMemories: which notes are whose. An agent has the directory that its configuration names, or
// else the workspace; it never sees those of another.
//
// Thread-safe.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "knowledge/memory.h"
#include "tool/context.h"
#include "workspace/workspace.h"

namespace helve::tools {

// The memory of one agent, and the files through which it is written to.
struct AgentMemory {
  std::string root;             // absolute
  workspace::Workspace& files;  // paths below the root are given absolute
  knowledge::Memory& memory;
};

class AgentMemories {
 public:
  struct Options {
    workspace::Workspace* files = nullptr;  // null: there is no workspace
    // The directory of an agent; empty: it has none of its own. Null: nobody has.
    std::function<std::string(std::string_view agent)> directory_of = {};
    // Of directories outside the workspace.
    std::string journal_directory = {};
    workspace::JournalLimits journal_limits = {};
    knowledge::Memory::FindEmbedder find_embedder = {};
    std::string index_directory = {};  // of what is kept of them; empty: nothing
  };
  AgentMemories(Options options, const sys::Clock& clock)
      : options_(std::move(options)), clock_(clock) {}

  enum class IfMissing : unsigned char { fail, make };
  // Borrowed. An error of type "no_memory" when the directory does not exist, and of type
  // "no_files" when there is neither a directory nor a workspace.
  Result<AgentMemory> of(const std::string& agent, IfMissing if_missing = IfMissing::fail);

 private:
  struct Opened {
    std::string root;
    std::unique_ptr<workspace::Workspace> own;  // null: the workspace's
    std::unique_ptr<knowledge::Memory> memory;
  };
  Result<Opened> open(const std::string& root) const;
  // Whether the workspace may write there, so that its undo knows of it.
  bool is_in_workspace(const std::string& root) const;

  const Options options_;
  const sys::Clock& clock_;
  std::mutex mutex_;
  std::map<std::string, Opened> opened_;  // by directory, empty for the workspace; by mutex_
};

// The memory of whoever calls.
Result<AgentMemory> need_memory(
    const Context& context, AgentMemories::IfMissing if_missing = AgentMemories::IfMissing::fail);

}  // namespace helve::tools
