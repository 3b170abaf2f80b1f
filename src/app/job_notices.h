// JobNotices: tells sessions that their background jobs have ended.
#pragma once

#include "process/jobs.h"
#include "tool/services.h"

namespace helve::app {

// Thread-safe.
class JobNotices final : public Notices {
 public:
  explicit JobNotices(process::Jobs& jobs) : jobs_(jobs) {}

  bool has_any() const override { return jobs_.has_news(); }
  Taken take(const Identity& who, Caller caller) override;
  void arrived(std::string_view session, const std::vector<std::string>& ids) override;
  void failed(std::string_view session, const std::vector<std::string>& ids) override;

 private:
  process::Jobs& jobs_;
};

}  // namespace helve::app
