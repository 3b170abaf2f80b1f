// Protocol: what helve and its helper program helve-spawn say to each other.
//
// helve starts one helve-spawn for each policy in use and holds one end of a socket. A message on
// it asks for a command and brings the command's own channel and streams; a keeper that helve-spawn
// made ahead takes it. From then on helve and that keeper talk on the channel alone: first the
// Launch, then orders one way and events the other. The end of a channel is an order too: whatever
// runs there is ended. So nothing outlives helve, however helve ends.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace helve::process {

// How large a terminal is.
struct TerminalSize {
  std::uint16_t rows = 24;
  std::uint16_t columns = 80;
};

// What a keeper needs to know to start a command.
struct Launch {
  std::vector<std::string> argv;  // argv[0] is a path
  std::string program;            // a path that is run instead, under that name; may be empty
  std::vector<std::string> env;   // the whole environment, as NAME=value
  std::string cwd;
  bool has_terminal = false;  // the streams are a terminal that the keeper makes, and tells us
  TerminalSize terminal;
  std::uint64_t open_files = 0;        // 0: as many as we have
  std::vector<std::uint64_t> numbers;  // of the descriptors that it gets besides its streams
  std::vector<std::string> overlays;   // of each: the root, what is changed there, the work
  enum class View : std::uint8_t {
    once,      // made for this command
    stays,     // the same, and we are told it, to have it renewed while the command goes on
    of_other,  // nothing is started: the view of a command that stays is renewed
  } view = View::once;
};

constexpr size_t kMaxLaunchBytes = 4u << 20;
constexpr size_t kMaxPolicyBytes = 128u << 10;  // the first message to helve-spawn

std::string encode(const Launch& launch);
Result<Launch> decode_launch(std::string_view bytes);

// What comes with a message on helve-spawn's socket, in this order: the channel, standard input,
// output and error, those for `numbers`. To renew a view: the channel, three that are not used, the
// view's mount namespace.
constexpr size_t kFirstDescriptors = 4;
constexpr size_t kMaxDescriptors = 64;

// Where a start failed.
enum class Step : std::uint8_t {
  none,
  launch,
  sandbox,
  workspace,  // commands cannot be confined to it
  terminal,
  directory,
  program,
  process
};

// From the keeper. Sent whole, as raw bytes: both are built from one source.
struct Event {
  enum class Kind : std::uint8_t {
    ready,     // of helve-spawn itself: it serves; what holds its commands follows
    starting,  // from now on the command may run
    started,   // with a terminal, its descriptor comes along; with a view that stays, its mount
               // namespace and what tells changes
    failed,    // nothing runs; `text` bytes of explanation follow
    stopped,   // a signal halted the command
    resumed,   // it goes on
    exited,    // the command itself has ended
  } kind = Kind::ready;
  Step step = Step::none;
  bool left_others = false;  // exited: other processes of the command still run
  std::int32_t code = 0;     // failed: errno; exited: the status as wait() tells it
  std::uint32_t text = 0;
  std::uint64_t cpu_us = 0;      // exited: of the command and all it waited for
  std::uint64_t peak_bytes = 0;  // exited: of its largest process
};
constexpr std::uint32_t kMaxEventText = 4096;

// To the keeper.
struct Order {
  enum class Kind : std::uint8_t {
    signal_all,    // to every process of the command
    signal_group,  // to the command's own process group: what a terminal's keys do
    resize,        // the terminal
  } kind = Kind::signal_all;
  std::int32_t signal = 0;
  TerminalSize size;
};

}  // namespace helve::process
