// Messages with descriptors on a socket. Both helve and its helper program use them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sys/file_descriptor.h"

namespace helve::process {

// Sends all bytes, and the descriptors with the first of them. False: the other side is gone.
bool send_message(int socket, std::string_view bytes, std::span<const int> descriptors = {});

struct Message {
  std::string bytes;  // empty: the other side is gone
  std::vector<sys::Fd> descriptors;
};
// Waits for the next message, or, on a stream, for the next bytes; at most `most` of them.
Message receive_message(int socket, size_t most);
// Whatever a stream has to say until exactly `count` bytes are there. False: it ended before.
bool receive_exactly(int socket, void* bytes, size_t count,
                     std::vector<sys::Fd>* descriptors = nullptr);

template <class Plain>
std::string_view as_bytes(const Plain& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

}  // namespace helve::process
