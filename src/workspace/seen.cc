#include "workspace/seen.h"

#include "sys/id.h"

namespace helve::workspace {

Seen::Seen() : seed_(sys::random_number()) {}

std::string Seen::key_of(std::string_view session, std::string_view path) {
  std::string key;
  key.reserve(session.size() + 1 + path.size());
  key.append(session) += '\0';
  key += path;
  return key;
}

bool Seen::is_empty() {
  const std::lock_guard lock(mutex_);
  return files_.empty();
}

void Seen::note(std::string_view session, std::string_view path, const Version& version,
                std::optional<std::string_view> content) {
  if (session.empty() || !remembers_) return;
  std::optional<Digest> digest;
  if (content) digest = digest_of(*content, seed_);
  const bool keep = content && content->size() <= kMaxContent;
  std::string key = key_of(session, path);
  const std::lock_guard lock(mutex_);
  auto found = index_.find(key);
  if (found == index_.end()) {
    files_.push_front({.key = std::move(key)});
    found = index_.emplace(files_.front().key, files_.begin()).first;
  } else {
    files_.splice(files_.begin(), files_, found->second);
  }
  File& file = *found->second;
  // A part of what is known as a whole adds nothing.
  if (!content && file.digest && file.version.same_content(version)) return;
  file.version = version;
  // Files are read again and again; most times nothing changed.
  if (digest && file.has_content && file.digest == digest) return;
  file.digest = digest;
  contents_ -= file.content.size();
  file.content.assign(keep ? *content : std::string_view());
  contents_ += file.content.size();
  file.has_content = keep;
  drop_oldest();
}

void Seen::drop_oldest() {
  while (files_.size() > kMaxFiles) {
    contents_ -= files_.back().content.size();
    index_.erase(files_.back().key);
    files_.pop_back();
  }
  for (auto file = files_.rbegin(); contents_ > kMaxContents && file != files_.rend(); ++file) {
    contents_ -= file->content.size();
    file->content = {};
    file->has_content = false;
  }
}

std::vector<Seen::Files::iterator> Seen::find(const std::string& key, Of of) {
  std::vector<Files::iterator> found;
  if (of == Of::file) {
    if (const auto one = index_.find(key); one != index_.end()) found.push_back(one->second);
    return found;
  }
  const std::string inside = key + "/";
  for (auto file = files_.begin(); file != files_.end(); ++file) {
    if (file->key.starts_with(inside)) found.push_back(file);
  }
  return found;
}

void Seen::erase(Files::iterator file) {
  contents_ -= file->content.size();
  index_.erase(file->key);
  files_.erase(file);
}

void Seen::left(std::string_view session, std::span<const Left> all) {
  const std::lock_guard lock(mutex_);
  Files moved;
  for (const Left& one : all) {
    const std::string old_key = key_of(session, one.path), new_key = key_of(session, one.to);
    for (const Files::iterator file : find(old_key, one.of)) {
      if (one.to.empty()) {
        erase(file);
        continue;
      }
      index_.erase(file->key);
      file->key.replace(0, old_key.size(), new_key);
      file->version.changed_ns = 0;  // the new name has changed it
      moved.splice(moved.end(), files_, file);
    }
  }
  // What was known of other files there is about what was replaced.
  for (const Left& one : all) {
    if (one.to.empty()) continue;
    for (const Files::iterator file : find(key_of(session, one.to), one.of)) erase(file);
  }
  for (auto file = moved.begin(); file != moved.end(); ++file) index_.emplace(file->key, file);
  files_.splice(files_.begin(), moved);
}

std::vector<std::string> Seen::below(std::string_view session, std::string_view directory) {
  const std::string prefix = key_of(session, std::string(directory) + "/");
  std::vector<std::string> paths;
  const std::lock_guard lock(mutex_);
  for (const File& file : files_) {
    if (file.key.starts_with(prefix)) paths.push_back(file.key.substr(session.size() + 1));
  }
  return paths;
}

bool Seen::knows(std::string_view session, std::string_view path, const Version& version) {
  const std::string key = key_of(session, path);
  const std::lock_guard lock(mutex_);
  const auto found = index_.find(key);
  return found != index_.end() && found->second->digest && version.is(found->second->version);
}

std::optional<std::string> Seen::content(std::string_view session, std::string_view path,
                                         const Version& version) {
  const std::string key = key_of(session, path);
  const std::lock_guard lock(mutex_);
  const auto found = index_.find(key);
  if (found == index_.end() || !found->second->has_content) return {};
  return version.is(found->second->version) ? std::optional(found->second->content) : std::nullopt;
}

std::optional<Version> Seen::version(std::string_view session, std::string_view path) {
  const std::string key = key_of(session, path);
  const std::lock_guard lock(mutex_);
  const auto found = index_.find(key);
  return found == index_.end() ? std::nullopt : std::optional(found->second->version);
}

Seen::Answer Seen::compare(std::string_view session, std::string_view path, const Snapshot& now) {
  const std::string key = key_of(session, path);
  const std::lock_guard lock(mutex_);
  const auto found = index_.find(key);
  if (found == index_.end()) return {};
  const File& file = *found->second;
  // Times are coarse: content tells more, where it is known.
  const bool same = file.digest ? *file.digest == digest_of(now.content, seed_)
                                : file.version.same_content(now.version);
  if (same) return {};
  return {.same = false, .before = file.content, .known = file.has_content};
}

}  // namespace helve::workspace
