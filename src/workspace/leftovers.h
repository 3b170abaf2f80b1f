// Leftovers: names for temporary files that tell whose they are, and the end of those whose process
// was killed before it could remove them.
#pragma once

#include <mutex>
#include <set>
#include <string>
#include <string_view>

#include "sys/file_at.h"

namespace helve::workspace {

// Thread-safe.
class Leftovers {
 public:
  Leftovers();

  // sys::process_identity() of this process.
  const std::string& identity() const { return identity_; }
  // For a temporary file of this process.
  std::string new_name() const;
  // For one that a record of the journal names: nobody removes it but who reads the record.
  static std::string new_recorded_name();
  // Removes what is left over in the directory. Looks only once at each `key`, which names the
  // directory: a writer of many files should not pay for each.
  void sweep(const sys::Fd& directory, std::string_view key);

 private:
  bool is_first_visit(std::string_view key);
  bool is_abandoned(const sys::Fd& directory, std::string_view name) const;

  const std::string identity_;
  const std::string owner_;  // this process, as it stands in names; empty: the system does not tell
  std::mutex mutex_;
  std::set<std::string, std::less<>> swept_;  // guarded by mutex_
};

}  // namespace helve::workspace
