#include "app/chat_approver.h"

#include <algorithm>

namespace helve::app {

Result<Approver::Answer> ChatApprover::ask(const Question& question, std::stop_token stop) {
  std::unique_lock lock(mutex_);
  const auto own = waiting_.insert(waiting_.end(), Waiting{next_++, question});
  answered_.wait(lock, stop, [&] { return own->answer.has_value(); });
  const std::optional<Answer> answer = own->answer;
  waiting_.erase(own);
  if (!answer) return Error{Code::cancelled, "the question was cancelled"};
  return *answer;
}

std::optional<ChatApprover::Open> ChatApprover::first() const {
  std::lock_guard lock(mutex_);
  const auto is_open = [](const Waiting& each) { return !each.answer; };
  const auto found = std::ranges::find_if(waiting_, is_open);
  if (found == waiting_.end()) return std::nullopt;
  const auto count = std::ranges::count_if(waiting_, is_open);
  return Open{found->number, found->question, static_cast<size_t>(count) - 1};
}

void ChatApprover::answer(std::uint64_t number, Answer answer) {
  {
    std::lock_guard lock(mutex_);
    const auto found = std::ranges::find(waiting_, number, &Waiting::number);
    if (found != waiting_.end()) found->answer = answer;
  }
  answered_.notify_all();
}

}  // namespace helve::app
