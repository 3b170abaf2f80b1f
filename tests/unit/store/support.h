// What the store's tests share: a directory that goes away, sample records, and other processes:
// this very binary, started again as a helper (see helper.cc).
#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "store/opener.h"
#include "sys/clock.h"

namespace helve::store {

constexpr std::int64_t kNow = 1'767'225'600'000;

// In memory where the system has such a place: these tests sync often, and no test cuts the power.
class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

Identity someone(std::string session = "s_1");
CallRecord sample_call(std::string id, std::int64_t started_ms = kNow);

// The Result's value; otherwise the test ends as failed, with the error in words.
template <class T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error(describe(result.error()));
  return take(std::move(result));
}

// A copy of this test program that runs one of the modes in helper.cc, under `prefix` if given
// (such as strace).
class Helper {
 public:
  explicit Helper(std::vector<std::string> arguments, std::vector<std::string> prefix = {});
  ~Helper();
  Helper(const Helper&) = delete;

  std::string read_line();  // of its standard output; empty at the end
  std::string read_all();
  void release();  // ends its standard input
  int wait();      // as waitpid tells it
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = -1;
  int in_ = -1;
  int out_ = -1;
  bool waited_ = false;
  int status_ = 0;
};

// Runs `work` in a forked process and returns what it returns: empty when all is well, else what
// was wrong.
std::string in_child(const std::function<std::string()>& work);

int helper_main(const std::vector<std::string>& arguments);

}  // namespace helve::store
