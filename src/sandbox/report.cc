#include "sandbox/report.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/text.h"
#include "sandbox/enclosure.h"
#include "sandbox/git.h"
#include "sandbox/kernel.h"
#include "sandbox/limits.h"
#include "sandbox/view.h"

namespace helve::sandbox {
namespace {

constexpr size_t kMaxAnswer = 64u << 10;  // bytes

bool exists(const std::string& path) {
  struct stat status {};
  return lstat(path.c_str(), &status) == 0;
}

// What the trying process answers: a code, a message and a hint, or what it has.
std::string answer_for(const Policy& policy) {
  const auto enclosure = Enclosure::make(policy);
  const auto failed = [](const Error& error) {
    JsonObject object{{"failed", true}, {"message", error.message}, {"hint", error.hint}};
    object["code"] = static_cast<int>(error.code);
    return to_text(object);
  };
  if (!enclosure) return failed(enclosure.error());
  const long child = syscall(
      SYS_clone, static_cast<unsigned long>(enclosure->clone_flags()) | SIGCHLD, 0, 0, 0, 0);
  if (child == 0) {
    const bool entered = enclosure->enter({}).has_value();
    _exit(entered && enclosure->lock() ? 0 : 1);
  }
  int status = -1;
  if (child > 0) waitpid(static_cast<pid_t>(child), &status, 0);
  const Holds holds = enclosure->holds();
  enclosure->tidy();
  if (status != 0) {
    return failed({.code = Code::unsupported,
                   .message = "the sandbox was built, but no command can be locked into it",
                   .hint = "the first command tells the reason"});
  }
  return to_text(JsonObject{{"user", holds.user_namespace},
                            {"bubblewrap", holds.bubblewrap},
                            {"processes", holds.group_processes},
                            {"memory", holds.group_memory}});
}

std::string read_all(int descriptor) {
  std::string text;
  char buffer[4096];
  for (;;) {
    const ssize_t count = read(descriptor, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0 || text.size() > kMaxAnswer) return text;
    text.append(buffer, static_cast<size_t>(count));
  }
}

// Empty: the process came to nothing.
std::string ask_a_process(const Policy& policy) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {};
  const sys::Fd reading(ends[0]);
  sys::Fd writing(ends[1]);
  const pid_t child = fork();
  if (child == 0) {
    const std::string answer = answer_for(policy);
    (void)!write(writing.get(), answer.data(), answer.size());
    _exit(0);
  }
  writing = sys::Fd();
  std::string answer = child > 0 ? read_all(reading.get()) : std::string();
  if (child > 0) waitpid(child, nullptr, 0);
  return answer;
}

bool is_true(const Json& object, std::string_view name) {
  const Json* value = find(object, name);
  return value != nullptr && value->is_bool() && value->as_bool();
}

std::string list_of(const std::vector<std::string>& items) {
  return items.empty() ? "nothing" : escape_for_display(join(items, ", "));
}

std::string files_line(const Policy& policy) {
  const std::vector<std::string> places = private_directories();
  const std::string temporary = fmt::format("{} (private, {} together)", list_of(places),
                                            human_size(temporary_bytes(policy.limits)));
  if (policy.level == Level::read_only || policy.roots.empty()) return temporary;
  return list_of(policy.roots) + ", " + temporary;
}

std::string hidden_line(const Policy& policy) {
  std::vector<std::string> found;
  std::ranges::copy_if(policy.hidden, std::back_inserter(found), exists);
  return fmt::format("{} of {} places exist: {}", found.size(), policy.hidden.size(),
                     list_of(found));
}

std::string processes_line(const Policy& policy, const Facts& facts) {
  if (policy.limits.processes == 0) return "no limit";
  std::vector<std::string> by;
  if (facts.group_processes) by.push_back("a control group (all commands together)");
  if (facts.namespace_processes) by.push_back("the process namespace (each command)");
  if (!facts.root) by.push_back("RLIMIT_NPROC (all of this user in the sandbox)");
  if (by.empty()) {
    return fmt::format(
        "{} is asked for, but nothing on this machine bounds root: a delegated control "
        "group or Linux 6.14 would",
        policy.limits.processes);
  }
  return fmt::format("at most {}, by {}", policy.limits.processes, join(by, " and "));
}

std::string memory_line(const Policy& policy, const Facts& facts) {
  if (policy.limits.memory_bytes == 0) return "no limit; commands go first when memory runs out";
  const std::string size = human_size(policy.limits.memory_bytes);
  return facts.group_memory
             ? fmt::format("{} for all commands together, by control group", size)
             : fmt::format(
                   "{} of data for each process, by RLIMIT_DATA: many processes may use more",
                   size);
}

std::string walls_line(const Policy& policy, const Facts& facts) {
  if (policy.level == Level::full) return "none";
  return fmt::format(
      "{}mount, network, IPC and process namespaces; {}; system call filter; no "
      "capabilities, no new privileges",
      facts.user_namespace ? "user, " : "", policy.network ? "" : "network, ",
      facts.landlock == 0 ? "no Landlock in this kernel"
                          : fmt::format("Landlock {}", facts.landlock));
}

JsonArray array_of(const std::vector<std::string>& items) {
  JsonArray array;
  for (const std::string& item : items) array.emplace_back(escape_invalid_utf8(item));
  return array;
}

}  // namespace

Facts find_facts(const Policy& policy) {
  Facts facts;
  utsname name{};
  if (uname(&name) == 0) facts.kernel = name.release;
  facts.landlock = landlock_version();
  facts.namespace_processes = has_namespace_bound();
  facts.root = geteuid() == 0;
  const auto answer = parse_json(ask_a_process(policy));
  if (!answer) {
    facts.failure = Error{.code = Code::internal,
                          .message = "the process that tried the sandbox died",
                          .hint = "`dmesg` may tell why"};
  } else if (is_true(*answer, "failed")) {
    const Json* code = find(*answer, "code");
    facts.failure =
        Error{.code = code->is_int64() ? static_cast<Code>(code->as_int64()) : Code::internal,
              .message = std::string(string_at(*answer, "message")),
              .hint = std::string(string_at(*answer, "hint"))};
  } else {
    facts.user_namespace = is_true(*answer, "user");
    facts.bubblewrap = is_true(*answer, "bubblewrap");
    facts.group_processes = is_true(*answer, "processes");
    facts.group_memory = is_true(*answer, "memory");
  }
  return facts;
}

std::vector<Line> explain(const Policy& policy, const Facts& facts) {
  std::vector<Line> lines;
  const auto add = [&](const char* topic, std::string text) {
    lines.push_back({topic, std::move(text)});
  };
  add("level", std::string(name_of(policy.level)));
  if (facts.failure) add("refused", describe(*facts.failure));
  if (policy.level != Level::full) {
    add("network", policy.network ? "the host's" : "off; commands share a loopback of their own");
    add("writable", files_line(policy));
    add("never writable",
        list_of(policy.protected_names) + " in each root; " + list_of(policy.protected_paths));
    add("unreadable", hidden_line(policy));
  }
  add("processes", processes_line(policy, facts));
  add("memory", memory_line(policy, facts));
  add("file size",
      policy.limits.file_bytes == 0 ? "no limit" : human_size(policy.limits.file_bytes));
  add("processor time", policy.limits.cpu_seconds == 0
                            ? "no limit"
                            : fmt::format("{} s for each process", policy.limits.cpu_seconds));
  if (!facts.failure) add("walls", walls_line(policy, facts));
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
                     {"user_namespace", facts.user_namespace},
                     {"bubblewrap", facts.bubblewrap},
                     {"group_processes", facts.group_processes},
                     {"group_memory", facts.group_memory},
                     {"namespace_processes", facts.namespace_processes}};
  JsonObject object{{"level", name_of(policy.level)},
                    {"network", policy.network},
                    {"roots", array_of(policy.roots)},
                    {"read_only_roots", array_of(policy.read_only_roots)},
                    {"protected_names", array_of(policy.protected_names)},
                    {"protected_paths", array_of(policy.protected_paths)},
                    {"hidden", array_of(policy.hidden)},
                    {"limits", std::move(limits)},
                    {"machine", std::move(machine)},
                    {"works", !facts.failure}};
  if (facts.failure) object["failure"] = helve::to_json(*facts.failure);
  return object;
}

}  // namespace helve::sandbox
