#include "mcp/stdio.h"

#include <fmt/format.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "mcp/line_writer.h"
#include "mcp/relay.h"
#include "mcp/session.h"

namespace helve::mcp {
namespace {

// Calls that were read and wait for a thread, and the bytes of their frames. With more we stop
// reading.
constexpr size_t kMaxWaiting = 1000;
constexpr size_t kMaxWaitingBytes = 64u << 20;

Error unread() {
  return Error{Code::unavailable,
               "answers were lost: the client closed our input and did not read them",
               "read our output until it ends"};
}

Error failure_of(const std::exception& exception) {
  if (dynamic_cast<const std::bad_alloc*>(&exception))
    return {Code::unavailable, "out of memory", "allow more memory (ulimit -v)"};
  return {Code::internal, fmt::format("the connection broke down: {}", exception.what())};
}

}  // namespace

class Stdio::Connection final : public Sink, public std::enable_shared_from_this<Connection> {
 public:
  Connection(Server& server, Identity who, sys::Fd in, int out, const StdioOptions& options,
             sys::Wakeup wakeup)
      : options_(options),
        wakeup_(std::move(wakeup)),
        in_(std::move(in)),
        reader_(in_.get(), options.max_line),
        writer_(out, [this] { wakeup_.signal(); }),
        session_(std::in_place, server, std::move(who), *this) {}

  void send(std::string_view message) override { writer_.put(message, LineWriter::When::now); }
  void send_if_free(std::string_view message) override { writer_.put_if_free(message); }

  Result<Served> serve();
  void stop() const { wakeup_.signal(); }

 private:
  enum class Role : unsigned char { reader, stand_by };
  enum class Left : unsigned char { replaced, ended };

  bool wait_for_end();
  bool spawn(Role role);
  void guard_work(Role role);
  void work(Role role);
  Left read(std::unique_ptr<Job>& job);
  bool wait_for_input();
  bool handle(std::unique_ptr<Job>& job);
  bool run_here(Job& job);
  void deliver(Job& job, LineWriter::When when);
  bool set_aside(std::unique_ptr<Job>& job);
  void run_waiting();
  // Nobody is at work any more; at most one thread still waits for input.
  bool deserted() const { return threads_ == (reading_ ? 1u : 0u); }

  const StdioOptions options_;
  const sys::Wakeup wakeup_;
  const sys::Fd in_;
  LineReader reader_;  // belongs to the thread that has the right to read
  LineWriter writer_;
  std::optional<Session> session_;  // none after serve(), unless calls are left running
  Relay relay_;

  // Calls that run, the reader's own included. Changed under mutex_ by all but the reader.
  std::atomic<size_t> running_ = 0;
  std::mutex mutex_;  // guards what follows
  std::condition_variable change_;
  std::deque<std::unique_ptr<Job>> waiting_;
  size_t waiting_bytes_ = 0;
  size_t threads_ = 0;
  bool reading_ = false;  // the reader waits for input, and may do so for ever
  bool input_ended_ = false;
  bool ended_ = false;  // nothing new is begun
  std::optional<Error> failure_;
};

Result<Served> Stdio::Connection::serve() {
  // This thread only waits: a reader may end up inside a call that never ends.
  if (!spawn(Role::reader)) {
    return Error{Code::unavailable, "cannot start a thread", "allow more processes (ulimit -u)"};
  }
  const bool is_read = wait_for_end();
  auto served = [&](size_t still_running) {
    if (!failure_ && (!is_read || writer_.gave_up())) failure_ = unread();
    return Served{still_running, failure_};
  };
  const auto end = std::chrono::steady_clock::now() + options_.grace +
                   (is_read ? options_.patience : std::chrono::milliseconds(0));
  writer_.limit(end);
  relay_.end();
  std::unique_lock lock(mutex_);
  ended_ = true;
  change_.notify_all();
  auto all_left = [this] { return deserted(); };
  if (!input_ended_ || !change_.wait_for(lock, options_.grace, all_left)) {
    lock.unlock();
    session_->stop_all();
    lock.lock();
    if (!change_.wait_until(lock, end, all_left)) {
      const size_t left = std::max<size_t>(running_, 1);
      lock.unlock();
      writer_.flush_if_free();
      lock.lock();
      return served(left);
    }
  }
  lock.unlock();
  session_->close();
  writer_.flush();
  session_.reset();
  return served(0);
}

// False: the client closed our input and does not read our output. A reader that is held up by a
// write does not see that its input has ended, so this thread looks now and then; a watch on the
// input would cost every message.
bool Stdio::Connection::wait_for_end() {
  const auto interval = std::max(options_.patience / 2, std::chrono::milliseconds(1));
  for (size_t before = writer_.steps(); !wakeup_.wait_for(interval);) {
    const size_t steps = writer_.steps();
    const bool stands_still = steps == before && steps % 2 == 1;
    if (stands_still && sys::is_hung_up(in_.get())) return false;
    before = steps;
  }
  return true;
}

bool Stdio::Connection::spawn(Role role) {
  {
    std::lock_guard lock(mutex_);
    ++threads_;
  }
  try {
    std::thread([self = shared_from_this(), role] { self->guard_work(role); }).detach();
    return true;
  } catch (const std::exception&) {
    std::lock_guard lock(mutex_);
    --threads_;
    return false;
  }
}

void Stdio::Connection::guard_work(Role role) {
  try {
    work(role);
  } catch (const std::exception& exception) {  // no memory left, even to say so
    std::lock_guard lock(mutex_);
    failure_ = failure_of(exception);
    wakeup_.signal();
  }
  std::lock_guard lock(mutex_);
  --threads_;
  change_.notify_all();
}

void Stdio::Connection::work(Role role) {
  auto job = std::make_unique<Job>();
  for (;;) {
    if (role == Role::stand_by) {
      if (!relay_.stand_by()) return;
      writer_.flush();  // what the one before us gathered must not wait for its long call
    }
    if (read(job) == Left::ended) return;
    run_waiting();
    if (!relay_.reserve()) return;
    role = Role::stand_by;
  }
}

// Reads and handles one message after the other, until there are no more or another thread has
// taken over.
Stdio::Connection::Left Stdio::Connection::read(std::unique_ptr<Job>& job) {
  using Got = LineReader::Got;
  for (;;) {
    std::string_view line;
    const Got got = reader_.next(line);
    if (got == Got::nothing) {
      writer_.flush();
      if (!wait_for_input()) return Left::ended;
      continue;
    }
    if (got == Got::too_long) {
      job->reset();
      append_error(job->answer, {}, RpcCode::invalid_request,
                   fmt::format("a message may have at most {} bytes", options_.max_line));
    } else if (got == Got::no_memory) {
      job->reset();
      append_error(job->answer, {}, RpcCode::internal_error,
                   "there is not enough memory for a message of this length");
    } else if (session_->take(line, *job) == Session::Taken::to_run) {
      if (!handle(job)) return Left::replaced;
      continue;
    }
    writer_.put(job->answer, LineWriter::When::later);
  }
}

// False: there is no more, or nobody wants it.
bool Stdio::Connection::wait_for_input() {
  {
    std::lock_guard lock(mutex_);
    if (ended_) return false;
    reading_ = true;
  }
  const bool more = reader_.fill();
  std::lock_guard lock(mutex_);
  reading_ = false;
  if (ended_) return false;  // the session may be gone
  if (!more) {
    input_ended_ = true;
    wakeup_.signal();
  }
  return more;
}

// False: another thread reads now.
bool Stdio::Connection::handle(std::unique_ptr<Job>& job) {
  if (running_ >= options_.max_calls && set_aside(job)) return true;
  return run_here(*job);
}

bool Stdio::Connection::run_here(Job& job) {
  ++running_;
  if (relay_.reserve() && !spawn(Role::stand_by)) {
    relay_.give_back();
    writer_.flush();  // nobody will do it while we are busy
  }
  const Relay::Turn turn = relay_.offer();
  session_->run(job);
  if (relay_.reclaim(turn)) {
    deliver(job, LineWriter::When::later);
    --running_;
    return true;
  }
  deliver(job, LineWriter::When::now);
  return false;
}

// What is told once counts as told when it was written, not before.
void Stdio::Connection::deliver(Job& job, LineWriter::When when) {
  const bool tells = job.tells();
  const bool arrived = writer_.put(job.answer, tells ? LineWriter::When::now : when);
  if (tells) job.settle(arrived);
}

// Keeps the job for the next thread that is free. False: one is free already.
bool Stdio::Connection::set_aside(std::unique_ptr<Job>& job) {
  writer_.flush();
  std::unique_lock lock(mutex_);
  auto full = [this] {
    return waiting_.size() >= kMaxWaiting || waiting_bytes_ >= kMaxWaitingBytes;
  };
  change_.wait(lock, [&] { return ended_ || !full(); });
  if (running_ < options_.max_calls) return false;
  waiting_bytes_ += job->bytes;
  waiting_.push_back(std::exchange(job, std::make_unique<Job>()));
  return true;
}

// For a thread whose call has ended and that reads no more.
void Stdio::Connection::run_waiting() {
  std::unique_lock lock(mutex_);
  while (!waiting_.empty()) {
    std::unique_ptr<Job> job = std::move(waiting_.front());
    waiting_.pop_front();
    waiting_bytes_ -= job->bytes;
    change_.notify_all();
    lock.unlock();
    session_->run(*job);
    deliver(*job, LineWriter::When::now);
    lock.lock();
  }
  --running_;
}

Stdio::Stdio(std::shared_ptr<Connection> connection) : connection_(std::move(connection)) {}
Stdio::~Stdio() = default;
Stdio::Stdio(Stdio&&) noexcept = default;

Result<Stdio> Stdio::make(Server& server, Identity who, int in, int out, StdioOptions options) {
  sys::Wakeup wakeup = TRY(sys::Wakeup::make());
  sys::Fd input = TRY(sys::duplicate(in));
  sys::ignore_broken_pipes();
  options.max_calls = std::max<size_t>(options.max_calls, 1);
  return Stdio(std::make_shared<Connection>(server, std::move(who), std::move(input), out, options,
                                            std::move(wakeup)));
}

Result<Served> Stdio::serve() { return connection_->serve(); }
void Stdio::stop() { connection_->stop(); }

}  // namespace helve::mcp
