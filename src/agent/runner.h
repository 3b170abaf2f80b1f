// Runner: every prompt, whoever has it, comes in by post(). A session that has something in its
// inbox gets a worker, which answers until nothing is left; one that has nothing costs nothing.
#pragma once

#include <array>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>

#include "agent/loop.h"

namespace helve::agent {

// Each has its own limit, so that what runs by itself leaves room for people.
enum class Lane : unsigned char { main, cron, subagent };
constexpr size_t kLanes = 3;

class Work;
class Runner;
// Called on the worker's thread when everything has been answered, and again when more was; on that
// of who stops it, where it has not begun; not when the runner goes.
using OnEnd = std::function<void(const Work&, const Ending&)>;

struct Letter {
  std::string session;
  std::string sender = "user";
  model::Message message;
  std::string id = {};  // posting one twice is posting it once; empty: a new one
  Lane lane = Lane::main;
  OnEnd on_end = {};  // where this letter begins the work
};

// How long somebody waits, and what they want to know meanwhile.
struct Waiting {
  std::stop_token stop = {};
  std::optional<std::chrono::steady_clock::time_point> until = {};
  std::function<void(const Work&)> on_calls = {};  // it has made more; on the thread that waits
};

// What a session's worker needs, made when it begins.
using Prepare = std::function<Result<std::shared_ptr<const Setup>>(const store::Conversation&)>;

// One stretch of work on a session, from the first prompt until nothing is left.
class Work {
 public:
  const std::string& session() const { return session_; }
  int calls() const { return calls_; }
  std::int64_t begun_ms() const { return begun_ms_; }
  bool has_ended() const;
  // Its end; or `cancelled` when the token was stopped before, `timeout` when it took too long.
  Result<Ending> wait_as(const Waiting& waiting) const;
  Result<Ending> wait(std::stop_token stop) const { return wait_as({.stop = std::move(stop)}); }

 private:
  friend class Runner;
  friend class Waits;
  std::string session_;
  Lane lane_ = Lane::main;
  OnEnd on_end_;
  std::int64_t begun_ms_ = 0;
  std::atomic<int> calls_ = 0;
  Tab tab_;
  mutable std::mutex mutex_;
  mutable std::condition_variable_any changed_;
  std::stop_source stop_;            // guarded by mutex_
  std::optional<Ending> ending_;     // guarded by mutex_
  bool is_poked_ = false;            // guarded by the runner's mutex: there may be more to do
  bool is_resumed_ = false;          // likewise: and if it is only what was left unanswered
  bool wants_room_ = false;          // likewise: and if it is only to show the model less
  bool is_queued_ = true;            // likewise: it waits for its lane
  bool is_billed_ = false;           // likewise: its end was told with all that is on the tab
  std::vector<std::string> awaits_;  // likewise: sessions that it waits for
  std::jthread thread_;              // likewise
};

// While it lives, one session counts as waiting for another, and its worker leaves its place in its
// lane to others.
class Waits {
 public:
  ~Waits();
  Waits(Waits&& other) noexcept = default;

 private:
  friend class Runner;
  Waits(Runner& runner, std::shared_ptr<Work> waiter, std::string session)
      : runner_(&runner), waiter_(std::move(waiter)), session_(std::move(session)) {}
  Runner* runner_;
  std::shared_ptr<Work> waiter_;  // null: it is no worker that waits
  std::string session_;
};

// Thread-safe.
class Runner {
 public:
  struct Options {
    std::array<size_t, kLanes> limits{3, 1, 5};  // of workers at once
  };
  // Borrows store and clock.
  Runner(store::SharedStore& store, const sys::Clock& clock, Prepare prepare, Emit emit,
         Options options);
  ~Runner();  // stops everything, and waits for it
  Runner(const Runner&) = delete;

  // It is on disk when this returns, and will be answered, by this process or by the one that works
  // on the session already.
  Result<std::shared_ptr<Work>> post(const Letter& letter);
  // Goes on with what was left unanswered.
  std::shared_ptr<Work> resume(const std::string& session, Lane lane);
  // Shows the model less of what was said, before anything else is answered.
  std::shared_ptr<Work> compact(const std::string& session, Lane lane);

  // Ends its work; what was posted before is answered with what is posted next, but for the task of
  // a sub-agent that has not begun: it is done with. False: nothing runs.
  bool stop(std::string_view session);
  // Ends what it does now; what was posted and not taken yet is answered then.
  bool interrupt(std::string_view session);
  std::shared_ptr<Work> work_of(std::string_view session) const;  // null: it rests
  std::vector<std::shared_ptr<Work>> at_work() const;

  // Before the work begins, so that it cannot come to wait for `who` itself. A conflict
  // (would_wait_forever) where `session` waits for `who` already.
  Result<Waits> begin_waiting(std::string_view who, const std::string& session);
  // Begins waiting for it as `who`, and waits.
  Result<Ending> await(const Work& work, std::string_view who, const Waiting& waiting);
  // The same, and stops the work when the token is stopped.
  Ending see_through(Work& work, std::string_view who, std::stop_token stop,
                     std::function<void(const Work&)> on_calls = {});
  // Whether `by` waits for `session`, by way of others, too.
  bool is_awaited(std::string_view session, std::string_view by) const;

  // What a sub-agent of a session has spent goes onto the bill of the work on it. False: it rests,
  // or its bill is made out.
  bool charge(std::string_view session, const Ending& ending);

  // What is told to everyone who watches.
  void emit(const Event& event) const { emit_(event); }

 private:
  friend class Waits;
  enum class Wish : unsigned char { answer, resume, room };
  std::shared_ptr<Work> poke(const std::string& session, Lane lane, OnEnd on_end, Wish wish);
  void join_finished();
  bool reaches(std::string_view from, std::string_view to) const;  // mutex_ is held
  void start_queued();                                             // mutex_ is held
  void end(Work& work, Ending ending);                             // likewise, and that of the work
  void run(const std::shared_ptr<Work>& work);
  Ending perform(Work& work);
  Result<Ending> perform_claimed(Work& work);
  void make_room(session::Transcript& transcript, const Setup& setup, Ending& ending,
                 std::stop_token stop) const;
  void let_go(Work& work, const Ending& ending);
  Ending not_begun(const Work& work, Error why) const;
  Result<session::Transcript> open(const std::string& session) const;
  bool halt(std::string_view session, bool is_for_good);
  void withdraw(const std::shared_ptr<Work>& work, bool is_for_good);
  Result<void> take_mail(const std::string& session, const Ending& ending);
  bool may_go_on(const Work& work, const Ending& ending) const;  // mutex_ is held
  bool takes_poke(Work& work, const Ending& ending);
  bool goes_on(Work& work, const Ending& ending);
  void tell_end(Work& work, Ending& ending);
  bool is_over(Work& work, Ending& ending);
  bool has_mail(std::string_view session);

  store::SharedStore& store_;
  const sys::Clock& clock_;
  const Prepare prepare_;
  const Emit emit_;
  const Options options_;
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Work>, std::less<>> works_;  // guarded by mutex_
  std::deque<std::shared_ptr<Work>> queue_;                          // guarded by mutex_
  std::array<size_t, kLanes> busy_{};                                // guarded by mutex_
  std::vector<std::jthread> finished_;                               // guarded by mutex_
  bool is_closing_ = false;                                          // guarded by mutex_
};

}  // namespace helve::agent
