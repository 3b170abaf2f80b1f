// Protect: makes the protected names of a policy unwritable. Done when the enclosure is made and
// again for each command, because a mount goes away when somebody outside replaces what it is
// mounted on.
#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "sandbox/git.h"
#include "sandbox/policy.h"
#include "sys/file_descriptor.h"

namespace helve::sandbox {

// Where there is something to protect: the roots, and what was in them when it was looked for.
struct Guarded {
  std::string root;
  Repositories repositories;
  std::vector<std::string> links;  // that lead to what is hidden, relative to the root
};
Result<std::vector<Guarded>> find_guarded(const Policy& policy);
// Notes those of the links that are in the roots; absolute.
void keep_links(std::span<Guarded> guarded, const std::set<std::string>& links);

// In the calling process's own mount namespace. What exists becomes read-only, what does not exist
// cannot be made, and no directory on the way can be renamed, nor one between two roots, nor one
// that leads to something hidden. What is protected already costs little. What had to be reserved
// stays as long as the descriptors are open.
Result<std::vector<sys::Fd>> protect(const Policy& policy, std::span<const Guarded> guarded);

// What must change before anything has to be protected again: the directories on the way to the
// protected and hidden names.
std::vector<std::string> directories_of_protected(const Policy& policy,
                                                  std::span<const Guarded> guarded);

// Takes away what protecting left behind in the roots and nobody uses any more. Nothing in this
// mount namespace is protected then.
void release_reserved(const Policy& policy, std::span<const Guarded> guarded);

// Takes away what a command may have made to mislead git.
void remove_leads(const Policy& policy, std::span<const Guarded> guarded);

}  // namespace helve::sandbox
