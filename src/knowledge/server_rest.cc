#include "knowledge/server_rest.h"

#include <charconv>

#include "sys/file.h"

namespace helve::knowledge {
namespace {

constexpr size_t kMaxFile = 64;  // bytes
constexpr std::uint32_t kPrivate = 0600;

}  // namespace

void ServerRest::begin() {
  const std::int64_t now = clock_.unix_ms();
  began_ = now;
  if (file_.empty()) return;
  // Whoever cannot be told finds out by itself.
  if (sys::make_directories(file_.substr(0, file_.rfind('/')), 0700))
    (void)sys::replace_file(file_, std::to_string(now), kPrivate);
}

void ServerRest::end() { began_ = 0; }

std::chrono::milliseconds ServerRest::left_since(std::int64_t began_ms) const {
  const std::chrono::milliseconds passed(clock_.unix_ms() - began_ms);
  // A clock may have been put back.
  if (passed.count() < 0 || passed >= kRest) return {};
  return kRest - passed;
}

std::chrono::milliseconds ServerRest::left() const {
  if (const auto left = left_since(began_); left.count() > 0) return left;
  if (file_.empty()) return {};
  const Result<std::string> written = sys::read_file(file_, kMaxFile);
  if (!written) return {};
  std::int64_t began = 0;
  const char* const end = written->data() + written->size();
  const auto read = std::from_chars(written->data(), end, began);
  return read.ec == std::errc() && read.ptr == end ? left_since(began)
                                                   : std::chrono::milliseconds();
}

}  // namespace helve::knowledge
