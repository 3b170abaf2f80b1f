// ChatSession: the conversation that a chat is about: what is said in it, what works on it, and the
// calls that the person makes themselves. Knows nothing of screens. One thread, but for what it
// starts.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <thread>

#include "app/chat_approver.h"
#include "app/happenings.h"
#include "app/session_choice.h"
#include "app/staff.h"

namespace helve::app {

class ChatSession {
 public:
  // Borrows all.
  ChatSession(World& world, Staff& staff, Happenings& happenings, ChosenSession chosen);
  // Stops whatever runs, and waits for it.
  ~ChatSession();
  ChatSession(const ChatSession&) = delete;

  const std::string& id() const { return chosen_.session; }
  bool is_known() const { return chosen_.is_known; }
  const std::string& agent() const { return world_.home->who.agent; }
  World& world() { return world_; }
  Staff& staff() { return staff_; }
  Result<store::Conversation> record();

  // Another one from now on. Only while this one rests.
  void become(ChosenSession chosen);
  void become_new();

  // It is answered, now or when what runs has a look; `id` is the post's.
  Result<void> post(const std::string& id, const std::string& text);
  // Asks once more about what was left unanswered.
  void retry();

  bool is_busy() const { return work_ != nullptr || is_job_running(); }
  // Stops the turn, or the job; what was said meanwhile is answered then.
  void interrupt();
  // Stops everything.
  void stop();
  // How the work ended, once.
  std::optional<agent::Ending> ended();

  // A tool, called by the person: what it asks for is allowed, since they typed it.
  dispatch::Outcome call(std::string_view tool, const JsonObject& arguments, std::stop_token stop,
                         Listener* listener = nullptr,
                         std::optional<std::chrono::milliseconds> timeout = {});
  // The same on a thread of its own; what happens goes to the screen. Whether its result is shown
  // as a whole.
  enum class Show : unsigned char { line, result };
  void start_call(std::string tool, JsonObject arguments, Show show);
  // Shows the model less of what was said.
  void compact();
  bool is_job_running() const { return job_ && !*is_job_over_; }

 private:
  void start_job(std::function<void(std::stop_token)> job);

  World& world_;
  Staff& staff_;
  Happenings& happenings_;
  ChosenSession chosen_;
  TypedApprover typed_;
  std::shared_ptr<agent::Work> work_;               // null: it rests
  std::shared_ptr<std::atomic<bool>> is_job_over_;  // shared: the thread outlives its place here
  std::optional<std::jthread> job_;
};

}  // namespace helve::app
