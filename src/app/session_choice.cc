#include "app/session_choice.h"

#include "app/model_memory.h"

namespace helve::app {
namespace {

Result<std::optional<store::Conversation>> find_session(bool continues, const cli::Options& options,
                                                        const World& world, Staff& staff) {
  if (continues) {
    const auto last = TRY(own_sessions(world, staff, 10));
    if (!last.empty()) return last.front();
    return Error{Code::not_found, "no session was begun in this workspace yet",
                 "leave out --continue", "unknown_session"};
  }
  if (!options.session) return std::nullopt;
  Result<store::Conversation> known = staff.store().use(
      [&](store::Store& store) { return store.conversation(world.home->who.session); });
  if (known) return std::move(*known);
  if (known.error().type != "unknown_session") return known.error();
  return std::nullopt;
}

}  // namespace

Result<std::vector<store::Conversation>> own_sessions(const World& world, Staff& staff,
                                                      size_t limit) {
  std::vector<store::Conversation> sessions = TRY(staff.store().use([&](store::Store& store) {
    return store.conversations(
        {.workspace = world.home->who.workspace, .limit = limit * 5});  // others are among them
  }));
  std::erase_if(sessions, [](const store::Conversation& each) {
    return !each.parent.empty() || each.purpose == "caller";
  });
  if (sessions.size() > limit) sessions.resize(limit);
  return sessions;
}

Result<ChosenSession> choose_session(bool continues, const cli::Options& options,
                                     const World& world, Staff& staff, std::stop_token stop) {
  const std::optional<store::Conversation> known =
      TRY(find_session(continues, options, world, staff));
  const bool was_chosen = staff.model_flags().choose();
  if (known && !was_chosen) staff.change_model(recalled(known->model, staff.model_flags()));
  (void)TRY(staff.model_of(world.home->who.agent, std::move(stop)));
  if (!known) return ChosenSession{world.home->who.session, false};
  if (was_chosen) TRY(staff.remember_model(known->session));
  return ChosenSession{known->session, true};
}

}  // namespace helve::app
