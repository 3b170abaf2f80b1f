// What a PersistentShell runs: the lines that it is given, the files that they name, and the
// program. All of it is such that nobody but helve decides what the shell runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "sys/file_descriptor.h"

namespace helve::process {

// The descriptors of the shell, by number.
struct ShellNumbers {
  explicit ShellNumbers(int highest)
      : status(highest),
        command(highest - 1),
        orders(highest - 2),
        frame(highest - 3),
        long_command(highest - 4),
        careful_frame(highest - 5),
        program(highest - 6) {}
  int status;         // where it tells how a command ended
  int command;        // the file with the command
  int orders;         // where it gets its lines from; then the frame, since "$0" is its name
  int frame;          // the file that runs a command and tells its end
  int long_command;   // another for what has no room there
  int careful_frame;  // the frame for that one, which also knows traps
  int program;        // what it runs itself
};

std::string frame_text(const ShellNumbers& numbers);
std::string careful_frame_text(const ShellNumbers& numbers);
// The first line. `has_program`: it was given one by its number.
std::string prologue(const ShellNumbers& numbers, bool has_program);
// What makes it run a command, through either frame. The empty line behind is taken when the frame
// is done, whatever became of it. Short, since the shell takes what comes through a pipe byte by
// byte.
constexpr std::string_view kOrder = ". \"$0\"\n\n";
std::string careful_order(const ShellNumbers& numbers);
// `eval` of the command by what no alias can be. Without it, what is wrong with the command's
// syntax would be wrong with ours.
std::string evaluated(std::string_view command);
// What a command's file has. `call` is told with the end; `status` is what $? is at first. The rest
// of a short file is a comment, that of a long one is not looked at.
std::string command_text(std::uint64_t call, int status, std::string_view command);
std::string_view end_of_short();
std::string end_of_long(const ShellNumbers& numbers);

// A file in memory that never changes.
Result<sys::Fd> fixed_file(std::string_view text);

// A file in memory that only we change: others have it read-only, whether they inherit it or find
// it in /proc, since it is sealed but for the view of it that we have. Its size stays, too.
class CommandFile {
 public:
  explicit CommandFile(size_t bytes) : bytes_(bytes) {}
  CommandFile(const CommandFile&) = delete;
  ~CommandFile();

  Result<void> make();
  // The text and spaces. False: there is no room for it.
  bool put(std::string_view text);
  int get() const { return file_.get(); }

 private:
  const size_t bytes_;
  sys::Fd file_;
  char* view_ = nullptr;
  size_t used_ = 0;  // bytes that are no spaces
};

constexpr const char* kBash = "/bin/bash";

// Bash in memory, which can be run but not read. The kernel lets nobody look into a process of
// such a program, nor change it: not what it has open, not its memory. Empty where that cannot be.
sys::Fd private_bash();

}  // namespace helve::process
