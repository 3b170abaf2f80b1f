// RawServer: an HTTP server on loopback that says exactly what a test tells it to, byte for byte,
// also what no proper server would.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "sys/file_descriptor.h"

namespace helve {

class RawServer {
 public:
  // One connection of a client, served on a thread of its own and closed when that ends.
  class Connection {
   public:
    explicit Connection(sys::Fd socket) : socket_(std::move(socket)) {}

    // Head and body of the next request; empty when the client has gone.
    std::string request() {
      size_t end;
      while ((end = received_.find("\r\n\r\n")) == received_.npos) {
        if (!receive()) return "";
      }
      const size_t whole = end + 4 + body_length(received_.substr(0, end));
      while (received_.size() < whole) {
        if (!receive()) return "";
      }
      std::string request = received_.substr(0, whole);
      received_.erase(0, whole);
      return request;
    }
    // False: the client has gone.
    bool send(std::string_view bytes) {
      while (!bytes.empty()) {
        const ssize_t count = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (count <= 0) return false;
        bytes.remove_prefix(static_cast<size_t>(count));
      }
      return true;
    }
    // An answer with a length.
    bool answer(std::string_view body, std::string_view status = "200 OK",
                std::string_view type = "application/json") {
      return send("HTTP/1.1 " + std::string(status) + "\r\nContent-Type: " + std::string(type) +
                  "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
                  std::string(body));
    }
    // Until the client has gone.
    void wait_for_end() {
      while (receive()) {
      }
    }
    int descriptor() const { return socket_.get(); }

   private:
    static size_t body_length(std::string_view head) {
      constexpr std::string_view kName = "Content-Length: ";
      const size_t at = head.find(kName);
      return at == head.npos ? 0 : std::strtoul(head.data() + at + kName.size(), nullptr, 10);
    }
    bool receive() {
      char block[4096];
      const ssize_t count = recv(socket_.get(), block, sizeof block, 0);
      if (count > 0) received_.append(block, static_cast<size_t>(count));
      return count > 0;
    }

    sys::Fd socket_;
    std::string received_;
  };
  using Serve = std::function<void(Connection&)>;

  explicit RawServer(Serve serve)
      : serve_(std::move(serve)), listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof address;
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(bind(listener_.get(), generic, size), 0);
    EXPECT_EQ(listen(listener_.get(), 100), 0);
    EXPECT_EQ(getsockname(listener_.get(), generic, &size), 0);
    port_ = ntohs(address.sin_port);
    acceptor_ = std::thread([this] { accept_all(); });
  }
  ~RawServer() {
    shutdown(listener_.get(), SHUT_RDWR);
    acceptor_.join();
    {
      std::lock_guard lock(mutex_);
      for (const int each : open_) shutdown(each, SHUT_RDWR);
    }
    for (std::thread& each : threads_) each.join();
  }
  RawServer(const RawServer&) = delete;

  std::string url(std::string_view path = "") const {
    return "http://127.0.0.1:" + std::to_string(port_) + std::string(path);
  }
  int port() const { return port_; }
  int connections() const { return connections_; }  // so far

 private:
  void accept_all() {
    for (;;) {
      sys::Fd socket(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!socket) return;
      ++connections_;
      std::lock_guard lock(mutex_);
      open_.push_back(socket.get());
      threads_.emplace_back([this, socket = std::move(socket)]() mutable {
        const int number = socket.get();
        {
          Connection connection(std::move(socket));
          serve_(connection);
          std::lock_guard guard(mutex_);
          std::erase(open_, number);
        }
      });
    }
  }

  const Serve serve_;
  sys::Fd listener_;
  int port_ = 0;
  std::atomic<int> connections_ = 0;
  std::mutex mutex_;
  std::vector<int> open_;             // guarded by mutex_
  std::vector<std::thread> threads_;  // grown by the acceptor alone
  std::thread acceptor_;
};

}  // namespace helve
