#include "search/ignore.h"

#include <fmt/core.h>

#include <optional>

#include "sys/directory.h"
#include "sys/file.h"
#include "sys/file_at.h"

namespace helve::search {
namespace {

constexpr size_t kMaxPointer = 8192;  // bytes of a .git file or a commondir file

// Nothing when there is no such file; an error when it cannot be read or is too long. A link that
// leaves the directory is not followed.
sys::OrErrno<std::optional<std::string>> read_beneath(const sys::Fd& directory,
                                                      std::string_view path, size_t limit) {
  const auto file = sys::open_beneath(directory, path, sys::Open::read);
  if (!file) {
    if (file.error() == std::errc::no_such_file_or_directory) return std::nullopt;
    return std::unexpected(file.error());
  }
  const auto status = sys::status(*file);
  if (!status) return std::unexpected(status.error());
  if (status->kind != sys::FileKind::file) return std::nullopt;
  if (status->size > limit) return std::unexpected(std::errc::file_too_large);
  std::string content(status->size, 0);
  const auto got = sys::read_at(*file, content, 0);
  if (!got) return std::unexpected(got.error());
  content.resize(*got);
  return content;
}

std::string_view without_newline(std::string_view text) {
  while (text.ends_with('\n') || text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

std::string joined(std::string_view directory, std::string_view path) {
  if (path.starts_with('/')) return std::string(path);
  return fmt::format("{}/{}", directory, path);
}

// Where the excludes of a work tree are whose .git is a file: in the directory that it names, or in
// the one that all work trees share.
std::string exclude_of_work_tree(std::string_view directory, std::string_view pointer) {
  constexpr std::string_view kKey = "gitdir: ";
  if (!pointer.starts_with(kKey)) return {};
  const std::string own = joined(directory, without_newline(pointer.substr(kKey.size())));
  const auto common = sys::read_file(own + "/commondir", kMaxPointer);
  return (common ? joined(own, without_newline(*common)) : own) + "/info/exclude";
}

}  // namespace

void IgnoreNames::note(std::string_view name) {
  if (!name.starts_with('.')) return;
  if (name == ".git") git = true;
  if (name == ".gitignore") gitignore = true;
  if (name == ".ignore") ignore = true;
  if (name == ".rgignore") rgignore = true;
}

Ignore::Ptr Ignore::above(std::string_view absolute_directory) {
  Ptr rules;
  std::vector<Unread> unread;  // not of the tree that was asked about
  for (size_t slash = 0; slash < absolute_directory.size();
       slash = absolute_directory.find('/', slash + 1)) {
    const std::string_view path = absolute_directory.substr(0, slash);
    const auto directory = sys::open_directory(slash == 0 ? "/" : path);
    if (!directory) continue;
    rules = in(*directory, path, {.git = true, .gitignore = true, .ignore = true, .rgignore = true},
               std::move(rules), unread);
  }
  return rules;
}

Ignore::Ptr Ignore::in(const sys::Fd& directory, std::string_view absolute_directory,
                       const IgnoreNames& names, Ptr parent, std::vector<Unread>& unread) {
  const auto rules = std::make_shared<Ignore>();
  rules->base_ = absolute_directory.size() + 1;
  rules->is_repository_ = names.git && sys::status_at(directory, ".git").has_value();
  rules->in_repository_ = rules->is_repository_ || (parent && parent->in_repository_);
  const auto read = [&](bool exists, std::string_view name, GlobSet& into) {
    if (!exists) return;
    const auto status = sys::status_at(directory, name);
    if (status && (status->kind == sys::FileKind::symlink || status->links > 1))
      rules->files_elsewhere_.push_back(std::string(absolute_directory) + "/" + std::string(name));
    const auto content = read_beneath(directory, name, kMaxIgnoreFile);
    if (!content) {
      unread.push_back({std::string(name), content.error()});
    } else if (*content) {
      into = GlobSet::from_ignore_file(**content);
    }
  };
  read(names.rgignore, ".rgignore", rules->rgignore_);
  read(names.ignore, ".ignore", rules->ignore_);
  read(names.gitignore, ".gitignore", rules->gitignore_);
  if (rules->is_repository_) rules->read_repository(directory, absolute_directory);
  const bool adds = rules->is_repository_ || !rules->files_elsewhere_.empty() ||
                    !rules->rgignore_.empty() || !rules->ignore_.empty() ||
                    !rules->gitignore_.empty();
  if (!adds) return parent;
  rules->parent_ = std::move(parent);
  return rules;
}

void Ignore::read_repository(const sys::Fd& directory, std::string_view absolute_directory) {
  if (const auto pointer = read_beneath(directory, ".git", kMaxPointer); pointer && *pointer) {
    files_elsewhere_.push_back(exclude_of_work_tree(absolute_directory, **pointer));
    if (const auto content = sys::read_file(files_elsewhere_.back(), kMaxIgnoreFile)) {
      exclude_ = GlobSet::from_ignore_file(*content);
    }
  } else {
    files_elsewhere_.push_back(std::string(absolute_directory) + "/.git/info/exclude");
    const auto content = read_beneath(directory, ".git/info/exclude", kMaxIgnoreFile);
    if (content && *content) exclude_ = GlobSet::from_ignore_file(**content);
  }
  const std::string global = global_excludes_path();
  if (global.empty()) return;
  if (const auto content = sys::read_file(global, kMaxIgnoreFile)) {
    global_ = GlobSet::from_ignore_file(*content);
  }
}

Verdict Ignore::decide(const Candidate& candidate) const {
  Verdict rgignore = Verdict::none, ignore = rgignore, gitignore = rgignore, exclude = rgignore,
          global = rgignore;
  bool in_repository = in_repository_;
  const auto ask = [&](Verdict& verdict, const GlobSet& set, size_t base) {
    if (verdict == Verdict::none) verdict = set.decide(candidate, base);
  };
  for (const Ignore* rules = this; rules && rgignore == Verdict::none;
       rules = rules->parent_.get()) {
    ask(rgignore, rules->rgignore_, rules->base_);
    ask(ignore, rules->ignore_, rules->base_);
    if (!in_repository) continue;
    ask(gitignore, rules->gitignore_, rules->base_);
    if (!rules->is_repository_) continue;
    ask(exclude, rules->exclude_, rules->base_);
    ask(global, rules->global_, rules->base_);
    in_repository = false;  // what lies above is another repository's
  }
  for (const Verdict verdict : {rgignore, ignore, gitignore, exclude, global}) {
    if (verdict != Verdict::none) return verdict;
  }
  return Verdict::none;
}

}  // namespace helve::search
