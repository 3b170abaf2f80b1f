#include "search/contents.h"

namespace helve::search {
Contents::Text Contents::find(std::string_view path, const FileStamp& now) {
  if (now == kNeverFresh) return nullptr;
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(path);
  return found != entries_.end() && found->second.stamp == now ? found->second.text : nullptr;
}

void Contents::keep(std::string_view path, const FileStamp& stamp, std::string_view text,
                    std::uint64_t moment) {
  const size_t bytes = text.size() + kOverhead;
  if (stamp == kNeverFresh || bytes > most_bytes_) return;
  auto copy = std::make_shared<const std::string>(text);
  const std::lock_guard lock(mutex_);
  if (moment != moment_) return;
  erase(path);
  if (bytes_ + bytes > most_bytes_) {
    entries_.clear();
    bytes_ = 0;
  }
  entries_.emplace(path, Entry{stamp, std::move(copy)});
  bytes_ += bytes;
}

void Contents::forget(std::string_view path) {
  const std::lock_guard lock(mutex_);
  ++moment_;
  erase(path);
}

void Contents::erase(std::string_view path) {
  const auto found = entries_.find(path);
  if (found == entries_.end()) return;
  bytes_ -= found->second.text->size() + kOverhead;
  entries_.erase(found);
}

}  // namespace helve::search
