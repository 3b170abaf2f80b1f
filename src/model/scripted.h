// ScriptedModel: says what a file tells it to. Tests, demonstrations and bug reports use it in
// place of a provider.
//
// The file has a JSON object on each line, one for each reply; empty lines and lines that begin
// with # are passed over:
//
//   {"text": "I look.", "thinking": "…", "calls": [{"tool": "read", "arguments": {"path": "a"}}]}
//   {"when": "not found", "text": "It is not there."}
//   {"error": {"code": "unavailable", "message": "busy"}}
//
// A request gets the first reply that was not given yet and whose `when`, if it has one, stands in
// the last message. Further members: `stop` (end, calls, length, refusal), `usage` ({input, output,
// cache_read, cache_write}), `unread` (a list), `pause_ms` (between the words).
#pragma once

#include <chrono>
#include <mutex>

#include "model/model.h"
#include "model/retry.h"

namespace helve::model {

class ScriptedModel final : public Model {
 public:
  static constexpr size_t kMaxScript = 64u << 20;  // bytes

  // Errors name the line.
  static Result<std::unique_ptr<ScriptedModel>> parse(std::string_view script,
                                                      Wait wait = wait_on_thread);

  Result<Reply> stream(const Request& request, const Emit& emit, std::stop_token stop) override;

 private:
  struct Turn {
    std::string when;
    Reply reply;
    std::optional<Error> error;
    std::chrono::milliseconds pause{0};
    bool is_used = false;
  };
  static Result<Turn> parse_turn(const Json& value);
  Result<Turn> next(const Request& request);

  std::mutex mutex_;
  std::vector<Turn> turns_;  // guarded by mutex_
  Wait wait_;
};

}  // namespace helve::model
