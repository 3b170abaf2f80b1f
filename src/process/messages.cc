#include "process/messages.h"

#include <errno.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>

#include "process/protocol.h"

namespace helve::process {
namespace {

// Room for as many descriptors as one message may bring.
struct Ancillary {
  alignas(cmsghdr) char bytes[CMSG_SPACE(kMaxDescriptors * sizeof(int))];
};

ssize_t receive_once(int socket, void* buffer, size_t size, std::vector<sys::Fd>* descriptors) {
  iovec part{buffer, size};
  Ancillary ancillary;
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = ancillary.bytes;
  message.msg_controllen = sizeof ancillary.bytes;
  ssize_t count;
  do {
    count = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  } while (count < 0 && errno == EINTR);
  if (count < 0) return count;
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    const size_t bytes = header->cmsg_len - CMSG_LEN(0);
    for (size_t at = 0; at + sizeof(int) <= bytes; at += sizeof(int)) {
      int descriptor;
      std::memcpy(&descriptor, CMSG_DATA(header) + at, sizeof descriptor);
      sys::Fd owned(descriptor);
      if (descriptors) descriptors->push_back(std::move(owned));
    }
  }
  return count;
}

}  // namespace

bool send_message(int socket, std::string_view bytes, std::span<const int> descriptors) {
  while (!bytes.empty()) {
    iovec part{const_cast<char*>(bytes.data()), bytes.size()};
    Ancillary ancillary{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (!descriptors.empty()) {
      message.msg_control = ancillary.bytes;
      message.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
      cmsghdr* const header = CMSG_FIRSTHDR(&message);
      header->cmsg_level = SOL_SOCKET;
      header->cmsg_type = SCM_RIGHTS;
      header->cmsg_len = CMSG_LEN(descriptors.size_bytes());
      std::memcpy(CMSG_DATA(header), descriptors.data(), descriptors.size_bytes());
    }
    const ssize_t count = sendmsg(socket, &message, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    bytes.remove_prefix(static_cast<size_t>(count));
    descriptors = {};
  }
  return true;
}

Message receive_message(int socket, size_t most) {
  Message message;
  message.bytes.resize(most);
  const ssize_t count =
      receive_once(socket, message.bytes.data(), message.bytes.size(), &message.descriptors);
  message.bytes.resize(static_cast<size_t>(std::max<ssize_t>(count, 0)));
  return message;
}

bool receive_exactly(int socket, void* bytes, size_t count, std::vector<sys::Fd>* descriptors) {
  auto* at = static_cast<char*>(bytes);
  while (count > 0) {
    const ssize_t got = receive_once(socket, at, count, descriptors);
    if (got <= 0) return false;
    at += got;
    count -= static_cast<size_t>(got);
  }
  return true;
}

}  // namespace helve::process
