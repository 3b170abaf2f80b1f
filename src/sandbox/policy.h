// Policy: what a command may do. Plain data, made by whoever reads the settings and carried as text
// to the process that enforces it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace helve::sandbox {

enum class Level : unsigned char {
  read_only,        // writes nothing but its private temporary files
  workspace_write,  // writes below the roots, too
  full,             // no wall: only the limits and the process namespace
};

enum class Backend : unsigned char {
  automatic,   // own namespaces, else bubblewrap
  own,         // own namespaces
  bubblewrap,  // the namespaces that bwrap makes
};

// Zero means that there is no such limit.
struct Limits {
  std::uint32_t processes = 4096;  // of all commands together, threads counted; real builds run
  std::uint64_t memory_bytes = 0;
  std::uint64_t file_bytes = std::uint64_t{16} << 30;  // the largest file that can be written
  std::uint64_t tmp_bytes = std::uint64_t{2} << 30;    // /tmp, /var/tmp and /dev/shm together
  std::uint32_t cpu_seconds = 0;
  std::uint32_t open_files = 65536;  // of one process

  bool operator==(const Limits&) const = default;
};

// Paths are absolute. Those of roots and protected paths are real: no symbolic links, no "..".
struct Policy {
  Level level = Level::workspace_write;
  Backend backend = Backend::automatic;
  bool network = false;
  std::vector<std::string> roots;  // writable at workspace_write, readable below
  std::vector<std::string> read_only_roots;
  // Relative to each root; never writable, not even where they do not exist yet.
  std::vector<std::string> protected_names;
  std::vector<std::string> protected_paths;  // the same, anywhere
  // The same, but files, and as somebody names them: links that lead there stay, too.
  std::vector<std::string> protected_files;
  std::vector<std::string> hidden;   // neither readable nor writable
  std::vector<std::string> homes;    // whose usual secrets are hidden, too,
  std::vector<std::string> visible;  // but for these
  // Where the changes of overlays are kept, outside the roots; hidden from commands. Empty: there
  // are no overlays.
  std::string scratch;
  Limits limits;

  bool operator==(const Policy&) const = default;
};

// ".git/hooks" and what else in a workspace would run code outside the sandbox later.
std::vector<std::string> default_protected_names();
// Where people keep keys and passwords: those of the system, and those below a home directory.
std::vector<std::string> system_secrets();
std::vector<std::string> secrets_below(std::string_view home);
// Everything that the policy hides, sorted.
std::vector<std::string> hidden_places(const Policy& policy);

std::string_view name_of(Level level);      // "workspace_write"
std::string_view name_of(Backend backend);  // "auto"

// For the helper process. Decoding takes only what encoding writes, and bounds it.
std::string encode(const Policy& policy);
Result<Policy> decode(std::string_view text);

}  // namespace helve::sandbox
