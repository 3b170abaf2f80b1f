#include "search/contents.h"

namespace helve::search {
namespace {

constexpr size_t kOverhead = 200;  // bytes of memory for an entry, about

size_t bytes_of(std::string_view path, std::string_view text) {
  return path.size() + text.size() + kOverhead;
}

}  // namespace

Contents::Text Contents::find(std::string_view path, const FileStamp& now) {
  if (now == kNeverFresh) return nullptr;
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(path);
  return found != entries_.end() && found->second.stamp == now ? found->second.text : nullptr;
}

void Contents::keep(std::string_view path, const FileStamp& stamp, std::string_view text) {
  const size_t bytes = bytes_of(path, text);
  if (stamp == kNeverFresh || bytes > most_bytes_) return;
  auto copy = std::make_shared<const std::string>(text);
  const std::lock_guard lock(mutex_);
  if (const auto old = entries_.find(path); old != entries_.end()) {
    bytes_ -= bytes_of(path, *old->second.text);
    entries_.erase(old);
  }
  if (bytes_ + bytes > most_bytes_) {
    entries_.clear();
    bytes_ = 0;
  }
  entries_.emplace(path, Entry{stamp, std::move(copy)});
  bytes_ += bytes;
}

}  // namespace helve::search
