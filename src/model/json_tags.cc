#include "model/json_tags.h"

#include <fmt/format.h>

#include "base/text.h"

namespace helve::model::json_tags {
namespace {

constexpr std::string_view kOpen = "<json>";
constexpr std::string_view kClose = "</json>";
constexpr std::string_view kFence = "```";
constexpr std::string_view kSpace = " \t\r\n";
// All that can stand in JSON outside of strings, besides brackets: space, separators, numbers,
// true, false, null.
constexpr std::string_view kPlain = " \t\r\n,:+-.0123456789Eaeflnrstu";
constexpr size_t kMaxProblems = 20;

enum class End : unsigned char { complete, malformed, cut };
struct Extent {
  End end;
  size_t length;  // up to the first byte that does not belong to the object
};

// The object at the start of `text`, by its brackets outside of strings. It stops at the first byte
// that JSON cannot have, so that a broken block does not swallow the blocks after it.
Extent extent_of_object(std::string_view text) {
  size_t depth = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (static_cast<unsigned char>(c) < 0x20) return {End::malformed, i};
      if (c == '\\') ++i;
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      if (--depth == 0) return {End::complete, i + 1};
    } else if (kPlain.find(c) == kPlain.npos) {
      return {End::malformed, i};
    }
  }
  return {End::cut, text.size()};
}

void skip_space(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(kSpace), text.size()));
}

// A code fence around the object is a habit of models.
void skip_fence(std::string_view& text) {
  skip_space(text);
  if (!text.starts_with(kFence)) return;
  text.remove_prefix(kFence.size());
  if (text.starts_with("json")) text.remove_prefix(4);
  skip_space(text);
}

// The call that a complete object is, or why it is none.
Result<Call> read_call(std::string_view object) {
  const Json value = TRY(parse_json(object));
  const Json* name = find(value, "tool_name");
  const Json* input = find(value, "tool_input");
  auto no_call = [](std::string_view what) {
    return Error{Code::invalid_argument, std::string(what)};
  };
  if (!name || !input) return no_call("a call has tool_name and tool_input");
  if (!name->is_string() || name->get_string().empty())
    return no_call("tool_name must be the name of a tool");
  if (!input->is_object()) return no_call("tool_input must be an object");
  return Call{.tool_name = std::string(name->get_string()), .tool_input = *input};
}

class Scanner {
 public:
  explicit Scanner(std::string_view text) : whole_(text), rest_(text) {}

  Scan run() {
    for (size_t open = rest_.find(kOpen); open != rest_.npos; open = rest_.find(kOpen)) {
      tag_ = whole_.size() - rest_.size() + open;
      rest_.remove_prefix(open + kOpen.size());
      ++blocks_;
      read_block();
    }
    if (unlisted_ > 0) scan_.problems.push_back(fmt::format("{} more problems", unlisted_));
    return std::move(scan_);
  }

 private:
  // Reads what follows a tag and leaves `rest_` behind it. Every byte is passed once.
  void read_block() {
    skip_fence(rest_);
    if (rest_.empty()) return cut();
    if (rest_[0] != '{') {
      // Most likely a tag that is only talked about; a list or a string was meant as a call.
      if (rest_[0] == '[' || rest_[0] == '"') problem(block() + "a call is an object");
      return;
    }
    const Extent extent = extent_of_object(rest_);
    if (extent.end == End::cut) {
      rest_ = {};
      return cut();
    }
    if (extent.end == End::malformed) {
      // With the offending byte, for the message.
      const Result<Json> broken = parse_json(rest_.substr(0, extent.length + 1));
      problem(block() + (broken ? "more text after the object" : broken.error().message));
      rest_.remove_prefix(extent.length);
      return;
    }
    const std::string_view object = rest_.substr(0, extent.length);
    rest_.remove_prefix(extent.length);
    skip_fence(rest_);
    // At the end of the text the closing tag may be missing: servers stop there when told to.
    if (!rest_.empty() && !rest_.starts_with(kClose))
      return problem(block() + "no </json> after the object");
    rest_.remove_prefix(std::min(kClose.size(), rest_.size()));
    Result<Call> call = read_call(object);
    if (!call) return problem(block() + call.error().message);
    call->begin = tag_;
    call->end = whole_.size() - rest_.size();
    scan_.calls.push_back(std::move(*call));
  }

  void cut() {
    scan_.truncated = true;
    problem(block() + "the text ends inside it");
  }

  void problem(std::string what) {
    if (scan_.problems.size() < kMaxProblems)
      scan_.problems.push_back(std::move(what));
    else
      ++unlisted_;
  }

  std::string block() const { return fmt::format("<json> block {}: ", blocks_); }

  const std::string_view whole_;
  std::string_view rest_;
  Scan scan_;
  size_t tag_ = 0;  // where the block that is read begins
  size_t blocks_ = 0;
  size_t unlisted_ = 0;
};

std::string between_tags(const Json& value) {
  std::string out(kOpen);
  for (const char c : to_text(value)) {
    // It stands in strings only, where \u003c means the same: no tag can begin inside.
    if (c == '<')
      out += "\\u003c";
    else
      out += c;
  }
  return out.append(kClose);
}

}  // namespace

Scan scan(std::string_view text) { return Scanner(text).run(); }

std::string prompt(std::span<const Offer> tools, Calls calls) {
  std::string out = "You can use these tools:\n";
  for (const Offer& tool : tools) {
    out += "\n";
    append_json(out, JsonObject{{"tool_name", tool.name},
                                {"description", tool.description},
                                {"parameters", tool.input_schema}});
    out += "\n";
  }
  out +=
      "\nTo use a tool, write a JSON object between <json> tags, with the tool's name and its "
      "input:\n"
      "<json>{\"tool_name\": \"NAME\", \"tool_input\": {\"PARAMETER\": \"VALUE\"}}</json>\n";
  out += calls == Calls::one
             ? "Use one tool at a time, then wait for its result.\n"
             : "You may write several such blocks; they run in the order you write them.\n";
  out +=
      "Results come back in the same form, with \"tool_output\". When you need no tool, answer "
      "without <json> tags.\n";
  return out;
}

std::string call(std::string_view tool_name, const Json& tool_input) {
  return between_tags(JsonObject{{"tool_name", tool_name}, {"tool_input", tool_input}});
}

std::string result(std::string_view tool_name, const Json& tool_input,
                   std::string_view tool_output) {
  return between_tags(JsonObject{
      {"tool_name", tool_name}, {"tool_input", tool_input}, {"tool_output", tool_output}});
}

}  // namespace helve::model::json_tags
