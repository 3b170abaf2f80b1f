#include "agent/event.h"

#include "agent/loop.h"

namespace helve::agent {
namespace {

std::int64_t ms(std::chrono::nanoseconds time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time).count();
}

struct Writer {
  JsonObject operator()(const PromptTaken& event) const {
    return {{"type", "prompt"},
            {"id", event.post},
            {"sender", event.prompt.sender},
            {"text", model::text_of(event.prompt.message)}};
  }
  JsonObject operator()(const ModelAsked& event) const {
    return {{"type", "turn"}, {"turn", event.turn}};
  }
  JsonObject operator()(const TextAdded& event) const {
    return {{"type", "text"}, {"text", event.text}};
  }
  JsonObject operator()(const ThinkingAdded& event) const {
    return {{"type", "thinking"}, {"text", event.text}};
  }
  JsonObject operator()(const CallShaped& event) const {
    return {{"type", "call_delta"},
            {"index", event.index},
            {"tool", event.name},
            {"arguments", event.arguments}};
  }
  JsonObject operator()(const AnswerVoid& event) const {
    return {{"type", "retry"},
            {"error", helve::to_json(event.why)},
            {"attempt", event.attempt},
            {"wait_ms", event.wait.count()}};
  }
  JsonObject operator()(const AnswerGiven& event) const {
    JsonObject object{{"type", "answer"},
                      {"text", model::text_of(event.answer.message)},
                      {"stop", model::name_of(event.answer.stop)},
                      {"model", event.answer.model},
                      {"usage", model::to_json(event.answer.usage)},
                      {"context_tokens", event.context}};
    if (event.window > 0) object["window"] = event.window;
    if (event.is_priced) object["cost_micro_dollars"] = event.micro_dollars;
    return object;
  }
  JsonObject operator()(const CallBegun& event) const {
    const Result<Json> arguments = parse_json(event.arguments);
    return {{"type", "call"},
            {"id", event.id},
            {"tool", event.tool},
            {"arguments", arguments ? *arguments : Json(event.arguments)}};
  }
  JsonObject operator()(const CallProgress& event) const {
    JsonObject object{{"type", "progress"}, {"id", event.id}, {"done", event.done}};
    if (event.total) object["total"] = *event.total;
    if (!event.message.empty()) object["message"] = event.message;
    return object;
  }
  JsonObject operator()(const CallOutput& event) const {
    return {{"type", "output"}, {"id", event.id}, {"text", event.text}};
  }
  JsonObject operator()(const CallEnded& event) const {
    return {{"type", "result"},
            {"id", event.result.call_id},
            {"tool", event.tool},
            {"is_error", event.result.is_error},
            {"text", text_of(event.result.content)},
            {"duration_ms", ms(event.duration)}};
  }
  JsonObject operator()(const ApprovalAsked& event) const {
    JsonObject object{{"type", "approval_asked"},
                      {"id", event.id},
                      {"tool", event.question.tool},
                      {"arguments", event.question.arguments},
                      {"reason", event.question.reason}};
    if (event.question.timeout) object["timeout_ms"] = event.question.timeout->count();
    return object;
  }
  JsonObject operator()(const ApprovalResolved& event) const {
    JsonObject object{
        {"type", "approval_resolved"}, {"id", event.id}, {"tool", event.question.tool}};
    if (event.answer)
      object["answer"] = name_of(*event.answer);
    else
      object["error"] = helve::to_json(event.answer.error());
    return object;
  }
  JsonObject operator()(const SubagentBegun& event) const {
    return {{"type", "subagent_start"},
            {"subagent", event.session},
            {"agent", event.agent},
            {"prompt", event.prompt}};
  }
  JsonObject operator()(const SubagentProgress& event) const {
    return {{"type", "subagent_progress"},
            {"subagent", event.session},
            {"calls", event.calls},
            {"elapsed_ms", event.elapsed.count()}};
  }
  JsonObject operator()(const SubagentEnded& event) const {
    return {{"type", "subagent_done"},
            {"subagent", event.session},
            {"outcome", name_of(event.ending.end)},
            {"calls", event.calls},
            {"elapsed_ms", event.elapsed.count()}};
  }
  JsonObject operator()(const Compacted& event) const {
    return {{"type", "compacted"}, {"before", event.before}, {"after", event.after}};
  }
  JsonObject operator()(const Warned& event) const {
    return {{"type", "warning"}, {"text", event.text}};
  }
  JsonObject operator()(const RunEnded& event) const {
    const Ending& ending = event.ending;
    JsonObject object{{"type", "end"},         {"outcome", name_of(ending.end)},
                      {"text", ending.text},   {"turns", ending.turns},
                      {"calls", ending.calls}, {"usage", model::to_json(ending.usage)}};
    if (ending.structured) object["structured"] = *ending.structured;
    if (ending.error) object["error"] = helve::to_json(*ending.error);
    if (ending.is_priced) object["cost_micro_dollars"] = ending.micro_dollars;
    return object;
  }
};

}  // namespace

JsonObject to_json(const Event& event) {
  JsonObject object = std::visit(Writer(), event.what);
  object["session"] = event.session;
  return object;
}

}  // namespace helve::agent
