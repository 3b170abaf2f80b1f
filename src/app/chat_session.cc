#include "app/chat_session.h"

#include <fmt/format.h>

#include "app/chat_files.h"
#include "sys/id.h"

namespace helve::app {
namespace {

using terminal::Happening;
using Kind = Happening::Kind;

// Shows what a command writes while it runs.
class OutputListener final : public Listener {
 public:
  OutputListener(Happenings& happenings, Happening about)
      : happenings_(happenings), about_(std::move(about)) {}
  void progress(double, std::optional<double>, std::string_view) override {}
  void log(Level, std::string_view) override {}
  bool wants_output() const override { return true; }
  void output(std::string_view text) override {
    Happening happening = about_;
    happening.kind = Kind::call_output;
    happening.text = text;
    happenings_.add(std::move(happening));
  }

 private:
  Happenings& happenings_;
  const Happening about_;
};

}  // namespace

ChatSession::ChatSession(World& world, Staff& staff, Happenings& happenings, ChosenSession chosen)
    : world_(world), staff_(staff), happenings_(happenings), chosen_(std::move(chosen)) {}

ChatSession::~ChatSession() {
  if (job_) job_->request_stop();
  for (const auto& work : staff_.runner().at_work()) staff_.runner().stop(work->session());
  for (const auto& work : staff_.runner().at_work()) (void)work->wait({});
}

Result<store::Conversation> ChatSession::record() {
  return staff_.store().use([&](store::Store& store) { return store.conversation(id()); });
}

void ChatSession::become(ChosenSession chosen) { chosen_ = std::move(chosen); }

void ChatSession::become_new() { chosen_ = {sys::new_id("s_", world_.clock.unix_ms()), false}; }

Result<void> ChatSession::post(const std::string& id, const std::string& text) {
  const model::Message message = message_of(text, *this);
  if (!chosen_.is_known) TRY(staff_.begin(chosen_.session, agent(), agent::title_of(text), "chat"));
  chosen_.is_known = true;
  work_ = TRY(staff_.runner().post({.session = chosen_.session, .message = message, .id = id}));
  return {};
}

void ChatSession::retry() { work_ = staff_.runner().resume(chosen_.session, agent::Lane::main); }

void ChatSession::compact() { work_ = staff_.runner().compact(chosen_.session, agent::Lane::main); }

void ChatSession::stop() {
  if (job_) job_->request_stop();
  staff_.runner().stop(chosen_.session);
}

void ChatSession::interrupt() {
  if (job_) job_->request_stop();
  staff_.runner().interrupt(chosen_.session);
}

std::optional<agent::Ending> ChatSession::ended() {
  // Somebody else may have posted: a sub-agent that is done.
  if (!work_) work_ = staff_.runner().work_of(chosen_.session);
  if (!work_ || !work_->has_ended()) return std::nullopt;
  Result<agent::Ending> ending = work_->wait({});
  work_ = staff_.runner().work_of(chosen_.session);
  return std::move(*ending);
}

dispatch::Outcome ChatSession::call(std::string_view tool, const JsonObject& arguments,
                                    std::stop_token stop, Listener* listener,
                                    std::optional<std::chrono::milliseconds> timeout) {
  const std::shared_ptr<const Place> place = world_.place();
  Identity who = place->who;
  who.session = chosen_.session;
  const Json input = arguments;
  dispatch::Outcome outcome = place->dispatcher->call({.tool = tool,
                                                       .arguments = &input,
                                                       .caller = Caller::cli,
                                                       .who = who,
                                                       .named_session = true,
                                                       .policy = place->policy.get(),
                                                       .stop = std::move(stop),
                                                       .timeout = timeout,
                                                       .listener = listener,
                                                       .approver = &typed_});
  // They are for the model.
  if (outcome.telling) outcome.telling->did_not_arrive();
  return outcome;
}

void ChatSession::start_job(std::function<void(std::stop_token)> job) {
  job_.reset();
  is_job_over_ = std::make_shared<std::atomic<bool>>(false);
  job_.emplace([job = std::move(job), is_over = is_job_over_](std::stop_token stop) {
    job(std::move(stop));
    *is_over = true;
  });
}

void ChatSession::start_call(std::string tool, JsonObject arguments, Show show) {
  Happening happening{.kind = Kind::call_begun, .session = id(), .id = "typed", .name = tool};
  happening.text = to_text(arguments);
  if (const Tool* found = world_.registry->find(tool).tool) {
    happening.subject = found->spec.subject;
    happening.is_change = found->spec.effect == Effect::write;
  }
  happenings_.add(happening);
  start_job([=, this](std::stop_token stop) {
    OutputListener listener(happenings_, happening);
    const dispatch::Outcome outcome = call(tool, arguments, std::move(stop), &listener);
    Happening ended = happening;
    ended.kind = Kind::call_ended;
    ended.elapsed = std::chrono::duration_cast<std::chrono::milliseconds>(outcome.duration);
    ended.is_error = !outcome.ok();
    ended.status = outcome.product.shell_status;
    ended.text = outcome.error ? describe(*outcome.error) : text_of(outcome.product.content);
    ended.shows_result = show == Show::result && outcome.ok();
    happenings_.add(std::move(ended));
  });
}

}  // namespace helve::app
