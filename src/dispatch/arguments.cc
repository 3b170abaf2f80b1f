#include "dispatch/arguments.h"

#include <fmt/format.h>

#include "base/text.h"
#include "schema/texts.h"

namespace helve::dispatch {
namespace {

// Rewrites what models are known to get wrong and that has only one possible meaning. One pass over
// the text that knows strings from structure; it never adds a closing quote, brace or bracket.
class Repair {
 public:
  explicit Repair(std::string_view text) : text_(text) {}

  std::string run() {
    strip_fence();
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"')
        string();
      else if (c == ',')
        comma();
      else if (std::isalpha(static_cast<unsigned char>(c)))
        word();
      else
        out_ += c, ++at_;
    }
    return std::move(out_);
  }
  std::vector<std::string> repairs;

 private:
  void note(std::string what) {
    if (std::find(repairs.begin(), repairs.end(), what) == repairs.end())
      repairs.push_back(std::move(what));
  }

  void strip_fence() {
    std::string_view body = trim(text_);
    if (!body.starts_with("```") || !body.ends_with("```") || body.size() < 7) return;
    const size_t line_end = body.find('\n');
    if (line_end == body.npos) return;
    text_ = body.substr(line_end + 1, body.size() - line_end - 4);
    note("removed a code fence");
  }

  // In a string with an escape that JSON does not know, backslashes were meant as they stand. That
  // holds for all of them or none: with \n or \t beside it nobody can tell, and the string stays
  // broken.
  bool escapes_are_clear() const {
    bool foreign = false, ambiguous = false;
    for (size_t i = at_ + 1; i < text_.size() && text_[i] != '"'; ++i) {
      if (text_[i] != '\\') continue;
      if (++i == text_.size()) break;
      if (std::strchr("bfnrtu", text_[i]) && text_[i] != 0)
        ambiguous = true;
      else if (!std::strchr("\"\\/", text_[i]) || text_[i] == 0)
        foreign = true;
    }
    return foreign && !ambiguous;
  }

  void string() {
    const bool clear = escapes_are_clear();
    out_ += text_[at_++];
    while (at_ < text_.size() && text_[at_] != '"') {
      const auto c = static_cast<unsigned char>(text_[at_]);
      if (c == '\\' && at_ + 1 < text_.size()) {
        const char escaped = text_[at_ + 1];
        if (!clear || (std::strchr("\"\\/", escaped) && escaped != 0)) {
          out_.append(text_, at_, 2);
        } else {
          out_.append("\\\\").append(1, escaped);
          note("escaped a backslash");
        }
        at_ += 2;
      } else if (c < 0x20) {
        out_ += fmt::format("\\u{:04x}", c);
        note("escaped a control character in a string");
        ++at_;
      } else {
        out_ += static_cast<char>(c);
        ++at_;
      }
    }
    if (at_ < text_.size()) out_ += text_[at_++];
  }

  void comma() {
    const size_t next = text_.find_first_not_of(" \t\r\n", at_ + 1);
    const size_t last = out_.find_last_not_of(" \t\r\n");
    const bool after_value = last != out_.npos && !std::strchr("{[,:", out_[last]);
    if (after_value && next != text_.npos && (text_[next] == '}' || text_[next] == ']'))
      note("removed a trailing comma");
    else
      out_ += ',';
    ++at_;
  }

  void word() {
    const size_t start = at_;
    while (at_ < text_.size() && std::isalpha(static_cast<unsigned char>(text_[at_]))) ++at_;
    const std::string_view word = text_.substr(start, at_ - start);
    const std::string_view json = word == "True"    ? "true"
                                  : word == "False" ? "false"
                                  : word == "None"  ? "null"
                                                    : word;
    if (json != word) note(fmt::format("read {} as {}", word, json));
    out_ += json;
  }

  std::string_view text_;
  size_t at_ = 0;
  std::string out_;
};

Error malformed(const Error& why) {
  constexpr std::string_view kSaidAlready = "invalid JSON at ";
  std::string_view where = why.message;
  if (where.starts_with(kSaidAlready)) where.remove_prefix(kSaidAlready.size());
  return Error{Code::invalid_argument, fmt::format("the arguments are not valid JSON: {}", where),
               "send one complete JSON object", "invalid_json"};
}

Error no_object(const Json& value) {
  return Error{Code::invalid_argument,
               fmt::format("the arguments must be a JSON object, got {}", type_name(value)), "",
               "invalid_json"};
}

// A string that holds the object: encoded once too often.
Result<Json> unwrap(Json value, std::vector<std::string>& repairs) {
  if (!value.is_string()) return value;
  Result<Json> inner = parse_json(std::string_view(value.get_string()));
  if (!inner) return malformed(inner.error());
  repairs.push_back("decoded arguments that were encoded twice");
  return inner;
}

// Whether there was any.
bool decode_texts(const Tool& tool, const Json*& arguments, Json& own,
                  std::vector<std::string>& repairs) {
  std::optional<schema::DecodedTexts> decoded =
      schema::decode_texts(tool.input_schema(), *arguments);
  if (!decoded) return false;
  own = std::move(decoded->value);
  arguments = &own;
  for (const std::string& path : decoded->unasked)
    repairs.push_back(fmt::format("decoded {}, which was sent as text", path));
  return true;
}

}  // namespace

Result<Arguments> parse_arguments(std::string_view text) {
  Arguments arguments;
  if (trim(text).empty()) {
    arguments.value = JsonObject();
    return arguments;
  }
  Result<Json> value = parse_json(text);
  if (!value && value.error().code == Code::too_large) return value.error();
  if (!value) {
    Repair repair(text);
    Result<Json> repaired = parse_json(repair.run());
    if (!repaired || repair.repairs.empty()) return malformed(value.error());
    arguments.repairs = std::move(repair.repairs);
    value = std::move(repaired);
  }
  arguments.value = TRY(unwrap(std::move(*value), arguments.repairs));
  if (arguments.value.is_null()) arguments.value = JsonObject();
  if (!arguments.value.is_object()) return no_object(arguments.value);
  return arguments;
}

Result<Arguments> parse_arguments(const Json* given, std::string_view text) {
  if (!given || given->is_null()) return parse_arguments(text);
  if (!given->is_string()) return no_object(*given);
  return parse_arguments(std::string_view(given->get_string()));
}

Result<std::unique_ptr<Bound>> bind_arguments(const Tool& tool, const Json*& arguments, Json& own,
                                              std::vector<std::string>& repairs) {
  // Only a tool from outside may take a string where its schema has none.
  if (tool.input) {
    Result<std::unique_ptr<Bound>> bound = tool.bind(*arguments);
    if (bound) return bound;
    if (!decode_texts(tool, arguments, own, repairs)) return bound;
  } else {
    decode_texts(tool, arguments, own, repairs);
  }
  return tool.bind(*arguments);
}

}  // namespace helve::dispatch
