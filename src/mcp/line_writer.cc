#include "mcp/line_writer.h"

#include "sys/stream.h"

namespace helve::mcp {
namespace {

constexpr size_t kGatherBytes = 64u << 10;

}  // namespace

void LineWriter::put(std::string_view lines, When when) {
  if (lines.empty()) return;
  std::lock_guard lock(mutex_);
  if (pending_.empty() && (when == When::now || lines.size() >= kGatherBytes)) return write(lines);
  pending_ += lines;
  if (when == When::now || pending_.size() >= kGatherBytes) write_pending();
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
  if (broken_ || sys::write_all(descriptor_, bytes)) return;
  broken_ = true;
  on_broken_();
}

}  // namespace helve::mcp
