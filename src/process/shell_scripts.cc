#include "process/shell_scripts.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/stream.h"

namespace helve::process {
namespace {

constexpr int kFixed = F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL;
constexpr int kOnlyOurs = F_SEAL_FUTURE_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL;
constexpr unsigned kMayRun = 0x10;  // MFD_EXEC, which older headers lack
constexpr off_t kMaxProgram = 64 << 20;

Error no_file() {
  return Error{
      Code::unavailable,
      fmt::format("cannot make a file in memory for the shell: {}", strerrordesc_np(errno)),
      "a kernel since 5.1 can; else raise the limit of open files", "shell_failed"};
}

sys::Fd memory_file(const char* name) {
  return sys::Fd(memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
}

bool is_program(int file) {
  char magic[4];
  return pread(file, magic, sizeof magic, 0) == sizeof magic && memcmp(magic, "\177ELF", 4) == 0;
}

}  // namespace

// No alias stands for a name that is quoted.
//
// Tells the status, the options and which call that was; then puts off until the next command what
// would show our own lines. What tracing writes meanwhile goes to us as well, not among the output.
std::string frame_text(const ShellNumbers& numbers) {
  return fmt::format(
      ". /dev/fd/{0};"
      "{{ \\builtin printf '\\0%d %s %d\\n' \"$?\" \"$-\" \"$HELVE_CALL\";"
      "case $- in *[xv]*)\\builtin set +xv;esac;}} >&{1} 2>&{1}\n",
      numbers.command, numbers.status);
}

// Does the same with the trap before each command.
std::string careful_frame_text(const ShellNumbers& numbers) {
  return fmt::format(
      ". /dev/fd/{0};"
      "{{ \\builtin printf '\\0%d %s %d\\n' \"$?\" \"$-\" \"$HELVE_CALL\";"
      "\\builtin trap -p DEBUG;\\builtin trap - DEBUG;\\builtin set +xv;}} >&{1} 2>&{1}\n",
      numbers.long_command, numbers.status);
}

// An interrupt ends the command and not the shell. `return` leaves one function or file; the trap
// before the next command leaves the next one, until only the frame is left. An interrupt that
// comes when there is nothing to leave says nothing. What is told at last is the first message of
// the shell: by it we know its process.
std::string prologue(const ShellNumbers& numbers, bool has_program) {
  const std::string done = has_program ? fmt::format("{}<&-", numbers.program) : "";
  return fmt::format(
      "exec {0}<&{1} {1}<&- {2};"
      "trap 'builtin trap \"((\\${{#BASH_SOURCE[@]}}>2))&&return 130;builtin trap - DEBUG\" DEBUG;"
      "return 130 2>/dev/null' INT;printf '\\0' >&{3}\n",
      numbers.orders, numbers.frame, done, numbers.status);
}

std::string careful_order(const ShellNumbers& numbers) {
  return fmt::format(". /dev/fd/{}\n\n", numbers.careful_frame);
}

// One line, so that the lines of the command count from 1.
std::string evaluated(std::string_view command) {
  std::string text = "\\builtin eval '";
  for (size_t quote; (quote = command.find('\'')) != command.npos;) {
    text.append(command.substr(0, quote)).append("'\\''");
    command.remove_prefix(quote + 1);
  }
  return text.append(command).append("'");
}

// The number is evaluated like the command: where that is not possible any more, it stays unknown.
std::string command_text(std::uint64_t call, int status, std::string_view command) {
  std::string text = fmt::format("\\builtin eval HELVE_CALL={};", call);
  if (status != 0) text += fmt::format("(exit {})&&:;", status);
  return text + evaluated(command);
}

std::string_view end_of_short() { return " #"; }

// To read over a long comment takes longer than this; tracing and traps do not show it.
std::string end_of_long(const ShellNumbers& numbers) {
  return fmt::format(";{{ return;}} >&{0} 2>&{0}\n", numbers.status);
}

Result<sys::Fd> fixed_file(std::string_view text) {
  sys::Fd file = memory_file("frame");
  if (!file || !sys::write_all(file.get(), text) || fcntl(file.get(), F_ADD_SEALS, kFixed) != 0)
    return no_file();
  return file;
}

CommandFile::~CommandFile() {
  if (view_) munmap(view_, bytes_);
}

Result<void> CommandFile::make() {
  file_ = memory_file("command");
  if (!file_ || ftruncate(get(), static_cast<off_t>(bytes_)) != 0) return no_file();
  void* view = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, get(), 0);
  if (view == MAP_FAILED) return no_file();
  view_ = static_cast<char*>(view);
  used_ = bytes_;
  if (fcntl(get(), F_ADD_SEALS, kOnlyOurs) != 0) return no_file();
  return {};
}

bool CommandFile::put(std::string_view text) {
  if (text.size() > bytes_) return false;
  text.copy(view_, text.size());
  if (used_ > text.size()) memset(view_ + text.size(), ' ', used_ - text.size());
  used_ = text.size();
  return true;
}

sys::Fd private_bash() {
  const sys::Fd program(open(kBash, O_RDONLY | O_CLOEXEC));
  struct stat about;
  if (!program || fstat(program.get(), &about) != 0 || about.st_size > kMaxProgram) return {};
  if (!is_program(program.get())) return {};  // the script of a wrapper would have to be read
  sys::Fd copy(memfd_create("bash", MFD_CLOEXEC | MFD_ALLOW_SEALING | kMayRun));
  if (!copy) copy = memory_file("bash");  // before Linux 6.3, all can be run
  if (!copy) return {};
  for (off_t at = 0; at < about.st_size;) {
    if (sendfile(copy.get(), program.get(), &at, static_cast<size_t>(about.st_size - at)) <= 0)
      return {};
  }
  if (fchmod(copy.get(), 0111) != 0 || fcntl(copy.get(), F_ADD_SEALS, kFixed) != 0) return {};
  return copy;
}

}  // namespace helve::process
