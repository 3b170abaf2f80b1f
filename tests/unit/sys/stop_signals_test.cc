#include "sys/stop_signals.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <future>

namespace helve::sys {
namespace {

// Runs `work` in a process of its own and says how that ended: its exit status, or minus the
// signal.
int ends_with(int (*work)()) {
  const pid_t child = fork();
  if (child == 0) _exit(work());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

TEST(StopSignals, TheFirstSignalRequestsAStop) {
  EXPECT_EQ(ends_with([] {
              std::promise<void> told;
              auto signals = StopSignals::make({.on_stop = [&] { told.set_value(); }});
              if (!signals) return 1;
              kill(getpid(), SIGTERM);
              told.get_future().wait();
              return (*signals)->token().stop_requested() ? 42 : 2;
            }),
            42);
}

TEST(StopSignals, TheSecondSignalEndsTheProcess) {
  EXPECT_EQ(ends_with([] {
              std::promise<void> told;
              auto signals = StopSignals::make({.on_stop = [&] { told.set_value(); }});
              kill(getpid(), SIGINT);
              told.get_future().wait();
              kill(getpid(), SIGINT);
              for (;;) pause();
              return 0;
            }),
            128 + SIGINT);
}

TEST(StopSignals, WorkThatDoesNotEndInTimeIsEnded) {
  EXPECT_EQ(ends_with([] {
              auto signals =
                  StopSignals::make({.grace = std::chrono::milliseconds(1), .late_status = 7});
              kill(getpid(), SIGTERM);
              for (;;) pause();
              return 0;
            }),
            7);
}

TEST(StopSignals, WithoutAThreadTheSignalsStayAsTheyWere) {
  EXPECT_EQ(ends_with([] {
              const rlimit none{0, 0};
              // The limit does not bind root.
              if (setrlimit(RLIMIT_NPROC, &none) != 0 || (getuid() == 0 && setuid(65534) != 0))
                return 1;
              const auto signals = StopSignals::make();
              if (signals) return 2;
              if (signals.error().code != Code::unavailable || signals.error().hint.empty())
                return 3;
              kill(getpid(), SIGTERM);
              for (;;) pause();
              return 0;
            }),
            -SIGTERM);
}

TEST(StopSignals, ASignalThatWasIgnoredStaysIgnored) {
  EXPECT_EQ(ends_with([] {
              signal(SIGHUP, SIG_IGN);
              std::promise<void> both_sent;
              // Nothing more is looked at before both were sent; of two that count the second would
              // end the process with a status of its own.
              auto signals = StopSignals::make({.grace = std::chrono::milliseconds(1),
                                                .late_status = 42,
                                                .on_stop = [&] { both_sent.get_future().wait(); }});
              kill(getpid(), SIGHUP);
              kill(getpid(), SIGTERM);
              both_sent.set_value();
              for (;;) pause();
              return 0;
            }),
            42);
}

TEST(StopSignals, EndsAlsoWhenEverySignalIsIgnored) {
  EXPECT_EQ(ends_with([] {
              for (int number : {SIGINT, SIGTERM, SIGHUP}) signal(number, SIG_IGN);
              { auto signals = StopSignals::make(); }
              return 42;
            }),
            42);
}

TEST(StopSignals, AfterwardsTheSignalsDoWhatTheyDidBefore) {
  EXPECT_EQ(ends_with([] {
              { auto signals = StopSignals::make(); }
              kill(getpid(), SIGTERM);
              for (;;) pause();
              return 0;
            }),
            -SIGTERM);
}

}  // namespace
}  // namespace helve::sys
