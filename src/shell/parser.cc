// Characters, blanks, newlines and failures of the parser.
#include "shell/parser.h"

#include <fmt/format.h>

#include <utility>

#include "base/text.h"
#include "shell/parse.h"

namespace helve::shell {

Script parse(std::string_view source) {
  Script script;
  if (source.size() > kMaxScript) {
    script.doubt(fmt::format("longer than {} bytes", kMaxScript), 0);
    source = cut_utf8(source, kMaxScript);
  }
  Parser(source, script, 0).run();
  return script;
}

void parse_into(Script& script, std::string_view source, std::uint32_t at, size_t depth) {
  Parser(source, script, depth, at).run();
}

void Parser::run() {
  const Deeper deeper(*this);
  // A shell cannot be given a NUL, or drops it: what it would run is not this text.
  if (source_.find('\0') != source_.npos) {
    doubt("a NUL byte");
    at_ = source_.size();
    return;
  }
  list();
  if (!at_end() && !failed_) fail_here();
  if (!pending_.empty()) doubt("a here-document without its text");
}

// A backslash before a newline is as if neither were there, except where the callers look at the
// bytes themselves: in single quotes, comments and quoted here-documents.
int Parser::peek_past_joined_lines() {
  while (at_ + 1 < source_.size() && source_[at_] == '\\' && source_[at_ + 1] == '\n') at_ += 2;
  return at_end() ? kEnd : static_cast<unsigned char>(source_[at_]);
}

int Parser::peek_second() {
  if (peek() == kEnd) return kEnd;
  const size_t first = at_++;
  const int second = peek();
  at_ = first;
  return second;
}

char Parser::take() {
  const int c = peek();
  if (c == kEnd) return '\0';
  ++at_;
  return static_cast<char>(c);
}

bool Parser::looking_at(std::string_view text) {
  const size_t start = at_;
  const bool same = take_if(text);
  at_ = start;
  return same;
}

bool Parser::take_if(std::string_view text) {
  const size_t start = at_;
  for (const char wanted : text) {
    if (peek() != static_cast<unsigned char>(wanted)) {
      at_ = start;
      return false;
    }
    ++at_;
  }
  return true;
}

// A comment goes to the end of its line, whatever stands before the newline.
void Parser::skip_blanks() {
  while (is_blank(peek())) ++at_;
  if (peek() != '#') return;
  at_ = source_.find('\n', at_);
  if (at_ == source_.npos) at_ = source_.size();
}

void Parser::line_break() {
  for (skip_blanks(); peek() == '\n'; skip_blanks()) take_newline();
}

void Parser::take_newline() {
  ++at_;
  ++newlines_;
  if (!pending_.empty()) read_here_documents();
}

// The unquoted word that begins here when it is short enough to be a reserved one, else nothing.
std::string_view Parser::peek_word() {
  const size_t start = at_;
  size_t length = 0;
  for (int c = peek(); c != kEnd && !is_meta(c); c = peek()) {
    if (length == sizeof word_ || c == '\'' || c == '"' || c == '\\' || c == '$' || c == '`') {
      length = 0;
      break;
    }
    word_[length++] = static_cast<char>(c);
    ++at_;
  }
  at_ = start;
  return {word_, length};
}

bool Parser::take_word(std::string_view word) {
  if (peek_word() != word) return false;
  return take_if(word);
}

void Parser::expect_word(std::string_view word) {
  line_break();
  if (!take_word(word)) fail(fmt::format("'{}' is missing", word));
}

// What follows is not read: whoever goes on finds the end of the script.
void Parser::give_up(std::string_view reason) {
  if (!failed_) doubt(reason);
  failed_ = true;
  at_ = source_.size();
  pending_.clear();
}

void Parser::fail(std::string_view reason) {
  if (!failed_ && !place_ && !unsure_) script_.malformed = true;
  give_up(reason);
}

void Parser::fail_here() {
  if (peek() == kEnd) return fail("the script ends within a command");
  const std::string_view rest = source_.substr(at_);
  fail(fmt::format("unexpected '{}'", escape_for_display(first_chars(rest, 1))));
}

void Parser::emit(Command command) {
  if (failed_) return;
  if (script_.commands.size() >= kMaxCommands)
    return give_up(fmt::format("more than {} commands", kMaxCommands));
  for (HereDocument& document : pending_) {
    if (document.command == std::string::npos) document.command = script_.commands.size();
  }
  script_.commands.push_back(std::move(command));
}

void Parser::emit_variable(std::string name) {
  Assignment variable{.name = std::move(name)};
  variable.value.varies = Varies::parameter;
  Command command{.at = place(at_)};
  command.assignments.push_back(std::move(variable));
  // The here-documents so far are of the command around it.
  std::vector<HereDocument> waiting = std::exchange(pending_, {});
  emit(std::move(command));
  if (!failed_) pending_ = std::move(waiting);
}

}  // namespace helve::shell
