// The only file that includes yaml-cpp: its headers are costly, and its exceptions end here.
#include "config/yaml.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <cmath>
#include <sstream>

#include "base/text.h"

namespace helve::config {
namespace {

constexpr size_t kMaxProblems = 50;
constexpr size_t kMaxShownKey = 80;

// Builds the value from the parser's events. yaml-cpp does not expand aliases at this level, so
// nothing can explode.
class Builder final : public YAML::EventHandler {
 public:
  explicit Builder(YamlDocument& document) : document_(document) {}

  void OnDocumentStart(const YAML::Mark& mark) override { first_line_ = mark.line + 1; }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (!accept(mark, anchor)) return;
    if (wants_key()) return give_up(mark, "a key must be text");
    put(mark, nullptr);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    if (stopped_) return;
    give_up(mark, "aliases (*name) are not supported; write the value out");
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    if (!accept(mark, anchor)) return;
    const bool quoted = tag == "!" || tag == "tag:yaml.org,2002:str";
    if (!quoted && tag != "?") return refuse_tag(mark, tag);
    if (wants_key()) return take_key(mark, value);
    put(mark, quoted ? Json(value) : plain_scalar(value));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, JsonArray());
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, JsonObject());
  }
  void OnMapEnd() override { close(); }

  int first_line() const { return first_line_; }

 private:
  struct Level {
    Json value;  // the array or object being filled
    std::string path;
    std::optional<std::string> key;  // object: waits for its value
    bool repeated = false;           // object: the key was there before; its value is dropped
  };

  void problem(const YAML::Mark& mark, std::string message) {
    if (document_.problems.size() < kMaxProblems) {
      document_.problems.push_back({mark.line + 1, std::move(message)});
    }
  }
  // What follows cannot be placed any more, so further events are passed over.
  void give_up(const YAML::Mark& mark, std::string message) {
    problem(mark, std::move(message));
    stopped_ = true;
  }
  void refuse_tag(const YAML::Mark& mark, const std::string& tag) {
    give_up(mark, fmt::format("the tag '{}' is not supported",
                              preview(escape_for_display(tag), kMaxShownKey)));
  }
  bool accept(const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (stopped_) return false;
    if (anchor != 0) give_up(mark, "anchors (&name) are not supported; write the value out");
    return !stopped_;
  }

  bool wants_key() const {
    return !levels_.empty() && levels_.back().value.is_object() && !levels_.back().key;
  }

  void take_key(const YAML::Mark& mark, const std::string& key) {
    Level& level = levels_.back();
    level.key = key;
    level.repeated = level.value.get_object().contains(key);
    const std::string path = path_of_next();
    auto [found, is_new] = document_.lines.emplace(path, mark.line + 1);
    if (level.repeated)
      problem(mark, fmt::format("{}: this key is already on line {}", path, found->second));
  }

  // Where the value that comes next belongs.
  std::string path_of_next() const {
    if (levels_.empty()) return "";
    const Level& level = levels_.back();
    if (const JsonArray* array = level.value.if_array())
      return fmt::format("{}[{}]", level.path, array->size());
    return level.path.empty() ? shown_key(*level.key) : level.path + "." + shown_key(*level.key);
  }

  void put(const YAML::Mark& mark, Json value) {
    if (levels_.empty()) {
      document_.value = std::move(value);
      return;
    }
    document_.lines.emplace(path_of_next(), mark.line + 1);
    Level& level = levels_.back();
    if (JsonArray* array = level.value.if_array()) {
      array->push_back(std::move(value));
    } else {
      if (!level.repeated) level.value.get_object()[*level.key] = std::move(value);
      level.key.reset();
    }
  }

  void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, Json empty) {
    if (!accept(mark, anchor)) return;
    if (tag != "?" && tag != "!" && !tag.empty()) return refuse_tag(mark, tag);
    if (wants_key()) return give_up(mark, "a key must be text, not a list or a mapping");
    if (levels_.size() == kMaxYamlDepth) {
      return give_up(mark, fmt::format("nested deeper than {} levels", kMaxYamlDepth));
    }
    std::string path = path_of_next();
    document_.lines.emplace(path, mark.line + 1);
    levels_.push_back({std::move(empty), std::move(path), {}, false});
  }

  void close() {
    if (stopped_) return;
    Json done = std::move(levels_.back().value);
    levels_.pop_back();
    put(YAML::Mark(), std::move(done));
  }

  YamlDocument& document_;
  std::vector<Level> levels_;
  bool stopped_ = false;
  int first_line_ = 0;
};

// yaml-cpp guesses encodings and passes over bytes that it does not know, so the text is checked
// before it sees it.
std::optional<YamlProblem> unreadable(std::string_view text) {
  if (text.size() > kMaxYamlBytes) {
    return YamlProblem{
        0, fmt::format("{} bytes are over the limit of {}", text.size(), kMaxYamlBytes)};
  }
  auto line_at = [&](size_t offset) {
    return 1 + static_cast<int>(
                   std::count(text.begin(), text.begin() + static_cast<long>(offset), '\n'));
  };
  const size_t valid = valid_utf8_prefix(text);
  if (valid != text.size()) return YamlProblem{line_at(valid), "the text is not UTF-8"};
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r') || byte == 0x7F) {
      return YamlProblem{line_at(i),
                         fmt::format("the control character \\x{:02x} is not allowed", byte)};
    }
  }
  return std::nullopt;
}

// The digits as an integer of 64 bits, or nothing.
std::optional<Json> integer(std::string_view digits, int base, bool negative) {
  std::uint64_t value = 0;
  auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (failure != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  constexpr std::uint64_t kLowest = std::uint64_t{1} << 63;
  if (negative) {
    if (value > kLowest) return std::nullopt;
    return Json(static_cast<std::int64_t>(0 - value));
  }
  return value < kLowest ? Json(static_cast<std::int64_t>(value)) : Json(value);
}

// [0-9]+(\.[0-9]*)? or \.[0-9]+, then an exponent or nothing.
bool is_decimal(std::string_view text) {
  auto skip_digits = [&] {
    const size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
    text.remove_prefix(end);
    return end > 0;
  };
  bool digits = skip_digits();
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    digits = skip_digits() || digits;
  }
  if (!digits) return false;
  if (!text.starts_with('e') && !text.starts_with('E')) return text.empty();
  text.remove_prefix(1);
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  return skip_digits() && text.empty();
}

}  // namespace

std::string shown_key(std::string_view key) {
  return preview(escape_for_display(key), kMaxShownKey);
}

Json plain_scalar(std::string_view text) {
  if (text == "true" || text == "True" || text == "TRUE") return true;
  if (text == "false" || text == "False" || text == "FALSE") return false;
  if (text.starts_with("0x")) {
    if (auto value = integer(text.substr(2), 16, false)) return *value;
  } else if (text.starts_with("0o")) {
    if (auto value = integer(text.substr(2), 8, false)) return *value;
  }
  std::string_view number = text;
  const bool negative = number.starts_with('-');
  if (negative || number.starts_with('+')) number.remove_prefix(1);
  if (is_decimal(number)) {
    if (auto value = integer(number, 10, negative)) return *value;
    double value = 0;
    auto [end, failure] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (failure == std::errc() && std::isfinite(value)) return negative ? -value : value;
  }
  return Json(text);
}

YamlDocument parse_yaml(std::string_view text) {
  YamlDocument document;
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  if (auto problem = unreadable(text)) {
    document.problems.push_back(std::move(*problem));
    return document;
  }
  try {
    // With its end marked, a quote that is never closed is an error; yaml-cpp closes it silently at
    // the end of file.
    std::istringstream in(
        fmt::format("{}{}...\n", text, text.empty() || text.ends_with('\n') ? "" : "\n"));
    YAML::Parser parser(in);
    Builder builder(document);
    if (parser.HandleNextDocument(builder)) {
      YamlDocument next;
      Builder rest(next);
      if (parser.HandleNextDocument(rest)) {
        document.problems.push_back(
            {rest.first_line(), "a second document begins; only one is allowed"});
      }
    }
  } catch (const YAML::Exception& error) {
    const bool unclosed = error.msg == YAML::ErrorMsg::DOC_IN_SCALAR;
    document.problems.push_back(
        {error.mark.line + 1, unclosed ? "a quote is never closed" : error.msg});
  } catch (const std::exception& error) {
    document.problems.push_back({0, error.what()});
  }
  if (document.value.is_null()) document.value = JsonObject();
  return document;
}

}  // namespace helve::config
