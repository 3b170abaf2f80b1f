#include "model/text_protocol.h"

#include <algorithm>
#include <map>

#include "model/wire.h"

namespace helve::model {
namespace {

constexpr std::string_view kTag = "<json>";

// Hands text on until a tag begins: what follows is for the tools, or is repeated at the end.
class Curtain {
 public:
  explicit Curtain(const Emit& emit) : emit_(emit) {}

  void take(std::string_view text) {
    held_ += text;
    if (is_closed_) return;
    const size_t tag = held_.find(kTag);
    is_closed_ = tag != held_.npos;
    show(is_closed_ ? tag : held_.size() - beginning());
  }
  // Everything that was held back, where it was no call after all.
  void open(size_t end) { show(end > shown_ ? end - shown_ : 0); }
  void forget() {
    held_.clear();
    shown_ = 0;
    is_closed_ = false;
  }

 private:
  // How much of the end may be the beginning of a tag.
  size_t beginning() const {
    for (size_t length = std::min(kTag.size() - 1, held_.size()); length > 0; --length) {
      if (held_.ends_with(kTag.substr(0, length))) return length;
    }
    return 0;
  }
  void show(size_t count) {
    if (count == 0) return;
    emit_(TextDelta{std::string_view(held_).substr(0, count)});
    shown_ += count;
    held_.erase(0, count);
  }

  const Emit& emit_;
  std::string held_;
  size_t shown_ = 0;
  bool is_closed_ = false;
};

// Results name the call again, since such a model knows no ids.
class Rewriter {
 public:
  std::vector<Message> rewrite(std::span<const Message> messages) {
    std::vector<Message> out;
    for (const Message& message : messages) {
      Message plain{message.role == Role::assistant ? Role::assistant : Role::user, {}};
      std::string text;
      for (const Part& part : message.parts) add(part, plain, text);
      if (!text.empty()) plain.parts.insert(plain.parts.begin(), Text{std::move(text)});
      out.push_back(std::move(plain));
    }
    return out;
  }

 private:
  void add(const Part& part, Message& plain, std::string& text) {
    if (!text.empty() && !std::holds_alternative<Text>(part)) text += "\n\n";
    if (const auto* said = std::get_if<Text>(&part)) {
      text += said->text;
    } else if (const auto* call = std::get_if<ToolCall>(&part)) {
      inputs_[call->id] = arguments_object(*call);
      text += json_tags::call(call->name, inputs_[call->id]);
    } else if (const auto* result = std::get_if<ToolResult>(&part)) {
      text += json_tags::result(result->name, inputs_[result->call_id],
                                helve::text_of(result->content));
      for (const Content& content : result->content) {
        if (const auto* image = std::get_if<ImageContent>(&content))
          plain.parts.push_back(Image{image->data, image->mime_type});
      }
    } else {
      plain.parts.push_back(part);
    }
  }

  std::map<std::string, Json> inputs_;
};

// The calls become parts of their own, between what was said before and behind them, which is
// shown.
void split_calls(Reply& reply, const json_tags::Scan& scan, const std::string& text,
                 const Emit& emit) {
  std::vector<Part>& parts = reply.message.parts;
  std::erase_if(parts, [](const Part& p) { return std::holds_alternative<Text>(p); });
  const auto say = [&](size_t begin, size_t end) {
    std::string said = text.substr(begin, end - begin);
    said.erase(said.find_last_not_of(" \t\r\n") + 1);
    if (said.empty()) return;
    if (begin > 0) emit(TextDelta{said});
    parts.push_back(Text{std::move(said)});
  };
  size_t begin = 0;
  for (const json_tags::Call& call : scan.calls) {
    say(begin, call.begin);
    parts.push_back(ToolCall{made_up_id(), call.tool_name, to_text(call.tool_input), "", nullptr});
    begin = call.end;
  }
  say(begin, text.size());
  if (reply.stop == Stop::end) reply.stop = Stop::calls;  // an answer that was cut stays one
}

}  // namespace

Result<Reply> TextProtocol::stream(const Request& request, const Emit& emit, std::stop_token stop) {
  Request plain = request;
  std::string system(request.system);
  if (request.tools && !request.tools->empty()) {
    if (!system.empty()) system += "\n\n";
    system += json_tags::prompt(*request.tools, calls_);
  }
  const std::vector<Message> messages = Rewriter().rewrite(request.messages);
  plain.system = system;
  plain.messages = messages;
  plain.tools = {};

  Curtain curtain(emit);
  Reply reply = TRY(inner_->stream(
      plain,
      [&](const Delta& delta) {
        if (const auto* text = std::get_if<TextDelta>(&delta)) return curtain.take(text->text);
        if (std::holds_alternative<Retrying>(delta)) curtain.forget();
        emit(delta);
      },
      std::move(stop)));
  const std::string text = text_of(reply.message);
  const json_tags::Scan scan = json_tags::scan(text);
  // Also beside calls that can be read: what is left out in silence would be taken for done.
  reply.unread = scan.problems;
  // A block that the text ends in was cut, whatever the server says.
  if (scan.truncated && reply.stop != Stop::refusal) reply.stop = Stop::length;
  curtain.open(scan.calls.empty() ? text.size() : scan.calls.front().begin);
  if (!scan.calls.empty()) split_calls(reply, scan, text, emit);
  return reply;
}

}  // namespace helve::model
