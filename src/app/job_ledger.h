// StoredJobs: the ledger of background jobs, kept in the store.
#pragma once

#include <functional>
#include <mutex>

#include "process/jobs.h"
#include "store/shared_store.h"

namespace helve::app {

// Thread-safe. Opens nothing before the first use.
class StoredJobs final : public process::JobLedger {
 public:
  // `on_problem` is told once when writing begins to fail.
  StoredJobs(const store::Opener& opener, std::function<void(std::string)> on_problem)
      : store_(opener), clock_(opener.clock()), on_problem_(std::move(on_problem)) {}
  // Tries once more to write what could not be written.
  ~StoredJobs() override;

  Result<void> began(const process::JobInfo& job) override;
  void ended(const process::JobInfo& job, std::string_view output) override;
  Result<std::vector<std::string>> claim(std::span<const std::string> ids) override;
  void released(std::span<const std::string> ids) override;
  void told(std::span<const std::string> ids) override;
  Result<std::vector<process::JobInfo>> jobs(std::string_view session) override;
  Result<std::string> output(std::string_view session, std::string_view id) override;

 private:
  void write_waiting();

  store::SharedStore store_;
  const sys::Clock& clock_;
  const std::function<void(std::string)> on_problem_;
  std::mutex mutex_;  // guards what follows; held while it is written
  std::vector<store::JobRecord> ended_;
  std::vector<std::string> told_;
  bool is_failing_ = false;
};

}  // namespace helve::app
