// Redirections and here-documents.
#include <algorithm>
#include <string>

#include "shell/parser.h"

namespace helve::shell {
namespace {

bool names_descriptor(const Word& target) {
  if (!target.literal()) return false;
  std::string_view text = target.text;
  if (text == "-") return true;
  if (text.ends_with('-')) text.remove_suffix(1);
  return !text.empty() && std::ranges::all_of(text, is_digit);
}

}  // namespace

// < > &> after an optional number or {name}; <( and >( begin a word.
bool Parser::redirection_ahead() {
  const size_t start = at_;
  bool numbered = false;
  if (is_digit(peek())) {
    while (is_digit(peek())) ++at_;
    numbered = true;
  } else if (peek() == '{') {
    ++at_;
    numbered = is_name_start(peek());
    while (is_name(peek())) ++at_;
    if (numbered) numbered = take_if("}");
    if (!numbered) {
      at_ = start;
      return false;
    }
  }
  const int c = peek();
  const int second = peek_second();
  at_ = start;
  if (!numbered && c == '&') return second == '>';
  if (c != '<' && c != '>') return false;
  return numbered || second != '(';
}

void Parser::add_redirection(Command& command) {
  command.redirections.push_back(redirection());
  if (command.redirections.size() > kMaxRedirections) give_up("too many redirections");
}

Redirection Parser::redirection() {
  using Kind = Redirection::Kind;
  if (take_if("{")) {
    bash_only();
    std::string name;
    while (is_name(peek())) name += take();
    ++at_;
    emit_variable(std::move(name));
  }
  while (is_digit(peek())) ++at_;
  Redirection result;
  bool descriptor = false;
  if (take_if("&>>")) {
    bash_only();
    result.kind = Kind::append;
  } else if (take_if("&>")) {
    bash_only();
    result.kind = Kind::out;
  } else if (take_if("<<<")) {
    bash_only();
    result.kind = Kind::here_string;
  } else if (take_if("<<-")) {
    return here_document(true);
  } else if (take_if("<<")) {
    return here_document(false);
  } else if (take_if("<&")) {
    descriptor = true;
  } else if (take_if("<>")) {
    result.kind = Kind::in_out;
  } else if (take_if("<")) {
    result.kind = Kind::in;
  } else if (take_if(">>")) {
    result.kind = Kind::append;
  } else if (take_if(">&")) {
    descriptor = true;
    result.kind = Kind::out;
  } else if (take_if(">|") || take_if(">")) {
    result.kind = Kind::out;
  }
  skip_blanks();
  const int c = peek();
  // A number before another redirection belongs to that one.
  const bool number = !descriptor && is_digit(c) && redirection_ahead();
  if (number || c == kEnd || (is_meta(c) && !((c == '<' || c == '>') && peek_second() == '('))) {
    fail_here();
    return result;
  }
  result.target = word();
  if (descriptor && names_descriptor(result.target)) result.kind = Kind::descriptor;
  return result;
}

Redirection Parser::here_document(bool strips_tabs) {
  skip_blanks();
  Redirection result{.kind = Redirection::Kind::here_doc};
  result.target.at = place(at_);
  HereDocument document{.strips_tabs = strips_tabs};
  const int c = peek();
  if (c == kEnd || is_meta(c)) {
    fail_here();
    return result;
  }
  document.delimiter = here_delimiter(document.quoted);
  pending_.push_back(std::move(document));
  return result;
}

// The word after << is taken as it is written, without its quotes.
std::string Parser::here_delimiter(bool& quoted) {
  std::string delimiter;
  for (int c = peek(); c != kEnd && !is_meta(c) && !failed_; c = peek()) {
    ++at_;
    if (c == '\'' || c == '"') {
      quoted = true;
      const size_t close = source_.find(static_cast<char>(c), at_);
      const std::string_view inside = source_.substr(at_, close - at_);
      if (close == source_.npos) {
        fail("a quote is not closed");
      } else if (inside.find('\\') != inside.npos || inside.find('\n') != inside.npos) {
        give_up("a here-document with an odd delimiter");
      } else {
        delimiter += inside;
        at_ = close + 1;
      }
    } else if (c == '\\') {
      quoted = true;
      if (!at_end()) delimiter += source_[at_++];
    } else if (c == '`' || (c == '$' && !is_name(peek()))) {
      give_up("a here-document with an odd delimiter");
    } else {
      delimiter += static_cast<char>(c);
    }
  }
  return delimiter;
}

void Parser::read_here_documents() {
  std::vector<HereDocument> documents = std::move(pending_);
  pending_.clear();
  for (const HereDocument& document : documents) {
    const std::uint32_t at = place(at_);
    std::string text = read_here_text(document);
    if (failed_) return;
    if (!document.quoted) Parser(text, script_, depth_, at).run_here_text();
    if (document.command >= script_.commands.size()) continue;
    Command& command = script_.commands[document.command];
    // Documents of one command are read in their order; one that has its text counts as quoted.
    for (Redirection& redirection : command.redirections) {
      if (redirection.kind != Redirection::Kind::here_doc || redirection.target.quoted) continue;
      redirection.target.quoted = true;
      redirection.target.text = std::move(text);
      if (!document.quoted && redirection.target.text.find_first_of("$`\\") != std::string::npos)
        redirection.target.varies = Varies::parameter;
      break;
    }
  }
  if (here_commands_ == std::string::npos) here_commands_ = script_.commands.size();
}

// Up to the line that is the delimiter. Unless it was quoted, a backslash at the end of a line
// joins it with the next one before they are compared.
std::string Parser::read_here_text(const HereDocument& document) {
  std::string text;
  while (!at_end()) {
    std::string line;
    for (bool joined = true; joined && !at_end();) {
      const size_t end = std::min(source_.find('\n', at_), source_.size());
      std::string_view piece = source_.substr(at_, end - at_);
      at_ = std::min(end + 1, source_.size());
      const size_t solid = piece.find_last_not_of('\\') + 1;
      joined = !document.quoted && (piece.size() - solid) % 2 == 1 && end < source_.size();
      if (joined) piece.remove_suffix(1);
      line += piece;
    }
    if (document.strips_tabs) line.erase(0, std::min(line.find_first_not_of('\t'), line.size()));
    if (line == document.delimiter) return text;
    // In a substitution bash also lets a delimiter end the text that a ) follows on its line.
    if (substitutions_ > 0 && line.starts_with(document.delimiter)) {
      give_up("a here-document that a substitution cuts");
      return text;
    }
    text += line;
    text += '\n';
  }
  give_up("a here-document without its end");  // bash warns and goes on
  return text;
}

void Parser::run_here_text() {
  const Deeper deeper(*this);
  Draft scrap;
  while (!failed_ && peek() != kEnd) double_quoted_part(scrap);
}

}  // namespace helve::shell
