// Runs a short helper program to its end: bounded in time and output, and never left behind.
// Commands that people and models run belong to another module; this one serves helve's own small
// needs.
#pragma once

#include <chrono>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sys/file_descriptor.h"

namespace helve::sys {

struct Command {
  std::vector<std::string> argv;   // argv[0] without a slash is looked for in the PATH of `env`
  std::vector<std::string> env;    // the whole environment, as NAME=value
  std::string cwd;                 // empty: ours
  std::string stdin_text;          // then end of file
  const Fd* stdin_file = nullptr;  // instead, when not null
  size_t stdout_limit = 1u << 20;  // bytes; what comes after is read and dropped
  size_t stderr_limit = 64u << 10;
  std::chrono::milliseconds timeout{10'000};
  std::chrono::milliseconds kill_grace{500};  // between SIGTERM and SIGKILL
};

struct Finished {
  int exit_code = 0;   // -1 when a signal ended it
  std::string signal;  // "SIGSEGV" when a signal ended it
  std::string out;
  std::string err;
  bool timed_out = false;  // it was ended because its time was up
  bool out_truncated = false;
  bool err_truncated = false;
};

// A file that exists only in memory, open at its start: for `stdin_file` of several runs.
Result<Fd> memory_file(std::string_view text);

// The program runs in a session of its own and inherits nothing but the three standard streams.
// When its time is up or `stop` is requested, its whole process group is ended. Returns as soon as
// the program itself has ended, even if a process that it left behind still holds its output open.
// When this process is killed, the program is too.
// Errors: not_found or denied (type spawn_failed) when it cannot be started, cancelled when
// stopped.
Result<Finished> run(const Command& command, std::stop_token stop = {});

}  // namespace helve::sys
