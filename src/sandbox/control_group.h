// Control group: counts processes and memory of all commands of an enclosure together, root's too,
// and lets them share the processor as if they were one, where the machine lets us have a group.
// The process that starts commands joins it once, so that starting one costs nothing more.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "sandbox/policy.h"
#include "sys/file_descriptor.h"

namespace helve::sandbox {

class ControlGroup {
 public:
  // Makes a group for those of the limits that are set and for the processor, and joins it with the
  // calling process. What this machine does not allow is left out; other limits hold then. Takes
  // away the groups that killed helves have left.
  static ControlGroup join(const Limits& limits);
  // Back to where it was; the group goes when it is empty.
  void leave() const;

  bool bounds_processes() const { return processes_; }
  bool bounds_memory() const { return memory_; }
  bool shares_processor() const { return processor_; }

 private:
  struct Group {
    sys::Fd parent;  // opened before the view makes everything read-only
    std::string name;
    sys::Fd former;  // cgroup.procs of the group that the process was in
  };
  bool add(const std::string& parent, const std::string& former,
           const std::vector<std::pair<std::string, std::string>>& settings);

  std::vector<Group> groups_;
  bool processes_ = false;
  bool memory_ = false;
  bool processor_ = false;
};

// How many processes of the group that one of its processes is in were ended because all of them
// took too much memory, since it was made; 0: none, or nobody knows.
std::uint64_t memory_kills(int pid);

}  // namespace helve::sandbox
