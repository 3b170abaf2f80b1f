#include "mock_script.h"

#include "base/result.h"

using helve::find;
using helve::Json;
using helve::string_at;

namespace {

constexpr std::string_view kDone = "All notes are read.";

const helve::JsonArray* array_at(const Json& value, std::string_view key) {
  const Json* member = find(value, key);
  return member ? member->if_array() : nullptr;
}

Dialect dialect_of(std::string_view path) {
  if (path.ends_with("/chat/completions")) return Dialect::chat;
  if (path.ends_with("/responses")) return Dialect::responses;
  if (path.ends_with("/messages")) return Dialect::messages;
  return Dialect::none;
}

std::string for_turn(std::string_view text, size_t turn) {
  constexpr std::string_view kMark = "{turn}";
  std::string out(text);
  for (size_t at; (at = out.find(kMark)) != out.npos;)
    out.replace(at, kMark.size(), std::to_string(turn));
  return out;
}

void note_result(Asked& asked, const Json& result) {
  ++asked.results;
  asked.last_result = helve::to_text(result);
}

void count_results(Asked& asked, const Json& request) {
  const bool is_responses = asked.dialect == Dialect::responses;
  const helve::JsonArray* messages = array_at(request, is_responses ? "input" : "messages");
  if (!messages) return;
  for (const Json& message : *messages) {
    if (string_at(message, "role") == "tool" ||
        string_at(message, "type").ends_with("_call_output")) {
      note_result(asked, message);
    } else if (const helve::JsonArray* blocks = array_at(message, "content")) {
      for (const Json& block : *blocks)
        if (string_at(block, "type") == "tool_result") note_result(asked, block);
    }
  }
}

std::string quoted(std::string_view text) {
  std::string out;
  helve::append_json_string(out, text);
  return out;
}

void event(std::string& out, std::string_view type, std::string_view members) {
  out.append("event: ").append(type).append("\ndata: {\"type\":\"").append(type);
  out.append("\",").append(members).append("}\n\n");
}

struct Turn {
  std::string id, tool, arguments;  // the tool is empty when the turn is a text
};

std::string chat(const Turn& turn) {
  std::string out;
  const auto chunk = [&](std::string_view choices, std::string_view more) {
    out += R"(data: {"id":"mock","object":"chat.completion.chunk","created":1,"model":"mock",)";
    out.append("\"choices\":[").append(choices).append("]").append(more).append("}\n\n");
  };
  const bool calls = !turn.tool.empty();
  chunk(calls ? R"({"index":0,"delta":{"role":"assistant","content":null,"tool_calls":[{"index":0,)"
                R"("id":")" +
                    turn.id + R"(","type":"function","function":{"name":)" + quoted(turn.tool) +
                    R"(,"arguments":)" + quoted(turn.arguments) + R"(}}]},"finish_reason":null})"
              : R"({"index":0,"delta":{"role":"assistant","content":)" + quoted(kDone) +
                    R"(},"finish_reason":null})",
        "");
  chunk(calls ? R"({"index":0,"delta":{},"finish_reason":"tool_calls"})"
              : R"({"index":0,"delta":{},"finish_reason":"stop"})",
        "");
  chunk("", R"(,"usage":{"prompt_tokens":100,"completion_tokens":10,"total_tokens":110})");
  return out + "data: [DONE]\n\n";
}

std::string responses(const Turn& turn) {
  const bool calls = !turn.tool.empty();
  const std::string text =
      R"({"type":"output_text","text":)" + quoted(kDone) + R"(,"annotations":[]})";
  const std::string head =
      calls ? R"({"type":"function_call","id":"fc_)" + turn.id + R"(","call_id":")" + turn.id +
                  R"(","name":)" + quoted(turn.tool)
            : R"({"type":"message","id":"msg_)" + turn.id + R"(","role":"assistant")";
  const std::string begun = head + (calls ? R"(,"arguments":"","status":"in_progress"})"
                                          : R"(,"content":[],"status":"in_progress"})");
  const std::string item =
      head +
      (calls ? R"(,"arguments":)" + quoted(turn.arguments) : R"(,"content":[)" + text + "]") +
      R"(,"status":"completed"})";
  const std::string of_item =
      std::string(R"("item_id":")") + (calls ? "fc_" : "msg_") + turn.id + R"(","output_index":0,)";
  std::string out;
  event(out, "response.created",
        R"("response":{"id":"resp_1","object":"response","status":"in_progress","output":[]})");
  event(out, "response.output_item.added", R"("output_index":0,"item":)" + begun);
  if (calls) {
    event(out, "response.function_call_arguments.delta",
          of_item + R"("delta":)" + quoted(turn.arguments));
    event(out, "response.function_call_arguments.done",
          of_item + R"("arguments":)" + quoted(turn.arguments));
  } else {
    event(
        out, "response.content_part.added",
        of_item + R"("content_index":0,"part":{"type":"output_text","text":"","annotations":[]})");
    event(out, "response.output_text.delta",
          of_item + R"("content_index":0,"delta":)" + quoted(kDone));
    event(out, "response.output_text.done",
          of_item + R"("content_index":0,"text":)" + quoted(kDone));
    event(out, "response.content_part.done", of_item + R"("content_index":0,"part":)" + text);
  }
  event(out, "response.output_item.done", R"("output_index":0,"item":)" + item);
  event(
      out, "response.completed",
      R"("response":{"id":"resp_1","object":"response","status":"completed","output":[)" + item +
          R"(],"usage":{"input_tokens":100,"input_tokens_details":{"cached_tokens":0},)"
          R"("output_tokens":10,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":110}})");
  return out;
}

std::string messages(const Turn& turn) {
  const bool calls = !turn.tool.empty();
  std::string out;
  event(
      out, "message_start",
      R"("message":{"id":"msg_1","type":"message","role":"assistant","model":"mock","content":[],)"
      R"("stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":100,"output_tokens":1}})");
  event(out, "content_block_start",
        calls ? R"("index":0,"content_block":{"type":"tool_use","id":")" + turn.id +
                    R"(","name":)" + quoted(turn.tool) + R"(,"input":{}})"
              : R"("index":0,"content_block":{"type":"text","text":""})");
  event(out, "content_block_delta",
        calls ? R"("index":0,"delta":{"type":"input_json_delta","partial_json":)" +
                    quoted(turn.arguments) + "}"
              : R"("index":0,"delta":{"type":"text_delta","text":)" + quoted(kDone) + "}");
  event(out, "content_block_stop", R"("index":0)");
  event(out, "message_delta",
        std::string(R"("delta":{"stop_reason":")") + (calls ? "tool_use" : "end_turn") +
            R"(","stop_sequence":null},"usage":{"output_tokens":10})");
  event(out, "message_stop", R"("mock":true)");
  return out;
}

// Without streaming only texts are asked for, such as titles.
std::string whole(Dialect dialect) {
  const std::string text = quoted(kDone);
  if (dialect == Dialect::chat)
    return R"({"id":"mock","object":"chat.completion","created":1,"model":"mock","choices":[{"index":0,)"
           R"("message":{"role":"assistant","content":)" +
           text +
           R"(},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":9,"total_tokens":18}})";
  if (dialect == Dialect::responses)
    return R"({"id":"resp_1","object":"response","status":"completed","output":[{"type":"message",)"
           R"("id":"msg_1","role":"assistant","status":"completed","content":[{"type":"output_text",)"
           R"("annotations":[],"text":)" +
           text + R"(}]}],"usage":{"input_tokens":9,"output_tokens":9,"total_tokens":18}})";
  return R"({"id":"msg_1","type":"message","role":"assistant","model":"mock","stop_reason":"end_turn",)"
         R"("stop_sequence":null,"usage":{"input_tokens":9,"output_tokens":9},"content":[{"type":"text","text":)" +
         text + "}]}";
}

}  // namespace

Asked inspect(std::string_view path, std::string_view body, const Script& script) {
  Asked asked;
  asked.dialect = dialect_of(path);
  if (asked.dialect == Dialect::none) return asked;
  const helve::Result<Json> request = helve::parse_json(body);
  if (!request) return asked;
  const Json* stream = find(*request, "stream");
  asked.is_stream = stream && stream->is_bool() && stream->as_bool();
  if (const helve::JsonArray* tools = array_at(*request, "tools")) {
    for (const Json& tool : *tools) {
      const Json* function = find(tool, "function");
      asked.tools.emplace_back(string_at(function ? *function : tool, "name"));
      asked.is_main |= asked.tools.back() == script.tool;
    }
  }
  count_results(asked, *request);
  asked.is_expected =
      asked.results == 0 ||
      asked.last_result.find(for_turn(script.expected, asked.results)) != std::string::npos;
  return asked;
}

Answer answer(const Asked& asked, const Script& script) {
  if (!asked.is_stream) return {"application/json", whole(asked.dialect)};
  Turn turn{"call_" + std::to_string(asked.results + 1), "", ""};
  if (asked.is_main && asked.results < script.turns) {
    turn.tool = script.tool;
    turn.arguments = for_turn(script.arguments, asked.results + 1);
  }
  constexpr std::string_view kEvents = "text/event-stream";
  if (asked.dialect == Dialect::chat) return {kEvents, chat(turn)};
  if (asked.dialect == Dialect::responses) return {kEvents, responses(turn)};
  return {kEvents, messages(turn)};
}
