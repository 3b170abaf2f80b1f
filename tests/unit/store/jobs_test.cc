// Background jobs in the store.
#include "store/store.h"
#include "unit/store/support.h"

namespace helve::store {
namespace {

JobRecord sample_job(std::string id, std::string session = "s_1") {
  return {.id = std::move(id),
          .session = std::move(session),
          .command = "make test",
          .directory = "/home/ada/engine",
          .started_ms = kNow};
}

JobRecord ended(JobRecord job) {
  job.state = kEnded;
  job.ended_ms = kNow + 5;
  job.end = "exit code 3";
  job.exit_code = 3;
  return job;
}

class StoredJob : public testing::Test {
 protected:
  std::unique_ptr<Store> open() { return must(opener_.open()); }
  JobRecord only(std::string_view session = "s_1") {
    const std::vector<JobRecord> jobs = must(store_->jobs(session));
    EXPECT_EQ(jobs.size(), 1u);
    return jobs.empty() ? JobRecord{} : jobs.front();
  }
  // As by a process that has died since.
  void begin_in_dead_process(const JobRecord& job) {
    EXPECT_EQ(in_child([&] {
                const Result<void> begun = open()->begin_job(job);
                return begun ? "" : describe(begun.error());
              }),
              "");
  }

  TempDir directory_;
  sys::ManualClock clock_{kNow};
  Opener opener_{directory_.file("state/helve.db"), {}, clock_};
  std::unique_ptr<Store> store_ = open();
};

TEST_F(StoredJob, IsThereForOthersWhenItHasBegun) {
  must(store_->begin_job(sample_job("j_1")));
  const std::vector<JobRecord> jobs = must(open()->jobs("s_1"));
  ASSERT_EQ(jobs.size(), 1u);
  EXPECT_EQ(jobs[0].id, "j_1");
  EXPECT_EQ(jobs[0].session, "s_1");
  EXPECT_EQ(jobs[0].command, "make test");
  EXPECT_EQ(jobs[0].directory, "/home/ada/engine");
  EXPECT_EQ(jobs[0].state, kRunning);
  EXPECT_EQ(jobs[0].started_ms, kNow);
  EXPECT_FALSE(jobs[0].is_told);
}

TEST_F(StoredJob, KeepsHowItEndedAndEveryByteOfTheEndOfItsOutput) {
  must(store_->begin_job(sample_job("j_1")));
  JobRecord job = ended(sample_job("j_1"));
  job.signal = "SIGTERM";
  job.timed_out = true;
  job.output_bytes = 1'000'000;
  job.output = std::string("\0\xff\n", 3);
  must(store_->end_job(job));
  const JobRecord known = only();
  EXPECT_EQ(known.state, kEnded);
  EXPECT_EQ(known.ended_ms, kNow + 5);
  EXPECT_EQ(known.end, "exit code 3");
  EXPECT_EQ(known.exit_code, 3);
  EXPECT_EQ(known.signal, "SIGTERM");
  EXPECT_TRUE(known.timed_out);
  EXPECT_EQ(known.output_bytes, 1'000'000u);
  EXPECT_EQ(must(store_->job_output("s_1", "j_1")), job.output);
}

TEST_F(StoredJob, CutsOutputAtItsBeginning) {
  JobRecord job = ended(sample_job("j_1"));
  job.output = "x" + std::string(kMaxJobOutput, 'y');
  must(store_->end_job(job));
  EXPECT_EQ(must(store_->job_output("s_1", "j_1")), std::string(kMaxJobOutput, 'y'));
}

TEST_F(StoredJob, CanEndWithoutHavingBegunHere) {
  must(store_->end_job(ended(sample_job("j_1"))));
  EXPECT_EQ(only().state, kEnded);
}

TEST_F(StoredJob, BelongsToItsSession) {
  JobRecord job = ended(sample_job("j_1"));
  job.output = "secret";
  must(store_->end_job(job));
  EXPECT_TRUE(must(store_->jobs("s_2")).empty());
  EXPECT_EQ(must(store_->job_output("s_2", "j_1")), "");
}

TEST_F(StoredJob, IsListedAfterOlderOnes) {
  for (const char* id : {"j_2", "j_1", "j_3"}) must(store_->begin_job(sample_job(id)));
  std::string ids;
  for (const JobRecord& job : must(store_->jobs("s_1"))) ids += job.id;
  EXPECT_EQ(ids, "j_2j_1j_3");
}

TEST_F(StoredJob, StaysToldWhenItsEndIsWrittenAgain) {
  must(store_->end_job(ended(sample_job("j_1"))));
  const std::vector<std::string> ids = {"j_1", "j_unknown"};
  must(store_->mark_told(ids));
  EXPECT_TRUE(only().is_told);
  must(store_->end_job(ended(sample_job("j_1"))));
  EXPECT_TRUE(only().is_told);
}

TEST_F(StoredJob, IsToldByOneProcess) {
  must(store_->end_job(ended(sample_job("j_1"))));
  const std::vector<std::string> ids = {"j_1", "j_unknown"};
  const std::vector<std::string> claimed = {"j_1"};
  EXPECT_EQ(must(store_->claim_telling(ids)), claimed);
  EXPECT_EQ(must(store_->claim_telling(ids)), claimed);  // by the same one, again
  EXPECT_EQ(in_child([&] {
              const Result<std::vector<std::string>> theirs = open()->claim_telling(ids);
              return theirs && theirs->empty() ? "" : "another process got it, too";
            }),
            "");
  must(store_->mark_told(ids));
  EXPECT_TRUE(must(store_->claim_telling(ids)).empty());
}

TEST_F(StoredJob, IsToldByAnotherProcessWhenTheFirstOneCouldNot) {
  must(store_->end_job(ended(sample_job("j_1"))));
  const std::vector<std::string> ids = {"j_1"};
  EXPECT_EQ(must(store_->claim_telling(ids)), ids);
  must(store_->release_telling(ids));
  EXPECT_EQ(in_child([&] {
              const Result<std::vector<std::string>> theirs = open()->claim_telling(ids);
              return theirs && *theirs == ids ? "" : "it cannot be claimed";
            }),
            "");
}

TEST_F(StoredJob, IsToldByAnotherProcessWhenTheFirstOneDied) {
  must(store_->end_job(ended(sample_job("j_1"))));
  const std::vector<std::string> ids = {"j_1"};
  EXPECT_EQ(in_child([&] { return open()->claim_telling(ids) ? "" : "it cannot be claimed"; }), "");
  EXPECT_EQ(must(store_->claim_telling(ids)), ids);
}

TEST_F(StoredJob, IsLostWhenItsProcessHasDied) {
  begin_in_dead_process(sample_job("j_1"));
  EXPECT_EQ(only().state, kRunning);
  EXPECT_EQ(must(store_->mark_lost_jobs(0)), 1u);
  EXPECT_EQ(only().state, kLost);
  EXPECT_NE(only().end.find("killed"), std::string::npos);
  EXPECT_EQ(must(store_->mark_lost_jobs(0)), 0u);
}

TEST_F(StoredJob, IsNotLostWhileItsProcessLives) {
  must(store_->begin_job(sample_job("j_1")));
  EXPECT_EQ(must(open()->mark_lost_jobs(kNow + 1)), 0u);
  EXPECT_EQ(only().state, kRunning);
}

TEST_F(StoredJob, GoesWhenItIsOldUnlessItRuns) {
  must(store_->begin_job(sample_job("j_1", "s_1")));
  must(store_->end_job(ended(sample_job("j_2", "s_2"))));
  clock_.advance(std::chrono::seconds(2));
  EXPECT_EQ(must(store_->prune({.age = std::chrono::seconds(1)})).jobs, 1u);
  EXPECT_EQ(must(store_->jobs("s_1")).size(), 1u);
  EXPECT_TRUE(must(store_->jobs("s_2")).empty());
}

TEST_F(StoredJob, MakesRoomForNewerOnes) {
  for (int i = 0; i < 10; ++i) must(store_->end_job(ended(sample_job("j_" + std::to_string(i)))));
  EXPECT_EQ(must(store_->prune({.jobs = 3})).jobs, 7u);
  const std::vector<JobRecord> jobs = must(store_->jobs("s_1"));
  ASSERT_EQ(jobs.size(), 3u);
  EXPECT_EQ(jobs[0].id, "j_7");
}

}  // namespace
}  // namespace helve::store
