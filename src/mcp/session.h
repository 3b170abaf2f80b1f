// Session: one client and what was agreed with it. It knows nothing of how messages travel: frames
// go in, answers come out, and everything else that is to be sent goes to a Sink.
//
// A frame is handled in two steps. take() does all that must happen in the order of arrival and is
// quick; what it leaves over is done by run(), which may take long. Thread rule: take() is called
// by one thread at a time, everything else by any number.
#pragma once

#include <atomic>
#include <string_view>

#include "mcp/elicitation.h"
#include "mcp/flights.h"
#include "mcp/message.h"
#include "mcp/request.h"
#include "mcp/roots.h"
#include "mcp/server.h"
#include "mcp/sink.h"
#include "mcp/subscriptions.h"

namespace helve::mcp {

class ResultWriter;

class Session {
 public:
  // Borrows the server and the sink. `who` stands for the client in every call it makes.
  Session(Server& server, Identity who, Sink& sink);
  ~Session();
  Session(const Session&) = delete;

  enum class Taken : unsigned char { answered, to_run };
  // Answers are in job.answer: there are none for a notification. The text is not used afterwards.
  Taken take(std::string_view frame, Job& job);
  // Exactly once for every job that is to_run. It appends to job.answer, unless the request was
  // cancelled.
  void run(Job& job);

  void changed(List list);
  // Asks all that runs to stop, and begins nothing new; everything is still answered.
  void stop_all() { flights_.stop_all(); }
  // Ends what would otherwise go on for as long as the connection.
  void close();

 private:
  enum class Inside : unsigned char { frame, batch };

  // session.cc, admission.cc: what a message is and what may be done with it.
  Taken take_batch(Job& job);
  Taken take_message(const Json& json, Inside inside, Request& request, std::string& out);
  Taken take_request(Message& message, Inside inside, Request& request, std::string& out);
  void take_notification(const Message& message);
  void take_response(const Message& message);
  bool read_era(const Message& message, Request& request, std::string& out) const;
  bool read_meta(Request& request, std::string& out) const;
  bool offers(Method method) const;
  bool structured_for(const Json* client_info) const;
  void answer_now(const Request& request, std::string& out);
  void run_one(Request& request, std::string& out);
  void answer(Request& request, std::string& out);

  // handshake.cc
  void initialize(const Request& request, std::string& out);
  void discover(const Request& request, std::string& out);
  void set_level(const Request& request, std::string& out);
  void listen(const Request& request, std::string& out);
  void expect_roots();
  void ask_roots();

  // tools.cc, resources.cc, prompts.cc, completion.cc
  void list_tools(const Request& request, std::string& out);
  bool changes_something(const Request& request) const;
  void call_tool(Request& request, std::string& out);
  void answer_call(Request& request, std::string_view tool, Approver* approver,
                   const ModernElicitation* asked, std::string& out);
  void list_resources(const Request& request, std::string& out);
  void list_templates(const Request& request, std::string& out);
  void read_resource(const Request& request, std::string& out);
  void list_prompts(const Request& request, std::string& out);
  void get_prompt(const Request& request, std::string& out);
  void complete(const Request& request, std::string& out);

  Server& server_;
  const Identity who_;
  Sink& sink_;
  Flights flights_;
  Turns turns_;
  Subscriptions subscriptions_;
  Roots roots_;
  LegacyElicitation elicitation_;
  std::optional<Version> version_;  // what initialize agreed on; only take() uses it
  bool client_has_roots_ = false;   // only take() uses it
  bool structured_ = true;  // what the client that was initialized gets; only take() uses it
  std::atomic<bool> ready_ = false;  // the client said that it is initialized
  std::atomic<int> log_level_ = 1;   // info, until the client chooses
};

// An error as the answer: what the client asked for wrongly is invalid_params, the rest is our own
// failure.
void append_refusal(std::string& out, const Request& request, const Error& error);

}  // namespace helve::mcp
