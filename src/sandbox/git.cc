#include "sandbox/git.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <set>

#include "base/text.h"
#include "sandbox/failure.h"
#include "sandbox/git_files.h"
#include "sandbox/view.h"
#include "sys/directory.h"
#include "sys/environment.h"

namespace helve::sandbox {
namespace {

constexpr size_t kMaxNames = 4096;    // of one root
constexpr size_t kMaxVisited = 4096;  // directories of its repositories that are looked into
constexpr int kMaxDepth = 16;         // of names such as modules/libs/a, and of submodules
constexpr int kLevels = 2;            // below a root where repositories are looked for in any case
constexpr size_t kMaxDeep = 16384;    // directories below those that are looked at
constexpr size_t kMaxDeepFound = 16;  // repositories there; each makes every command slower

std::string join(const std::string& directory, const std::string& name) {
  return directory.empty() ? name : directory + "/" + name;
}

std::vector<std::string> directories_in(const sys::Fd& directory, size_t most) {
  std::vector<std::string> names;
  if (!directory) return names;
  (void)sys::for_each_entry(directory, [&](const sys::DirectoryEntry& entry) {
    if (!entry.kind || *entry.kind == sys::FileKind::directory) names.emplace_back(entry.name);
    return names.size() <= most;
  });
  std::ranges::sort(names);
  return names;
}

sys::Fd open_directory(const std::string& path) {
  return sys::Fd(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

class Search {
 public:
  Search(const std::string& root, size_t most) : root_(root), most_(most) {}

  Result<void> look_into(const std::string& name, int levels) {
    const sys::Fd directory = open_directory(join(root_, name));
    if (!directory && errno == EACCES) note_unknown(name);
    for (const std::string& entry : directories_in(directory, most_)) {
      if (++looked_at_ > most_) return too_many();
      if (entry != ".git" && entry != "node_modules") TRY(look_at(join(name, entry), levels));
    }
    return {};
  }

  // The nearest first, since there is an end to it, and not in other file systems, which may be far
  // away. In a repository nobody looks: what lies deep in one are mostly downloads of builds, which
  // commands remove again.
  void look_deeper() {
    struct stat own {
    }, status{};
    // An empty .git is only reserved.
    const std::string git = path(".git");
    if (is_repository(git) || is_regular_file(git) || is_link(git) || is_repository(root_)) return;
    if (lstat(root_.c_str(), &own) != 0) return;
    size_t looked_at = 0;
    for (size_t i = 0; i < deeper_.size(); ++i) {
      const std::string name = deeper_[i];
      const sys::Fd directory = open_directory(path(name));
      if (!directory || fstat(directory.get(), &status) != 0 || status.st_dev != own.st_dev)
        continue;
      for (const std::string& entry : directories_in(directory, kMaxDeep)) {
        if (++looked_at > kMaxDeep || deep_found_ >= kMaxDeepFound) return;
        const std::string place = join(name, entry);
        if (entry != "node_modules" && !has_links(place)) deep_found_ += look_for(place) ? 1 : 0;
      }
    }
  }

  Repositories take() {
    for (const std::string& checkout : found_.checkouts) {
      if (!is_git_directory(path(checkout))) found_.plain.push_back(checkout);
    }
    return std::move(found_);
  }

 private:
  std::string path(const std::string& name) const { return root_ + "/" + name; }

  Result<void> look_at(const std::string& name, int levels) {
    if (look_for(name)) return {};
    if (is_closed(path(name) + "/.git")) {
      note_unknown(name);
    } else if (levels > 1) {
      deeper_.pop_back();
      return look_into(name, levels - 1);
    }
    return {};
  }

  // Such a repository cannot be protected. Nearer ones are refused for that; what lies deep is not
  // to keep every command from running.
  bool has_links(const std::string& name) const {
    const std::string git = path(join(name, ".git"));
    return is_link(git) || is_link(git + "/hooks") || is_link(git + "/config") ||
           is_link(git + "/info");
  }

  // Whether there is a repository. If not, somebody may look deeper.
  bool look_for(const std::string& name) {
    if (exists(path(join(name, ".git")))) {
      found_.checkouts.push_back(name);
    } else if (is_repository(path(name))) {
      found_.bare.push_back(name);
    } else {
      deeper_.push_back(name);
      return false;
    }
    return true;
  }

  // A command could open it again; but what belongs to somebody else is closed to commands, too.
  void note_unknown(const std::string& name) {
    struct stat status {};
    if (lstat(path(name).c_str(), &status) == 0 && status.st_uid == geteuid())
      found_.unknown.push_back(name);
  }

  Error too_many() const {
    return unfit("'" + root_ + "' holds too many directories to look for repositories in them",
                 "choose a narrower root, or remove those that a command made");
  }

  const std::string& root_;
  const size_t most_;
  Repositories found_{.checkouts = {""}, .bare = {}, .plain = {}, .unknown = {}};
  std::vector<std::string> deeper_;  // directories without a repository, outermost first
  size_t looked_at_ = 0;
  size_t deep_found_ = 0;
};

class Names {
 public:
  Names(const std::string& root, std::vector<std::string> leaves)
      : root_(root), leaves_(std::move(leaves)) {}

  // A directory with a .git: a repository, or a file or link that leads to one. Others may be in
  // it.
  void add_checkout(const std::string& place, int depth) {
    const std::string git = join(place, ".git");
    if (is_too_much(depth) || !seen_.insert(git).second) return;
    places_.push_back(place);
    if (is_directory(path(git))) {
      add_repository(git, depth);
    } else if (is_regular_file(path(git))) {
      names_.push_back(git);
      add_repository_at(linked_directory(path(place)), depth);
    } else if (is_link(path(git))) {
      add_link(git, place, depth);
    } else {
      note_closed(git);
      return;
    }
    const std::string modules = read_config(path(join(place, ".gitmodules")));
    add_checkouts_in(place, values_of(modules, "path"), depth);
    // Commands can change the file above, but not what git keeps of it.
    add_checkouts_in(place, submodules_of(read_config(path(join(git, "config")))), depth);
  }

  void add_repository(const std::string& directory, int depth) {
    const bool is_new = seen_.insert(join(directory, "HEAD")).second;
    if (is_new) note_closed(directory);
    if (!is_new || is_too_much(depth) || !is_directory(path(directory))) return;
    repositories_.push_back(directory);
    for (const std::string& leaf : leaves_) names_.push_back(join(directory, leaf));
    std::string config = read_config(path(join(directory, "config")));
    // With this extension git reads a second configuration file.
    const bool second = lowered(config).find("worktreeconfig") != std::string::npos;
    if (second) config += read_config(path(join(directory, "config.worktree")));
    add_leads(directory, second);
    for (const std::string& place : values_of(config, "worktree")) {
      add_link_in(real_path(beside(directory, place)));
    }
    add_included(directory, config, depth);
    add_worktrees(join(directory, "worktrees"), second, depth);
    shut_modules(directory);
    add_modules(join(directory, "modules"), depth);
  }

  GitNames take() {
    return {.names = std::move(names_),
            .files = std::move(files_),
            .links = std::move(links_),
            .shut = std::move(shut_),
            .modules = std::move(modules_),
            .repositories = std::move(repositories_),
            .places = std::move(places_),
            .is_complete = !is_too_much(0)};
  }

 private:
  std::string path(const std::string& name) const { return root_ + "/" + name; }
  // What cannot be seen cannot be protected either, and who tries finds out whether it must be.
  void note_closed(const std::string& name) {
    if (is_closed(path(name))) names_.push_back(name);
  }
  std::string beside(const std::string& directory, const std::string& place) const {
    if (place.starts_with("~/")) return sys::home_directory() + place.substr(1);
    return place.starts_with('/') ? place : path(join(directory, place));
  }

  static std::string lowered(std::string text) {
    for (char& c : text) {
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return text;
  }

  // Once true it stays so: what was left out then is not protected.
  bool is_too_much(int depth) {
    if (depth > kMaxDepth || visited_ > kMaxVisited ||
        names_.size() + links_.size() + shut_.size() > kMaxNames)
      failed_ = true;
    return failed_;
  }

  std::vector<std::string> visit(const std::string& directory) {
    const sys::Fd opened = open_directory(path(directory));
    if (!opened && errno == EACCES) names_.push_back(directory);  // whatever is in there
    std::vector<std::string> found = directories_in(opened, kMaxVisited);
    visited_ += found.size() + 1;
    places_.push_back(directory);
    return found;
  }

  // Relative to the root; nothing for what is elsewhere.
  std::optional<std::string> below_root(const std::string& absolute) const {
    if (absolute.empty() || !is_below(absolute, root_)) return std::nullopt;
    if (absolute == root_) return "";
    return absolute.substr(root_ == "/" ? 1 : root_.size() + 1);
  }

  // Or at the repository that a linked worktree's directory belongs to.
  void add_repository_at(const std::string& absolute, int depth) {
    const auto inside = below_root(repository_of_worktree(absolute).value_or(absolute));
    if (inside) add_repository(*inside, depth);
  }

  // The link .git in a checkout, and what it leads to.
  void add_link(const std::string& git, const std::string& place, int depth) {
    const std::string absolute = real_path(path(git)), said = target_of_link(path(git));
    // Another link on the way could be replaced: as a name of its own this one is refused.
    const bool is_straight = absolute.empty() || absolute == said ||
                             !(is_below(absolute, root_) || is_below(said, root_));
    (is_straight ? links_ : names_).push_back(git);
    if (!is_regular_file(absolute)) return add_repository_at(absolute, depth);
    if (const auto file = below_root(absolute)) names_.push_back(*file);
    add_repository_at(linked_directory(path(place)), depth);
  }

  // Files by which git finds its configuration elsewhere. An absent one cannot be reserved: an
  // empty commondir would break the repository.
  void add_leads(const std::string& directory, bool second) {
    for (const char* name : {"commondir", "gitdir"}) {
      if (exists(path(join(directory, name)))) names_.push_back(join(directory, name));
    }
    const std::string config = join(directory, "config.worktree");
    if (second || exists(path(config))) names_.push_back(config);
  }

  // The file .git in a checkout, which leads back to where we found the checkout.
  void add_link_in(const std::string& absolute) {
    const auto place = below_root(absolute);
    if (!place || place->empty()) return;
    places_.push_back(*place);
    note_closed(join(*place, ".git"));
    if (!is_regular_file(absolute + "/.git")) return;
    names_.push_back(join(*place, ".git"));
  }

  // Other files of the configuration, and programs of tools: no other name there means a file. Git
  // passes over one that does not exist, and would obey one that a command made.
  void add_included(const std::string& directory, std::string_view config, int depth) {
    for (const std::string& value : values_of(config, "path")) {
      const std::string said = std::filesystem::path(beside(directory, value)).lexically_normal();
      const auto file = below_root(real_path_to_be(said)), link = below_root(said);
      if (link && link != file) links_.push_back(*link);
      if (!file || file->empty() || !seen_.insert(*file).second) continue;
      if (!exists(path(*file))) {
        files_.push_back(*file);
        names_.push_back(*file);
        continue;
      }
      // A link is one to nothing here.
      if (!is_regular_file(path(*file)) && !is_link(path(*file))) continue;
      names_.push_back(*file);
      const size_t slash = file->rfind('/');
      if (is_too_much(depth + 1)) return;
      add_included(slash == file->npos ? "" : file->substr(0, slash), read_config(path(*file)),
                   depth + 1);
    }
  }

  void add_worktrees(const std::string& worktrees, bool second, int depth) {
    for (const std::string& name : visit(worktrees)) {
      if (is_too_much(depth)) return;
      const std::string directory = join(worktrees, name);
      places_.push_back(directory);
      add_leads(directory, second);
      add_link_in(checkout_of_worktree(path(directory)));
      shut_modules(directory);
      add_modules(join(directory, "modules"), depth + 1);
    }
  }

  // A link stays, and what it leads to is not protected.
  void shut_modules(const std::string& directory) {
    const std::string modules = join(directory, "modules");
    (is_link(path(modules)) ? links_ : shut_).push_back(modules);
  }

  void add_modules(const std::string& directory, int depth) {
    if (is_too_much(depth)) return;
    for (const std::string& name : visit(directory)) {
      if (is_too_much(depth)) return;
      const std::string module = join(directory, name);
      if (exists(path(module) + "/HEAD") || exists(path(module) + "/config")) {
        modules_.push_back(module);
        add_repository(module, depth + 1);
      } else {
        add_modules(module, depth + 1);
      }
    }
  }

  void add_checkouts_in(const std::string& place, const std::vector<std::string>& names,
                        int depth) {
    visited_ += names.size();
    for (const std::string& name : names) {
      if (is_too_much(depth)) return;
      const auto inside = below_root(real_path(path(join(place, name))));
      if (inside && !inside->empty()) add_checkout(*inside, depth + 1);
    }
  }

  const std::string& root_;
  const std::vector<std::string> leaves_;
  std::vector<std::string> names_;
  std::vector<std::string> files_;
  std::vector<std::string> links_;
  std::vector<std::string> shut_;
  std::vector<std::string> modules_;
  std::vector<std::string> repositories_;
  std::vector<std::string> places_;
  std::set<std::string> seen_;
  size_t visited_ = 0;
  bool failed_ = false;
};

void set_aside(const std::string& head) {
  if (rename(head.c_str(), (head + ".set-aside").c_str()) != 0) unlink(head.c_str());
}

}  // namespace

Result<Repositories> find_repositories(const std::string& root, size_t most) {
  Search search(root, most);
  TRY(search.look_into("", kLevels));
  search.look_deeper();
  return search.take();
}

GitNames git_names(const std::string& root, const Repositories& known,
                   std::span<const std::string> protected_names) {
  constexpr std::string_view kGit = ".git/";
  std::vector<std::string> leaves;
  for (const std::string& name : protected_names) {
    if (name.starts_with(kGit)) leaves.push_back(name.substr(kGit.size()));
  }
  if (leaves.empty()) return {};
  Names names(root, leaves);
  for (const std::string& place : known.checkouts) names.add_checkout(place, 0);
  for (const std::string& place : known.bare) names.add_repository(place, 0);
  if (is_repository(root)) names.add_repository("", 0);
  return names.take();
}

void remove_leads(const std::string& root, const Repositories& known,
                  std::span<const std::string> protected_names) {
  for (const std::string& repository : git_names(root, known, protected_names).repositories) {
    // What was there before the command is a mount point now and stays.
    unlink((root + "/" + repository + "/commondir").c_str());
  }
  for (const std::string& place : known.plain) {
    const std::string directory = root + "/" + place;
    if (is_git_directory(directory)) set_aside(directory + "/HEAD");
  }
}

std::optional<std::string> repository_elsewhere(const std::string& root) {
  const std::string directory = linked_directory(root);
  std::string repository = repository_of_worktree(directory).value_or(directory);
  if (repository.empty() || is_below(repository, root)) return std::nullopt;
  return repository;
}

}  // namespace helve::sandbox
