#include "mcp/session.h"

#include <fmt/format.h>

#include "mcp/result_writer.h"

namespace helve::mcp {
namespace {

constexpr size_t kMaxBatch = 100;

// The answers to a batch, one a line, become one array.
void join_batch(std::string& answers) {
  if (answers.empty()) return;
  std::replace(answers.begin(), answers.end() - 1, '\n', ',');
  answers.insert(answers.begin(), '[');
  answers.insert(answers.end() - 1, ']');
}

}  // namespace

void Job::reset() {
  answer.clear();
  if (answer.capacity() > kKeptAnswerBytes) answer.shrink_to_fit();
  batch_.clear();
  request_.telling.reset();
  is_batch_ = false;
  message_.reset();
  arena_.emplace(scratch_, kScratchBytes);
}

bool Job::tells() const {
  const auto does = [](const Request& request) { return request.telling != nullptr; };
  return does(request_) || std::ranges::any_of(batch_, does);
}

void Job::settle(bool arrived) {
  const auto settle_one = [&](Request& request) {
    if (!arrived) request.withdraw();
    request.telling.reset();
  };
  settle_one(request_);
  std::ranges::for_each(batch_, settle_one);
}

void append_refusal(std::string& out, const Request& request, const Error& error) {
  const bool ours = error.code == Code::internal || error.code == Code::unavailable ||
                    error.code == Code::network || error.code == Code::timeout ||
                    error.code == Code::cancelled;
  JsonObject data = to_json(error);
  data.erase("message");
  append_error(out, request.id, ours ? RpcCode::internal_error : RpcCode::invalid_params,
               describe(error), to_text(data));
}

Session::Session(Server& server, Identity who, Sink& sink)
    : server_(server),
      who_(std::move(who)),
      sink_(sink),
      subscriptions_(sink),
      elicitation_(sink, server.clock()) {
  server_.attach(*this);
}

Session::~Session() { server_.detach(*this); }

Session::Taken Session::take(std::string_view frame, Job& job) {
  job.reset();
  job.bytes = frame.size();
  Result<Json> parsed = parse_json(frame, {.bytes = frame.size()}, &*job.arena_);
  if (!parsed) {
    const bool too_large = parsed.error().code == Code::too_large;
    append_error(job.answer, {}, too_large ? RpcCode::invalid_request : RpcCode::parse_error,
                 parsed.error().message);
    return Taken::answered;
  }
  job.message_.emplace(std::move(*parsed));
  if (job.message_->is_array()) return take_batch(job);
  return take_message(*job.message_, Inside::frame, job.request_, job.answer);
}

Session::Taken Session::take_batch(Job& job) {
  const JsonArray& messages = job.message_->get_array();
  if (version_ != Version::v2025_03_26) {
    append_error(job.answer, {}, RpcCode::invalid_request,
                 "batches belong to protocol version 2025-03-26 only: send one message a line");
    return Taken::answered;
  }
  if (messages.empty() || messages.size() > kMaxBatch) {
    append_error(
        job.answer, {}, RpcCode::invalid_request,
        fmt::format("a batch has 1 to {} messages, this one {}", kMaxBatch, messages.size()));
    return Taken::answered;
  }
  job.is_batch_ = true;
  job.batch_.reserve(messages.size());  // requests in flight are known by address
  for (const Json& message : messages) {
    Request& request = job.batch_.emplace_back();
    if (take_message(message, Inside::batch, request, job.answer) == Taken::answered)
      job.batch_.pop_back();
  }
  if (!job.batch_.empty()) return Taken::to_run;
  join_batch(job.answer);
  return Taken::answered;
}

Session::Taken Session::take_message(const Json& json, Inside inside, Request& request,
                                     std::string& out) {
  Message message = read_message(json);
  const size_t start = out.size();
  try {
    switch (message.kind) {
      case Message::Kind::request:
        return take_request(message, inside, request, out);
      case Message::Kind::notification:
        take_notification(message);
        break;
      case Message::Kind::response:
        take_response(message);
        break;
      case Message::Kind::invalid:
        append_error(out, message.id, RpcCode::invalid_request, message.problem);
        break;
    }
  } catch (const std::exception& failure) {
    out.resize(start);
    server_.log(Level::error, failure.what());
    if (message.kind == Message::Kind::request) {
      append_error(out, request.id, RpcCode::internal_error, failure.what());
    }
  }
  return Taken::answered;
}

void Session::take_notification(const Message& message) {
  if (message.method == "notifications/cancelled") {
    const Json* id = message.params ? find(*message.params, "requestId") : nullptr;
    const std::string text = id ? read_id(*id) : "";
    if (text.empty()) return;
    flights_.cancel(text);
    subscriptions_.cancel(text);
  } else if (message.method == "notifications/initialized") {
    if (!version_ || ready_.exchange(true)) return;
    ask_roots();
  } else if (message.method == "notifications/roots/list_changed") {
    if (!ready_ || !client_has_roots_) return;
    expect_roots();
    ask_roots();
  }
}

void Session::take_response(const Message& message) {
  if (elicitation_.take(message.id, message.result)) return;
  std::vector<std::string> uris;
  switch (roots_.take(message.id, message.result, uris)) {
    case Roots::Answer::roots:
      server_.options().on_roots(std::move(uris));
      changed(List::resources);
      roots_.settle();
      break;
    case Roots::Answer::refusal:
      server_.log(Level::warning, "the client declared roots but does not tell them");
      if (server_.options().on_no_roots) {
        server_.options().on_no_roots("the client declared roots, but refused to tell them");
      }
      changed(List::resources);
      roots_.settle();
      break;
    case Roots::Answer::unknown:
      server_.log(Level::debug,
                  fmt::format("a response to nothing that was asked, id {}", message.id));
      break;
  }
}

void Session::answer_now(const Request& request, std::string& out) {
  switch (request.method) {
    case Method::initialize:
      return initialize(request, out);
    case Method::discover:
      return discover(request, out);
    case Method::set_level:
      return set_level(request, out);
    case Method::listen:
      return listen(request, out);
    case Method::tools_list:
      return list_tools(request, out);
    default:
      return ResultWriter(out, request, {}).finish();  // ping
  }
}

void Session::run(Job& job) {
  if (!job.is_batch_) return run_one(job.request_, job.answer);
  for (Request& request : job.batch_) run_one(request, job.answer);
  join_batch(job.answer);
}

void Session::run_one(Request& request, std::string& out) {
  const size_t start = out.size();
  try {
    if (request.stop.stop_requested())
      append_refusal(out, request, {Code::cancelled, "cancelled before it began"});
    else
      answer(request, out);
  } catch (const std::exception& failure) {
    out.resize(start);
    append_error(out, request.id, RpcCode::internal_error, failure.what());
    request.withdraw();
  }
  request.turn.reset();
  if (flights_.land(request)) return;
  out.resize(start);
  request.withdraw();
}

void Session::answer(Request& request, std::string& out) {
  switch (request.method) {
    case Method::tools_call:
      return call_tool(request, out);
    case Method::resources_list:
      return list_resources(request, out);
    case Method::resources_templates:
      return list_templates(request, out);
    case Method::resources_read:
      return read_resource(request, out);
    case Method::prompts_list:
      return list_prompts(request, out);
    case Method::prompts_get:
      return get_prompt(request, out);
    case Method::complete:
      return complete(request, out);
    default:
      return append_error(out, request.id, RpcCode::internal_error, "this method does not run");
  }
}

void Session::changed(List list) {
  subscriptions_.changed(list);
  if (!ready_) return;
  const std::vector<List> lists = server_.lists();
  if (std::find(lists.begin(), lists.end(), list) == lists.end()) return;
  std::string line;
  append_notification(line, change_notification(list));
  sink_.send(line);
}

void Session::close() { subscriptions_.close(server_.info_member()); }

}  // namespace helve::mcp
