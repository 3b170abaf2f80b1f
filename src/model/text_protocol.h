// TextProtocol: tool calls for models that know none. The tools are described in the system prompt;
// the model writes its calls as JSON between tags, and reads results the same way. All that it
// calls is in the reply, also where it was told that only one call is run: the others get that for
// an answer.
#pragma once

#include <memory>

#include "model/json_tags.h"
#include "model/model.h"

namespace helve::model {

class TextProtocol final : public Model {
 public:
  TextProtocol(std::unique_ptr<Model> inner, json_tags::Calls calls)
      : inner_(std::move(inner)), calls_(calls) {}

  Result<Reply> stream(const Request& request, const Emit& emit, std::stop_token stop) override;

 private:
  const std::unique_ptr<Model> inner_;
  const json_tags::Calls calls_;
};

}  // namespace helve::model
