// Person: somebody at a terminal of their own, who waits for a question and then types something.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <functional>
#include <string>
#include <thread>

namespace helve {

class Person {
 public:
  // Types `answer` once the terminal shows `question`; then does what else is wanted.
  Person(
      std::string question, std::string answer, std::function<void()> then = [] {},
      unsigned short columns = 10'000)
      : master_(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)) {
    EXPECT_EQ(grantpt(master_), 0);
    EXPECT_EQ(unlockpt(master_), 0);
    terminal_ = ptsname(master_);
    // Without anybody on the other side a read of the master would fail.
    slave_ = open(terminal_.c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC);
    const winsize size{.ws_row = 24, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
    EXPECT_EQ(ioctl(slave_, TIOCSWINSZ, &size), 0);
    thread_ = std::thread([this, question, answer, then] {
      while (shown_.find(question) == std::string::npos && look()) {
      }
      EXPECT_EQ(write(master_, answer.data(), answer.size()), static_cast<ssize_t>(answer.size()));
      then();
    });
  }
  ~Person() {
    shown();
    close(slave_);
    if (master_ >= 0) close(master_);
  }
  Person(const Person&) = delete;

  const std::string& terminal() const { return terminal_; }
  // Hangs up; for what is done after the answer.
  void leave() {
    close(master_);
    master_ = -1;
  }
  // Everything that the terminal showed until the question.
  const std::string& shown() {
    if (thread_.joinable()) thread_.join();
    return shown_;
  }

 private:
  // False: nothing came for a long time.
  bool look() {
    pollfd waiting{master_, POLLIN, 0};
    char block[4096];
    if (poll(&waiting, 1, kPatience) <= 0) {
      ADD_FAILURE() << "nothing is asked, but: " << shown_;
      return false;
    }
    const ssize_t count = read(master_, block, sizeof block);
    if (count <= 0) return false;
    shown_.append(block, static_cast<size_t>(count));
    return true;
  }

  static constexpr int kPatience = 20'000;  // milliseconds; only a failing test waits so long
  int master_;
  int slave_ = -1;
  std::string terminal_;
  std::string shown_;
  std::thread thread_;
};

}  // namespace helve
