#include "process/running.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "process/messages.h"
#include "sys/stream.h"

namespace helve::process {
namespace {

constexpr int kBatch = 64;  // reads at once, before others get their turn
// For what a command left behind to end: usually that takes a millisecond, but a process may hang
// in the kernel, and whoever asked for the end must not.
constexpr std::chrono::milliseconds kPatience{500};
constexpr std::chrono::seconds kLongPatience{10};  // where something depends on it
constexpr size_t kTerminalRest = 64u << 10;        // bytes, more than a terminal holds

Error no_stream(int code) {
  return Error{Code::unavailable,
               fmt::format("cannot make the command's streams: {}", strerrordesc_np(code)),
               "raise the limit of open files, or end background commands", "spawn_failed"};
}

void never_block(const sys::Fd& descriptor) { fcntl(descriptor.get(), F_SETFL, O_NONBLOCK); }

// A file in memory needs no feeding, so there is nothing to deadlock.
Result<sys::Fd> text_file(std::string_view text) {
  sys::Fd file(memfd_create("stdin", MFD_CLOEXEC));
  if (!file || !sys::write_all(file.get(), text) || lseek(file.get(), 0, SEEK_SET) != 0)
    return no_stream(errno);
  return file;
}

std::string signal_name(int number) {
  const char* name = sigabbrev_np(number);
  return name ? fmt::format("SIG{}", name) : fmt::format("signal {}", number);
}

}  // namespace

std::string describe(const Ended& ended) {
  if (ended.is_lost) return "lost: the process that kept it was killed";
  if (!ended.signal.empty()) return "killed by " + ended.signal;
  return fmt::format("exit code {}", ended.exit_code);
}

Result<std::unique_ptr<Running>> Running::start(const Spawner& spawner, Plan plan,
                                                const StartLimits& limits) {
  std::unique_ptr<Running> running(new Running(plan));
  sys::Fd in(open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!in) return no_stream(errno);
  sys::Fd out, err;
  const bool has_pipes = !plan.launch.has_terminal && !plan.streams;
  if (has_pipes && plan.input == Plan::Input::text) in = TRY(text_file(plan.input_text));
  if (has_pipes && plan.input == Plan::Input::open) {
    sys::Pipe pipe = TRY(sys::make_pipe());
    in = std::move(pipe.read), running->in_ = std::move(pipe.write);
    never_block(running->in_);
  }
  if (has_pipes) {
    sys::Pipe pipe = TRY(sys::make_pipe());
    out = std::move(pipe.write), running->out_end_ = std::move(pipe.read);
    never_block(running->out_end_);
  }
  if (has_pipes && plan.separate_errors) {
    sys::Pipe pipe = TRY(sys::make_pipe());
    err = std::move(pipe.write), running->err_end_ = std::move(pipe.read);
    never_block(running->err_end_);
  }
  Streams streams{in.get(), out ? out.get() : in.get(), err ? err.get() : -1,
                  std::move(plan.others)};
  if (streams.err < 0) streams.err = streams.out;
  if (plan.streams && !plan.launch.has_terminal)
    streams.in = (*plan.streams)[0], streams.out = (*plan.streams)[1],
    streams.err = (*plan.streams)[2];
  Launched launched = TRY(spawner.launch(plan.launch, streams, limits));
  running->channel_ = std::move(launched.channel);
  running->view_ = std::move(launched.view);
  if (launched.terminal) {
    running->terminal_ = std::move(launched.terminal);
    never_block(running->terminal_);
    running->out_end_ = TRY(sys::duplicate(running->terminal_.get()));
    if (plan.input == Plan::Input::text) running->keys_ = std::move(plan.input_text);
    if (plan.input != Plan::Input::open && !plan.streams) running->close_input();
  }
  return running;
}

// A negative descriptor is passed over.
void Running::expect(pollfd* events) const {
  events[0] = {channel_.get(), POLLIN, 0};
  events[1] = {out_end_.get(), static_cast<short>(keys_.empty() ? POLLIN : POLLIN | POLLOUT), 0};
  events[2] = {err_end_.get(), POLLIN, 0};
}

bool Running::attend(Time end, int wakeup) {
  if (has_ended()) return true;
  // What is left takes so little time that nothing needs to interrupt it.
  if (leaves_until_) end = *leaves_until_, wakeup = -1;
  pollfd events[kEvents + 1];
  expect(events);
  events[kEvents] = {wakeup, POLLIN, 0};
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
  const auto wait = std::clamp<std::chrono::milliseconds::rep>(left.count(), 0, 24 * 3600 * 1000);
  poll(events, kEvents + 1, static_cast<int>(wait));
  return attend(events);
}

bool Running::attend(const pollfd* events) {
  const auto take = [](Output& output, sys::Fd& end, short revents) {
    if (revents == POLLHUP) end = sys::Fd();  // and nothing to read
    for (int i = 0; i < kBatch && end; ++i) {
      const Output::Read read = output.read_from(end.get());
      if (read == Output::Read::end) end = sys::Fd();
      if (read != Output::Read::some) return;
    }
  };
  if (events[1].revents & POLLOUT) type_keys();
  if (events[1].revents && out_end_) take(out_, out_end_, events[1].revents);
  if (events[2].revents && err_end_) take(err_, err_end_, events[2].revents);
  if (events[0].revents && channel_) receive_event();
  if (leaves_until_) mind_leaving();
  return has_ended();
}

void Running::receive_event() {
  Event event;
  const bool has_come = receive_exactly(channel_.get(), &event, sizeof event);
  if (!has_come) channel_ = sys::Fd();
  if (ended_) return;
  if (has_come && (event.kind == Event::Kind::stopped || event.kind == Event::Kind::resumed)) {
    is_stopped_ = event.kind == Event::Kind::stopped;
    return;
  }
  ended_.emplace();
  if (!has_come || event.kind != Event::Kind::exited) {
    ended_->is_lost = true;
  } else {
    ended_->left_others = event.left_others;
    ended_->cpu_us = event.cpu_us;
    ended_->peak_bytes = event.peak_bytes;
    if (WIFSIGNALED(event.code)) {
      ended_->signal_number = WTERMSIG(event.code);
      ended_->signal = signal_name(ended_->signal_number);
    } else
      ended_->exit_code = WEXITSTATUS(event.code);
  }
  leave(ended_->left_others);
}

// Once the keeper has nothing more to hear, it ends what is left, and itself last of all. Only what
// was written before counts: a process left behind may write for ever, or hold the pipe open and
// write nothing. A terminal passes on what was written a little later, and ends with its last user.
void Running::leave(bool leaves_others) {
  shutdown(channel_.get(), SHUT_WR);
  take_waiting();
  for (sys::Fd* end : {&in_, &err_end_}) *end = sys::Fd();
  if (!terminal_) out_end_ = sys::Fd();
  last_byte_ = out_.size() + kTerminalRest;
  if (!terminal_ && !leaves_others && !outlives_nothing_) return close_all();
  leaves_until_ = std::chrono::steady_clock::now();
  *leaves_until_ += outlives_nothing_ ? kLongPatience : kPatience;
  mind_leaving();
}

void Running::mind_leaving() {
  if (out_.size() >= last_byte_) out_end_ = sys::Fd();
  const bool is_gone = !channel_ && !out_end_;
  if (!is_gone && std::chrono::steady_clock::now() < *leaves_until_) return;
  leaves_until_.reset();
  close_all();
}

void Running::close_all() {
  for (sys::Fd* end : {&channel_, &in_, &terminal_, &out_end_, &err_end_}) *end = sys::Fd();
}

void Running::take_waiting() {
  for (const auto& [output, end] : {std::pair(&out_, &out_end_), std::pair(&err_, &err_end_)}) {
    int waiting = 0;
    if (!*end || ioctl(end->get(), FIONREAD, &waiting) != 0) continue;
    const std::uint64_t last = output->size() + static_cast<std::uint64_t>(waiting);
    while (output->size() < last && output->read_from(end->get()) == Output::Read::some) {
    }
  }
}

void Running::order(const void* bytes) {
  if (channel_) send_message(channel_.get(), {static_cast<const char*>(bytes), sizeof(Order)});
}

void Running::signal_all(int number) {
  const Order order{.kind = Order::Kind::signal_all, .signal = number, .size = {}};
  this->order(&order);
}

void Running::signal_group(int number) {
  const Order order{.kind = Order::Kind::signal_group, .signal = number, .size = {}};
  this->order(&order);
}

void Running::resize(TerminalSize size) {
  const Order order{.kind = Order::Kind::resize, .signal = 0, .size = size};
  this->order(&order);
}

void Running::begin_end() {
  if (ended_) return;
  ended_.emplace();
  ended_->signal = "SIGKILL";
  ended_->signal_number = SIGKILL;
  leave(true);
}

void Running::end_now() {
  begin_end();
  while (!attend(Time::max(), -1)) {
  }
}

Result<size_t> Running::write_input(std::string_view bytes) {
  if (!keys_.empty()) return size_t{0};  // what came before has not been taken yet
  return put_input(bytes);
}

Result<size_t> Running::put_input(std::string_view bytes) {
  const int descriptor = terminal_ ? terminal_.get() : in_.get();
  if (ended_ || descriptor < 0)
    return Error{Code::conflict, ended_ ? "the command has ended" : "the command's input is closed",
                 "start it again", "no_input"};
  ssize_t count;
  do {
    count = write(descriptor, bytes.data(), bytes.size());
  } while (count < 0 && errno == EINTR);
  if (count < 0 && errno != EAGAIN)
    return Error{Code::conflict, "the command no longer reads its input", "poll it for its output",
                 "no_input"};
  if (count > 0) last_key_ = bytes[static_cast<size_t>(count) - 1];
  return static_cast<size_t>(std::max<ssize_t>(count, 0));
}

void Running::type_keys() {
  const std::string_view left = std::string_view(keys_).substr(typed_);
  typed_ += put_input(left).value_or(left.size());
  if (typed_ < keys_.size()) return;
  keys_.clear();
  typed_ = 0;
}

// Within a line the first one only passes the line on.
void Running::close_input() {
  in_ = sys::Fd();
  termios settings;
  if (ended_ || !terminal_ || tcgetattr(terminal_.get(), &settings) != 0) return;
  const char end = static_cast<char>(settings.c_cc[VEOF]);
  const char last = keys_.empty() ? last_key_ : keys_.back();
  keys_.append(last == '\n' || last == end ? 1 : 2, end);
  type_keys();
}

}  // namespace helve::process
