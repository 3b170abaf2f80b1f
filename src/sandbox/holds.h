// Holds: what bounds the commands of an enclosure besides what always does.
#pragma once

namespace helve::sandbox {

struct Holds {
  bool user_namespace = false;
  bool bubblewrap = false;       // bwrap made the namespaces
  bool group_processes = false;  // a control group counts processes
  bool group_memory = false;     // … and memory
  bool group_processor = false;  // … and gives them together half the share of another group
};

}  // namespace helve::sandbox
