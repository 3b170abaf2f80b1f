// Enclosure: the place in which commands run. Made once by a small process of one thread, which
// lives in it from then on; every command gets a process of its own that enters it and locks the
// door behind itself.
//
//   Enclosure enclosure = TRY(Enclosure::make(policy));
//   // per command, in a process cloned with enclosure.clone_flags():
//   TRY(enclosure.prepare());
//   TRY(enclosure.enter({}));
//   TRY(enclosure.lock());
//   // … start the command
//
// Descriptors are not looked at: what the process has open, the command may use.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "sandbox/control_group.h"
#include "sandbox/filter.h"
#include "sandbox/groundwork.h"
#include "sandbox/hide.h"
#include "sandbox/holds.h"
#include "sandbox/live_view.h"
#include "sandbox/namespaces.h"
#include "sandbox/policy.h"
#include "sandbox/protect.h"
#include "sandbox/watch.h"
#include "sys/file_descriptor.h"

namespace helve::sandbox {

// The command sees `root` with all it holds, but what it changes there is written to `upper` alone.
// Both directories are below the policy's scratch directory and on one file system; `work` is empty
// and the kernel's own. Deleted names are character devices 0:0 in `upper`; a directory that
// replaces another has the attribute user.overlay.opaque.
struct Overlay {
  std::string root;
  std::string upper;
  std::string work;
};

class Enclosure {
 public:
  // Takes the calling process, which must have one thread and read its own /proc, out of the
  // namespaces it shares with the host. After a failure the process is good for nothing else.
  // The working directory is / then.
  // Fails when any part of the wall cannot be built; the Error names the step, the kernel's reason
  // and what would help.
  static Result<Enclosure> make(Policy policy);

  // For the clone of a process that will call enter(): it becomes process 1 of its own world. 0 at
  // Level::full without privileges.
  int clone_flags() const { return clone_flags_; }
  // An own /proc: what can be made before it is known what will run. As with the next two, the
  // process must not be used for anything after a failure.
  Result<void> prepare() const;
  // Overlays, protected names and covers, as files are at this moment. `is_protected`: it
  // stands on a groundwork that holds.
  Result<void> enter(std::span<const Overlay> overlays, bool is_protected = false) const;
  // The view of the calling process; before enter(), so that no change is missed. Empty at
  // Level::full, where there is nothing to renew.
  Result<LiveView> view() const;
  // Protects and covers again what somebody outside has replaced in the view of a command that goes
  // on, and settles. By a process that has called prepare() and nothing else. Returns the view with
  // changes from now on.
  Result<LiveView> renew(LiveView view) const;
  // Limits, no new privileges, no capabilities, Landlock, system call filter. What this process
  // starts is locked in with it.
  Result<void> lock() const;

  // When commands are about to run, by the process that made the enclosure: protects once what each
  // of them would have to. Until then nothing is put into the roots.
  Result<void> protect_ahead() const;
  // By the same process, at any time: what else can be done for all that are cloned from then on.
  // Each of them calls stand_on() before it waits for its command.
  Result<void> lay(Groundwork& ground) const;
  Result<void> stand_on(const Groundwork& ground) const;
  // After a command has ended, by the process that made the enclosure: takes away what the command
  // made to mislead git.
  void settle() const;
  // When no command is left, before the process that made the enclosure ends: takes away what was
  // put into the roots. A helve that was killed leaves this to the next one.
  void tidy() const;

  const Policy& policy() const { return policy_; }
  Holds holds() const {
    return {namespaces_.user, namespaces_.bubblewrap, group_.bounds_processes(),
            group_.bounds_memory(), group_.shares_processor()};
  }

 private:
  explicit Enclosure(Policy policy) : policy_(std::move(policy)) {}
  Result<void> build();
  Result<void> mount_overlay(const Overlay& overlay) const;
  Result<void> hide_sockets() const;
  std::vector<std::string> watched() const;
  // Whether it tells from now on when something that is protected or covered may have been
  // replaced. False: what has to be watched changes all the time.
  Result<bool> watch(Watch& watch) const;
  // Readable once it tells that.
  Result<sys::Fd> changes() const;
  std::vector<std::string> writable() const;

  Policy policy_;
  std::vector<Guarded> guarded_;
  Namespaces namespaces_;
  ControlGroup group_;
  FilterProgram closing_filter_;
  Covers covers_;
  sys::Fd socket_list_;
  int clone_flags_ = 0;
};

}  // namespace helve::sandbox
