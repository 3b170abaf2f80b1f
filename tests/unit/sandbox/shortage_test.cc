// When open files run short nothing runs that is less than protected, and nothing is given up for
// good.
#include <fcntl.h>
#include <sys/resource.h>

#include "sandbox/groundwork.h"
#include "unit/sandbox/enclosed.h"

namespace helve::sandbox {
namespace {

constexpr int kMostOpen = 64;  // more than anything here needs

// While it lives no more than `count` files can be opened.
class Shortage {
 public:
  explicit Shortage(int count) {
    getrlimit(RLIMIT_NOFILE, &usual_);
    rlimit few = usual_;
    few.rlim_cur = static_cast<rlim_t>(lowest_free() + count);
    setrlimit(RLIMIT_NOFILE, &few);
  }
  ~Shortage() { setrlimit(RLIMIT_NOFILE, &usual_); }
  Shortage(const Shortage&) = delete;
  Shortage& operator=(const Shortage&) = delete;

 private:
  static int lowest_free() {
    const int number = dup(0);
    close(number);
    return number;
  }
  rlimit usual_{};
};

class ShortOfFiles : public InEnclosure {
 protected:
  // One command for every number of files that can still be opened while its place is made.
  // Returns how often it ran, or -1 once `inside` fails.
  int run_with_few(const Enclosure& enclosure, const Inside& inside) {
    int ran = 0;
    for (int count = 0; count < kMostOpen; ++count) {
      const int status = run_in(enclosure, inside, {}, [count](const auto& enter) {
        const Shortage shortage(count);
        return enter();
      });
      if (status != 0 && status != kBroken) return -1;
      ran += status == 0;
    }
    return ran;
  }
};
INSTANTIATE_TEST_SUITE_P(Users, ShortOfFiles, testing::ValuesIn(users()), user_name);

TEST_P(ShortOfFiles, EveryCommandThatRunsSeesNoSecret) {
  policy.level = Level::read_only;
  policy.hidden = {path("root/token")};
  const int ran = with_enclosure(
      [&](Enclosure& enclosure, const Ask& ask) {
        ask();
        return run_with_few(enclosure, [&] {
          return open(path("root/token").c_str(), O_RDONLY | O_CLOEXEC) < 0 ? 0 : 1;
        });
      },
      [&] { write("root/token", "x"); });
  EXPECT_GT(ran, 0);
  EXPECT_LT(ran, kMostOpen);
}

TEST_P(ShortOfFiles, EveryCommandThatRunsKeepsSecretsInPlace) {
  write("root/a/b/token", "x");
  repository("root/.git");
  policy.hidden = {path("root/a/b/token")};
  const int ran = with_enclosure([&](Enclosure& enclosure, const Ask&) {
    return run_with_few(enclosure, [&] {
      const std::string from = path("root/a/b"), to = path("root/a/c");
      const std::string config = path("root/.git/config");
      return rename(from.c_str(), to.c_str()) != 0 && open(config.c_str(), O_WRONLY | O_CLOEXEC) < 0
                 ? 0
                 : 1;
    });
  });
  EXPECT_GT(ran, 0);
  EXPECT_LT(ran, kMostOpen);
}

TEST_P(ShortOfFiles, TheGroundIsLaidOnceThereAreMore) {
  const int status = with_enclosure([&](Enclosure& enclosure, const Ask&) {
    Groundwork ground;
    for (int count = 0; count < 2; ++count) {
      const Shortage shortage(count);
      if (enclosure.lay(ground)) return 1;
      if (!ground.is_worn()) return 2;
    }
    if (!enclosure.lay(ground)) return 3;
    return ground.holds() ? 0 : 4;
  });
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace helve::sandbox
