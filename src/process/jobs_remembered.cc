// What is remembered of jobs beyond this process, and what sessions are told of their ends.
#include <algorithm>

#include "process/job.h"

namespace helve::process {

// What this process runs it knows better than the ledger, except whether another process of the
// session has told its end.
void Jobs::merge(JobInfo recorded) {
  const auto [at, is_new] = jobs_.try_emplace(recorded.id);
  if (is_new) at->second = std::make_shared<Job>();
  Job& job = *at->second;
  std::lock_guard lock(job.mutex);
  if (is_new || job.info.state == JobState::elsewhere) {
    job.is_recorded = true;
    job.info = std::move(recorded);
  } else if (job.info.session == recorded.session && recorded.is_told) {
    job.info.is_told = true;
  }
  if (!runs(job.info.state) && !job.info.is_told && !job.is_on_its_way) announce(job.info.session);
}

Result<void> Jobs::consult_ledger(std::string_view session) {
  if (!ledger_) return {};
  std::vector<JobInfo> recorded = TRY(ledger_->jobs(session));
  std::lock_guard lock(mutex_);
  for (JobInfo& info : recorded) merge(std::move(info));
  return {};
}

void Jobs::announce(const std::string& session) {
  news_.insert(session);
  has_news_.store(true, std::memory_order_relaxed);
}

void Jobs::resume(std::string_view session) {
  if (!ledger_) return;
  std::lock_guard lock(mutex_);
  announce(std::string(session));
}

Jobs::News Jobs::take_news(std::string_view session, size_t most) {
  if (!has_news()) return {};
  {
    std::lock_guard lock(mutex_);
    if (!news_.contains(session)) return {};
  }
  // A ledger that cannot be read is no reason not to tell: rather twice than never.
  (void)consult_ledger(session);
  News news;
  std::unique_lock lock(mutex_);
  for (const auto& [id, job] : jobs_) {
    if (job->info.session != session || job->is_on_its_way) continue;
    std::lock_guard its_lock(job->mutex);
    if (runs(job->info.state) || job->info.is_told) continue;
    if (news.ended.size() == most && !job->is_said) {
      ++news.more;
      continue;
    }
    job->is_on_its_way = true;
    news.ids.push_back(id);
    if (!job->is_said) news.ended.push_back(job->told());
  }
  if (const auto at = news_.find(session); at != news_.end() && news.more == 0) news_.erase(at);
  has_news_.store(!news_.empty(), std::memory_order_relaxed);
  lock.unlock();
  if (ledger_ && !news.ids.empty()) drop_told_elsewhere(news);
  return news;
}

// Another process of the session may be faster. Whether what it tells arrives is to be seen.
void Jobs::drop_told_elsewhere(News& news) {
  Result<std::vector<std::string>> claimed = ledger_->claim(news.ids);
  if (!claimed) return;
  std::lock_guard lock(mutex_);
  const auto is_theirs = [&](const std::string& id) {
    const auto found = jobs_.find(id);
    if (found == jobs_.end() || !found->second->is_recorded) return false;
    if (std::ranges::find(*claimed, id) != claimed->end()) return false;
    found->second->is_on_its_way = false;
    announce(found->second->info.session);
    return true;
  };
  std::erase_if(news.ids, is_theirs);
  std::erase_if(news.ended, [&](const JobInfo& job) {
    return std::ranges::find(news.ids, job.id) == news.ids.end();
  });
}

void Jobs::settle_news(std::string_view session, std::span<const std::string> ids,
                       Arrival arrival) {
  std::vector<std::string> recorded;
  {
    std::lock_guard lock(mutex_);
    for (const std::string& id : ids) {
      const auto found = jobs_.find(id);
      if (found == jobs_.end()) {  // forgotten since, but not by the ledger
        recorded.push_back(id);
        continue;
      }
      Job& job = *found->second;
      std::lock_guard its_lock(job.mutex);
      job.is_on_its_way = false;
      if (arrival == Arrival::arrived) {
        job.info.is_told = true;
      } else {
        job.is_said = false;
        announce(std::string(session));
      }
      if (job.is_recorded) recorded.push_back(id);
    }
  }
  if (!ledger_ || recorded.empty()) return;
  if (arrival == Arrival::arrived)
    ledger_->told(recorded);
  else
    ledger_->released(recorded);
}

}  // namespace helve::process
