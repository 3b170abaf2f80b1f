// A store in a directory that goes away, with a session in it.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <stdexcept>

#include "store/shared_store.h"
#include "sys/clock.h"

namespace helve::testing {

template <class T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error(describe(result.error()));
  return take(std::move(result));
}

class TempStore : public ::testing::Test {
 protected:
  static constexpr const char* kSession = "s_1";

  TempStore() { begin(kSession); }
  ~TempStore() override {
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }

  template <class Work>
  auto use(Work work) {
    return must(store_.use(work));
  }
  void begin(const std::string& session, const std::string& parent = "") {
    use([&](store::Store& store) {
      return store.begin_conversation(
          {.session = session, .parent = parent, .created_ms = clock_.unix_ms()});
    });
  }

  std::string directory_ = [] {
    std::string path =
        std::string(access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp") + "/helve_session_XXXXXX";
    if (!mkdtemp(path.data())) std::abort();
    return path;
  }();
  sys::ManualClock clock_;
  store::Opener opener_{directory_ + "/helve.db", {.sync = false}, clock_};
  store::SharedStore store_{opener_};
};

}  // namespace helve::testing
