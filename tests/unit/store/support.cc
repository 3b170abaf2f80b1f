#include "unit/store/support.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

namespace helve::store {

TempDir::TempDir() {
  const bool memory = ::access("/dev/shm", W_OK) == 0;
  path_ = std::string(memory ? "/dev/shm" : "/tmp") + "/helve_store_XXXXXX";
  if (!::mkdtemp(path_.data())) std::abort();
}

TempDir::~TempDir() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

Identity someone(std::string session) {
  return {.agent = "coder",
          .user = "ada",
          .workspace = "/home/ada/engine",
          .session = std::move(session)};
}

CallRecord sample_call(std::string id, std::int64_t started_ms) {
  CallRecord call;
  call.id = std::move(id);
  call.who = someone();
  call.caller = Caller::mcp;
  call.tool = "read";
  call.arguments = R"({"path":"notes.md"})";
  call.started_ms = started_ms;
  call.duration_us = 120;
  call.outcome = "ok";
  call.output_bytes = 42;
  return call;
}

Helper::Helper(std::vector<std::string> arguments, std::vector<std::string> prefix) {
  // The path, not /proc/self/exe, which under a prefix would be that program.
  std::vector<std::string> words = std::move(prefix);
  words.push_back(std::filesystem::read_symlink("/proc/self/exe").string());
  words.push_back("--helper");
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  int in[2];
  int out[2];
  if (::pipe2(in, O_CLOEXEC) != 0 || ::pipe2(out, O_CLOEXEC) != 0) std::abort();
  pid_ = ::fork();
  if (pid_ == 0) {
    ::dup2(in[0], 0);
    ::dup2(out[1], 1);
    ::execvp(argv[0], argv.data());
    ::_exit(127);
  }
  ::close(in[0]);
  ::close(out[1]);
  in_ = in[1];
  out_ = out[0];
}

Helper::~Helper() {
  release();
  wait();
  ::close(out_);
}

std::string Helper::read_line() {
  std::string line;
  for (char c; ::read(out_, &c, 1) == 1 && c != '\n';) line += c;
  return line;
}

std::string Helper::read_all() {
  std::string all;
  char buffer[4096];
  for (ssize_t count; (count = ::read(out_, buffer, sizeof buffer)) > 0;)
    all.append(buffer, static_cast<size_t>(count));
  return all;
}

void Helper::release() {
  if (in_ >= 0) ::close(in_);
  in_ = -1;
}

int Helper::wait() {
  if (!waited_) ::waitpid(pid_, &status_, 0);
  waited_ = true;
  return status_;
}

std::string in_child(const std::function<std::string()>& work) {
  int out[2];
  if (::pipe2(out, O_CLOEXEC) != 0) std::abort();
  const pid_t pid = ::fork();
  if (pid == 0) {
    std::string wrong;
    try {
      wrong = work();
    } catch (const std::exception& exception) {
      wrong = exception.what();
    }
    [[maybe_unused]] const ssize_t ignored = ::write(out[1], wrong.data(), wrong.size());
    ::_exit(wrong.empty() ? 0 : 1);
  }
  ::close(out[1]);
  std::string wrong;
  char buffer[4096];
  for (ssize_t count; (count = ::read(out[0], buffer, sizeof buffer)) > 0;)
    wrong.append(buffer, static_cast<size_t>(count));
  ::close(out[0]);
  int status = 0;
  ::waitpid(pid, &status, 0);
  if (wrong.empty() && status != 0) wrong = "the child ended with status " + std::to_string(status);
  return wrong;
}

}  // namespace helve::store
