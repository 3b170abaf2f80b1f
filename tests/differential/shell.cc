// differential_shell: reads scripts that are each ended by a NUL, and writes a line of JSON about
// each, for comparison with bash: whether it is malformed, what is unknown, and the commands as
// lists of words, where null is a word that varies; the same with what wrappers run; whether any of
// that is doubted; what is said of its effect, as bash and as any shell takes it; and its words
// when it is one command alone, likewise.
#include <cstdio>
#include <iostream>
#include <iterator>
#include <string>

#include "base/json.h"
#include "base/text.h"
#include "shell/effect.h"
#include "shell/parse.h"

namespace {

using namespace helve;

JsonArray words_of(const shell::Command& command) {
  JsonArray words;
  for (const shell::Word& word : command.words) {
    if (word.literal()) {
      words.emplace_back(escape_bytes(word.text));
    } else {
      words.emplace_back(nullptr);
    }
  }
  return words;
}

Json alone(std::string_view source, shell::Reader reader) {
  const std::optional<std::vector<std::string>> found = shell::literal_words(source, reader);
  if (!found) return nullptr;
  JsonArray words;
  for (const std::string& word : *found) words.emplace_back(escape_bytes(word));
  return words;
}

std::string describe(std::string_view source) {
  const shell::Script script = shell::parse(source);
  JsonArray commands, unknowns;
  for (const shell::Command& command : script.commands) {
    if (!command.words.empty()) commands.emplace_back(words_of(command));
  }
  for (const shell::Unknown& unknown : script.unknowns)
    unknowns.emplace_back(escape_bytes(unknown.reason));
  const shell::Analysis analysis = shell::analyze(source, shell::Reader::bash);
  JsonArray segments;
  for (const shell::Segment& segment : analysis.segments) {
    if (!segment.command.words.empty()) segments.emplace_back(words_of(segment.command));
  }
  const JsonObject all{{"malformed", script.malformed},
                       {"unknowns", std::move(unknowns)},
                       {"commands", std::move(commands)},
                       {"segments", std::move(segments)},
                       {"alone", alone(source, shell::Reader::bash)},
                       {"sh_alone", alone(source, shell::Reader::any_shell)},
                       {"doubted", !analysis.unknowns.empty()},
                       {"sh_doubted", !shell::analyze(source).unknowns.empty()},
                       {"effect", shell::name_of(shell::effects_of(analysis).strongest())},
                       {"sh_effect", shell::name_of(shell::effects_of(source).strongest())}};
  return to_text(Json(all)) + '\n';
}

}  // namespace

int main() {
  const std::string input{std::istreambuf_iterator<char>(std::cin), {}};
  for (size_t at = 0; at < input.size();) {
    const size_t end = input.find('\0', at);
    const std::string line = describe(std::string_view(input).substr(at, end - at));
    std::fwrite(line.data(), 1, line.size(), stdout);
    if (end == input.npos) break;
    at = end + 1;
  }
  return 0;
}
