// A run that can be told again. RecordingModel writes down what a model said; RecordedModel says it
// once more, without the model. Requests and keys are not written, only what tells whether the
// conversation is still the same.
//
// The file has a JSON object on each line: {"messages": [digest, …], "deltas": [["text", "…"], …],
// "reply": {…}} or "error" in place of the reply.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "model/model.h"

namespace helve::model {

class RecordingModel final : public Model {
 public:
  // `write` appends a line to the record. Called by one thread at a time.
  using Write = std::function<Result<void>(std::string_view line)>;
  RecordingModel(std::unique_ptr<Model> inner, Write write)
      : inner_(std::move(inner)), write_(std::move(write)) {}

  // A reply that cannot be written down is told all the same, with a note.
  Result<Reply> stream(const Request& request, const Emit& emit, std::stop_token stop) override;

 private:
  const std::unique_ptr<Model> inner_;
  const Write write_;
  std::mutex mutex_;  // for write_
};

class RecordedModel final : public Model {
 public:
  static constexpr size_t kMaxRecord = 256u << 20;  // bytes

  // Errors name the line.
  static Result<std::unique_ptr<RecordedModel>> parse(std::string_view record);

  // The first reply that was not told yet and was given to this conversation. Where there is none,
  // to one in which only results of calls were others; a note says which. Else an error of the type
  // record_differs: calls that were meant for another conversation must not be run in this one.
  Result<Reply> stream(const Request& request, const Emit& emit, std::stop_token stop) override;

 private:
  struct Turn {
    Json line;
    bool is_used = false;
  };
  struct Told {
    const Json* line;
    std::optional<std::string> difference;
  };
  Result<Told> take(const Request& request);

  std::mutex mutex_;
  std::vector<Turn> turns_;  // their use is guarded by mutex_
};

}  // namespace helve::model
