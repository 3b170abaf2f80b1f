#include "sys/http_plain.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "base/text.h"
#include "sys/connect.h"
#include "sys/http_reader.h"
#include "sys/stream.h"

namespace helve::sys {
namespace {

constexpr size_t kBlock = 16u << 10;  // bytes that are read at once

// What stands before an @ or behind a ? may be a secret.
std::string shown_address(std::string_view url) {
  url = url.substr(0, url.find_first_of("?#"));
  const size_t at = url.rfind('@');
  return (at == url.npos ? "" : "…") +
         preview(escape_for_display(at == url.npos ? url : url.substr(at)), 200);
}

Error no_address(std::string_view url, std::string_view why) {
  return Error{Code::invalid_argument,
               "'" + shown_address(url) + "' is no address: " + std::string(why),
               "such as http://localhost:11434/v1", "bad_url"};
}

std::string head_of(const HttpRequest& request, const HttpAddress& address) {
  std::string text =
      request.method + " " + address.path + " HTTP/1.1\r\nHost: " + address.authority() + "\r\n";
  for (const std::string& header : request.headers) text += header + "\r\n";
  if (!request.body.empty() || request.method == "POST")
    text += "Content-Length: " + std::to_string(request.body.size()) + "\r\n";
  return text += "\r\n";
}

// One request and its answer on one connection.
class Exchange {
 public:
  Exchange(const Fd& socket, const HttpRequest& request, const Patience& patience)
      : socket_(socket.get()),
        idle_(request.idle_timeout),
        patience_(patience),
        reader_(request.method != "HEAD") {}

  Result<void> run(std::string_view head, std::string_view body,
                   const HttpClient::OnBody& on_body) {
    TRY(write(head, body));
    char block[kBlock];
    while (!reader_.is_complete() && !reader_.is_unwanted()) {
      const size_t count = TRY(read(block));
      if (count == 0) return reader_.end();
      TRY(reader_.feed({block, count}, on_body));
    }
    // The end of what is not wanted may be here, too: then the connection can be used again.
    if (reader_.is_unwanted() && !reader_.is_complete()) {
      const ssize_t count = recv(socket_, block, sizeof block, MSG_DONTWAIT);
      if (count > 0) TRY(reader_.feed({block, static_cast<size_t>(count)}, on_body));
    }
    return {};
  }

  HttpReader& reader() { return reader_; }

 private:
  Error lost(int error) const {
    return Error{Code::network,
                 "the connection to " + patience_.who() +
                     " was lost: " + std::generic_category().message(error),
                 "", std::string(kConnectionLost)};
  }

  // Both in one go: a body may be long, and is not copied.
  Result<void> write(std::string_view head, std::string_view body) {
    while (!head.empty() || !body.empty()) {
      iovec parts[] = {{const_cast<char*>(head.data()), head.size()},
                       {const_cast<char*>(body.data()), body.size()}};
      const msghdr message{.msg_iov = parts, .msg_iovlen = std::size(parts)};
      const ssize_t count = sendmsg(socket_, &message, MSG_NOSIGNAL);
      if (count >= 0) {
        const size_t of_head = std::min(head.size(), static_cast<size_t>(count));
        head.remove_prefix(of_head);
        body.remove_prefix(static_cast<size_t>(count) - of_head);
      } else if (errno == EAGAIN) {
        TRY(patience_.wait(socket_, POLLOUT, idle_));
      } else if (errno == EPIPE || errno == ECONNRESET) {
        return {};  // a server that takes no more may have said why
      } else if (errno != EINTR) {
        return lost(errno);
      }
    }
    return {};
  }

  Result<size_t> read(char (&block)[kBlock]) {
    for (;;) {
      const ssize_t count = recv(socket_, block, sizeof block, 0);
      if (count >= 0) return static_cast<size_t>(count);
      if (errno == EAGAIN)
        TRY(patience_.wait(socket_, POLLIN, idle_));
      else if (errno != EINTR)
        return lost(errno);
    }
  }

  const int socket_;
  const std::chrono::milliseconds idle_;
  const Patience& patience_;
  HttpReader reader_;
};

}  // namespace

std::string HttpAddress::authority() const {
  std::string text = host.find(':') == host.npos ? host : "[" + host + "]";
  return port == (is_encrypted ? "443" : "80") ? text : text + ":" + port;
}

Result<HttpAddress> parse_http_address(std::string_view url) {
  const std::string_view whole = url;
  HttpAddress address;
  if (url.starts_with("https://"))
    address.is_encrypted = true;
  else if (!url.starts_with("http://"))
    return no_address(whole, "it begins with http:// or https://");
  url.remove_prefix(address.is_encrypted ? 8 : 7);
  if (std::ranges::any_of(url, [](unsigned char c) { return c <= ' ' || c >= 0x7f; }))
    return no_address(whole, "it has a character that must be escaped");
  url = url.substr(0, url.find('#'));
  std::string_view authority = url.substr(0, url.find_first_of("/?"));
  address.path = url.substr(authority.size());
  if (!address.path.starts_with('/')) address.path.insert(0, "/");
  if (authority.find('@') != authority.npos)
    return no_address(whole, "it has a user; a key belongs into the settings");
  const bool has_brackets = authority.starts_with('[');
  const size_t host_end = has_brackets ? authority.find(']') : authority.rfind(':');
  address.host = has_brackets ? authority.substr(1, host_end - 1) : authority.substr(0, host_end);
  if (address.host.empty() || (has_brackets && host_end == authority.npos))
    return no_address(whole, "it names no host");
  std::string_view rest =
      host_end == authority.npos ? "" : authority.substr(host_end + has_brackets);
  if (rest.starts_with(':')) rest.remove_prefix(1);
  const bool is_number = std::ranges::all_of(rest, [](char c) { return c >= '0' && c <= '9'; });
  if (!is_number || rest.size() > 5) return no_address(whole, "its port is no number");
  if (!rest.empty() && std::stoi(std::string(rest)) > 65535)
    return no_address(whole, "ports end at 65535");
  address.port = rest.empty() ? (address.is_encrypted ? "443" : "80") : std::string(rest);
  return address;
}

Result<HttpHead> PlainHttp::send(const HttpRequest& request, const OnBody& on_body,
                                 std::stop_token stop) {
  const HttpAddress address = TRY(parse_http_address(request.url));
  const std::string authority = address.authority();
  const Wakeup wakeup = TRY(Wakeup::make());
  const Patience patience(wakeup, std::move(stop), authority, request.total_timeout);
  const std::string head = head_of(request, address);
  for (;;) {
    Fd socket = take_idle(authority);
    const bool is_used = static_cast<bool>(socket);
    if (!is_used)
      socket = TRY(connect_to(address.host, address.port, request.connect_timeout, patience));
    Exchange exchange(socket, request, patience);
    Result<void> done = exchange.run(head, request.body, on_body);
    // A server may close a connection that was idle just when it is used again.
    if (!done && is_used && !exchange.reader().has_begun() && done.error().type == kConnectionLost)
      continue;
    TRY(std::move(done));
    if (exchange.reader().stays_open()) keep(std::move(socket), authority);
    return exchange.reader().take_head();
  }
}

Fd PlainHttp::take_idle(const std::string& authority) {
  const auto oldest = std::chrono::steady_clock::now() - kMaxIdleTime;
  std::lock_guard lock(mutex_);
  std::erase_if(idle_, [&](const Idle& idle) { return idle.since < oldest; });
  for (size_t i = idle_.size(); i-- > 0;) {
    if (idle_[i].authority != authority) continue;
    Fd socket = std::move(idle_[i].socket);
    idle_.erase(idle_.begin() + static_cast<std::ptrdiff_t>(i));
    if (!is_hung_up(socket.get())) return socket;
  }
  return Fd();
}

void PlainHttp::keep(Fd socket, std::string authority) {
  std::lock_guard lock(mutex_);
  if (idle_.size() >= kMaxIdle) idle_.erase(idle_.begin());
  idle_.push_back({std::move(socket), std::move(authority), std::chrono::steady_clock::now()});
}

}  // namespace helve::sys
