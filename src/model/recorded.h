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

  // The next recorded reply, whatever is asked; a note says where the conversation has become
  // another.
  Result<Reply> stream(const Request& request, const Emit& emit, std::stop_token stop) override;

 private:
  std::mutex mutex_;
  std::vector<Json> turns_;
  size_t next_ = 0;  // guarded by mutex_
};

}  // namespace helve::model
