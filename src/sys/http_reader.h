// HttpReader: an HTTP/1.1 answer, read from bytes as they come. It knows no sockets.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "sys/http.h"

namespace helve::sys {

// One answer. One thread at a time.
class HttpReader {
 public:
  static constexpr size_t kMaxHead = 256u << 10;  // bytes of status line and headers
  static constexpr size_t kMaxChunkLine = 4096;   // bytes of the line before a chunk

  explicit HttpReader(bool has_body = true) : has_body_(has_body) {}

  // Takes what belongs to the answer. `on_body` is called with parts of the body until it returns
  // false; the rest is read over. Error: this is no HTTP.
  Result<void> feed(std::string_view bytes, const HttpClient::OnBody& on_body);
  // The other side has closed the connection. Error: it has not said all.
  Result<void> end();

  const HttpHead& head() const { return head_; }
  HttpHead take_head() { return std::move(head_); }
  bool is_complete() const { return state_ == State::complete; }
  // The rest is.
  bool is_unwanted() const { return is_unwanted_; }
  bool has_begun() const { return has_begun_; }
  // Whether another request may follow on this connection.
  bool stays_open() const { return is_complete() && keeps_alive_ && !has_rest_; }

 private:
  enum class State : unsigned char {
    head,
    until_close,
    fixed,
    chunk_size,
    chunk,
    chunk_end,
    trailer,
    complete,
  };
  Result<void> parse(std::string_view bytes, const HttpClient::OnBody& on_body);
  // A line without its end, once it is there; the rest of it is kept until then.
  Result<bool> take_line(std::string_view& bytes, std::string_view& line, size_t longest);
  Result<void> read_head_line(std::string_view line);
  Result<void> read_status(std::string_view line);
  Result<void> begin_body();
  Result<void> read_chunk_size(std::string_view line);
  void give(std::string_view& bytes, const HttpClient::OnBody& on_body);

  const bool has_body_;
  State state_ = State::head;
  HttpHead head_;
  std::string line_;        // the beginning of one
  std::string kept_;        // a line that came in parts
  size_t head_bytes_ = 0;   // so far, or of trailers
  std::uint64_t left_ = 0;  // of the body, or of a chunk
  bool has_begun_ = false;  // a byte came
  bool is_unwanted_ = false;
  bool keeps_alive_ = true;
  bool has_rest_ = false;  // bytes came that belong to no answer
};

}  // namespace helve::sys
