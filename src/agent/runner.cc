#include "agent/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "agent/compaction.h"
#include "agent/left_behind.h"
#include "sys/clock.h"
#include "sys/id.h"

namespace helve::agent {
namespace {

Ending failed(Error error) {
  const bool is_cancelled = error.code == Code::cancelled;
  Ending ending;
  ending.end = is_cancelled ? End::cancelled : End::failed;
  ending.error = std::move(error);
  return ending;
}

// What was said last counts, and all that was spent.
Ending joined(Ending before, Ending then) {
  if (then.ok() && then.turns == 0 && before.turns > 0) std::swap(before, then);
  then.usage += before.usage;
  then.micro_dollars += before.micro_dollars;
  then.is_priced = then.is_priced && before.is_priced;
  then.turns += before.turns;
  then.calls += before.calls;
  if (!then.structured) then.structured = std::move(before.structured);
  return then;
}

// For people who look at the session later.
session::Remark remark_of(const Ending& ending) {
  return {fmt::format("{}{}{}", session::kEnded, name_of(ending.end),
                      ending.error ? ": " + describe(*ending.error) : "")};
}

Error busy(std::string_view session, bool has_message) {
  return {Code::conflict, fmt::format("another process works on session {}", session),
          has_message ? fmt::format("it has the message; what it leaves is answered by `helve "
                                    "--session {} run`",
                                    session)
                      : "wait until it is done",
          "session_busy"};
}

}  // namespace

bool Work::has_ended() const {
  std::lock_guard lock(mutex_);
  return ending_.has_value();
}

Result<Ending> Work::wait_as(const Waiting& waiting) const {
  std::unique_lock lock(mutex_);
  for (int told = 0;;) {
    const auto has_news = [&] { return ending_ || (waiting.on_calls && calls_ != told); };
    if (waiting.until)
      changed_.wait_until(lock, waiting.stop, *waiting.until, has_news);
    else
      changed_.wait(lock, waiting.stop, has_news);
    if (ending_) return *ending_;
    if (waiting.stop.stop_requested()) return Error{Code::cancelled, "stopped waiting"};
    if (!has_news()) return Error{Code::timeout, "it still works"};
    told = calls_;
    lock.unlock();
    waiting.on_calls(*this);
    lock.lock();
  }
}

Runner::Runner(store::SharedStore& store, const sys::Clock& clock, Prepare prepare, Emit emit,
               Options options)
    : store_(store),
      clock_(clock),
      prepare_(std::move(prepare)),
      emit_(std::move(emit)),
      options_(options) {}

Runner::~Runner() {
  {
    std::lock_guard lock(mutex_);
    is_closing_ = true;
  }
  const std::vector<std::shared_ptr<Work>> works = at_work();
  for (const std::shared_ptr<Work>& work : works) stop(work->session_);
  for (const std::shared_ptr<Work>& work : works) {
    std::jthread thread;
    {
      std::lock_guard lock(mutex_);
      thread = std::move(work->thread_);
    }
    if (thread.joinable()) thread.join();
  }
  join_finished();
}

Result<std::shared_ptr<Work>> Runner::post(const Letter& letter) {
  const std::int64_t now = clock_.unix_ms();
  const store::Post post{.id = letter.id.empty() ? sys::new_id("p_", now) : letter.id,
                         .session = letter.session,
                         .sender = letter.sender,
                         .body = to_text(model::to_json(letter.message)),
                         .posted_ms = now};
  (void)TRY(store_.use([&](store::Store& store) { return store.post(post); }));
  return poke(letter.session, letter.lane, letter.on_end, Wish::answer);
}

std::shared_ptr<Work> Runner::resume(const std::string& session, Lane lane) {
  return poke(session, lane, {}, Wish::resume);
}

std::shared_ptr<Work> Runner::compact(const std::string& session, Lane lane) {
  return poke(session, lane, {}, Wish::room);
}

// A worker that posts when it is done cannot wait for itself.
void Runner::join_finished() {
  std::vector<std::jthread> finished;
  std::lock_guard lock(mutex_);
  for (std::jthread& thread : finished_)
    if (thread.get_id() != std::this_thread::get_id()) finished.push_back(std::move(thread));
  std::erase_if(finished_, [](const std::jthread& thread) { return !thread.joinable(); });
}

std::shared_ptr<Work> Runner::poke(const std::string& session, Lane lane, OnEnd on_end, Wish wish) {
  join_finished();
  std::lock_guard lock(mutex_);
  std::shared_ptr<Work>& work = works_[session];
  if (work) {
    work->is_poked_ = true;
    work->is_resumed_ = work->is_resumed_ || wish == Wish::resume;
    work->wants_room_ = work->wants_room_ || wish == Wish::room;
    return work;
  }
  work = std::make_shared<Work>();
  work->session_ = session;
  work->lane_ = lane;
  work->on_end_ = std::move(on_end);
  work->is_resumed_ = wish == Wish::resume;
  work->wants_room_ = wish == Wish::room;
  work->begun_ms_ = clock_.unix_ms();
  queue_.push_back(work);
  const std::shared_ptr<Work> begun = work;
  start_queued();
  return begun;
}

void Runner::start_queued() {
  for (auto at = queue_.begin(); at != queue_.end() && !is_closing_;) {
    const auto lane = static_cast<size_t>((*at)->lane_);
    if (busy_[lane] >= options_.limits[lane]) {
      ++at;
      continue;
    }
    ++busy_[lane];
    std::shared_ptr<Work> work = *at;
    at = queue_.erase(at);
    work->is_queued_ = false;
    work->thread_ = std::jthread([this, work] { run(work); });
  }
}

void Runner::run(const std::shared_ptr<Work>& work) {
  for (Ending ending;;) {
    do {
      ending = joined(std::move(ending), perform(*work));
    } while (goes_on(*work, ending));
    if (work->on_end_) tell_end(*work, ending);
    let_go(*work, ending);
    if (is_over(*work, ending)) return;
    if (work->on_end_) ending = {};  // that was told
  }
}

// It is still at work, so that whoever waits for everything sees what comes of its end. What is
// spent below it from here on is charged to those above it.
void Runner::tell_end(Work& work, Ending& ending) {
  {
    std::lock_guard lock(mutex_);
    if (is_closing_) return;
    work.tab_.settle(ending);
    work.is_billed_ = true;
  }
  const bool has_news = ending.turns > 0 || !ending.ok() || ending.usage.context() > 0;
  if (has_news) work.on_end_(work, ending);
}

// What failed would fail again; who stopped it may have wanted it to do something else.
bool Runner::may_go_on(const Work& work, const Ending& ending) const {
  return work.is_poked_ && !is_closing_ && (ending.ok() || ending.end == End::cancelled);
}

bool Runner::takes_poke(Work& work, const Ending& ending) {
  std::lock_guard lock(mutex_);
  if (!may_go_on(work, ending)) return false;
  work.is_poked_ = false;
  std::lock_guard own(work.mutex_);
  if (work.stop_.stop_requested()) work.stop_ = std::stop_source();
  return true;
}

// Whatever came meanwhile is answered as well, unless the loop has taken it already.
bool Runner::goes_on(Work& work, const Ending& ending) {
  while (takes_poke(work, ending)) {
    const bool mail = has_mail(work.session_);
    std::lock_guard lock(mutex_);
    if (!mail && !work.is_resumed_ && !work.wants_room_) continue;
    work.is_billed_ = false;  // there will be another bill
    return true;
  }
  return false;
}

bool Runner::is_over(Work& work, Ending& ending) {
  if (goes_on(work, ending)) return false;
  std::lock_guard lock(mutex_);
  if (may_go_on(work, ending)) return false;  // just now
  work.tab_.settle(ending);
  std::lock_guard own(work.mutex_);
  --busy_[static_cast<size_t>(work.lane_)];
  if (work.thread_.joinable()) finished_.push_back(std::move(work.thread_));
  end(work, std::move(ending));
  start_queued();
  return true;
}

void Runner::end(Work& work, Ending ending) {
  work.ending_ = std::move(ending);
  work.changed_.notify_all();
  works_.erase(work.session_);
}

Ending Runner::perform(Work& work) {
  Result<bool> claimed =
      store_.use([&](store::Store& store) { return store.claim_conversation(work.session_); });
  if (!claimed) return not_begun(work, std::move(claimed).error());
  if (!*claimed) return not_begun(work, busy(work.session_, has_mail(work.session_)));
  Result<Ending> ending = perform_claimed(work);
  return ending ? std::move(*ending) : not_begun(work, std::move(ending).error());
}

// After its end was told: were this process to die before, whoever works on the parent next would
// tell it.
void Runner::let_go(Work& work, const Ending& ending) {
  const Result<void> released =
      store_.use([&](store::Store& store) { return store.release_conversation(work.session_); });
  if (!released) emit_({work.session_, Warned{describe(released.error())}});
  // Another process may have posted when the loop had looked for the last time and could not claim.
  if (!ending.ok() || !has_mail(work.session_)) return;
  std::lock_guard lock(mutex_);
  work.is_poked_ = true;
}

// Whoever watches is told the end of every run, also of one that could not begin.
Ending Runner::not_begun(const Work& work, Error why) const {
  Ending ending = failed(std::move(why));
  emit_({work.session_, RunEnded{ending}});
  return ending;
}

// Who saw a call begin before its process died sees its end as well.
Result<session::Transcript> Runner::open(const std::string& session) const {
  session::Transcript transcript = TRY(session::Transcript::open(store_, clock_, session));
  for (const model::ToolResult& result : transcript.repaired())
    emit_({session, CallEnded{result.name, result}});
  return transcript;
}

bool Runner::has_mail(std::string_view session) {
  const auto posts = store_.use([&](store::Store& store) { return store.posts(session); });
  return posts && !posts->empty();
}

Result<Ending> Runner::perform_claimed(Work& work) {
  const store::Conversation conversation =
      TRY(store_.use([&](store::Store& store) { return store.conversation(work.session_); }));
  const std::shared_ptr<const Setup> setup = TRY(prepare_(conversation));
  session::Transcript transcript = TRY(open(work.session_));
  std::stop_token stop;
  bool wants_room = false, is_resumed = false;
  {
    std::lock_guard lock(mutex_);
    wants_room = std::exchange(work.wants_room_, false);
    is_resumed = std::exchange(work.is_resumed_, false);
    std::lock_guard own(work.mutex_);
    stop = work.stop_.get_token();
  }
  const LeftBehindOptions others{
      .is_at_work = [this](std::string_view session) { return work_of(session) != nullptr; },
      .post = [this](const Letter& letter) -> Result<void> {
        TRY(post(letter));
        return {};
      }};
  if (const Result<void> told = report_left_behind(store_, clock_, work.session_, others); !told)
    emit_({work.session_, Warned{describe(told.error())}});
  const Emit emit = [&](const Event& event) {
    emit_(event);
    if (!std::holds_alternative<CallEnded>(event.what)) return;
    {
      std::lock_guard lock(work.mutex_);
      ++work.calls_;
    }
    work.changed_.notify_all();
    if (conversation.parent.empty()) return;
    emit_({conversation.parent,
           SubagentProgress{work.session_, work.calls_,
                            std::chrono::milliseconds(clock_.unix_ms() - work.begun_ms_)}});
  };
  Ending room;
  if (wants_room) {
    make_room(transcript, *setup, room, stop);
    if (!room.ok() || (!is_resumed && !has_mail(work.session_))) return room;
  }
  Ending ending = joined(std::move(room), agent::run(transcript, *setup, emit, stop, &work.tab_));
  if (!ending.ok()) {
    if (Result<void> added = transcript.add(remark_of(ending)); !added)
      emit_({work.session_, Warned{describe(added.error())}});
  }
  return ending;
}

// It is asked for, so that it is told, too, when there is nothing to be shortened.
void Runner::make_room(session::Transcript& transcript, const Setup& setup, Ending& ending,
                       std::stop_token stop) const {
  const std::int64_t before = transcript.tokens();
  const Result<Room> room = agent::make_room(transcript, setup, true, emit_, std::move(stop));
  if (!room && room.error().code == Code::cancelled) ending.end = End::cancelled;
  const std::optional<Error> failure = room ? room->failure : room.error();
  if (failure && ending.ok())
    emit_({transcript.session(), Warned{describe(*failure)}});
  else if (room && !room->made)
    emit_({transcript.session(), Compacted{before, before}});
  if (!room) return;
  ending.usage = room->usage;
  const std::optional<std::int64_t> cost =
      setup.cost ? setup.cost(room->usage) : std::optional<std::int64_t>();
  ending.micro_dollars = cost.value_or(0);
  ending.is_priced = cost || room->usage.context() == 0;
}

bool Runner::stop(std::string_view session) { return halt(session, true); }

bool Runner::interrupt(std::string_view session) { return halt(session, false); }

bool Runner::halt(std::string_view session, bool is_for_good) {
  std::shared_ptr<Work> work;
  std::stop_source source;
  bool is_begun = true;
  {
    std::lock_guard lock(mutex_);
    const auto found = works_.find(session);
    if (found == works_.end()) return false;
    work = found->second;
    if (is_for_good || work->is_queued_)
      work->is_poked_ = work->is_resumed_ = work->wants_room_ = false;
    if (work->is_queued_) {
      std::erase(queue_, work);
      work->is_queued_ = false;
      is_begun = false;
    }
    std::lock_guard own(work->mutex_);
    source = work->stop_;
  }
  // Both may call back, so without a lock.
  if (is_begun)
    source.request_stop();
  else
    withdraw(work, is_for_good);
  return true;
}

// Ends what waited for its lane, and has been taken out of there. Until it is over it counts as at
// work, so that nobody else begins it.
void Runner::withdraw(const std::shared_ptr<Work>& work, bool is_for_good) {
  Ending ending = failed({Code::cancelled, "stopped before it began"});
  bool is_closing = false;
  {
    std::lock_guard lock(mutex_);
    is_closing = is_closing_;
  }
  if (!is_closing) {
    // The task of a sub-agent is done with; what a person said is answered with what comes next.
    if (is_for_good && work->lane_ == Lane::subagent) {
      if (const Result<void> taken = take_mail(work->session_, ending); !taken)
        emit_({work->session_, Warned{describe(taken.error())}});
    }
    emit_({work->session_, RunEnded{ending}});
    if (work->on_end_) tell_end(*work, ending);
  }
  std::lock_guard lock(mutex_);
  std::lock_guard own(work->mutex_);
  if (work->is_poked_ && !is_closing_) {  // meanwhile
    work->is_poked_ = work->is_billed_ = false;
    if (work->stop_.stop_requested()) work->stop_ = std::stop_source();
    work->is_queued_ = true;
    queue_.push_back(work);
    return start_queued();
  }
  work->tab_.settle(ending);
  end(*work, std::move(ending));
}

// Out of the inbox, with a remark of what became of it. What another process works on is left to
// that.
Result<void> Runner::take_mail(const std::string& session, const Ending& ending) {
  if (!TRY(store_.use([&](store::Store& store) { return store.claim_conversation(session); })))
    return {};
  const auto take = [&]() -> Result<void> {
    session::Transcript transcript = TRY(open(session));
    for (const store::Post& post : TRY(transcript.inbox()))
      TRY(transcript.add(remark_of(ending), {.post = post.id}));
    return {};
  };
  Result<void> taken = take();
  TRY(store_.use([&](store::Store& store) { return store.release_conversation(session); }));
  return taken;
}

bool Runner::charge(std::string_view session, const Ending& ending) {
  std::lock_guard lock(mutex_);
  const auto found = works_.find(session);
  if (found == works_.end() || found->second->is_billed_) return false;
  found->second->tab_.add(ending);
  return true;
}

std::shared_ptr<Work> Runner::work_of(std::string_view session) const {
  std::lock_guard lock(mutex_);
  const auto found = works_.find(session);
  return found == works_.end() ? nullptr : found->second;
}

std::vector<std::shared_ptr<Work>> Runner::at_work() const {
  std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<Work>> works;
  for (const auto& [session, work] : works_) works.push_back(work);
  return works;
}

bool Runner::reaches(std::string_view from, std::string_view to) const {
  std::vector<std::string_view> open{from};
  std::set<std::string_view> seen{from};
  while (!open.empty()) {
    const std::string_view at = open.back();
    open.pop_back();
    if (at == to) return true;
    const auto found = works_.find(at);
    if (found == works_.end()) continue;
    for (const std::string& next : found->second->awaits_)
      if (seen.insert(next).second) open.push_back(next);
  }
  return false;
}

bool Runner::is_awaited(std::string_view session, std::string_view by) const {
  std::lock_guard lock(mutex_);
  return reaches(by, session);
}

Result<Waits> Runner::begin_waiting(std::string_view who, const std::string& session) {
  std::lock_guard lock(mutex_);
  const auto found = works_.find(who);
  if (found == works_.end()) return Waits(*this, nullptr, session);
  if (reaches(session, who))
    return Error{Code::conflict, fmt::format("session {} waits for this one", session),
                 "do not wait for it", "would_wait_forever"};
  Work& waiter = *found->second;
  waiter.awaits_.push_back(session);
  if (waiter.awaits_.size() == 1) {
    --busy_[static_cast<size_t>(waiter.lane_)];
    start_queued();
  }
  return Waits(*this, found->second, session);
}

Waits::~Waits() {
  if (!waiter_) return;
  std::lock_guard lock(runner_->mutex_);
  std::vector<std::string>& awaits = waiter_->awaits_;
  awaits.erase(std::ranges::find(awaits, session_));
  if (awaits.empty()) ++runner_->busy_[static_cast<size_t>(waiter_->lane_)];
}

Result<Ending> Runner::await(const Work& work, std::string_view who, const Waiting& waiting) {
  const Waits waits = TRY(begin_waiting(who, work.session_));
  return work.wait_as(waiting);
}

Ending Runner::see_through(Work& work, std::string_view who, std::stop_token stop,
                           std::function<void(const Work&)> on_calls) {
  Result<Ending> ending =
      await(work, who, {.stop = std::move(stop), .until = {}, .on_calls = std::move(on_calls)});
  if (ending) return std::move(*ending);
  this->stop(work.session_);
  ending = work.wait({});
  return ending ? std::move(*ending) : failed(std::move(ending).error());
}

}  // namespace helve::agent
