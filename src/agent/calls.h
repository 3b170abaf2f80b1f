// Calls: runs the calls of one answer in the order that the setup asks for.
#pragma once

#include <mutex>

#include "agent/loop.h"
#include "agent/repetition.h"

namespace helve::agent {

class Calls {
 public:
  // `outer` is stopped by somebody, and not when the time is up.
  Calls(session::Transcript& transcript, const Setup& setup, const Emit& emit,
        std::stop_token outer)
      : transcript_(transcript), setup_(setup), emit_(emit), outer_(std::move(outer)) {}

  // Each call has its result in the transcript when it returns. An error: the transcript could not
  // be kept, and nothing more was run.
  Result<void> run(std::stop_token stop);
  // Gives every open call the same result, without running it.
  Result<void> refuse_all(const Error& why);

  int made() const { return made_; }
  bool is_repeating() const { return is_repeating_; }
  // One that ends the work has succeeded.
  bool is_over() const { return is_over_; }
  const std::optional<Json>& structured() const { return structured_; }

 private:
  using OpenCall = session::Transcript::OpenCall;
  void run_together(std::span<const OpenCall> calls, std::stop_token stop);
  void run_one(const OpenCall& open, std::stop_token stop);
  void run_meant(const OpenCall& open, const model::ToolCall& call, std::stop_token stop);
  void finish(const OpenCall& open, std::string_view tool, model::ToolResult result,
              std::chrono::nanoseconds duration, int status = 0);
  std::optional<Error> reason_to_end(const std::stop_token& stop) const;
  Error stopped() const;
  void turn_away(std::span<const OpenCall> calls, const Error& why);
  void look_for_repetition(const OpenCall& open, model::ToolResult& result);
  void refuse(const OpenCall& open, std::string_view tool, const Error& why);
  void hand_in(const OpenCall& open, const model::ToolCall& call);
  void look_up(const OpenCall& open);
  Result<model::ToolCall> meant(const OpenCall& open) const;
  const Tool* tool_of(const OpenCall& open) const;
  bool only_reads(const OpenCall& open) const;
  bool is_terminal(const OpenCall& open) const;

  session::Transcript& transcript_;
  const Setup& setup_;
  const Emit& emit_;
  const std::stop_token outer_;
  Repetition repetition_;
  std::mutex mutex_;
  std::optional<Error> failure_;    // guarded by mutex_: the transcript could not be kept
  int made_ = 0;                    // guarded by mutex_
  bool is_repeating_ = false;       // guarded by mutex_
  bool is_over_ = false;            // guarded by mutex_
  std::optional<Json> structured_;  // what was handed in
};

// The answer in a form that was asked for; the error says what does not fit.
Result<Json> as_form(const JsonObject& schema, std::string_view text);

constexpr size_t kMaxCalls = 128;  // of one answer; the others are not run

// The tool by which a model gives an answer that must have a form.
constexpr std::string_view kHandIn = "final_answer";

}  // namespace helve::agent
