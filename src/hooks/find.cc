#include <fmt/format.h>

#include "base/text.h"
#include "hooks/point.h"
#include "hooks/script_hooks.h"
#include "sys/directory.h"
#include "sys/file_at.h"
#include "sys/owner.h"
#include "sys/program.h"

namespace helve::hooks {
namespace {

constexpr size_t kMaxFiles = 1'000;  // in the directory
constexpr std::uint32_t kOwnerRuns = 0100;
constexpr const char* kPassedOn[] = {"PATH", "HOME", "LANG", "USER", "TMPDIR"};

struct Name {
  std::string_view point, extension;
};

// POINT.NAME.EXTENSION, where NAME may have dots of its own.
std::optional<Name> parse_name(std::string_view file) {
  const size_t first = file.find('.'), last = file.rfind('.');
  if (first == file.npos || last <= first + 1) return std::nullopt;
  Name name{file.substr(0, first), file.substr(last + 1)};
  if (name.extension != "sh" && name.extension != "js") return std::nullopt;
  return name;
}

Result<std::vector<std::string>> sorted_names(const sys::Fd& directory, const std::string& path) {
  std::vector<std::string> names;
  const auto listed = sys::for_each_entry(directory, [&](const sys::DirectoryEntry& entry) {
    if (!entry.name.starts_with('.')) names.emplace_back(entry.name);
    return names.size() <= kMaxFiles;
  });
  if (!listed) return sys::to_error(listed.error(), "list", path);
  if (names.size() > kMaxFiles) {
    return Error{Code::too_large,
                 fmt::format("'{}' has more than {} files", escape_for_display(path), kMaxFiles),
                 "keep only hook scripts there", "too_many_hooks"};
  }
  std::sort(names.begin(), names.end());
  return names;
}

// Why the file must not be run, or nothing.
std::optional<Error> refusal(const std::string& path, const sys::OrErrno<sys::FileStatus>& status) {
  if (!status) return sys::to_error(status.error(), "read", path);
  if (status->kind != sys::FileKind::file) {
    return Error{Code::denied,
                 fmt::format("'{}' is a {}, not a file", escape_for_display(path),
                             sys::name_of(status->kind)),
                 "put the script itself there", "unsafe_file"};
  }
  return sys::open_to_others(path, *status, sys::Writers::owner, sys::effective_user());
}

std::optional<Point> point_of(const std::optional<Name>& name) {
  const auto found = std::ranges::find(kPointNames, name ? name->point : "");
  if (found == kPointNames.end()) return std::nullopt;
  return static_cast<Point>(found - kPointNames.begin());
}

// Whatever a guard would have forbidden must not go through because the guard is not run.
Error guard_refused(std::string_view name, Error why) {
  why.message =
      fmt::format("the hook '{}' must not be run: {}", escape_for_display(name), why.message);
  return why;
}

Script make_script(const std::string& name, const std::string& path, std::string_view extension,
                   std::uint32_t mode) {
  if (extension == "js") return {name, {"node", path}};
  if (mode & kOwnerRuns) return {name, {path}, true};
  return {name, {"/bin/sh", path}, true};
}

std::vector<std::string> passed_on(const Options& options) {
  std::vector<std::string> environment;
  for (const std::string_view name : kPassedOn) {
    const auto found = options.environment.find(std::string(name));
    if (found == options.environment.end()) continue;
    const std::string value =
        name == "PATH" ? sys::path_outside(found->second, options.writable) : found->second;
    environment.push_back(fmt::format("{}={}", name, value));
  }
  return environment;
}

}  // namespace

class ScriptHooks::Finder {
 public:
  explicit Finder(sys::Fd directory) : directory_(std::move(directory)) {}

  Result<Found> find(Options options) {
    auto place = sys::path_of(directory_);
    if (!place) return sys::to_error(place.error(), "find", "the directory of hooks");
    path_ = std::move(*place);
    const auto own = sys::status(directory_);
    if (!own) return sys::to_error(own.error(), "open", path_);
    const std::vector<std::string> names = TRY(sorted_names(directory_, path_));
    if (auto open = sys::open_to_others(path_, *own, sys::Writers::owner, sys::effective_user())) {
      for (const std::string& name : names) {
        const std::optional<Point> point = point_of(parse_name(name));
        if (point && is_guard(*point)) return guard_refused(name, std::move(*open));
      }
      found_.notices.push_back(fmt::format("no hooks are run: {}", describe(*open)));
      return std::move(found_);
    }
    for (const std::string& name : names) TRY(consider(name));
    if (std::ranges::all_of(hooks_->scripts_, &std::vector<Script>::empty))
      return std::move(found_);
    hooks_->timeout_ = options.timeout;
    hooks_->environment_ = passed_on(options);
    hooks_->cwd_ = options.cwd.empty() ? path_ : std::move(options.cwd);
    found_.hooks = std::move(hooks_);
    return std::move(found_);
  }

 private:
  Result<void> consider(const std::string& name) {
    const std::string file = path_ + "/" + name;
    const std::optional<Name> parts = parse_name(name);
    const std::optional<Point> point = point_of(parts);
    if (!point) {
      report_name(file, parts);
      return {};
    }
    const auto status = sys::status_at(directory_, name);
    if (auto error = refusal(file, status)) {
      if (is_guard(*point)) return guard_refused(name, std::move(*error));
      found_.notices.push_back(fmt::format("a hook is not run: {}", describe(*error)));
      return {};
    }
    hooks_->scripts_[static_cast<size_t>(*point)].push_back(
        make_script(escape_for_display(name), file, parts->extension, status->mode));
    return {};
  }

  void report_name(const std::string& file, const std::optional<Name>& parts) {
    const std::string hint = parts ? did_you_mean(parts->point, kPointNames) : "";
    found_.notices.push_back(
        fmt::format("'{}' is not a hook: name it POINT.NAME.sh or POINT.NAME.js{}",
                    escape_for_display(file), hint.empty() ? "" : " (" + hint + ")"));
  }

  sys::Fd directory_;
  std::string path_;
  Found found_;
  std::unique_ptr<ScriptHooks> hooks_{new ScriptHooks()};
};

Result<ScriptHooks::Found> ScriptHooks::find(const std::string& path, Options options) {
  // A script that calls helve must not start itself again.
  if (options.environment.contains("HELVE_HOOK_POINT")) return Found{};
  auto directory = sys::open_directory(path);
  if (directory) return Finder(std::move(*directory)).find(std::move(options));
  if (directory.error() == std::errc::no_such_file_or_directory) return Found{};
  return sys::to_error(directory.error(), "open", path);
}

}  // namespace helve::hooks
