#include "app/session_choice.h"

namespace helve::app {

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
                                     const World& world, Staff& staff) {
  if (continues) {
    const auto last = TRY(own_sessions(world, staff, 10));
    if (!last.empty()) return ChosenSession{last.front().session, true};
    return Error{Code::not_found, "no session was begun in this workspace yet",
                 "leave out --continue", "unknown_session"};
  }
  const std::string& session = world.home->who.session;
  if (!options.session) return ChosenSession{session, false};
  const auto known =
      staff.store().use([&](store::Store& store) { return store.conversation(session); });
  if (!known && known.error().type != "unknown_session") return known.error();
  return ChosenSession{session, known.has_value()};
}

}  // namespace helve::app
