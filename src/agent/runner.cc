#include "agent/runner.h"

#include <fmt/format.h>

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
  if (then.ok() && then.turns == 0 && before.turns > 0) return before;
  then.usage += before.usage;
  then.micro_dollars += before.micro_dollars;
  then.is_priced = then.is_priced && before.is_priced;
  then.turns += before.turns;
  then.calls += before.calls;
  return then;
}

Error busy(std::string_view session) {
  return {Code::conflict, fmt::format("another process works on session {}", session),
          "it has got the message and answers it there", "session_busy"};
}

}  // namespace

bool Work::has_ended() const {
  std::lock_guard lock(mutex_);
  return ending_.has_value();
}

Result<Ending> Work::wait(std::stop_token stop) const {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, stop, [&] { return ending_.has_value(); });
  if (!ending_) return Error{Code::cancelled, "stopped waiting"};
  return *ending_;
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
  return poke(letter.session, letter.lane, letter.on_end);
}

std::shared_ptr<Work> Runner::resume(const std::string& session, Lane lane) {
  return poke(session, lane, {});
}

// A worker that posts when it is done cannot wait for itself.
void Runner::join_finished() {
  std::vector<std::jthread> finished;
  std::lock_guard lock(mutex_);
  for (std::jthread& thread : finished_)
    if (thread.get_id() != std::this_thread::get_id()) finished.push_back(std::move(thread));
  std::erase_if(finished_, [](const std::jthread& thread) { return !thread.joinable(); });
}

std::shared_ptr<Work> Runner::poke(const std::string& session, Lane lane, OnEnd on_end) {
  join_finished();
  std::lock_guard lock(mutex_);
  std::shared_ptr<Work>& work = works_[session];
  if (work) {
    work->is_poked_ = true;
    return work;
  }
  work = std::make_shared<Work>();
  work->session_ = session;
  work->lane_ = lane;
  work->on_end_ = std::move(on_end);
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
  Ending ending;
  do {
    ending = joined(std::move(ending), perform(*work));
  } while (!is_over(*work, ending));
  if (!work->on_end_) return;
  {
    std::lock_guard lock(mutex_);
    if (is_closing_) return;
  }
  work->on_end_(*work, *work->ending_);
}

// Lets whatever came meanwhile be answered as well.
bool Runner::is_over(Work& work, Ending& ending) {
  std::lock_guard lock(mutex_);
  std::lock_guard own(work.mutex_);
  const bool was_stopped = work.stop_.stop_requested();
  if (std::exchange(work.is_poked_, false) && !is_closing_ && (was_stopped || ending.ok())) {
    if (was_stopped) work.stop_ = std::stop_source();
    return false;
  }
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
  if (!*claimed) return not_begun(work, busy(work.session_));
  Result<Ending> ending = perform_claimed(work);
  Result<void> released =
      store_.use([&](store::Store& store) { return store.release_conversation(work.session_); });
  if (!ending) return not_begun(work, std::move(ending).error());
  if (!released) emit_({work.session_, Warned{describe(released.error())}});
  // Another process may have posted when the loop had looked for the last time and could not claim.
  if (ending->ok() && has_mail(work.session_)) {
    std::lock_guard lock(mutex_);
    work.is_poked_ = true;
  }
  return std::move(*ending);
}

// Whoever watches is told the end of every run, also of one that could not begin.
Ending Runner::not_begun(const Work& work, Error why) const {
  Ending ending = failed(std::move(why));
  emit_({work.session_, RunEnded{ending}});
  return ending;
}

bool Runner::has_mail(std::string_view session) {
  const auto posts = store_.use([&](store::Store& store) { return store.posts(session); });
  return posts && !posts->empty();
}

Result<Ending> Runner::perform_claimed(Work& work) {
  const store::Conversation conversation =
      TRY(store_.use([&](store::Store& store) { return store.conversation(work.session_); }));
  const std::shared_ptr<const Setup> setup = TRY(prepare_(conversation));
  session::Transcript transcript = TRY(session::Transcript::open(store_, clock_, work.session_));
  std::stop_token stop;
  {
    std::lock_guard lock(work.mutex_);
    stop = work.stop_.get_token();
  }
  const Emit emit = [&](const Event& event) {
    emit_(event);
    if (!std::holds_alternative<CallEnded>(event.what)) return;
    ++work.calls_;
    if (conversation.parent.empty()) return;
    emit_({conversation.parent,
           SubagentProgress{work.session_, work.calls_,
                            std::chrono::milliseconds(clock_.unix_ms() - work.begun_ms_)}});
  };
  return agent::run(transcript, *setup, emit, stop);
}

bool Runner::stop(std::string_view session) {
  std::stop_source source;
  {
    std::lock_guard lock(mutex_);
    const auto found = works_.find(session);
    if (found == works_.end()) return false;
    const std::shared_ptr<Work> work = found->second;
    std::lock_guard own(work->mutex_);
    if (work->is_queued_) {
      std::erase(queue_, work);
      end(*work, failed({Code::cancelled, "stopped before it began"}));
      return true;
    }
    source = work->stop_;
  }
  source.request_stop();  // may call back, so without a lock
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

Ending Runner::see_through(Work& work, std::string_view waiting, std::stop_token stop) {
  const std::shared_ptr<Work> waiter = work_of(waiting);
  const auto lane = waiter ? static_cast<size_t>(waiter->lane_) : 0;
  if (waiter) {
    std::lock_guard lock(mutex_);
    if (waiter->awaits_++ == 0) --busy_[lane];
    start_queued();
  }
  Result<Ending> ending = work.wait(stop);
  if (!ending) {
    this->stop(work.session_);
    ending = work.wait({});
  }
  if (waiter) {
    std::lock_guard lock(mutex_);
    if (--waiter->awaits_ == 0) ++busy_[lane];
  }
  return std::move(*ending);
}

}  // namespace helve::agent
