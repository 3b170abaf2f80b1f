#include "sys/http_reader.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "base/text.h"

namespace helve::sys {
namespace {

Error no_http(std::string_view what) {
  return Error{Code::network, "the answer is no HTTP: " + std::string(what), "", "bad_http"};
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](unsigned char c) { return std::tolower(c); });
  return out;
}

template <class Number>
bool read_number(std::string_view digits, Number& number, int base) {
  const auto [end, failed] =
      std::from_chars(digits.data(), digits.data() + digits.size(), number, base);
  return failed == std::errc() && end == digits.data() + digits.size() && !digits.empty();
}

// Whether a list such as "keep-alive, close" has the word.
bool lists(std::string_view list, std::string_view word) {
  for (const std::string_view each : split(list, ',')) {
    if (lower(trim(each)) == word) return true;
  }
  return false;
}

}  // namespace

std::string_view HttpHead::header(std::string_view name) const {
  const auto found = std::ranges::find(headers, name, &std::pair<std::string, std::string>::first);
  return found == headers.end() ? std::string_view() : std::string_view(found->second);
}

Result<void> HttpReader::feed(std::string_view bytes, const HttpClient::OnBody& on_body) {
  Result<void> parsed = parse(bytes, on_body);
  if (parsed) return parsed;
  keeps_alive_ = false;
  if (is_unwanted_) return {};
  return parsed;
}

Result<void> HttpReader::parse(std::string_view bytes, const HttpClient::OnBody& on_body) {
  has_begun_ = has_begun_ || !bytes.empty();
  std::string_view line;
  while (!bytes.empty()) {
    switch (state_) {
      case State::head:
        if (TRY(take_line(bytes, line, kMaxHead))) TRY(read_head_line(line));
        break;
      case State::chunk_size:
        if (TRY(take_line(bytes, line, kMaxChunkLine))) TRY(read_chunk_size(line));
        break;
      case State::chunk_end:
        if (!TRY(take_line(bytes, line, kMaxChunkLine))) break;
        if (!line.empty()) return no_http("a chunk is longer than it says");
        state_ = State::chunk_size;
        break;
      case State::trailer:
        if (!TRY(take_line(bytes, line, kMaxHead))) break;
        head_bytes_ += line.size();
        if (head_bytes_ > kMaxHead) return no_http("its trailers are too long");
        if (line.empty()) state_ = State::complete;
        break;
      case State::fixed:
      case State::chunk:
      case State::until_close:
        give(bytes, on_body);
        break;
      case State::complete:
        has_rest_ = true;
        return {};
    }
  }
  return {};
}

Result<void> HttpReader::end() {
  if (state_ == State::until_close) state_ = State::complete;
  if (is_complete() || is_unwanted()) return {};
  return Error{Code::network,
               has_begun_ ? "the connection ended in the middle of the answer"
                          : "the connection ended before an answer came",
               "", std::string(kConnectionLost)};
}

Result<bool> HttpReader::take_line(std::string_view& bytes, std::string_view& line,
                                   size_t longest) {
  const size_t end = bytes.find('\n');
  const std::string_view part = bytes.substr(0, end);
  if (line_.size() + part.size() > longest) return no_http("a line is too long");
  bytes.remove_prefix(end == bytes.npos ? bytes.size() : end + 1);
  if (end == std::string_view::npos || !line_.empty()) line_ += part;
  if (end == std::string_view::npos) return false;
  line = part;
  if (!line_.empty()) {
    kept_ = std::exchange(line_, {});
    line = kept_;
  }
  if (line.ends_with('\r')) line.remove_suffix(1);
  return true;
}

Result<void> HttpReader::read_head_line(std::string_view line) {
  head_bytes_ += line.size();
  if (head_bytes_ > kMaxHead) return no_http("its headers are too long");
  if (head_.status == 0) return read_status(line);
  if (line.empty()) return begin_body();
  const size_t colon = line.find(':');
  if (colon == line.npos || colon == 0) return no_http("a header has no name");
  head_.headers.emplace_back(lower(line.substr(0, colon)), trim(line.substr(colon + 1)));
  return {};
}

Result<void> HttpReader::read_status(std::string_view line) {
  // "HTTP/1.1 200 OK"; the reason may be missing.
  const std::string_view version = line.substr(0, 9),
                         code = line.substr(std::min<size_t>(9, line.size()), 3);
  if (!version.starts_with("HTTP/1.") || !version.ends_with(' ') ||
      !read_number(code, head_.status, 10) || head_.status < 100)
    return no_http("it begins with '" + preview(escape_for_display(line), 60) + "'");
  keeps_alive_ = version[7] != '0';
  return {};
}

Result<void> HttpReader::begin_body() {
  if (head_.status < 200) {  // something to say before the answer
    if (head_.status == 101) return no_http("it switches protocols");
    head_ = {};
    return {};
  }
  const std::string_view connection = head_.header("connection");
  if (lists(connection, "close")) keeps_alive_ = false;
  if (lists(connection, "keep-alive")) keeps_alive_ = true;
  const std::string_view length = head_.header("content-length");
  head_bytes_ = 0;
  if (!has_body_ || head_.status == 204 || head_.status == 304) {
    state_ = State::complete;
  } else if (const std::string_view coding = head_.header("transfer-encoding"); !coding.empty()) {
    if (lower(trim(coding)) != "chunked") return no_http("it is coded in an unknown way");
    state_ = State::chunk_size;
  } else if (!length.empty()) {
    if (!read_number(length, left_, 10)) return no_http("its length is no number");
    state_ = left_ == 0 ? State::complete : State::fixed;
  } else {
    keeps_alive_ = false;
    state_ = State::until_close;
  }
  return {};
}

Result<void> HttpReader::read_chunk_size(std::string_view line) {
  if (!read_number(trim(line.substr(0, line.find(';'))), left_, 16))
    return no_http("a chunk has no length");
  state_ = left_ == 0 ? State::trailer : State::chunk;
  return {};
}

void HttpReader::give(std::string_view& bytes, const HttpClient::OnBody& on_body) {
  std::string_view part = bytes;
  if (state_ != State::until_close) part = part.substr(0, left_);
  bytes.remove_prefix(part.size());
  if (!is_unwanted_) is_unwanted_ = !on_body(head_, part);
  if (state_ == State::until_close) return;
  left_ -= part.size();
  if (left_ == 0) state_ = state_ == State::fixed ? State::complete : State::chunk_end;
}

}  // namespace helve::sys
