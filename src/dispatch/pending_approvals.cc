#include "dispatch/pending_approvals.h"

#include <fmt/format.h>

#include "base/text.h"
#include "dispatch/question_text.h"
#include "sys/clock.h"
#include "sys/id.h"

namespace helve::dispatch {
namespace {

constexpr size_t kMaxShownId = 80;

Error not_open(std::string_view id) {
  return Error{
      Code::not_found,
      fmt::format("no question '{}' is open", escape_for_display(preview(id, kMaxShownId))),
      "it may have been answered, cancelled or timed out", "unknown_id"};
}

}  // namespace

Result<Approver::Answer> PendingApprovals::ask(const Question& question, std::stop_token stop) {
  const std::int64_t now = clock_.unix_ms();
  const Pending pending{sys::new_id("a_", now), now, question};
  {
    const std::lock_guard lock(mutex_);
    if (entries_.size() >= kMaxPending)
      return Error{Code::unavailable, fmt::format("{} questions are open already", kMaxPending),
                   "answer those first"};
    entries_.emplace(pending.id, Entry{pending});
  }
  tell(Event::asked, pending);
  std::optional<Result<Answer>> answer;
  {
    std::unique_lock lock(mutex_);
    const auto entry = entries_.find(pending.id);
    settled_.wait(lock, stop, [&] { return entry->second.settled.has_value(); });
    answer = std::move(entry->second.settled);
    entries_.erase(entry);
  }
  if (answer) return std::move(*answer);
  tell(Event::withdrawn, pending);
  return Error{Code::cancelled, "the question was withdrawn"};
}

std::vector<PendingApprovals::Pending> PendingApprovals::list(std::string_view session) const {
  const std::lock_guard lock(mutex_);
  std::vector<Pending> open;
  for (const auto& [id, entry] : entries_) {
    const bool is_meant = session.empty() || entry.pending.question.who.session == session;
    if (!entry.settled && is_meant) open.push_back(entry.pending);
  }
  return open;
}

Result<void> PendingApprovals::answer(std::string_view id, Answer answer) {
  const Pending pending = TRY(settle(id, answer));
  tell(Event::answered, pending, answer);
  return {};
}

Result<void> PendingApprovals::fail(std::string_view id, Error why) {
  const Pending pending = TRY(settle(id, std::move(why)));
  tell(Event::answered, pending);
  return {};
}

Result<PendingApprovals::Pending> PendingApprovals::settle(std::string_view id,
                                                           Result<Answer> answer) {
  Pending pending;
  {
    const std::lock_guard lock(mutex_);
    const auto entry = entries_.find(id);
    if (entry == entries_.end() || entry->second.settled) return not_open(id);
    const Question& question = entry->second.pending.question;
    if (answer && *answer == Answer::always && !question.can_be_always())
      return Error{Code::invalid_argument, answer_text(question, Answer::always),
                   "answer once or session"};
    entry->second.settled = std::move(answer);
    pending = entry->second.pending;
  }
  settled_.notify_all();
  return pending;
}

}  // namespace helve::dispatch
