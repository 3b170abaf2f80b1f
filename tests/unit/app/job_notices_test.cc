// What sessions are told of their background jobs, and the ledger of those in the store.
#include "app/job_notices.h"

#include <fmt/format.h>

#include "app/job_ledger.h"
#include "unit/app/fixture.h"

namespace helve::app {
namespace {

using process::JobInfo;
using process::JobState;

JobInfo ended_job(std::string id) {
  return {.id = std::move(id),
          .session = "work",
          .command = "make test",
          .cwd = "/",
          .state = JobState::ended,
          .started_ms = 1,
          .ended_ms = 2,
          .end = "exit code 2",
          .exit_code = 2,
          .signal = {}};
}

class JobNoticesTest : public Machine {
 protected:
  // As a process of the session that is taken up again.
  Notices::Taken take(Caller caller = Caller::mcp) {
    jobs_.emplace(clock_, &ledger_);
    jobs_->resume("work");
    return JobNotices(*jobs_).take({.session = "work"}, caller);
  }

  sys::ManualClock clock_{1'767'225'600'000};
  std::vector<std::string> problems_;
  StoredJobs ledger_{store::Opener(at("state/helve.db"), {}, clock_),
                     [this](std::string problem) { problems_.push_back(std::move(problem)); }};
  std::optional<process::Jobs> jobs_;
};

TEST_F(JobNoticesTest, NameTheCommandItsEndAndHowToSeeItsOutput) {
  ledger_.ended(ended_job("j_1"), "");
  const std::vector<std::string> lines = take().lines;
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0],
            "background command j_1 (make test) ended: exit code 2; "
            R"(process {"action":"poll","process_id":"j_1"} shows its output)");
}

TEST_F(JobNoticesTest, NameTheSessionAtACommandLine) {
  ledger_.ended(ended_job("j_1"), "");
  EXPECT_NE(take(Caller::cli).lines.at(0).find("helve --session 'work' shell process"),
            std::string::npos)
      << take(Caller::cli).lines.at(0);
}

TEST_F(JobNoticesTest, TellThatAJobIsLost) {
  JobInfo lost = ended_job("j_1");
  lost.state = JobState::lost;
  lost.end = "lost: the process that ran it was killed";
  ledger_.ended(lost, "");
  EXPECT_EQ(take().lines.at(0),
            "background command j_1 (make test) is lost: the process that ran it was killed; what "
            "it did until then stands");
}

TEST_F(JobNoticesTest, SayHowManyGoWithTheNextAnswers) {
  for (int i = 10; i < 35; ++i) ledger_.ended(ended_job(fmt::format("j_{}", i)), "");
  const Notices::Taken taken = take();
  EXPECT_EQ(taken.ids.size(), 20u);
  ASSERT_EQ(taken.lines.size(), 21u);
  EXPECT_EQ(taken.lines[20], "5 more background commands have ended: the next answers name them");
}

TEST_F(JobNoticesTest, AreToldOnce) {
  ledger_.ended(ended_job("j_1"), "");
  const Notices::Taken taken = take();
  JobNotices(*jobs_).arrived("work", taken.ids);
  EXPECT_TRUE(take().ids.empty());
}

TEST_F(JobNoticesTest, AnEndThatCannotBeWrittenIsWrittenLater) {
  put("state", "no directory");
  ledger_.ended(ended_job("j_1"), "out");
  ledger_.ended(ended_job("j_2"), "out");
  EXPECT_EQ(problems_.size(), 1u);
  std::filesystem::remove(at("state"));
  ledger_.told(std::vector<std::string>{"j_1"});
  EXPECT_EQ(ledger_.output("work", "j_2").value_or(""), "out");
  EXPECT_EQ(take().ids, std::vector<std::string>{"j_2"});
}

}  // namespace
}  // namespace helve::app
