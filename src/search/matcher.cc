#include "search/matcher.h"

#include <algorithm>
#include <cstring>

namespace helve::search {
namespace {

constexpr size_t kShortestKey = 2;  // bytes; a shorter one is nearly everywhere

// `at` is in the line or at its end; `floor` is where a line begins at or before it.
MatchedLines line_around(std::string_view text, size_t at, size_t floor) {
  const void* before = memrchr(text.data() + floor, '\n', at - floor);
  const void* after = std::memchr(text.data() + at, '\n', text.size() - at);
  const auto offset = [&](const void* place) {
    return static_cast<size_t>(static_cast<const char*>(place) - text.data());
  };
  return {before ? offset(before) + 1 : floor, after ? offset(after) : text.size()};
}

// The nodes of a sequence, without the groups around them.
void flatten(const Node& node, std::vector<const Node*>& out) {
  if (node.kind == Node::Kind::concat || node.kind == Node::Kind::group) {
    for (const Node& child : node.children) flatten(child, out);
  } else if (node.kind != Node::Kind::empty) {
    out.push_back(&node);
  }
}

bool begins_word(const Node& node) {
  return node.kind == Node::Kind::word_boundary || node.kind == Node::Kind::word_start ||
         node.kind == Node::Kind::word_start_half;
}
bool ends_word(const Node& node) {
  return node.kind == Node::Kind::word_boundary || node.kind == Node::Kind::word_end ||
         node.kind == Node::Kind::word_end_half;
}
// Whether it asks for a word character on its inner side, too.
bool is_whole_boundary(const Node& node) {
  return node.kind != Node::Kind::word_start_half && node.kind != Node::Kind::word_end_half;
}

bool folds_beyond_ascii(char c) { return (c | 0x20) == 's' || (c | 0x20) == 'k'; }

// The longest part of a literal without letters that characters beyond ASCII fold to.
Span longest_plain_run(std::string_view literal) {
  Span best, run;
  for (size_t i = 0; i < literal.size(); ++i) {
    if (folds_beyond_ascii(literal[i])) {
      run = {i + 1, i + 1};
      continue;
    }
    run.end = i + 1;
    if (run.end - run.begin > best.end - best.begin) best = run;
  }
  return best;
}

}  // namespace

Result<std::unique_ptr<Matcher>> Matcher::make(std::string_view pattern,
                                               const RegexOptions& options) {
  Regex regex = TRY(parse_regex(pattern, options));
  if (regex.needs_backtracking && regex.byte_mode) {
    return Error{Code::unsupported,
                 "the pattern has look-around or references and bytes beyond ASCII in (?-u)",
                 "leave one of them out", "invalid_pattern"};
  }
  std::unique_ptr<Matcher> matcher(new Matcher(std::move(regex)));
  matcher->required_ = required_text(matcher->regex_);
  matcher->choose_key();
  // Only PCRE2 knows whether it takes a look-behind.
  if (matcher->regex_.needs_backtracking) TRY(matcher->pcre2());
  return matcher;
}

void Matcher::choose_key() {
  if (choose_literal()) return;
  const std::vector<RequiredText> choice = rarest_choice(required_);
  if (choice.size() != 1 || choice[0].text.size() < kShortestKey) return;
  key_ = Key{LiteralFinder(choice[0].text, choice[0].ignore_case ? LiteralFinder::Case::ignored
                                                                 : LiteralFinder::Case::exact)};
}

// True when the pattern is a literal, perhaps between the boundaries of words.
bool Matcher::choose_literal() {
  if (matches_newlines()) return false;
  std::vector<const Node*> nodes;
  flatten(regex_.root, nodes);
  bool word_before = false, word_after = false;
  const auto is_word = [](const Node& node) {
    return node.kind == Node::Kind::literal && is_ascii_word(node.character);
  };
  if (nodes.size() > 1 && begins_word(*nodes.front()) && nodes.front()->unicode &&
      (!is_whole_boundary(*nodes.front()) || is_word(*nodes[1]))) {
    word_before = true;
    nodes.erase(nodes.begin());
  }
  if (nodes.size() > 1 && ends_word(*nodes.back()) && nodes.back()->unicode &&
      (!is_whole_boundary(*nodes.back()) || is_word(*nodes[nodes.size() - 2]))) {
    word_after = true;
    nodes.pop_back();
  }
  std::string literal;
  bool ignore_case = false, folds = false;
  for (const Node* node : nodes) {
    if (node->kind != Node::Kind::literal || node->ignore_case != nodes.front()->ignore_case)
      return false;
    ignore_case = node->ignore_case;
    if (ignore_case && node->character >= 0x80) return false;
    literal += bytes_of(*node);
    folds |= ignore_case && node->unicode && folds_beyond_ascii(literal.back());
  }
  if (literal.empty()) return false;
  const auto letters = ignore_case ? LiteralFinder::Case::ignored : LiteralFinder::Case::exact;
  if (!folds) {
    key_ = Key{LiteralFinder(literal, letters), true, word_before, word_after};
    return true;
  }
  const Span run = longest_plain_run(literal);
  if (run.end - run.begin < kShortestKey) return false;
  key_ = Key{LiteralFinder(literal.substr(run.begin, run.end - run.begin), letters),
             true,
             word_before,
             word_after,
             run.begin,
             LiteralFinder(literal, letters)};
  return true;
}

Result<void> Matcher::find(std::string_view text, Want want, Scratch& scratch) const {
  scratch.found_.clear();
  scratch.more_ = 0;
  if (text.empty()) return {};
  if (key_ && key_->exact) return find_literal(text, want, scratch);
  size_t from = 0;
  if (key_) {
    const size_t at = key_->finder.find(text);
    if (at == kNowhere) return {};
    from = line_around(text, at, 0).begin;
  }
  if (matches_newlines()) return find_spans(text, want, scratch);
  return find_lines(text, from, want, scratch);
}

Result<void> Matcher::find_literal(std::string_view text, Want want, Scratch& scratch) const {
  const Key& key = *key_;
  const bool plain = !key.whole && !key.word_before && !key.word_after;
  size_t next_line = 0;  // where a line begins that was not looked at
  KeyLine line;
  for (size_t from = 0, at; (at = key.finder.find(text, from)) != kNowhere;) {
    if (at >= next_line) {
      line = {line_around(text, at, next_line)};
      next_line = line.bounds.end + 1;
    }
    const Decision decision = plain ? Decision::match : TRY(confirm(text, at, line, scratch));
    if (scratch.was_interrupted()) break;
    if (decision == Decision::not_here) {
      from = at + 1;
      continue;
    }
    if (decision == Decision::match) {
      scratch.found_.push_back(line.bounds);
      if (want == Want::first) break;
    }
    if (next_line >= text.size()) break;
    from = next_line;
  }
  return {};
}

// Whether the literal that was found at `at` is a match, or another one is in its line. A line is
// looked at as a whole at most once.
Result<Matcher::Decision> Matcher::confirm(std::string_view text, size_t at, KeyLine& key_line,
                                           Scratch& scratch) const {
  const MatchedLines& line = key_line.bounds;
  const Key& key = *key_;
  const std::string& literal = key.whole ? key.whole->literal() : key.finder.literal();
  const bool fits = at >= line.begin + key.offset && at - key.offset + literal.size() <= line.end;
  const size_t begin = at - key.offset;
  bool beyond_ascii = false;
  bool matches = fits && (!key.whole || key.whole->stands_at(text, begin));
  const auto neighbour = [&](size_t place) {
    const auto c = static_cast<unsigned char>(text[place]);
    beyond_ascii |= c >= 0x80;
    return is_ascii_word(c);
  };
  if (matches && key.word_before && begin > line.begin) matches = !neighbour(begin - 1);
  if (matches && key.word_after && begin + literal.size() < line.end)
    matches = !neighbour(begin + literal.size());
  const std::string_view whole_line = text.substr(line.begin, line.end - line.begin);
  // A character that is not ASCII may be a letter, or fold to one.
  if (!matches && key.whole && !key_line.is_ascii) key_line.is_ascii = is_ascii(whole_line);
  if (beyond_ascii || (!matches && key.whole && !*key_line.is_ascii))
    return TRY(matches_line(whole_line, scratch)) ? Decision::match : Decision::not_in_line;
  return matches ? Decision::match : Decision::not_here;
}

// What Hyperscan reports becomes lines.
struct Matcher::Collector {
  const Matcher& matcher;
  std::string_view text;
  Want want;
  Scratch& scratch;
  std::optional<MatchedLines> last = {};
  std::optional<Error> error = {};

  // True to end the search.
  bool add(size_t end) {
    if (last && end >= last->begin && end <= last->end) return false;
    if (end == text.size() && end > 0 && text[end - 1] == '\n') return false;  // after all lines
    const size_t floor = last && end > last->end ? last->end + 1 : 0;
    last = line_around(text, end, floor);
    const std::string_view line = text.substr(last->begin, last->end - last->begin);
    const bool trusted = matcher.trust_ == BytePattern::Trust::everywhere ||
                         (matcher.trust_ == BytePattern::Trust::ascii && is_ascii(line));
    if (!trusted) {
      Result<bool> matches = matcher.matches_line(line, scratch);
      if (!matches) {
        error = std::move(matches).error();
        return true;
      }
      if (scratch.was_interrupted()) return true;
      if (!*matches) return false;
    }
    scratch.found_.push_back(*last);
    return want == Want::first;
  }
};

Result<void> Matcher::find_lines(std::string_view text, size_t from, Want want,
                                 Scratch& scratch) const {
  const HyperscanEngine* engine = hyperscan();
  if (!engine) return try_each_line(text, from, want, scratch);
  Collector collector{*this, text.substr(from), want, scratch};
  const bool scanned = engine->scan(
      collector.text, scratch.hyperscan_,
      [](void* state, size_t end) { return static_cast<Collector*>(state)->add(end); }, &collector);
  if (!scanned) {
    scratch.found_.clear();
    return try_each_line(text, from, want, scratch);
  }
  std::vector<MatchedLines>& found = scratch.found_;
  // Hyperscan does not promise an order; in practice it keeps one.
  if (!std::ranges::is_sorted(found, {}, &MatchedLines::begin)) {
    std::ranges::sort(found, {}, &MatchedLines::begin);
    const auto rest = std::ranges::unique(found, {}, &MatchedLines::begin);
    found.erase(rest.begin(), rest.end());
  }
  for (MatchedLines& line : found) {
    line.begin += from;
    line.end += from;
  }
  if (collector.error) return std::move(*collector.error);
  return {};
}

Result<void> Matcher::try_each_line(std::string_view text, size_t from, Want want,
                                    Scratch& scratch) const {
  while (from < text.size()) {
    const MatchedLines line = line_around(text, from, from);
    const bool matches = TRY(matches_line(text.substr(line.begin, line.end - line.begin), scratch));
    if (scratch.was_interrupted()) break;
    if (matches) {
      scratch.found_.push_back(line);
      if (want == Want::first) break;
    }
    from = line.end + 1;
  }
  return {};
}

Result<void> Matcher::find_spans(std::string_view text, Want want, Scratch& scratch) const {
  if (const HyperscanEngine* engine = hyperscan()) {
    bool any = false;
    const bool scanned = engine->scan(
        text, scratch.hyperscan_,
        [](void* state, size_t) { return *static_cast<bool*>(state) = true; }, &any);
    if (scanned && !any) return {};
  }
  std::optional<MatchedLines> last;  // those of the last matches, to which more may come
  const auto keep_last = [&] {
    if (last && scratch.found_.size() < scratch.most_)
      scratch.found_.push_back(*last);
    else if (last)
      scratch.more_ += last->matches;
  };
  for (size_t from = 0; from <= text.size();) {
    const Result<std::optional<Span>> tried = exact(text, from, scratch);
    if (!tried) {
      keep_last();
      return Error(tried.error());
    }
    const std::optional<Span>& match = *tried;
    if (!match) break;
    from = match->end > match->begin ? match->end : match->end + 1;
    // What follows the last newline is no line.
    if (match->begin == text.size() && text.back() == '\n') break;
    const size_t last_char = match->end > match->begin ? match->end - 1 : match->end;
    if (last && match->begin <= last->end) {
      if (last_char > last->end) last->end = line_around(text, last_char, last_char).end;
      ++last->matches;
    } else {
      const size_t floor = last ? last->end + 1 : 0;
      keep_last();
      const size_t begin = line_around(text, match->begin, floor).begin;
      last = {begin, line_around(text, last_char, last_char).end};
    }
    if (want == Want::first) break;
  }
  keep_last();
  return {};
}

Result<bool> Matcher::matches_line(std::string_view line, Scratch& scratch) const {
  return TRY(exact(line, 0, scratch)).has_value();
}

std::optional<Span> Matcher::first_match(std::string_view line, Scratch& scratch) const {
  if (key_ && key_->exact && !key_->whole) {
    const size_t at = key_->finder.find(line);
    if (at != kNowhere) return Span{at, at + key_->finder.literal().size()};
  }
  return exact(line, 0, scratch).value_or(std::nullopt);
}

Result<std::optional<Span>> Matcher::exact(std::string_view text, size_t from,
                                           Scratch& scratch) const {
  if (regex_.needs_backtracking)
    return TRY(pcre2())->find(text, from, scratch.pcre2_, scratch.interrupt_);
  std::call_once(nfa_made_, [&] { nfa_ = std::make_unique<NfaEngine>(regex_); });
  return nfa_->find(text, from, scratch.nfa_, scratch.interrupt_);
}

const HyperscanEngine* Matcher::hyperscan() const {
  std::call_once(hyperscan_made_, [&] {
    const BytePattern pattern = to_hyperscan(regex_);
    trust_ = pattern.trust;
    hyperscan_ = HyperscanEngine::compile(pattern);
  });
  return hyperscan_.get();
}

Result<const Pcre2Engine*> Matcher::pcre2() const {
  std::call_once(pcre2_made_, [&] { pcre2_ = Pcre2Engine::compile(regex_); });
  if (!pcre2_) return Error(pcre2_.error());
  return pcre2_->get();
}

}  // namespace helve::search
