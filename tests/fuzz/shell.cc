// Shell commands: whatever the text, an answer comes soon, within the bounds, and quoting a word
// makes it one literal word.
#include "base/text.h"
#include "shell/parse.h"
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

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input = fuzz::text_of(data, size);
  check_bounds(shell::parse(input));
  check_quoting(input);
  return 0;
}
