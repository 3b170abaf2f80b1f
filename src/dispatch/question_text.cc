#include "dispatch/question_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json.h"
#include "base/text.h"

namespace helve::dispatch {
namespace {

using Answer = Approver::Answer;

constexpr size_t kShownLines = 20;  // arguments, one on each
constexpr size_t kShownAbout = 40;  // lines about what they point at
// Characters:
constexpr size_t kShownKey = 60;
constexpr size_t kShownHead = 300;  // of a value that is too long to be shown whole
constexpr size_t kShownTail = 150;

std::string quoted(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

bool is_other_blank(char32_t c) {
  return c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x202F || c == 0x205F ||
         c == 0x3000;
}

// A shell takes only the ordinary blank for one. Others would look like it; in great number, it
// would push what follows out of sight, or to where a line of ours could begin.
std::string with_blanks_shown(std::string_view line) {
  constexpr size_t kPlainBlanks = 16;
  std::string out;
  while (!line.empty()) {
    const size_t blanks = std::min(line.find_first_not_of(' '), line.size());
    for (size_t i = 0; i < blanks; ++i) out += blanks > kPlainBlanks ? "·" : " ";
    line.remove_prefix(blanks);
    while (!line.empty() && line[0] != ' ') {
      const std::string_view next = line.substr(0, std::max<size_t>(char_length(line), 1));
      const char32_t c = code_point(next);
      if (is_other_blank(c))
        out += fmt::format("\\u{{{:x}}}", static_cast<std::uint32_t>(c));
      else
        out += next;
      line.remove_prefix(next.size());
    }
  }
  return out;
}

// As JSON, safe to show. What decides may stand at either end of a long value; it is cut before it
// is escaped, since there may be much of it. The words about what is left out stand outside of the
// quotes, where no string can write.
std::string shown_value(const Json& value) {
  const bool is_string = value.is_string();
  const std::string text = is_string ? std::string(value.get_string()) : to_text(value);
  auto part = [&](std::string_view piece) {
    return with_blanks_shown(escape_for_display(is_string ? quoted(piece) : std::string(piece)));
  };
  const size_t count = count_chars(text);
  if (count <= kShownHead + kShownTail) return part(text);
  return fmt::format("{} ({} more characters) {}", part(first_chars(text, kShownHead)),
                     count - kShownHead - kShownTail, part(last_chars(text, kShownTail)));
}

// Each line behind a bar, so that nothing in it can look like a line of ours.
std::string shown_command(std::string_view command) {
  std::string out;
  for (std::string_view line : split(command, '\n'))
    out += fmt::format("{}{}\n", kBar, with_blanks_shown(escape_for_display(line)));
  return out;
}

// What comes first tells most.
std::string shown_lines(const std::vector<std::string>& lines) {
  std::string out;
  const size_t count = std::min(lines.size(), kShownAbout);
  for (size_t i = 0; i < count; ++i)
    out += fmt::format("{}{}\n", kBar,
                       with_blanks_shown(escape_for_display(preview(lines[i], kShownHead))));
  if (lines.size() > count) out += fmt::format("{}({} more)\n", kBar, lines.size() - count);
  return out;
}

std::string shown_arguments(const Approver::Question& question) {
  const Result<Json> arguments =
      parse_json(question.arguments, {.bytes = question.arguments.size()});
  if (!arguments || !arguments->is_object())
    return fmt::format("  {}\n", shown_value(Json(question.arguments)));
  const std::string& command = question.demand.command;
  std::string out;
  size_t lines = 0, left_out = 0;
  for (const auto& [key, value] : arguments->get_object()) {
    if (!command.empty() && value.is_string() && value.get_string() == command) continue;
    if (lines++ >= kShownLines) {
      ++left_out;
      continue;
    }
    out +=
        fmt::format("  {}: {}\n", escape_for_display(preview(key, kShownKey)), shown_value(value));
  }
  if (left_out > 0) out += fmt::format("  ({} more arguments)\n", left_out);
  return out;
}

std::string rules_in_words(const Approver::Question& question) {
  std::string out = "always";
  for (const RuleLine& rule : question.rules)
    out += fmt::format("{} adds to {} in {}:\n    - {}", out.ends_with('}') ? ", and" : ";",
                       rule.list, escape_for_display(question.file), escape_for_display(rule.yaml));
  return out;
}

}  // namespace

std::string question_text(const Approver::Question& question) {
  std::string out =
      fmt::format("{} needs approval (effect: {}; reason: {})\n", escape_for_display(question.tool),
                  name_of(question.effect), with_blanks_shown(escape_for_display(question.reason)));
  if (!question.demand.command.empty()) out += shown_command(question.demand.command);
  out += shown_lines(question.about);
  out += shown_arguments(question);
  return out;
}

std::string answer_text(const Approver::Question& question, Approver::Answer answer) {
  switch (answer) {
    case Answer::once:
      return "allow this call";
    case Answer::session:
      return "allow such calls until the end of this session";
    case Answer::always:
      if (question.can_be_always()) return rules_in_words(question);
      return "it cannot be allowed for ever: " +
             (question.rules.empty() ? question.no_rule : "there is no configuration to write to");
    case Answer::deny:
      return "deny";
  }
  return "";
}

}  // namespace helve::dispatch
