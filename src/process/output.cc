#include "process/output.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "base/text.h"

namespace helve::process {
namespace {

constexpr size_t kPiece = 64u << 10;  // bytes that are read at once

std::string gap(std::uint64_t bytes) {
  return fmt::format("\n[… {} of output left out …]\n", human_size(bytes));
}

}  // namespace

std::span<char> Output::room() {
  if (head_bytes_ < kHead) {
    if (!head_) head_ = sys::make_pages(kHead);
    return std::span(head_.get(), kHead).subspan(head_bytes_);
  }
  if (!ring_) ring_ = sys::make_pages(kTail);
  return std::span(ring_.get(), kTail).subspan(ring_at_);
}

// The first bytes of the room are filled.
void Output::took(size_t bytes) {
  size_ += bytes;
  if (head_bytes_ < kHead) {
    head_bytes_ += bytes;
    return;
  }
  put_aside({ring_.get() + ring_at_, bytes});
  ring_at_ = (ring_at_ + bytes) % kTail;
}

Output::Read Output::read_from(int descriptor) {
  // Only now is it known to be much: a larger pipe lets both sides work at once.
  if (head_bytes_ == kHead && !ring_) fcntl(descriptor, F_SETPIPE_SZ, 1 << 20);
  const std::span<char> into = room();
  ssize_t count;
  do {
    count = read(descriptor, into.data(), into.size());
  } while (count < 0 && errno == EINTR);
  if (count > 0) {
    took(static_cast<size_t>(count));
    return Read::some;
  }
  return count < 0 && errno == EAGAIN ? Read::nothing : Read::end;
}

void Output::append(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::span<char> into = room();
    const size_t count = bytes.copy(into.data(), into.size());
    took(count);
    bytes.remove_prefix(count);
  }
}

// A disk that is full costs the middle of the output, not the command.
void Output::put_aside(std::string_view bytes) {
  const std::uint64_t limit =
      limits_.capture_bytes - std::min(limits_.capture_bytes, kHead + kTail);
  bytes = bytes.substr(0, limit - std::min(limit, aside_));
  if (bytes.empty() || no_file_) return;
  if (!file_ && !limits_.directory.empty())
    file_ = sys::Fd(open(limits_.directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  while (file_ && !bytes.empty()) {
    const ssize_t count = write(file_.get(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    aside_ += static_cast<std::uint64_t>(count);
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  no_file_ = !bytes.empty();
}

std::uint64_t Output::lost() const {
  const std::uint64_t kept = head_bytes_ + aside_;
  return tail_start() - std::min(tail_start(), kept);
}

std::string Output::tail(size_t most) const {
  const size_t held = static_cast<size_t>(size_ - tail_start());
  const size_t count = std::min(most, held);
  std::string bytes;
  bytes.reserve(count);
  const size_t first = (ring_at_ + kTail - count) % kTail;
  const size_t straight = std::min(count, kTail - first);
  bytes.append(ring_.get() + first, straight);
  bytes.append(ring_.get(), count - straight);
  return bytes;
}

Output::Shown Output::shown(size_t chars) const {
  std::string all;
  if (size_ <= head_bytes_ + kTail) {
    // It may be long in bytes and short in characters.
    all = std::string(head()) + tail(kTail);
    if (count_chars(all) <= chars) return {std::move(all), false};
  }
  const std::string_view begin = first_chars(head(), chars / 2);
  const std::string last = size_ == head_bytes_ ? std::string() : tail(kTail);
  const std::string both = last.size() < 4 * chars ? std::string(head()) + last
                                                   : last;  // the end may reach into the head
  const std::string_view end = last_chars(both, chars - chars / 2);
  const std::string left_out = gap(size_ - begin.size() - end.size());
  // To say that little is left out takes more room than to show it.
  if (all.size() == size_ && size_ <= begin.size() + left_out.size() + end.size())
    return {std::move(all), false};
  return {fmt::format("{}{}{}", begin, left_out, end), true};
}

std::string Output::end(size_t chars) const {
  std::string bytes = tail(4 * chars);
  if (bytes.size() < 4 * chars)
    bytes.insert(0, head().substr(head_bytes_ - std::min(head_bytes_, 4 * chars)));
  return std::string(last_chars(bytes, chars));
}

Output::Part Output::part(std::uint64_t offset, size_t most) const {
  if (offset < head_bytes_)
    return {std::string(head().substr(static_cast<size_t>(offset), most)), offset};
  if (offset < head_bytes_ + aside_) {
    Part part{std::string(std::min<std::uint64_t>(most, head_bytes_ + aside_ - offset), '\0'),
              offset};
    const ssize_t count = pread(file_.get(), part.bytes.data(), part.bytes.size(),
                                static_cast<off_t>(offset - head_bytes_));
    part.bytes.resize(static_cast<size_t>(std::max<ssize_t>(count, 0)));
    return part;
  }
  offset = std::clamp(offset, tail_start(), size_);
  std::string bytes = tail(static_cast<size_t>(size_ - offset));
  bytes.resize(std::min(bytes.size(), most));
  return {std::move(bytes), offset};
}

bool Output::each_piece(const std::function<bool(std::string_view)>& take) const {
  for (std::uint64_t next = 0; next < size_;) {
    const Part more = part(next, kPiece);
    if (more.bytes.empty()) break;
    if (more.offset > next && !take(gap(more.offset - next))) return false;
    if (!take(more.bytes)) return false;
    next = more.offset + more.bytes.size();
  }
  return true;
}

std::string Output::whole() const {
  std::string bytes;
  bytes.reserve(static_cast<size_t>(size_ - lost()) + 100);
  each_piece([&](std::string_view piece) {
    bytes += piece;
    return true;
  });
  return bytes;
}

}  // namespace helve::process
