// Surroundings: what the process was started with, gathered once. Tests make up their own.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace helve::app {

struct Surroundings {
  std::string current_directory;  // empty: it is gone
  std::string home;               // empty: not known; so are the next two then
  std::string config_directory;
  std::string state_directory;
  std::string program_directory;  // where helve and its helpers lie; empty: not known
  std::string user;
  std::vector<std::string> other_homes;  // besides `home`, with secrets that commands could read
  std::map<std::string, std::string> environment;
  std::string terminal;              // where a person can be asked; empty: nowhere
  std::string invoked_as = "helve";  // how a person calls this program

  bool has(const std::string& variable) const;  // set, and not empty

  std::string config_file() const { return below(config_directory, "config.yaml"); }
  std::string hooks_directory() const { return below(config_directory, "hooks"); }
  std::string prompts_directory() const { return below(config_directory, "prompts"); }
  std::string database() const { return below(state_directory, "helve.db"); }
  std::string journal_directory() const { return below(state_directory, "journal"); }
  std::string trust_file() const { return below(state_directory, "trust"); }
  std::string config_lock() const { return below(state_directory, "config.lock"); }
  std::string trials_directory() const { return below(state_directory, "trials"); }
  std::string chat_history() const { return below(state_directory, "chat_history"); }
  std::string index_directory() const { return below(state_directory, "index"); }
  std::string memory_index_directory() const { return below(state_directory, "index/memory"); }
  std::string embeddings_directory() const { return below(state_directory, "index/embeddings"); }
  std::string embedder_directory() const { return below(state_directory, "embedder"); }

 private:
  static std::string below(const std::string& directory, const char* name) {
    return directory.empty() ? "" : directory + "/" + name;
  }
};

Surroundings surroundings_of_process();

// The absolute path of the running program; "helve" when that cannot be told.
std::string program_path();

}  // namespace helve::app
