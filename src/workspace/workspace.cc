#include "workspace/workspace.h"

#include <fmt/core.h>

#include "base/diff.h"
#include "base/json.h"
#include "base/text.h"
#include "sys/clock.h"
#include "sys/directory.h"
#include "sys/environment.h"
#include "sys/limits.h"
#include "sys/memory.h"
#include "workspace/path.h"
#include "workspace/real_path.h"
#include "workspace/recover.h"
#include "workspace/spot.h"

namespace helve::workspace {
namespace {

bool has_parent_part(std::string_view path) {
  for (std::string_view part; !(part = next_part(path)).empty();)
    if (part == "..") return true;
  return false;
}

constexpr size_t kRoomToGrow = 64;         // one byte for that many of a file
constexpr size_t kMaxNamesForHint = 2000;  // of a directory that may hold what was meant

Result<std::string> absolute(const std::string& path) {
  if (path.starts_with('/')) return tidy(path);
  return tidy(TRY(sys::current_directory()) + "/" + path);
}

// Whether `directory` is the home directory or holds it, whatever links lead there.
bool holds_home(const std::string& directory) {
  const std::string home = sys::home_directory();
  if (home.empty()) return false;
  const auto opened = sys::open_directory(home);
  const auto real = opened ? sys::path_of(*opened) : sys::OrErrno<std::string>(home);
  return below(directory, real ? *real : home).has_value();
}

Error too_wide(const std::string& path) {
  return {
      Code::denied,
      fmt::format("'{}' is not taken as a workspace: it is, or holds, the home directory", path),
      "change to the project's directory, or name the root expressly", "root_too_wide"};
}

// Nothing of helve works without openat2. Its own sandbox refuses the call, since a filter cannot
// see what it asks for.
Error unsafe_here(std::errc why) {
  const std::string reason = std::generic_category().message(static_cast<int>(why));
  const bool is_refused =
      why == std::errc::function_not_supported || why == std::errc::operation_not_permitted;
  if (is_refused && sys::is_filtered())
    return Error{Code::unsupported,
                 fmt::format("helve does not work in a sandbox that forbids openat2 ('{}'), as its "
                             "own does",
                             reason),
                 "let this command run outside: by a route for 'helve' (routes in the "
                 "configuration), or with sandbox.level full; a container has to permit openat2",
                 "inside_sandbox"};
  return Error{Code::unsupported,
               fmt::format("files cannot be opened safely here: openat2 fails with '{}'", reason),
               "Linux 5.6 or newer is needed, and a container that permits openat2"};
}

}  // namespace

Result<std::unique_ptr<Workspace>> Workspace::make(const Options& options) {
  if (options.roots.empty()) return Error{Code::invalid_argument, "a workspace needs a root"};
  std::unique_ptr<Workspace> workspace(new Workspace(options));
  for (const Options::Root& root : options.roots)
    TRY(workspace->add_root(root, root.breadth.value_or(options.breadth)));
  TRY(workspace->check_links());
  for (const std::string& path : options.protected_directories) {
    if (path.empty()) return Error{Code::invalid_argument, "a protected directory has no path"};
    workspace->protected_directories_.push_back(TRY(absolute(path)));
  }
  if (!options.journal_directory.empty()) {
    workspace->open_journal(options.journal_directory, options.journal_limits);
  }
  return workspace;
}

Workspace::~Workspace() {
  if (changes_made_ > 0) journal_->tidy(Journal::When::due, sys::RealClock().unix_ms());
}

void Workspace::open_journal(const std::string& directory, const JournalLimits& limits) {
  journal_ = std::make_unique<Journal>(
      fmt::format("{}/{}", directory, journal_name(roots_.front().path)), limits);
  notices_ = recover(*journal_, roots_);
}

Result<void> Workspace::add_root(const Options::Root& option, Breadth breadth) {
  if (option.path.empty()) return Error{Code::invalid_argument, "the path of a root is empty"};
  Root root{.called = TRY(absolute(option.path)), .access = option.access};
  auto directory = sys::open_directory(root.called);
  if (!directory) return sys::to_error(directory.error(), "open the root", root.called);
  root.directory = std::move(*directory);
  if (const auto can = sys::can_open_beneath(root.directory); !can) return unsafe_here(can.error());
  const auto path = sys::path_of(root.directory);
  if (!path) return sys::to_error(path.error(), "find the path of", root.called);
  root.path = *path;
  if (breadth == Breadth::narrow && (root.path == "/" || holds_home(root.path))) {
    return too_wide(root.path);
  }
  for (const Root& other : roots_) {
    if (other.access == root.access) continue;
    // One file would be writable by one path and not by the other.
    if (below(other.path, root.path) || below(root.path, other.path)) {
      return Error{Code::invalid_argument,
                   fmt::format("the roots '{}' and '{}' overlap but differ in access", other.path,
                               root.path),
                   "give both the same access, or leave one out"};
    }
  }
  roots_.push_back(std::move(root));
  return {};
}

// Whoever may write in one root could decide where the other one is.
Result<void> Workspace::check_links() const {
  for (const Root& root : roots_) {
    for (const std::string& link : links_on_the_way(root.called)) {
      for (const Root& other : roots_) {
        if (other.access != Access::writable || !below(other.path, link) ||
            below(other.path, root.path))
          continue;
        return Error{Code::invalid_argument,
                     fmt::format("the way to the root '{}' leads through '{}', a link in the root "
                                 "'{}', where tools may write",
                                 root.called, link, other.path),
                     fmt::format("if you mean '{}', name it so", root.path)};
      }
    }
  }
  return {};
}

Result<Workspace::Place> Workspace::locate(std::string_view path) const {
  if (path.empty()) return Error{Code::invalid_argument, "the path is empty", "name a file"};
  if (path.size() > kMaxPath) {
    return Error{
        Code::invalid_argument,
        fmt::format("the path has {} bytes, the limit is {} (ENAMETOOLONG)", path.size(), kMaxPath),
        "use a shorter path", "name_too_long"};
  }
  if (path.find('\0') != path.npos) {
    return Error{Code::invalid_argument,
                 fmt::format("the path '{}' holds a NUL byte", escape_for_display(path)),
                 "remove it"};
  }
  if (!path.starts_with('/')) return climb(path).value_or(Place{&roots_.front(), path});
  for (const Root& root : roots_) {
    auto rest = below(root.path, path);
    if (!rest) rest = below(root.called, path);
    if (rest) return Place{&root, rest->empty() ? "." : *rest};
  }
  return with_roots(
      {.code = Code::denied,
       .message = fmt::format("'{}' is outside the workspace", escape_for_display(path)),
       .type = "outside_workspace"});
}

// A path that begins with ".." leaves the first root, and may lead into another one or back.
std::optional<Workspace::Place> Workspace::climb(std::string_view path) const {
  std::string_view rest = path, after = path, up = roots_.front().path;
  while (next_part(after) == "..") {
    rest = after;
    up = up.substr(0, std::min(up.rfind('/'), up.size()));
  }
  if (rest.size() == path.size()) return {};
  const std::string absolute = fmt::format("{}/{}", up, rest);
  for (const Root& root : roots_) {
    const auto inside = below(root.path, absolute);
    if (!inside || inside->size() > rest.size()) continue;
    return Place{&root, inside->empty() ? "." : rest.substr(rest.size() - inside->size())};
  }
  return {};
}

std::string Workspace::shown(const Place& place) const {
  std::string path = tidy(place.path);
  if (place.root != &roots_.front()) {
    path = path == "." ? place.root->path : place.root->path + "/" + path;
  }
  return is_utf8(path) ? path : escape_invalid_utf8(path);
}

sys::Writable Workspace::root_paths() const {
  sys::Writable paths;
  for (const Root& root : roots_) paths.push_back(root.path);
  return paths;
}

std::string Workspace::display(std::string_view path) const {
  const Result<Place> place = locate(path);
  return place ? shown(*place) : escape_invalid_utf8(path);
}

Error Workspace::with_roots(Error error) const {
  if (error.type != "outside_workspace") return error;
  std::string list;
  for (const Root& root : roots_) {
    list += fmt::format("{}'{}'{}", list.empty() ? "" : ", ", root.path,
                        root.access == Access::read_only ? " (read-only)" : "");
  }
  error.hint = fmt::format("the workspace is {}; links that leave it are not followed", list);
  return error;
}

Error Workspace::failed(std::errc number, std::string_view action, const Place& place) const {
  if (number == std::errc::no_such_file_or_directory) return missing(action, place);
  Error error = with_roots(sys::to_error(number, action, shown(place)));
  if (number == std::errc::not_a_directory) error.hint = part_that_is_a_file(place);
  return error;
}

std::string Workspace::part_that_is_a_file(const Place& place) const {
  const std::string path = tidy(place.path);
  for (size_t slash = path.find('/'); slash != path.npos; slash = path.find('/', slash + 1)) {
    const std::string part = path.substr(0, slash);
    const auto opened = sys::open_beneath(place.root->directory, part, sys::Open::directory);
    if (!opened && opened.error() == std::errc::not_a_directory)
      return fmt::format("'{}' is a file, not a directory",
                         escape_for_display(shown({place.root, part})));
  }
  return "a file stands where the path needs a directory";
}

Error Workspace::with_hint(Error error, std::span<const Change> changes) const {
  const bool is_missing = error.code == Code::not_found && error.hint.empty();
  if (!is_missing && error.type != "not_directory") return error;
  for (const Change& change : changes) {
    const Result<Place> place = locate(change.path);
    if (!place) continue;
    const auto [directory_path, name] = split_name(place->path);
    const auto directory =
        sys::open_beneath(place->root->directory, directory_path, sys::Open::directory);
    if (directory && sys::status_at(*directory, name)) continue;
    if (!is_missing) {
      error.hint = part_that_is_a_file(*place);
    } else if (Error same = missing("find", *place); same.type == "root_moved") {
      return same;
    } else {
      error.hint = std::move(same.hint);
    }
    break;
  }
  return error;
}

Result<void> check_root(const Root& root) {
  const auto ours = sys::status(root.directory);
  const auto real = sys::path_of(root.directory);
  const auto leads_here = [&](const std::string& path) {
    const auto now = sys::status_of(path);
    return now ? !ours || now->same_file(*ours) : !is_absence(now.error());
  };
  if (leads_here(root.path) && leads_here(root.called) && (!real || *real == root.path)) return {};
  return Error{Code::conflict,
               fmt::format("the workspace '{}' was moved, removed or replaced since helve started",
                           escape_for_display(root.path)),
               "start helve again where the files are now", "root_moved"};
}

namespace {

// The path whose last name a text shows so: with escapes, and then perhaps in quotes.
std::optional<std::string> path_shown_as(const Root& root, std::string_view path) {
  if (path.find('\\') == path.npos) return {};
  const bool is_quoted = path.size() > 2 && path.front() == '"' && path.back() == '"';
  if (is_quoted) path = path.substr(1, path.size() - 2);
  const auto [directory_path, name] = split_name(path);
  const auto directory = sys::open_beneath(root.directory, directory_path, sys::Open::directory);
  if (!directory) return {};
  std::optional<std::string> found;
  size_t looked_at = 0;
  (void)sys::for_each_entry(*directory, [&](const sys::DirectoryEntry& entry) {
    std::string own;
    for (const char c : entry.name) {
      if (is_quoted && (c == '\\' || c == '"')) own += '\\';
      own += c;
    }
    if (is_utf8(entry.name) && escape_for_display(own) == name) {
      found = directory_path == "." ? std::string(entry.name)
                                    : fmt::format("{}/{}", directory_path, entry.name);
    }
    return !found && ++looked_at < kMaxNamesForHint;
  });
  return found;
}

}  // namespace

Error Workspace::missing(std::string_view action, const Place& place) const {
  if (const auto there = check_root(*place.root); !there) return there.error();
  Error error = sys::to_error(std::errc::no_such_file_or_directory, action, shown(place));
  if (const auto path = path_shown_as(*place.root, place.path)) {
    error.hint = fmt::format("texts show that name with escapes; in JSON the path is {}",
                             to_text(Json(shown({place.root, *path}))));
    return error;
  }
  const auto [directory_path, name] = split_name(place.path);
  const auto directory =
      sys::open_beneath(place.root->directory, directory_path, sys::Open::directory);
  if (!directory) {
    error.hint =
        fmt::format("there is no directory '{}' either", shown({place.root, directory_path}));
    return error;
  }
  if (const auto target = sys::read_link_at(*directory, name)) {
    error.hint = fmt::format("it is a link to '{}', which is missing", escape_for_display(*target));
    return error;
  }
  std::vector<std::string> names;
  (void)sys::for_each_entry(*directory, [&](const sys::DirectoryEntry& entry) {
    if (is_utf8(entry.name)) names.emplace_back(entry.name);
    return names.size() < kMaxNamesForHint;
  });
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  if (const std::string_view best = nearest(name, candidates); !best.empty()) {
    const std::string path =
        directory_path == "." ? std::string(best) : fmt::format("{}/{}", directory_path, best);
    error.hint = fmt::format("did you mean '{}'?", escape_for_display(shown({place.root, path})));
  } else {
    error.hint = fmt::format("`ls` lists what '{}' holds", shown({place.root, directory_path}));
  }
  return error;
}

namespace {

struct Reading {
  sys::Fd file;
  std::string real_path;  // the same for every path that leads to it
};

// As tools read: through links.
sys::OrErrno<Reading> open_for_reading(const Root& root, std::string_view path) {
  auto file = sys::open_beneath(root.directory, path, sys::Open::read, sys::Links::refuse);
  // Without links in it a path says itself where the file is.
  const bool is_plain = file && !has_parent_part(path);
  if (!file && file.error() == std::errc::too_many_symbolic_link_levels) {
    file = sys::open_beneath(root.directory, path, sys::Open::read);
  }
  if (!file) return std::unexpected(file.error());
  Reading reading{std::move(*file), {}};
  if (!is_plain) {
    if (auto real = sys::path_of(reading.file)) reading.real_path = std::move(*real);
  }
  if (reading.real_path.empty()) {
    reading.real_path = (root.path == "/" ? "" : root.path) + "/" + tidy(path);
  }
  return reading;
}

}  // namespace

Result<OpenFile> Workspace::open_file(std::string_view path) const {
  const Place place = TRY(locate(path));
  auto reading = open_for_reading(*place.root, place.path);
  if (!reading) return failed(reading.error(), "read", place);
  const auto status = sys::status(reading->file);
  if (!status) return failed(status.error(), "read", place);
  if (status->kind == sys::FileKind::directory) {
    Error error = sys::to_error(std::errc::is_a_directory, "read", shown(place));
    error.hint = "`ls` lists what it holds";
    return error;
  }
  if (status->kind != sys::FileKind::file) {
    return Error{Code::unsupported,
                 fmt::format("cannot read '{}': it is a {}", escape_for_display(shown(place)),
                             sys::name_of(status->kind)),
                 "only regular files are read", "not_a_file"};
  }
  if (status->links > 1 && hard_links_ == HardLinks::refuse) {
    return Error{
        Code::denied,
        fmt::format("cannot read '{}': the file has {} names (hard links), perhaps outside "
                    "the workspace",
                    escape_for_display(shown(place)), status->links),
        "read_hard_links in the configuration allows it", "hard_link"};
  }
  return OpenFile{std::move(reading->file), *status, std::move(reading->real_path)};
}

Result<Snapshot> Workspace::read_whole(std::string_view path, size_t limit) const {
  OpenFile open = TRY(open_file(path));
  const auto too_large = [&](std::uint64_t size) {
    return Error{Code::too_large,
                 fmt::format("'{}' has {}, the limit is {}", escape_for_display(display(path)),
                             human_size(size), human_size(limit)),
                 "read it in pages; a file of this size is changed by programs, not by tools"};
  };
  if (open.status.size > limit) return too_large(open.status.size);
  Snapshot snapshot{.version = Version::of(open.status), .real_path = std::move(open.real_path)};
  // An edit finds room to grow, and one byte more than is there shows a file that grew meanwhile.
  sys::reserve_for_writing(snapshot.content,
                           open.status.size + open.status.size / kRoomToGrow + 1024);
  sys::OrErrno<size_t> got = 0;
  snapshot.content.resize_and_overwrite(open.status.size + 1, [&](char* data, size_t size) {
    got = sys::read_at(open.file, {data, size}, 0, size - 1);
    return got ? *got : 0;
  });
  if (!got) return sys::to_error(got.error(), "read", display(path));
  const auto now = sys::status(open.file);
  if (!now) return sys::to_error(now.error(), "read", display(path));
  if (*got != open.status.size || !Version::of(*now).is(snapshot.version)) {
    return Error{
        Code::conflict,
        fmt::format("'{}' changed while it was being read", escape_for_display(display(path))),
        "try again", "changed_meanwhile"};
  }
  return snapshot;
}

std::string Workspace::seen_key(std::string_view path) const {
  const Result<Place> place = locate(path);
  if (!place) return std::string(path);
  if (auto reading = open_for_reading(*place->root, place->path)) {
    return std::move(reading->real_path);
  }
  const auto [directory, name] = split_name(place->path);
  const auto opened = sys::open_beneath(place->root->directory, directory, sys::Open::directory);
  const auto real = opened ? sys::path_of(*opened) : sys::OrErrno<std::string>(std::string());
  return real && !real->empty() ? fmt::format("{}/{}", *real, name) : shown(*place);
}

void Workspace::saw(std::string_view session, const OpenFile& file,
                    std::optional<std::string_view> whole) {
  if (session.empty() || !seen_.remembers()) return;
  const Version version = Version::of(file.status);
  // The content tells a change from a mere touch, and shows it; a small file is soon read, once.
  if (!whole && file.status.size <= Seen::kMaxContent) {
    if (seen_.knows(session, file.real_path, version)) return;
    const Result<Snapshot> now = read_whole(file.real_path, Seen::kMaxContent);
    if (now && now->version.is(version)) return saw(session, *now);
  }
  seen_.note(session, file.real_path, version, whole);
}

void Workspace::saw(std::string_view session, const Snapshot& whole) {
  if (!seen_.remembers()) return;
  seen_.note(session, whole.real_path, whole.version, whole.content);
}

namespace {

Error changed_since_read(std::string_view shown, std::string_view difference = {}) {
  return {Code::conflict,
          fmt::format("'{}' changed since it was read{}{}", escape_for_display(shown),
                      difference.empty() ? "" : ":\n", difference),
          "read it again, then change it", "changed_since_read"};
}

}  // namespace

Result<void> Workspace::check_seen(std::string_view session, std::string_view path,
                                   const Snapshot& now) {
  if (seen_.is_empty()) return {};
  const Seen::Answer answer = seen_.compare(session, now.real_path, now);
  if (answer.same) return {};
  const bool shows = answer.known && is_utf8(answer.before) && is_utf8(now.content);
  return changed_since_read(display(path), shows ? short_diff(answer.before, now.content) : "");
}

Result<std::optional<Version>> Workspace::check_seen(std::string_view session,
                                                     std::string_view path) {
  if (seen_.is_empty()) return std::optional<Version>();
  const Place place = TRY(locate(path));
  const auto [directory, name] = split_name(place.path);
  const auto opened = sys::open_beneath(place.root->directory, directory, sys::Open::directory);
  const auto status = opened ? sys::status_at(*opened, name)
                             : sys::OrErrno<sys::FileStatus>(std::unexpected(opened.error()));
  if (status && status->kind == sys::FileKind::directory) {
    for (const std::string& file : seen_.below(session, seen_key(path))) {
      TRY(check_seen(session, file));
    }
  }
  if (!status || status->kind != sys::FileKind::file) return std::optional<Version>();
  const std::optional<Version> seen = seen_.version(session, seen_key(path));
  if (!seen) return std::optional<Version>();
  const Version now = Version::of(*status);
  if (now.is(*seen)) return std::optional(now);
  const Result<Snapshot> whole = read_whole(path);
  // What cannot be compared is not known to be the same.
  if (!whole) return changed_since_read(display(path));
  TRY(check_seen(session, path, *whole));
  return std::optional(whole->version);
}

}  // namespace helve::workspace
