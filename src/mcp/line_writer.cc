#include "mcp/line_writer.h"

#include "sys/stream.h"

namespace helve::mcp {
namespace {

constexpr size_t kGatherBytes = 64u << 10;
constexpr size_t kPieceBytes = 64u << 10;  // of a long write

}  // namespace

bool LineWriter::put(std::string_view lines, When when) {
  if (lines.empty()) return true;
  std::lock_guard lock(mutex_);
  if (pending_.empty() && (when == When::now || lines.size() >= kGatherBytes)) {
    write(lines);
    return !broken_;
  }
  pending_ += lines;
  if (when == When::now || pending_.size() >= kGatherBytes) write_pending();
  return !broken_;
}

bool LineWriter::put_if_free(std::string_view line) {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock || broken_) return false;
  pending_.erase(0, sys::write_what_fits(descriptor_, pending_));
  if (!pending_.empty()) return false;
  const size_t written = sys::write_what_fits(descriptor_, line);
  if (written == 0) return false;
  pending_ = line.substr(written);  // a line that was begun is ended by whoever writes next
  return true;
}

void LineWriter::flush() {
  std::lock_guard lock(mutex_);
  if (!pending_.empty()) write_pending();
}

void LineWriter::flush_if_free() {
  std::unique_lock lock(mutex_, std::try_to_lock);
  if (lock && !pending_.empty()) write_pending();
}

void LineWriter::write_pending() {
  write(pending_);
  pending_.clear();
  if (pending_.capacity() > 4 * kGatherBytes) pending_.shrink_to_fit();
}

void LineWriter::write(std::string_view bytes) {
  for (; !broken_ && !bytes.empty(); bytes.remove_prefix(std::min(bytes.size(), kPieceBytes))) {
    if (write_piece(bytes.substr(0, kPieceBytes))) continue;
    broken_ = true;
    on_broken_();
  }
}

bool LineWriter::write_piece(std::string_view bytes) {
  if (limited_.load(std::memory_order_acquire)) {
    if (sys::write_until(descriptor_, bytes, end_)) return true;
    if (std::chrono::steady_clock::now() >= end_) gave_up_ = true;
    return false;
  }
  const size_t step = steps_.load(std::memory_order_relaxed);
  steps_.store(step + 1, std::memory_order_relaxed);
  const bool written = sys::write_all(descriptor_, bytes);
  steps_.store(step + 2, std::memory_order_relaxed);
  return written;
}

void LineWriter::limit(std::chrono::steady_clock::time_point end) {
  end_ = end;
  limited_.store(true, std::memory_order_release);
}

}  // namespace helve::mcp
