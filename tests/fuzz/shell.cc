// Shell commands: whatever the text, an answer comes soon and within the bounds, quoting a word
// makes it one literal word, and rules judge what was read.
#include "base/text.h"
#include "shell/effect.h"
#include "shell/parse.h"
#include "shell/rules.h"
#include "target.h"

namespace {

using namespace helve;
using fuzz::expect;

void check_bounds(const shell::Script& script) {
  expect(script.commands.size() <= shell::kMaxCommands, "commands are bounded");
  expect(script.unknowns.size() <= shell::kMaxUnknowns, "unknowns are bounded");
  expect(!script.malformed || !script.unknowns.empty(), "what is malformed is said");
  for (const shell::Command& command : script.commands) {
    for (const shell::Word& word : command.words) {
      expect(!word.literal() || word.head.empty(), "a literal word has no head");
      if (word.varies == shell::Varies::glob)
        expect(!word.wild.empty(), "a glob has an unquoted character", word.text);
    }
  }
}

void check_quoting(std::string_view text) {
  if (text.find('\0') != text.npos || text.size() > 2000) return;
  std::string quoted = "x '";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  const shell::Script script = shell::parse(quoted + "'");
  expect(script.unknowns.empty() && script.commands.size() == 1, "a quoted word is known", text);
  expect(script.commands[0].words.size() == 2 && script.commands[0].words[1].literal() &&
             script.commands[0].words[1].text == text,
         "a quoted word is itself", text);
}

// A command that stands alone does so however its words are quoted.
void check_alone(std::string_view input) {
  const auto words = shell::literal_words(input, shell::Reader::bash);
  if (!words) return;
  std::string quoted;
  for (const std::string& word : *words) quoted += shell::quoted_word(word, quoted.empty()) + ' ';
  const auto again = shell::literal_words(quoted, shell::Reader::bash);
  if (quoted.size() <= shell::kMaxScript)
    expect(again == words, "a lone command keeps its words", quoted);
}

// Whatever the script, what would allow it allows it, and a rule that denies everything denies it.
void check_judgement(std::string_view input) {
  const shell::Analysis script = shell::analyze(input);
  const shell::Effects effects = shell::effects_of(script);
  expect(script.unknowns.empty() || effects.execute, "what is unknown may do anything", input);
  const auto everything = shell::Rules::make({{.pattern = "*", .verdict = shell::Verdict::deny}});
  bool any_words = false;
  for (const shell::Segment& segment : script.segments)
    any_words = any_words || !segment.command.words.empty();
  const shell::Decision denied = decide(script, *everything, shell::Verdict::allow);
  expect(!any_words || denied.verdict == shell::Verdict::deny, "deny * denies every command",
         input);
  const auto rules = shell::narrowest_rules(input, {});
  if (!rules) return;
  expect(script.unknowns.empty(), "no rule allows what is unknown", input);
  const auto made = shell::Rules::make(*rules);
  expect(made.has_value(), "a rule that was written can be read", input);
  expect(decide(input, *made, shell::Verdict::ask).verdict == shell::Verdict::allow,
         "the narrowest rules allow the script", input);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input = fuzz::text_of(data, size);
  check_bounds(shell::parse(input));
  check_quoting(input);
  check_judgement(input);
  check_alone(input);
  return 0;
}
