#include "agent/left_behind.h"

#include <fmt/format.h>

#include "session/item.h"
#include "sys/clock.h"

namespace helve::agent {
namespace {

// Of one that was in the middle of its work. Also tells that it has been reported.
std::string lost() {
  return std::string(session::kEnded) + "cancelled: the process that it ran in has died";
}

struct Left {
  std::string report;
  bool was_at_work = false;
};

// Nothing: it was reported already.
std::optional<Left> look_at(const store::Conversation& child, const session::Item& last) {
  if (const auto* remark = std::get_if<session::Remark>(&last)) {
    if (remark->text == lost()) return std::nullopt;
    return Left{fmt::format("Sub-agent {} {}", child.session, remark->text)};
  }
  if (const auto* answer = std::get_if<session::Answer>(&last);
      answer && model::calls_of(answer->message).empty())
    return Left{fmt::format("Sub-agent {} has finished:\n\n{}", child.session,
                            model::text_of(answer->message))};
  return Left{
      fmt::format("Sub-agent {} was lost in the middle of its work: the process that it ran "
                  "in has died. What it did until then stands; sessions_history shows how "
                  "far it came.",
                  child.session),
      true};
}

Left never_begun(const store::Conversation& child) {
  return {fmt::format("Sub-agent {} was lost before it began: the process that it waited in has "
                      "died.",
                      child.session),
          true};
}

// The task of one that never began is done with, so that it cannot be taken up by chance.
Result<void> mark_lost(store::Store& store, const store::Conversation& child, std::int64_t now) {
  store::Entry remark = to_entry(session::Item(session::Remark{lost()}));
  remark.created_ms = now;
  std::vector<store::Entry> entries;
  if (child.entries == 0) {
    for (const store::Post& post : TRY(store.posts(child.session))) {
      entries.push_back(remark);
      entries.back().post = post.id;
    }
  }
  if (entries.empty()) entries.push_back(remark);
  TRY(store.append_entries(child.session, entries, {}, store::Keep::process_death));
  return {};
}

// Nothing: it was reported already.
Result<std::optional<Left>> look_at(store::Store& store, const store::Conversation& child) {
  if (child.entries == 0) return never_begun(child);
  const std::vector<store::Entry> last = TRY(store.entries(child.session, child.entries - 1, 1));
  if (last.empty()) return std::nullopt;
  return look_at(child, TRY(session::item_of(last.front())));
}

// Told before it is marked: were this process to die in between, it would be told once more, by the
// same id.
Result<void> report(store::SharedStore& shared, const std::string& session, std::int64_t now,
                    const LeftBehindOptions& options) {
  const store::Conversation child =
      TRY(shared.use([&](store::Store& store) { return store.conversation(session); }));
  const std::optional<Left> left =
      TRY(shared.use([&](store::Store& store) { return look_at(store, child); }));
  if (!left) return {};
  TRY(options.post({.session = child.parent,
                    .sender = child.session,
                    .message = model::user_message(left->report),
                    .id = report_id(child)}));
  if (!left->was_at_work) return {};
  return shared.use([&](store::Store& store) { return mark_lost(store, child, now); });
}

Result<void> take_over(store::SharedStore& shared, const std::string& session, std::int64_t now,
                       const LeftBehindOptions& options) {
  const bool is_claimed =
      TRY(shared.use([&](store::Store& store) { return store.claim_conversation(session); }));
  if (!is_claimed) return {};  // somebody goes on with it
  Result<void> reported = report(shared, session, now, options);
  TRY(shared.use([&](store::Store& store) { return store.release_conversation(session); }));
  return reported;
}

}  // namespace

std::string report_id(const store::Conversation& child) {
  return fmt::format("p_{}_{}", child.session, child.entries);
}

Result<void> report_left_behind(store::SharedStore& store, const sys::Clock& clock,
                                const std::string& parent, const LeftBehindOptions& options) {
  const std::vector<store::Conversation> left =
      TRY(store.use([&](store::Store& each) -> Result<std::vector<store::Conversation>> {
        // Also of one whose end was told, and its bill not made out.
        TRY(each.collect_spent(parent));
        return each.left_behind(parent);
      }));
  for (const store::Conversation& each : left)
    if (!options.is_at_work(each.session))
      TRY(take_over(store, each.session, clock.unix_ms(), options));
  return {};
}

}  // namespace helve::agent
