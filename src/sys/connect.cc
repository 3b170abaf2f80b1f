#include "sys/connect.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>

namespace helve::sys {
namespace {

using Milliseconds = Patience::Milliseconds;
using Steady = std::chrono::steady_clock;

struct FreeAddresses {
  void operator()(addrinfo* list) const { freeaddrinfo(list); }
};
using Addresses = std::unique_ptr<addrinfo, FreeAddresses>;

std::string reason(int error) { return std::generic_category().message(error); }

struct LookedUp {
  int failed = 0;
  Addresses list;
};

LookedUp look_up(const char* host, const char* port, int flags) {
  const addrinfo wanted{.ai_flags = flags, .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
  addrinfo* list = nullptr;
  const int failed = getaddrinfo(host, port, &wanted, &list);
  return {failed, Addresses(failed == 0 ? list : nullptr)};
}

// What the asking thread and the one that looks up share; whoever is last lets it go.
struct Question {
  std::string host, port;
  Wakeup answered;
  std::mutex mutex;
  LookedUp answer;  // guarded by mutex
};

Result<Addresses> look_up_name(const std::string& host, const std::string& port,
                               Milliseconds longest, const Patience& patience) {
  // Shared, because a name server that does not answer may keep the thread for longer than us.
  auto question = std::make_shared<Question>(host, port, TRY(Wakeup::make()));
  std::thread([question] {
    LookedUp answer = look_up(question->host.c_str(), question->port.c_str(), AI_ADDRCONFIG);
    std::lock_guard lock(question->mutex);
    question->answer = std::move(answer);
    question->answered.signal();
  }).detach();
  TRY(patience.wait(question->answered.descriptor(), POLLIN, longest));
  std::lock_guard lock(question->mutex);
  if (question->answer.failed != 0)
    return Error{
        Code::network,
        fmt::format("cannot find {}: {}", patience.who(), gai_strerror(question->answer.failed)),
        "look at the address, and whether this machine is connected", "unknown_host"};
  return std::move(question->answer.list);
}

Result<Addresses> addresses_of(const std::string& host, const std::string& port,
                               Milliseconds longest, const Patience& patience) {
  // Without a host these are the addresses of this machine to itself.
  const bool is_local = host == "localhost";
  LookedUp found =
      look_up(is_local ? nullptr : host.c_str(), port.c_str(), AI_NUMERICHOST | AI_NUMERICSERV);
  if (found.failed == 0) return std::move(found.list);
  return look_up_name(host, port, longest, patience);
}

Result<Fd> connect_one(const addrinfo& address, Milliseconds longest, const Patience& patience) {
  auto failed = [&](int error) {
    return Error{Code::network,
                 fmt::format("cannot connect to {}: {}", patience.who(), reason(error)),
                 error == ECONNREFUSED ? "is the server running there?" : "", "cannot_connect"};
  };
  Fd socket(::socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket) return failed(errno);
  // A request is written in one piece and must not wait for company.
  const int on = 1;
  (void)setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (connect(socket.get(), address.ai_addr, address.ai_addrlen) == 0) return socket;
  if (errno != EINPROGRESS) return failed(errno);
  TRY(patience.wait(socket.get(), POLLOUT, longest));
  int error = 0;
  socklen_t size = sizeof error;
  if (getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &size) != 0) error = errno;
  if (error != 0) return failed(error);
  return socket;
}

Error late(std::string_view what, Milliseconds waited) {
  return {Code::timeout,
          fmt::format("{} {:g} s", what, std::chrono::duration<double>(waited).count())};
}

}  // namespace

Error no_answer(std::string_view who, Milliseconds waited) {
  return late(fmt::format("{} did not answer within", who), waited);
}

Error sent_nothing(std::string_view who, Milliseconds waited) {
  return late(fmt::format("{} sent nothing for", who), waited);
}

Error took_too_long(std::string_view who, Milliseconds waited) {
  return late(fmt::format("{} was not done within", who), waited);
}

Result<void> Patience::wait(int descriptor, short events, Milliseconds idle) const {
  const bool has_end = total_.count() > 0;
  const Steady::time_point idle_end = Steady::now() + idle;
  const Steady::time_point end = has_end ? std::min(end_, idle_end) : idle_end;
  for (;;) {
    if (stop_.stop_requested()) return Error{Code::cancelled, "stopped while waiting for " + who_};
    const auto left = std::chrono::ceil<Milliseconds>(end - Steady::now());
    if (left.count() <= 0) {
      if (has_end && end_ <= idle_end) return took_too_long(who_, total_);
      return events == POLLIN ? sent_nothing(who_, idle) : no_answer(who_, idle);
    }
    pollfd polled[] = {{descriptor, events, 0}, {wakeup_.descriptor(), POLLIN, 0}};
    const int ready =
        poll(polled, 2, static_cast<int>(std::min<std::int64_t>(left.count(), 1 << 30)));
    if (ready < 0 && errno != EINTR) return Error{Code::internal, "poll: " + reason(errno)};
    if (ready > 0 && polled[0].revents != 0) return {};
  }
}

Result<Fd> connect_to(const std::string& host, const std::string& port, Milliseconds longest,
                      const Patience& patience) {
  const Addresses list = TRY(addresses_of(host, port, longest, patience));
  Result<Fd> connected = Error{Code::network, "there is no address of " + patience.who()};
  for (const addrinfo* each = list.get(); each; each = each->ai_next) {
    connected = connect_one(*each, longest, patience);
    if (connected || connected.error().code != Code::network) break;
  }
  return connected;
}

}  // namespace helve::sys
