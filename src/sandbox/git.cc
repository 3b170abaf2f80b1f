#include "sandbox/git.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "base/text.h"
#include "sandbox/view.h"
#include "sys/directory.h"
#include "sys/file.h"

namespace helve::sandbox {
namespace {

constexpr size_t kMaxConfig = 1u << 20;  // bytes of a config file that are looked at
constexpr size_t kMaxNames = 4096;       // of one root; beyond, whole directories are closed
constexpr size_t kMaxVisited = 4096;     // directories of one root that are looked into
constexpr int kMaxDepth = 16;            // of names such as modules/libs/a
constexpr int kCheckoutDepth = 2;        // levels below a root that holds several repositories
constexpr size_t kMaxCheckouts = 256;    // of one root
constexpr size_t kMaxLink = 4096 + 16;   // bytes of a .git file
constexpr std::string_view kGitLink = "gitdir: ";

bool exists(const std::string& path) {
  struct stat status {};
  return lstat(path.c_str(), &status) == 0;
}

bool is_directory(const std::string& path) {
  struct stat status {};
  return lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

// A command may have removed parts of a repository to make it look like none, but not its
// configuration.
bool is_repository(const std::string& path) {
  if (exists(path + "/HEAD") && is_directory(path + "/objects")) return true;
  const auto config = sys::read_file(path + "/config", kMaxConfig);
  return config && config->find("repositoryformatversion") != config->npos;
}

std::string real_path(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> resolved(realpath(path.c_str(), nullptr), &free);
  return resolved ? std::string(resolved.get()) : std::string();
}

std::string beside(const std::string& directory, std::string_view path) {
  return path.starts_with('/') ? std::string(path) : directory + "/" + std::string(path);
}

std::vector<std::string> directories_in(const std::string& path) {
  std::vector<std::string> names;
  const sys::Fd directory(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!directory) return names;
  (void)sys::for_each_entry(directory, [&](const sys::DirectoryEntry& entry) {
    if (!entry.kind || *entry.kind == sys::FileKind::directory) names.emplace_back(entry.name);
    return names.size() <= kMaxVisited;
  });
  std::ranges::sort(names);
  return names;
}

std::string lower(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

// The value of the last "worktree = …" line: where a submodule is checked out.
std::string checked_out_at(std::string_view config) {
  std::string value;
  for (std::string_view line : split(config, '\n')) {
    line = trim(line);
    const size_t equals = line.find('=');
    if (equals == line.npos || trim(line.substr(0, equals)) != "worktree") continue;
    value = trim(line.substr(equals + 1));
  }
  return value;
}

class Names {
 public:
  Names(const std::string& root, std::vector<std::string> leaves)
      : root_(root), leaves_(std::move(leaves)) {}

  // `directory` is relative to the root; empty: the root itself.
  void add_repository(const std::string& directory, int depth) {
    repositories_.push_back(directory);
    const std::string config =
        sys::read_file(path(join(directory, "config")), kMaxConfig).value_or("");
    for (const std::string& leaf : leaves_) names_.push_back(join(directory, leaf));
    // With this extension git reads a second configuration file.
    const bool second = lower(config).find("worktreeconfig") != std::string::npos;
    add_leads(directory, second);
    const std::string worktrees = join(directory, "worktrees");
    for (const std::string& name : visit(worktrees)) {
      add_leads(join(worktrees, name), second);
    }
    add_link_of(directory, config);
    add_modules(join(directory, "modules"), depth);
  }

  std::vector<std::string> take() {
    if (!is_too_much()) return std::move(names_);
    // A command may have made them so many that nobody can protect each; none is written then.
    std::vector<std::string> closed;
    for (const std::string& top : repositories_) {
      if (top != ".git" && !top.empty()) continue;
      for (const std::string& leaf : leaves_) closed.push_back(join(top, leaf));
      for (const char* name : {"modules", "worktrees"}) closed.push_back(join(top, name));
    }
    return closed;
  }
  const std::vector<std::string>& repositories() const { return repositories_; }

 private:
  static std::string join(const std::string& directory, const std::string& name) {
    return directory.empty() ? name : directory + "/" + name;
  }
  std::string path(const std::string& name) const { return root_ + "/" + name; }

  bool is_too_much() const { return visited_ > kMaxVisited || names_.size() > kMaxNames; }

  std::vector<std::string> visit(const std::string& directory) {
    std::vector<std::string> found = directories_in(path(directory));
    visited_ += found.size() + 1;
    return found;
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

  // The file .git in a submodule's checkout, which leads back to `directory`.
  void add_link_of(const std::string& directory, std::string_view config) {
    const std::string checkout = checked_out_at(config);
    if (checkout.empty()) return;
    const std::string place = real_path(beside(path(directory), checkout));
    const std::string link = place + "/.git";
    if (place == root_ || !is_below(place, root_) || !exists(link)) return;
    names_.push_back(link.substr(root_ == "/" ? 1 : root_.size() + 1));
  }

  void add_modules(const std::string& directory, int depth) {
    if (depth >= kMaxDepth) visited_ = kMaxVisited + 1;
    if (is_too_much()) return;
    for (const std::string& name : visit(directory)) {
      if (is_too_much()) return;
      const std::string module = join(directory, name);
      if (exists(path(module) + "/HEAD") || exists(path(module) + "/config")) {
        add_repository(module, depth + 1);
      } else {
        add_modules(module, depth + 1);
      }
    }
  }

  const std::string& root_;
  std::vector<std::string> leaves_;
  std::vector<std::string> names_;
  std::vector<std::string> repositories_;
  size_t visited_ = 0;
};

Names find_names(const std::string& root, std::span<const std::string> protected_names) {
  constexpr std::string_view kGit = ".git/";
  std::vector<std::string> leaves;
  for (const std::string& name : protected_names) {
    if (name.starts_with(kGit)) leaves.push_back(name.substr(kGit.size()));
  }
  Names names(root, leaves);
  if (leaves.empty()) return names;
  if (is_directory(root + "/.git")) names.add_repository(".git", 0);
  if (is_repository(root)) names.add_repository("", 0);
  return names;
}

}  // namespace

std::vector<std::string> git_names(const std::string& root,
                                   std::span<const std::string> protected_names) {
  return find_names(root, protected_names).take();
}

std::vector<std::string> checkouts_below(const std::string& root) {
  std::vector<std::string> checkouts;
  if (exists(root + "/.git")) return checkouts;
  size_t visited = 0;
  const auto look = [&](const std::string& name, const auto& self, int depth) -> void {
    for (const std::string& entry : directories_in(root + "/" + name)) {
      if (++visited > kMaxVisited || checkouts.size() >= kMaxCheckouts) return;
      if (entry.starts_with('.') || entry == "node_modules") continue;
      const std::string below = name.empty() ? entry : name + "/" + entry;
      if (exists(root + "/" + below + "/.git")) {
        checkouts.push_back(below);
      } else if (depth > 1) {
        self(below, self, depth - 1);
      }
    }
  };
  look("", look, kCheckoutDepth);
  return checkouts;
}

void remove_leads(const std::string& root, std::span<const std::string> protected_names) {
  const Names names = find_names(root, protected_names);
  for (const std::string& repository : names.repositories()) {
    // What was there before the command is a mount point now and stays.
    unlink((root + "/" + repository + "/commondir").c_str());
  }
}

std::optional<std::string> repository_elsewhere(const std::string& root) {
  const auto link = sys::read_file(root + "/.git", kMaxLink);
  if (!link || !link->starts_with(kGitLink)) return std::nullopt;
  const std::string directory =
      real_path(beside(root, trim(std::string_view(*link).substr(kGitLink.size()))));
  if (directory.empty()) return std::nullopt;
  const auto common = sys::read_file(directory + "/commondir", kMaxLink);
  const std::string repository = common ? real_path(beside(directory, trim(*common))) : directory;
  if (repository.empty() || is_below(repository, root)) return std::nullopt;
  return repository;
}

}  // namespace helve::sandbox
