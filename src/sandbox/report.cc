#include "sandbox/report.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>

#include "base/text.h"
#include "sandbox/failure.h"
#include "sandbox/git.h"
#include "sandbox/kernel.h"
#include "sandbox/limits.h"
#include "sandbox/view.h"

namespace helve::sandbox {
namespace {

bool exists(const std::string& path) {
  struct stat status {};
  return lstat(path.c_str(), &status) == 0;
}

std::string list_of(const std::vector<std::string>& items) {
  return items.empty() ? "nothing" : escape_for_display(join(items, ", "));
}

std::string join_lines(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items)
    text += (text.empty() ? "" : "\n") + escape_for_display(item);
  return text;
}

std::string level_line(Level level) {
  const std::string name(name_of(level));
  switch (level) {
    case Level::read_only:
      return name + ": no root is writable";
    case Level::workspace_write:
      return name + ": the roots are writable";
    case Level::full:
      return name + ": commands may do what you may";
  }
  return name;
}

// One root a line: they are what people look for.
std::string writable_line(const Policy& policy) {
  std::string text;
  if (policy.level == Level::workspace_write && !policy.roots.empty())
    text = join_lines(policy.roots) + "\n";
  return text + fmt::format("{} (private, {} together)", list_of(private_directories()),
                            human_size(temporary_bytes(policy.limits)));
}

std::string protected_line(const Policy& policy) {
  const std::string text = list_of(policy.protected_names) + " in each root";
  std::vector<std::string> paths = policy.protected_paths;
  std::ranges::copy(policy.protected_files, std::back_inserter(paths));
  return paths.empty() ? text : text + "\n" + join_lines(paths);
}

std::string hidden_line(const Policy& policy) {
  const std::vector<std::string> places = hidden_places(policy);
  std::vector<std::string> found;
  std::ranges::copy_if(places, std::back_inserter(found), exists);
  return fmt::format("{} of {} places exist: {}", found.size(), places.size(), list_of(found));
}

std::string processes_line(const Policy& policy, const Facts& facts) {
  if (policy.limits.processes == 0) return "no limit";
  std::vector<std::string> by;
  if (facts.holds.group_processes) by.push_back("a control group (all commands together)");
  const bool full = policy.level == Level::full;
  // At the full level only root may make one.
  if (facts.namespace_processes && (!full || facts.root))
    by.push_back("the process namespace (each command)");
  if (!facts.root)
    by.push_back(fmt::format("RLIMIT_NPROC (all of this user{})", full ? "" : " in the sandbox"));
  if (by.empty()) {
    return fmt::format(
        "{} is asked for, but nothing on this machine bounds root: a delegated control "
        "group or Linux 6.14 would",
        policy.limits.processes);
  }
  return fmt::format("at most {}, by {}", policy.limits.processes, join(by, " and "));
}

std::string processor_line(const Policy& policy, const Facts& facts) {
  const std::string limit =
      policy.limits.cpu_seconds == 0
          ? "no limit"
          : fmt::format("at most {} s for each process", policy.limits.cpu_seconds);
  if (facts.holds.group_processor)
    return limit + "; all commands together have half the share of another group, by control group";
  return policy.level == Level::full ? limit : limit + "; each process gives way to others (nice)";
}

std::string memory_line(const Policy& policy, const Facts& facts) {
  if (policy.limits.memory_bytes == 0) return "no limit; commands go first when memory runs out";
  const std::string size = human_size(policy.limits.memory_bytes);
  return facts.holds.group_memory
             ? fmt::format("{} for all commands together, by control group", size)
             : fmt::format(
                   "{} of data for each process, by RLIMIT_DATA: many processes may use more",
                   size);
}

std::string walls_line(const Policy& policy, const Facts& facts) {
  if (policy.level == Level::full) return "none";
  std::vector<std::string> namespaces{"mount", "IPC", "host name", "control group"};
  if (!policy.network) namespaces.insert(namespaces.begin() + 1, "network");
  if (facts.holds.user_namespace) namespaces.insert(namespaces.begin(), "user");
  return fmt::format(
      "{} and process namespaces{}; {}system call filter; no capabilities; no new privileges",
      join(namespaces, ", "), facts.holds.bubblewrap ? " (made by bubblewrap)" : "",
      facts.landlock == 0 ? "" : fmt::format("Landlock {}; ", facts.landlock));
}

// What people would expect of the walls and do not get, on this machine or by this policy.
std::string gaps_line(const Policy& policy, const Facts& facts) {
  constexpr int kScopes = 6;  // the version of Landlock that knows abstract sockets
  std::vector<std::string> gaps;
  if (facts.landlock == 0)
    gaps.emplace_back(
        "without Landlock, a named pipe outside can be written where its mode allows it, and a "
        "file that is standard input can be opened for writing");
  if (policy.network && facts.landlock < kScopes)
    gaps.emplace_back(
        "abstract sockets of the host can be reached: only Landlock 6 shuts them off");
  if (policy.network) gaps.emplace_back("sockets of the host that lie in a root can be reached");
  return join(gaps, "\n");
}

JsonArray array_of(const std::vector<std::string>& items) {
  JsonArray array;
  for (const std::string& item : items) array.emplace_back(escape_invalid_utf8(item));
  return array;
}

}  // namespace

Facts find_facts(const Result<Holds>& tried) {
  Facts facts;
  utsname name{};
  if (uname(&name) == 0) facts.kernel = name.release;
  facts.landlock = landlock_version();
  facts.namespace_processes = has_namespace_bound();
  facts.root = geteuid() == 0;
  if (tried)
    facts.holds = *tried;
  else
    facts.failure = tried.error();
  return facts;
}

std::vector<Line> explain(const Policy& policy, const Facts& facts) {
  std::vector<Line> lines;
  const auto add = [&](const char* topic, std::string text) {
    lines.push_back({topic, std::move(text)});
  };
  add("level", level_line(policy.level));
  if (facts.failure) {
    add("refused", facts.failure->message);
    add("way out", facts.failure->type == kUnfitWorkspace
                       ? facts.failure->hint
                       : "sandbox.level: full in your config runs commands without a sandbox");
  }
  if (policy.level != Level::full) {
    add("network", policy.network ? "the host's" : "off: commands share a loopback of their own");
    add("writable", writable_line(policy));
    if (policy.level == Level::workspace_write && !policy.roots.empty())
      add("never writable", protected_line(policy));
    if (!policy.read_only_roots.empty()) add("read-only roots", join_lines(policy.read_only_roots));
    add("readable", "everything else, but for secrets");
    add("unreadable", hidden_line(policy));
  }
  add("processes", processes_line(policy, facts));
  add("memory", memory_line(policy, facts));
  add("file size", policy.limits.file_bytes == 0
                       ? "no limit"
                       : "at most " + human_size(policy.limits.file_bytes));
  add("open files", policy.limits.open_files == 0
                        ? "no limit"
                        : fmt::format("at most {} for each process", policy.limits.open_files));
  add("processor time", processor_line(policy, facts));
  if (!facts.failure) add("walls", walls_line(policy, facts));
  if (policy.level != Level::full && !facts.failure) {
    if (std::string gaps = gaps_line(policy, facts); !gaps.empty())
      add("does not hold", std::move(gaps));
  }
  add("kernel", facts.kernel);
  for (const std::string& root : policy.roots) {
    if (policy.level != Level::workspace_write) break;
    const auto repository = repository_elsewhere(root);
    if (!repository || std::ranges::any_of(policy.roots, [&](const std::string& other) {
          return is_below(*repository, other);
        })) {
      continue;
    }
    add("git", escape_for_display(fmt::format(
                   "{} belongs to the repository {}, which is outside: commands can commit only "
                   "when it is a root, too",
                   root, *repository)));
  }
  return lines;
}

JsonObject to_json(const Policy& policy, const Facts& facts) {
  JsonObject limits{
      {"processes", policy.limits.processes},     {"memory_bytes", policy.limits.memory_bytes},
      {"file_bytes", policy.limits.file_bytes},   {"tmp_bytes", policy.limits.tmp_bytes},
      {"cpu_seconds", policy.limits.cpu_seconds}, {"open_files", policy.limits.open_files}};
  JsonObject machine{{"kernel", facts.kernel},
                     {"landlock", facts.landlock},
                     {"user_namespace", facts.holds.user_namespace},
                     {"bubblewrap", facts.holds.bubblewrap},
                     {"group_processes", facts.holds.group_processes},
                     {"group_memory", facts.holds.group_memory},
                     {"group_processor", facts.holds.group_processor},
                     {"namespace_processes", facts.namespace_processes}};
  JsonObject object{{"level", name_of(policy.level)},
                    {"network", policy.network},
                    {"roots", array_of(policy.roots)},
                    {"read_only_roots", array_of(policy.read_only_roots)},
                    {"protected_names", array_of(policy.protected_names)},
                    {"protected_paths", array_of(policy.protected_paths)},
                    {"protected_files", array_of(policy.protected_files)},
                    {"hidden", array_of(hidden_places(policy))},
                    {"limits", std::move(limits)},
                    {"machine", std::move(machine)},
                    {"works", !facts.failure}};
  if (facts.failure) object["failure"] = helve::to_json(*facts.failure);
  return object;
}

}  // namespace helve::sandbox
