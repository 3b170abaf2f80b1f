#include "session/fork.h"

#include <algorithm>
#include <set>

#include "session/item.h"

namespace helve::session {
namespace {

constexpr std::uint64_t kWindow = 64;  // entries read at once

State state_after(const Item& last) {
  if (const auto* answer = std::get_if<Answer>(&last)) {
    const bool is_cut = answer->stop == model::Stop::refusal || answer->stop == model::Stop::length;
    if (!model::calls_of(answer->message).empty()) return State::stopped;
    return is_cut ? State::failed : State::done;
  }
  const auto* remark = std::get_if<Remark>(&last);
  if (!remark || !remark->text.starts_with(kEnded)) return State::stopped;
  return remark->text.starts_with(std::string(kEnded) + "cancelled") ? State::stopped
                                                                     : State::failed;
}

}  // namespace

Result<std::uint64_t> whole_until(store::Store& store, std::string_view session, std::uint64_t at) {
  std::set<std::string> finished;
  for (std::uint64_t end = at; end > 0;) {
    const std::uint64_t begin = end - std::min(end, kWindow);
    const std::vector<store::Entry> read = TRY(store.entries(session, begin, end - begin));
    for (auto entry = read.rbegin(); entry != read.rend(); ++entry) {
      const bool is_answer = entry->kind == kind_of(Answer{});
      if (!is_answer && entry->kind != kind_of(Finished{})) continue;
      const Item item = TRY(item_of(*entry));
      if (!is_answer) {
        finished.insert(std::get<Finished>(item).result.call_id);
        continue;
      }
      // Before an answer nothing is open: the loop does not ask a model that waits for results.
      const Answer& answer = std::get<Answer>(item);
      const auto calls = model::calls_of(answer.message);
      const bool is_whole = std::ranges::all_of(
          calls, [&](const model::ToolCall* call) { return finished.contains(call->id); });
      return is_whole ? at : entry->number - 1;
    }
    end = begin;
  }
  return at;
}

std::string_view name_of(State state) {
  constexpr std::string_view kNames[] = {"started", "in_progress", "done", "stopped", "failed"};
  return kNames[static_cast<size_t>(state)];
}

Result<State> state_of(store::Store& store, const store::Conversation& conversation) {
  if (conversation.is_at_work) return State::in_progress;
  if (conversation.entries == 0) return State::started;
  const std::vector<store::Entry> last =
      TRY(store.entries(conversation.session, conversation.entries - 1, 1));
  if (last.empty()) return State::stopped;
  const Result<Item> item = item_of(last.front());
  return item ? state_after(*item) : State::failed;
}

}  // namespace helve::session
