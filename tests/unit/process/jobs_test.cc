// Commands in the background, for real; the ledger is in memory.
#include "process/jobs.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "process/descendants.h"
#include "unit/process/helpers.h"

namespace helve::process {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds kSoon{20'000};

// A ledger that outlives the Jobs that write to it, as the store outlives a process.
class MemoryLedger final : public JobLedger {
 public:
  Result<void> began(const JobInfo& job) override {
    {
      std::lock_guard lock(mutex_);
      if (refuses_) return Error{Code::unavailable, "the disk is full"};
      kept_[job.id] = {job, ""};
    }
    if (on_began_) on_began_();
    return {};
  }
  void ended(const JobInfo& job, std::string_view output) override {
    std::lock_guard lock(mutex_);
    kept_[job.id] = {job, std::string(output)};
  }
  Result<std::vector<std::string>> claim(std::span<const std::string> ids) override {
    std::lock_guard lock(mutex_);
    std::vector<std::string> claimed;
    for (const std::string& id : ids) {
      const auto found = kept_.find(id);
      if (found != kept_.end() && !found->second.first.is_told && !others_tell_)
        claimed.push_back(id);
    }
    return claimed;
  }
  void released(std::span<const std::string> ids) override {
    std::lock_guard lock(mutex_);
    released_.insert(released_.end(), ids.begin(), ids.end());
  }
  void told(std::span<const std::string> ids) override {
    std::lock_guard lock(mutex_);
    for (const std::string& id : ids) kept_[id].first.is_told = true;
  }
  Result<std::vector<JobInfo>> jobs(std::string_view session) override {
    std::lock_guard lock(mutex_);
    std::vector<JobInfo> jobs;
    for (const auto& [id, kept] : kept_) {
      if (kept.first.session != session) continue;
      jobs.push_back(kept.first);
      if (jobs.back().state == JobState::running) jobs.back().state = running_are_;
    }
    return jobs;
  }
  Result<std::string> output(std::string_view, std::string_view id) override {
    std::lock_guard lock(mutex_);
    return kept_[std::string(id)].second;
  }

  void refuse() { refuses_ = true; }
  void let_others_tell(bool tell = true) { others_tell_ = tell; }
  std::vector<std::string> released() const { return released_; }
  void when_began(std::function<void()> then) { on_began_ = std::move(then); }
  // What is known of jobs that some other process began: by default that process lives.
  void lose_running() { running_are_ = JobState::lost; }
  JobInfo at(const std::string& id) {
    std::lock_guard lock(mutex_);
    return kept_.at(id).first;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::pair<JobInfo, std::string>> kept_;
  std::vector<std::string> released_;
  std::function<void()> on_began_;
  bool refuses_ = false, others_tell_ = false;
  JobState running_are_ = JobState::elsewhere;
};

class JobsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    signal(SIGPIPE, SIG_IGN);
    auto started = Spawner::start(spawn_program(), {.level = sandbox::Level::full});
    ASSERT_TRUE(started) << describe(started.error());
    spawner_ = std::move(*started);
    begin_anew();
  }
  void TearDown() override {
    jobs_.reset();
    spawner_.reset();
    EXPECT_TRUE(descendants_of(getpid()).empty());
  }
  void begin_anew(JobLimits limits = {}) {
    jobs_.reset();
    jobs_.emplace(clock_, &ledger_, limits);
  }

  std::unique_ptr<Running> run(const std::string& script) {
    auto started = Running::start(
        *spawner_,
        {.launch = {.argv = {"/bin/sh", "-c", script}, .env = {"PATH=/usr/bin:/bin"}, .cwd = "/"},
         .input = Plan::Input::open,
         .limits = {.directory = "/tmp"}});
    EXPECT_TRUE(started) << describe(started.error());
    return std::move(*started);
  }
  static Jobs::New named(const std::string& command) {
    return {.session = "s", .command = command, .cwd = "/", .grace = kSoon};
  }
  std::string start(const std::string& script) {
    Result<std::string> id = jobs_->adopt(named(script), run(script));
    EXPECT_TRUE(id) << describe(id.error());
    return id.value_or("");
  }
  JobInfo finish(const std::string& id) {
    Result<JobInfo> job = jobs_->wait("s", id, std::chrono::steady_clock::now() + kSoon, {});
    EXPECT_TRUE(job) << describe(job.error());
    return job.value_or(JobInfo{});
  }
  // Without being the one that is told: as poll does.
  JobInfo watch(const std::string& id) {
    const Time end = std::chrono::steady_clock::now() + kSoon;
    while (std::chrono::steady_clock::now() < end) {
      JobInfo job = jobs_->info("s", id).value_or(JobInfo{});
      if (!runs(job.state)) return job;
    }
    ADD_FAILURE() << id << " did not end";
    return {};
  }
  std::string text(const std::string& id) {
    return jobs_->output("s", id, 0, 100'000).value_or(Jobs::Seen{}).bytes;
  }
  void await_text(const std::string& id, const std::string& wanted) {
    const Time end = std::chrono::steady_clock::now() + kSoon;
    while (text(id) != wanted && std::chrono::steady_clock::now() < end) {
    }
    EXPECT_EQ(text(id), wanted);
  }
  std::vector<std::string> take() {
    const Jobs::News news = jobs_->take_news("s", 100);
    std::vector<std::string> ids;
    for (const JobInfo& job : news.ended) ids.push_back(job.id);
    taken_ = news.ids;
    return ids;
  }
  void settle(Jobs::Arrival arrival) { jobs_->settle_news("s", taken_, arrival); }

  using Ids = std::vector<std::string>;
  sys::ManualClock clock_{1'767'225'600'000};
  MemoryLedger ledger_;
  std::unique_ptr<Spawner> spawner_;
  std::optional<Jobs> jobs_;
  Ids taken_;
};

TEST_F(JobsTest, TellsHowAJobEndedAndWhatItWrote) {
  const std::string id = start("echo out; exit 3");
  const JobInfo job = finish(id);
  EXPECT_EQ(job.state, JobState::ended);
  EXPECT_EQ(job.end, "exit code 3");
  EXPECT_EQ(job.exit_code, 3);
  EXPECT_EQ(job.output_bytes, 4u);
  EXPECT_EQ(text(id), "out\n");
}

TEST_F(JobsTest, WritesAJobDownBeforeItCountsAsStarted) {
  ledger_.refuse();
  const Result<std::string> id = jobs_->adopt(named("sleep 1000"), run("sleep 1000"));
  ASSERT_FALSE(id);
  EXPECT_EQ(id.error().message, "the disk is full");
  EXPECT_TRUE(jobs_->list("s").jobs.empty());
}

TEST_F(JobsTest, ACallThatReadsTheLedgerMeanwhileDoesNotTakeAJobForAnothers) {
  ledger_.when_began([&] { jobs_->list("s"); });
  const std::string id = start("read line; exit 3");
  EXPECT_EQ(jobs_->info("s", id)->state, JobState::running);
  EXPECT_TRUE(jobs_->input("s", id, "\n", false, kSoon));
  EXPECT_EQ(finish(id).exit_code, 3);
}

TEST_F(JobsTest, WaitingEndsWhenTheTimeIsOverOrItIsCancelled) {
  const std::string id = start("sleep 1000");
  const Result<JobInfo> job = jobs_->wait("s", id, std::chrono::steady_clock::now(), {});
  ASSERT_TRUE(job);
  EXPECT_EQ(job->state, JobState::running);
  std::stop_source stop;
  stop.request_stop();
  const Result<JobInfo> cancelled =
      jobs_->wait("s", id, std::chrono::steady_clock::now() + kSoon, stop.get_token());
  ASSERT_FALSE(cancelled);
  EXPECT_EQ(cancelled.error().code, Code::cancelled);
}

TEST_F(JobsTest, KillAsksFirst) {
  const std::string id =
      start("trap 'echo asked; exit 5' TERM; echo ready; while :; do sleep 0.01; done");
  await_text(id, "ready\n");
  const Result<JobInfo> job = jobs_->kill("s", id, {});
  ASSERT_TRUE(job);
  EXPECT_EQ(job->exit_code, 5);
  EXPECT_TRUE(text(id).ends_with("asked\n")) << text(id);
}

TEST_F(JobsTest, KillInsistsWhenTheGraceIsOver) {
  const std::string script = "trap '' TERM; echo ready; while :; do sleep 0.01; done";
  Jobs::New wanted = named(script);
  wanted.grace = milliseconds(1);
  const Result<std::string> id = jobs_->adopt(wanted, run(script));
  ASSERT_TRUE(id);
  await_text(*id, "ready\n");
  const Result<JobInfo> job = jobs_->kill("s", *id, {});
  ASSERT_TRUE(job);
  EXPECT_EQ(job->signal, "SIGKILL");
}

TEST_F(JobsTest, KillOfOneThatHasEndedTellsItsEnd) {
  const std::string id = start("exit 2");
  finish(id);
  EXPECT_EQ(jobs_->kill("s", id, {}).value_or(JobInfo{}).exit_code, 2);
}

TEST_F(JobsTest, TellsThatASignalHaltsIt) {
  // A shell that is just starting a program does not stop before that has started.
  const std::string id = start("exec sleep 1000");
  auto becomes_stopped = [&](bool wanted) {
    const Time end = std::chrono::steady_clock::now() + kSoon;
    while (std::chrono::steady_clock::now() < end) {
      if (jobs_->info("s", id)->is_stopped == wanted) return true;
    }
    return false;
  };
  EXPECT_TRUE(becomes_stopped(false));
  ASSERT_TRUE(jobs_->signal("s", id, SIGSTOP));
  EXPECT_TRUE(becomes_stopped(true));
  ASSERT_TRUE(jobs_->signal("s", id, SIGCONT));
  EXPECT_TRUE(becomes_stopped(false));
  ASSERT_TRUE(jobs_->signal("s", id, SIGSTOP));
  ASSERT_TRUE(jobs_->signal("s", id, SIGKILL));
  EXPECT_FALSE(finish(id).is_stopped);
}

TEST_F(JobsTest, ADeadlineEndsAJobAndSaysSo) {
  if (kForks) GTEST_SKIP() << kNoVfork;
  Jobs::New wanted = named("sleep 1000");
  wanted.deadline = std::chrono::steady_clock::now();
  const Result<std::string> id = jobs_->adopt(wanted, run("sleep 1000"));
  ASSERT_TRUE(id);
  const JobInfo job = finish(*id);
  EXPECT_TRUE(job.timed_out);
  EXPECT_EQ(job.end, "killed by SIGTERM after its time was up");
}

TEST_F(JobsTest, TakesInputAndItsEnd) {
  const std::string id = start("cat");
  EXPECT_EQ(jobs_->input("s", id, "hello\n", true, kSoon).value_or(0), 6u);
  EXPECT_EQ(finish(id).exit_code, 0);
  EXPECT_EQ(text(id), "hello\n");
}

TEST_F(JobsTest, TheEndOfInputCanBeTypedAtATerminal) {
  auto running = Running::start(
      *spawner_, {.launch = {.argv = {"/bin/cat"}, .env = {}, .cwd = "/", .has_terminal = true},
                  .input = Plan::Input::open,
                  .limits = {.directory = "/tmp"}});
  ASSERT_TRUE(running) << describe(running.error());
  const Result<std::string> id = jobs_->adopt(named("cat"), std::move(*running));
  ASSERT_TRUE(id);
  EXPECT_EQ(jobs_->input("s", *id, "hello", true, kSoon).value_or(0), 5u);
  EXPECT_EQ(finish(*id).exit_code, 0);
}

TEST_F(JobsTest, SaysHowMuchOfTheInputAFullPipeTook) {
  const std::string id = start("sleep 1000");
  const std::string much(1 << 20, 'x');
  const Result<size_t> taken = jobs_->input("s", id, much, false, milliseconds(0));
  ASSERT_TRUE(taken);
  EXPECT_GT(*taken, 0u);
  EXPECT_LT(*taken, much.size());
}

TEST_F(JobsTest, WritesMoreInputThanAPipeHoldsToOneThatReads) {
  const std::string id = start("wc -c");
  const std::string much(1 << 20, 'x');
  EXPECT_EQ(jobs_->input("s", id, much, true, kSoon).value_or(0), much.size());
  finish(id);
  EXPECT_EQ(text(id), "1048576\n");
}

TEST_F(JobsTest, OneThatHasEndedTakesNeitherInputNorSignals) {
  const std::string id = start("true");
  finish(id);
  EXPECT_EQ(jobs_->input("s", id, "x", false, kSoon).error().type, "no_input");
  EXPECT_EQ(jobs_->signal("s", id, SIGTERM).error().type, "has_ended");
}

TEST_F(JobsTest, KnowsOnlyTheIdsOfASession) {
  const std::string id = start("true");
  finish(id);
  const Result<JobInfo> unknown = jobs_->info("s", "j_nobody");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().type, "unknown_id");
  EXPECT_NE(unknown.error().hint.find(id), std::string::npos);
  const Result<JobInfo> foreign = jobs_->info("other", id);
  ASSERT_FALSE(foreign);
  EXPECT_EQ(foreign.error().type, "unknown_id");
  EXPECT_EQ(foreign.error().hint.find(id), std::string::npos);
}

TEST_F(JobsTest, RefusesTooManyAtOnce) {
  begin_anew({.running = 2});
  start("sleep 1000");
  const std::string second = start("sleep 1000");
  const Result<std::string> third = jobs_->adopt(named("true"), run("true"));
  ASSERT_FALSE(third);
  EXPECT_EQ(third.error().type, "too_many_jobs");
  ASSERT_TRUE(jobs_->kill("s", second, {}));
  EXPECT_TRUE(jobs_->adopt(named("true"), run("true")));
}

TEST_F(JobsTest, ForgetsTheOldestOutputsAndRecords) {
  jobs_.reset();
  jobs_.emplace(clock_, nullptr, JobLimits{.kept_outputs = 1, .kept_records = 2});
  Ids ids;
  for (int i = 0; i < 3; ++i) {
    ids.push_back(start("echo " + std::to_string(i)));
    finish(ids.back());
    clock_.advance(seconds(1));  // ids sort by time
  }
  EXPECT_EQ(jobs_->info("s", ids[0]).error().type, "unknown_id");
  const Jobs::Seen seen = jobs_->output("s", ids[1], 0, 100).value_or(Jobs::Seen{});
  EXPECT_FALSE(seen.is_kept);
  EXPECT_EQ(seen.job.output_bytes, 2u);
  EXPECT_EQ(text(ids[2]), "2\n");
}

TEST_F(JobsTest, ShowsTheRecordedEndOfAnOutputThatIsNotInMemory) {
  begin_anew({.kept_outputs = 0, .recorded_output = 4});
  const std::string id = start("printf 0123456789");
  finish(id);
  const Jobs::Seen seen = jobs_->output("s", id, 2, 100).value_or(Jobs::Seen{});
  EXPECT_TRUE(seen.is_kept);
  EXPECT_EQ(seen.bytes, "6789");
  EXPECT_EQ(seen.offset, 6u);
  EXPECT_EQ(seen.first, 6u);
  EXPECT_EQ(seen.next, 10u);
  EXPECT_EQ(jobs_->output("s", id, {}, 2).value_or(Jobs::Seen{}).bytes, "89");
}

TEST_F(JobsTest, ALaterProcessOfTheSessionKnowsWhatBecameOfAJob) {
  const std::string id = start("echo out; exit 3");
  finish(id);
  begin_anew();
  const Jobs::Listed listed = jobs_->list("s");
  ASSERT_EQ(listed.jobs.size(), 1u);
  EXPECT_EQ(listed.jobs[0].end, "exit code 3");
  EXPECT_EQ(text(id), "out\n");
  EXPECT_TRUE(jobs_->list("other").jobs.empty());
}

TEST_F(JobsTest, EndsWhatRunsWhenItGoesAndWritesThatDown) {
  const std::string id = start("echo ready; sleep 1000");
  await_text(id, "ready\n");
  begin_anew();
  const JobInfo job = jobs_->info("s", id).value_or(JobInfo{});
  EXPECT_EQ(job.state, JobState::ended);
  EXPECT_EQ(job.end, "killed by SIGTERM when helve ended");
  EXPECT_EQ(text(id), "ready\n");
}

TEST_F(JobsTest, AsksWhatRunsToEndBeforeItGoesAndInsists) {
  const std::string polite =
      start("trap 'echo asked; exit 5' TERM; echo ready; while :; do sleep 0.01; done");
  const std::string deaf = start("trap '' TERM; echo ready; while :; do sleep 0.01; done");
  await_text(polite, "ready\n");
  await_text(deaf, "ready\n");
  begin_anew();
  EXPECT_EQ(jobs_->info("s", polite).value_or(JobInfo{}).end, "exit code 5 when helve ended");
  EXPECT_TRUE(text(polite).ends_with("asked\n")) << text(polite);
  EXPECT_EQ(jobs_->info("s", deaf).value_or(JobInfo{}).end, "killed by SIGKILL when helve ended");
}

TEST_F(JobsTest, OneThatRunsElsewhereCannotBeReached) {
  Jobs there(clock_, &ledger_);
  const Result<std::string> id = there.adopt(named("sleep 1000"), run("sleep 1000"));
  ASSERT_TRUE(id);
  EXPECT_EQ(jobs_->info("s", *id).value_or(JobInfo{}).state, JobState::elsewhere);
  EXPECT_FALSE(jobs_->output("s", *id, {}, 100).value_or(Jobs::Seen{}).is_kept);
  EXPECT_EQ(jobs_->signal("s", *id, SIGTERM).error().type, "runs_elsewhere");
  EXPECT_EQ(jobs_->kill("s", *id, {}).error().type, "runs_elsewhere");
  ASSERT_TRUE(there.kill("s", *id, {}));
  EXPECT_EQ(jobs_->info("s", *id).value_or(JobInfo{}).state, JobState::ended);
}

TEST_F(JobsTest, ASessionIsToldOnceThatAJobHasEnded) {
  EXPECT_FALSE(jobs_->has_news());
  const std::string id = start("exit 3");
  watch(id);
  EXPECT_TRUE(jobs_->has_news());
  EXPECT_TRUE(jobs_->take_news("other", 100).ids.empty());
  EXPECT_EQ(take(), Ids{id});
  settle(Jobs::Arrival::arrived);
  EXPECT_FALSE(jobs_->has_news());
  EXPECT_EQ(take(), Ids{});
  EXPECT_TRUE(ledger_.at(id).is_told);
}

TEST_F(JobsTest, NobodyElseTellsWhatIsOnItsWay) {
  const std::string id = start("true");
  watch(id);
  EXPECT_EQ(take(), Ids{id});
  EXPECT_TRUE(jobs_->take_news("s", 100).ids.empty());
  EXPECT_FALSE(ledger_.at(id).is_told);
}

TEST_F(JobsTest, WhatDidNotArriveIsToldAgain) {
  const std::string id = start("true");
  watch(id);
  take();
  settle(Jobs::Arrival::failed);
  EXPECT_EQ(ledger_.released(), Ids{id});  // for other processes of the session, too
  EXPECT_EQ(take(), Ids{id});
}

TEST_F(JobsTest, WhatWasOnItsWayWhenAProcessDiedIsToldByTheNext) {
  const std::string id = start("true");
  watch(id);
  take();
  begin_anew();
  EXPECT_EQ(take(), Ids{});  // nobody said that the session has a past
  jobs_->resume("s");
  EXPECT_EQ(take(), Ids{id});
  settle(Jobs::Arrival::arrived);
  begin_anew();
  jobs_->resume("s");
  EXPECT_EQ(take(), Ids{});
}

TEST_F(JobsTest, AnotherProcessOfTheSessionMayTellFirst) {
  const std::string id = start("true");
  watch(id);
  ledger_.told(Ids{id});
  EXPECT_EQ(take(), Ids{});
  EXPECT_FALSE(jobs_->has_news());
}

TEST_F(JobsTest, IsSilentWhileAnotherProcessOfTheSessionTells) {
  const std::string id = start("true");
  watch(id);
  ledger_.let_others_tell();
  EXPECT_EQ(take(), Ids{});
  ledger_.told(Ids{id});
  EXPECT_EQ(take(), Ids{});
  EXPECT_FALSE(jobs_->has_news());
}

TEST_F(JobsTest, TellsWhatAnotherProcessOfTheSessionWantedToTellAndDidNot) {
  const std::string id = start("true");
  watch(id);
  ledger_.let_others_tell();
  EXPECT_EQ(take(), Ids{});
  ledger_.let_others_tell(false);
  EXPECT_EQ(take(), Ids{id});
}

TEST_F(JobsTest, ALostJobIsTold) {
  Jobs there(clock_, &ledger_);
  const Result<std::string> id = there.adopt(named("sleep 1000"), run("sleep 1000"));
  ASSERT_TRUE(id);
  jobs_->resume("s");
  EXPECT_EQ(take(), Ids{});
  ledger_.lose_running();
  EXPECT_EQ(jobs_->info("s", *id).value_or(JobInfo{}).state, JobState::lost);
  EXPECT_EQ(take(), Ids{*id});
}

TEST_F(JobsTest, WhoWaitedNeedNotBeToldAgain) {
  const std::string id = start("true");
  finish(id);
  EXPECT_EQ(take(), Ids{});
  EXPECT_EQ(taken_, Ids{id});  // it counts as told when the answer arrives
  settle(Jobs::Arrival::failed);
  EXPECT_EQ(take(), Ids{id});
}

TEST_F(JobsTest, TellsManyInPortions) {
  for (int i = 0; i < 5; ++i) watch(start("true"));
  const Jobs::News first = jobs_->take_news("s", 3);
  EXPECT_EQ(first.ended.size(), 3u);
  EXPECT_EQ(first.more, 2u);
  const Jobs::News second = jobs_->take_news("s", 3);
  EXPECT_EQ(second.ended.size(), 2u);
  EXPECT_EQ(second.more, 0u);
}

TEST_F(JobsTest, ALedgerIsNotNeededToBeTold) {
  jobs_.reset();
  jobs_.emplace(clock_, nullptr);
  const std::string id = start("true");
  watch(id);
  EXPECT_EQ(take(), Ids{id});
  settle(Jobs::Arrival::arrived);
  EXPECT_EQ(take(), Ids{});
}

TEST_F(JobsTest, OneThatIsNotRecordedIsNotInTheLedger) {
  Jobs::New wanted = named("true");
  wanted.is_recorded = false;
  const Result<std::string> id = jobs_->adopt(wanted, run("true"));
  ASSERT_TRUE(id);
  watch(*id);
  EXPECT_EQ(take(), Ids{*id});
  settle(Jobs::Arrival::arrived);
  begin_anew();
  EXPECT_TRUE(jobs_->list("s").jobs.empty());
}

TEST_F(JobsTest, ManyRunAtOnceAndNothingIsLeftOfThem) {
  constexpr int kMany = 100;
  const auto descriptors = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
  };
  Ids ids;
  start("true");  // what is opened once
  const auto before = descriptors();
  for (int i = 0; i < kMany; ++i) ids.push_back(start("read line; echo $line"));
  for (const std::string& id : ids)
    ASSERT_TRUE(jobs_->input("s", id, id + "\n", false, kSoon)) << id;
  for (const std::string& id : ids) {
    EXPECT_EQ(finish(id).exit_code, 0);
    EXPECT_EQ(text(id), id + "\n");
  }
  EXPECT_LE(descriptors(), before);
}

}  // namespace
}  // namespace helve::process
