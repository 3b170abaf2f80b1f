#include "process/output.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "base/text.h"

namespace helve::process {
namespace {

constexpr size_t kSmallRead = 64u << 10;  // a pipe's usual size

std::string gap(std::uint64_t bytes) {
  return fmt::format("\n[… {} of output left out …]\n", human_size(bytes));
}

}  // namespace

Output::Read Output::read_from(int descriptor) {
  char* into;
  size_t room;
  const bool in_head = head_.size() < kHead;
  const size_t before = head_.size();
  if (in_head) {
    room = std::min(kHead - before, kSmallRead);
    head_.resize(before + room);
    into = head_.data() + before;
  } else {
    if (ring_.empty()) {
      ring_.resize(kTail);
      // Only now is it known to be much: a larger pipe lets both sides work at once.
      fcntl(descriptor, F_SETPIPE_SZ, 1 << 20);
    }
    room = kTail - ring_at_;
    into = ring_.data() + ring_at_;
  }
  ssize_t count;
  do {
    count = read(descriptor, into, room);
  } while (count < 0 && errno == EINTR);
  const int code = errno;
  const auto got = static_cast<size_t>(std::max<ssize_t>(count, 0));
  if (in_head)
    head_.resize(before + got);
  else
    went_by({into, got});
  size_ += got;
  if (got > 0) return Read::some;
  return count < 0 && code == EAGAIN ? Read::nothing : Read::end;
}

void Output::append(std::string_view bytes) {
  size_ += bytes.size();
  const size_t to_head = std::min(bytes.size(), kHead - head_.size());
  head_.append(bytes.substr(0, to_head));
  bytes.remove_prefix(to_head);
  if (!bytes.empty() && ring_.empty()) ring_.resize(kTail);
  while (!bytes.empty()) {
    const size_t count = std::min(bytes.size(), kTail - ring_at_);
    bytes.copy(ring_.data() + ring_at_, count);
    went_by({ring_.data() + ring_at_, count});
    bytes.remove_prefix(count);
  }
}

// These bytes of the ring are new.
void Output::went_by(std::string_view bytes) {
  put_aside(bytes);
  ring_at_ = (ring_at_ + bytes.size()) % kTail;
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
  const std::uint64_t kept = head_.size() + aside_;
  return tail_start() - std::min(tail_start(), kept);
}

std::string Output::tail(size_t most) const {
  const size_t held = static_cast<size_t>(size_ - tail_start());
  const size_t count = std::min(most, held);
  std::string bytes;
  bytes.reserve(count);
  const size_t first = (ring_at_ + kTail - count) % kTail;
  const size_t straight = std::min(count, kTail - first);
  bytes.append(ring_, first, straight);
  bytes.append(ring_, 0, count - straight);
  return bytes;
}

std::string Output::shown(size_t chars) const {
  if (size_ == head_.size() && count_chars(head_) <= chars) return head_;
  if (size_ <= head_.size() + kTail) {
    // It may be long in bytes and short in characters.
    const std::string all = head_ + tail(kTail);
    if (count_chars(all) <= chars) return all;
  }
  const std::string_view begin = first_chars(head_, chars / 2);
  const std::string last = size_ == head_.size() ? std::string() : tail(kTail);
  const std::string both =
      last.size() < 4 * chars ? head_ + last : last;  // the end may reach into the head
  std::string_view end = last_chars(both, chars - chars / 2);
  return fmt::format("{}{}{}", begin, gap(size_ - begin.size() - end.size()), end);
}

std::string Output::end(size_t chars) const {
  std::string bytes = tail(4 * chars);
  if (bytes.size() < 4 * chars)
    bytes.insert(0, head_, head_.size() - std::min(head_.size(), 4 * chars));
  return std::string(last_chars(bytes, chars));
}

Output::Part Output::part(std::uint64_t offset, size_t most) const {
  if (offset < head_.size()) return {head_.substr(static_cast<size_t>(offset), most), offset};
  if (offset < head_.size() + aside_) {
    Part part{std::string(std::min<std::uint64_t>(most, head_.size() + aside_ - offset), '\0'),
              offset};
    const ssize_t count = pread(file_.get(), part.bytes.data(), part.bytes.size(),
                                static_cast<off_t>(offset - head_.size()));
    part.bytes.resize(static_cast<size_t>(std::max<ssize_t>(count, 0)));
    return part;
  }
  offset = std::clamp(offset, tail_start(), size_);
  std::string bytes = tail(static_cast<size_t>(size_ - offset));
  bytes.resize(std::min(bytes.size(), most));
  return {std::move(bytes), offset};
}

std::string Output::whole() const {
  std::string bytes;
  bytes.reserve(static_cast<size_t>(size_ - lost()) + 100);
  while (true) {
    const std::uint64_t next = bytes.size();
    Part more = part(next, kTail);
    if (more.bytes.empty()) return bytes;
    if (more.offset == next) {
      bytes += more.bytes;
      continue;
    }
    bytes += gap(more.offset - next);
    return bytes += tail(kTail);
  }
}

}  // namespace helve::process
