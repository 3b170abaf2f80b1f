#include "sandbox/enclosure.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <iterator>
#include <memory>
#include <set>

#include "sandbox/capabilities.h"
#include "sandbox/failure.h"
#include "sandbox/hide.h"
#include "sandbox/kernel.h"
#include "sandbox/landlock.h"
#include "sandbox/limits.h"
#include "sandbox/mounts.h"
#include "sandbox/other_names.h"
#include "sandbox/protect.h"
#include "sandbox/sockets.h"
#include "sandbox/view.h"
#include "sandbox/way.h"

namespace helve::sandbox {
namespace {

// What root, even without capabilities, could read of the whole machine.
constexpr auto kHiddenOfProc =
    std::to_array<const char*>({"/proc/allocinfo", "/proc/kcore", "/proc/keys", "/proc/kpagecgroup",
                                "/proc/kpagecount", "/proc/kpageflags", "/proc/pagetypeinfo",
                                "/proc/slabinfo", "/proc/timer_list", "/proc/vmallocinfo"});

std::string real_path(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> resolved(realpath(path.c_str(), nullptr), &free);
  return resolved ? std::string(resolved.get()) : std::string();
}

// What the hidden paths lead to now, before any command could change a link. Returns the links on
// the ways there.
std::set<std::string> add_targets(std::vector<std::string>& hidden) {
  Walker walker;
  std::set<std::string> links, known(hidden.begin(), hidden.end());
  const size_t count = hidden.size();
  for (size_t i = 0; i < count; ++i) {
    Way way = walker.way_to(hidden[i]);
    std::ranges::move(way.links, std::inserter(links, links.end()));
    if (way.is_there && known.insert(way.end).second) hidden.push_back(std::move(way.end));
  }
  return links;
}

Result<void> check_real(const Policy& policy) {
  for (const auto* roots : {&policy.roots, &policy.read_only_roots}) {
    for (const std::string& root : *roots) {
      if (real_path(root) != root) {
        return unfit(fmt::format("the sandbox root '{}' is not a real path", root),
                     "name an existing directory without symbolic links");
      }
    }
  }
  return {};
}

Result<void> check_shown(const Policy& policy) {
  for (const auto* roots : {&policy.roots, &policy.read_only_roots}) {
    for (const std::string& root : *roots) {
      for (const std::string& hidden : policy.hidden) {
        if (is_below(root, hidden)) {
          return unfit(
              fmt::format("the sandbox root '{}' lies in '{}', which is hidden", root, hidden),
              "choose another root, or name it in sandbox.visible");
        }
      }
    }
  }
  return {};
}

}  // namespace

Result<Enclosure> Enclosure::make(Policy policy) {
  Enclosure enclosure(std::move(policy));
  if (auto built = enclosure.build(); !built) {
    enclosure.group_.leave();
    return std::move(built).error();
  }
  return enclosure;
}

Result<void> Enclosure::build() {
  group_ = ControlGroup::join(policy_.limits);
  if (policy_.level == Level::full) {
    if (has_capability(kCapabilitySysAdmin)) clone_flags_ = CLONE_NEWPID | CLONE_NEWNS;
    return {};
  }
  clone_flags_ = CLONE_NEWPID | CLONE_NEWNS;
  policy_.hidden = hidden_places(policy_);
  std::set<std::string> links = add_targets(policy_.hidden);
  TRY(check_real(policy_));
  const std::vector<MountEntry> mounts = mount_table();
  const FilterProgram standing = TRY(make_standing_filter());
  closing_filter_ = TRY(make_closing_filter());
  socket_list_ = TRY(open_socket_list());
  guarded_ = TRY(find_guarded(policy_));
  namespaces_ = TRY(leave_host(policy_));
  TRY(build_view(policy_));
  // Again: only with the rights that we have here do we see through what a command closed, and not
  // through all that we saw before.
  links.merge(add_targets(policy_.hidden));
  std::ranges::move(other_names(policy_.hidden, mounts), std::back_inserter(policy_.hidden));
  TRY(check_shown(policy_));
  keep_links(guarded_, links);
  covers_ = TRY(Covers::make(policy_.hidden));
  // The directory it stood in belongs to the view of the host.
  if (chdir("/") != 0) return failure("go to /", errno);
  TRY(give_no_capabilities());
  return install(standing);
}

Result<void> Enclosure::enter(std::span<const Overlay> overlays, bool is_protected) const {
  if (clone_flags_ == 0 || policy_.level == Level::full) return {};
  if (!overlays.empty()) {
    // What must be reserved is reserved below the overlay: it is no change of the command.
    for (sys::Fd& reserved : TRY(protect(policy_, guarded_))) reserved.release();
    for (const Overlay& overlay : overlays) TRY(mount_overlay(overlay));
    is_protected = false;  // not what is in the overlay
  }
  if (!is_protected) {
    // Kept until the process ends.
    for (sys::Fd& reserved : TRY(protect(policy_, guarded_))) reserved.release();
    TRY(covers_.renew());
  }
  return hide_sockets();
}

std::vector<std::string> Enclosure::watched() const {
  std::vector<std::string> directories = covers_.directories();
  std::ranges::move(directories_of_protected(policy_, guarded_), std::back_inserter(directories));
  return directories;
}

// What appears while it is looked for may hold more of it.
Result<bool> Enclosure::watch(Watch& watch) const {
  for (int choice = 0; choice < kMostChoices; ++choice) {
    if (TRY(watch.add(watched()))) return true;
  }
  return false;
}

Result<sys::Fd> Enclosure::changes() const {
  Watch watch = TRY(Watch::make(Watch::Of::names));
  if (TRY(this->watch(watch))) return watch.take();
  sys::Fd always(eventfd(1, EFD_CLOEXEC));
  if (!always) return failure("watch directories", errno);
  return always;
}

Result<LiveView> Enclosure::view() const {
  if (clone_flags_ == 0 || policy_.level == Level::full) return LiveView{};
  LiveView view{.mounts = sys::Fd(open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC)), .changes = {}};
  if (!view.mounts) return failure("open its mount namespace", errno);
  view.changes = TRY(changes());
  return view;
}

Result<LiveView> Enclosure::renew(LiveView view) const {
  if (setns(view.mounts.get(), CLONE_NEWNS) != 0) return failure("join a mount namespace", errno);
  settle();
  view.changes = TRY(changes());
  TRY(enter({}));
  return view;
}

// Each command reserves again what is gone by then.
Result<void> Enclosure::protect_ahead() const {
  if (policy_.level == Level::full) return {};
  TRY(protect(policy_, guarded_));
  return {};
}

// Protects nothing: while other commands run, what they have made would be taken for what was there
// before.
Result<void> Enclosure::lay(Groundwork& ground) const {
  if (policy_.level == Level::full) return {};
  // Before all else, so that no change is missed.
  TRY(ground.begin());
  if (!TRY(watch(*ground.changes_))) return {};  // the next command tries again
  TRY(covers_.renew());
  ground.is_laid_ = true;
  return {};
}

Result<void> Enclosure::stand_on(const Groundwork& ground) const {
  if (!ground.holds()) return {};
  // Kept until the process ends.
  for (sys::Fd& reserved : TRY(protect(policy_, guarded_))) reserved.release();
  return {};
}

Result<void> Enclosure::prepare() const {
  if (clone_flags_ == 0) return {};
  const bool full = policy_.level == Level::full;
  // At the full level the rest of the mounts stay shared with the host.
  if (full && mount(nullptr, "/proc", nullptr, MS_PRIVATE, nullptr) != 0) {
    return failure("make /proc private", errno);
  }
  constexpr std::uint64_t kPlain = kNoSuid | kNoDevices | kNoExecute;
  const Detached proc = TRY(new_filesystem("proc", {}, kPlain));
  TRY(bound_namespace(proc, policy_.limits));
  // Root would own the settings of the whole machine, also without capabilities.
  if (!full) TRY(restrict_tree(proc, kReadOnly));
  TRY(attach(proc, "/proc"));
  if (full) return {};
  std::vector<std::string> readable;
  for (const char* path : kHiddenOfProc) {
    if (access(path, R_OK) == 0) readable.emplace_back(path);
  }
  return hide(readable);
}

Result<void> Enclosure::mount_overlay(const Overlay& overlay) const {
  const auto kept = [&](const std::string& path) {
    return kScratchInVault + path.substr(policy_.scratch.size());
  };
  const std::array<std::string, 3> places{overlay.root, kept(overlay.upper), kept(overlay.work)};
  std::array<sys::Fd, 3> open_places;
  for (size_t i = 0; i < places.size(); ++i) {
    open_places[i] = sys::Fd(open(places[i].c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!open_places[i]) return failure("open " + places[i] + " for an overlay", errno);
  }
  // By descriptor, because a path may hold the characters that separate options.
  const auto named = [&](size_t i) {
    return fmt::format("/proc/self/fd/{}", open_places[i].get());
  };
  const std::vector<MountOption> options{{"lowerdir", named(0)},
                                         {"upperdir", named(1)},
                                         {"workdir", named(2)},
                                         {"userxattr", ""},
                                         {"volatile", ""}};
  const Detached tree = TRY(new_filesystem("overlay", options, kNoSuid | kNoDevices));
  return attach(tree, overlay.root);
}

Result<void> Enclosure::hide_sockets() const {
  std::vector<std::string> paths = TRY(socket_paths(socket_list_));
  // With a network of their own, commands have none of these sockets. With the host's network they
  // may, and those in the roots may be theirs.
  if (policy_.network) {
    std::erase_if(paths, [&](const std::string& path) {
      return std::ranges::any_of(policy_.roots,
                                 [&](const std::string& root) { return is_below(path, root); });
    });
  }
  return hide(paths, Which::sockets_only);
}

std::vector<std::string> Enclosure::writable() const {
  std::vector<std::string> paths = private_directories();
  if (policy_.level == Level::workspace_write) {
    paths.insert(paths.end(), policy_.roots.begin(), policy_.roots.end());
  }
  return paths;
}

Result<void> Enclosure::lock() const {
  Limits limits = policy_.limits;
  // The group counts what really is used, by all together; the limit of each process would only
  // come in the way.
  if (group_.bounds_memory()) limits.memory_bytes = 0;
  TRY(apply_limits(limits));
  if (policy_.level == Level::full) return {};
  if (!group_.shares_processor()) give_way();
  // Its memory may hold what came from outside; the command must not read it.
  if (prctl(PR_SET_DUMPABLE, 0) != 0) return failure("become undumpable", errno);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return failure("give up new privileges", errno);
  // A network of one's own has no abstract sockets of others.
  const auto sockets = policy_.network ? AbstractSockets::own : AbstractSockets::any;
  TRY(enforce(TRY(make_ruleset(writable(), sockets))));
  TRY(drop_capabilities());
  return install(closing_filter_);
}

void Enclosure::settle() const { remove_leads(policy_, guarded_); }

void Enclosure::tidy() const {
  settle();
  release_reserved(policy_, guarded_);
  group_.leave();
}

}  // namespace helve::sandbox
