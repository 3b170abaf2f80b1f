#include "search/glob_parser.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "base/text.h"

namespace helve::search {
namespace {

constexpr size_t kShownPattern = 80;       // characters of a wrong pattern that its error shows
constexpr size_t kMaxExpansions = 20'000;  // steps, for braces that hold little else

struct Named {
  std::string_view name;
  std::string_view ranges;  // pairs of first and last
};
constexpr Named kNamedClasses[] = {
    {"alnum", "azAZ09"},   {"alpha", "azAZ"},
    {"blank", "  \t\t"},   {"cntrl", std::string_view("\0\x1f\x7f\x7f", 4)},
    {"digit", "09"},       {"graph", "!~"},
    {"lower", "az"},       {"print", " ~"},
    {"punct", "!/:@[`{~"}, {"space", "  \t\r"},
    {"upper", "AZ"},       {"xdigit", "09afAF"},
};

Error wrong_pattern(std::string_view pattern, std::string_view what, std::string_view hint) {
  return {
      Code::invalid_argument,
      fmt::format("the pattern '{}' {}", escape_for_display(preview(pattern, kShownPattern)), what),
      std::string(hint), "invalid_pattern"};
}

Error too_long(std::string_view pattern) {
  return wrong_pattern(pattern,
                       fmt::format("has {} bytes, the limit is {}", pattern.size(), kMaxGlob),
                       "use several shorter patterns");
}

// Past the escape or the class that begins at `i`; braces and commas inside do not count.
size_t past_quoted(std::string_view pattern, size_t i) {
  if (pattern[i] == '\\') return std::min(i + 2, pattern.size());
  size_t j = i + 1;
  if (j < pattern.size() && (pattern[j] == '!' || pattern[j] == '^')) ++j;
  if (j < pattern.size() && pattern[j] == ']') ++j;
  while (j < pattern.size() && pattern[j] != ']') j += pattern[j] == '\\' ? 2 : 1;
  return j < pattern.size() ? j + 1 : i + 1;  // unclosed: the parser says so
}

// The first group of braces that is in no other.
struct Group {
  size_t open = 0, close = 0;
  std::vector<std::string_view> alternatives;
};
Result<std::optional<Group>> first_group(std::string_view pattern) {
  Group group;
  size_t depth = 0, start = 0;
  for (size_t i = 0; i < pattern.size();) {
    const char c = pattern[i];
    if (c == '\\' || c == '[') {
      i = past_quoted(pattern, i);
      continue;
    }
    if (c == '{' && depth++ == 0) {
      group.open = i;
      start = i + 1;
    } else if (c == ',' && depth == 1) {
      group.alternatives.push_back(pattern.substr(start, i - start));
      start = i + 1;
    } else if (c == '}') {
      if (depth == 0) {
        return wrong_pattern(pattern, "closes a brace that is not open", "write \\} for a brace");
      }
      if (--depth == 0) {
        group.alternatives.push_back(pattern.substr(start, i - start));
        group.close = i;
        return group;
      }
    }
    ++i;
  }
  if (depth > 0) {
    return wrong_pattern(pattern, "has a { without its }", "close it, or write \\{ for a brace");
  }
  return std::optional<Group>();
}

}  // namespace

Result<std::vector<std::string>> expand_braces(std::string_view pattern) {
  if (pattern.size() > kMaxGlob) return too_long(pattern);
  std::vector<std::string> done, waiting = {std::string(pattern)};
  for (size_t steps = 0; !waiting.empty(); ++steps) {
    if (steps > kMaxExpansions || done.size() + waiting.size() > kMaxAlternatives) {
      return wrong_pattern(pattern,
                           fmt::format("stands for more than {} alternatives", kMaxAlternatives),
                           "use fewer braces, or several calls");
    }
    const std::string next = std::move(waiting.back());
    waiting.pop_back();
    const std::optional<Group> group = TRY(first_group(next));
    if (!group) {
      done.push_back(next);
      continue;
    }
    const std::string_view whole = next;
    // The last is taken up first, so this way the results come out in the order written.
    for (size_t i = group->alternatives.size(); i-- > 0;) {
      waiting.push_back(fmt::format("{}{}{}", whole.substr(0, group->open), group->alternatives[i],
                                    whole.substr(group->close + 1)));
    }
  }
  return done;
}

Error GlobParser::wrong(std::string_view what, std::string_view hint) const {
  return wrong_pattern(pattern_, what, hint);
}

Result<void> GlobParser::parse() {
  if (pattern_.size() > kMaxGlob) return too_long(pattern_);
  while (next_ < pattern_.size()) {
    const char c = pattern_[next_];
    if (c == '*') {
      parse_stars();
    } else if (c == '?') {
      add(Glob::Op::any);
      ++next_;
    } else if (c == '[') {
      TRY(parse_class());
    } else {
      if (c == '\\' && ++next_ == pattern_.size()) {
        return wrong("ends in a backslash", "write \\\\ for a backslash");
      }
      add_byte(pattern_[next_++]);
    }
  }
  return {};
}

// Two or more stars that fill the space between slashes stand for directories; any others are one
// star.
void GlobParser::parse_stars() {
  const size_t start = next_;
  next_ = std::min(pattern_.find_first_not_of('*', start), pattern_.size());
  const bool fills = next_ - start >= 2 && (start == 0 || at(start - 1, '/')) &&
                     (next_ == pattern_.size() || at(next_, '/'));
  const Glob::Op op = !fills                     ? Glob::Op::star
                      : next_ == pattern_.size() ? Glob::Op::rest
                                                 : Glob::Op::directories;
  if (op == Glob::Op::directories) ++next_;  // the slash is part of it
  // One after the other they match what one does, but slower.
  const bool repeated = !glob_.tokens_.empty() && glob_.tokens_.back().op == op;
  if (!repeated) add(op);
}

// One character inside a class, escaped or not; a byte in git's syntax.
Result<char32_t> GlobParser::class_character() {
  if (at(next_, '\\')) ++next_;
  if (next_ >= pattern_.size()) {
    return wrong("has a [ without its ]", "close it, or write \\[ for a bracket");
  }
  const std::string_view rest = pattern_.substr(next_);
  const auto byte = [&](size_t i) {
    return static_cast<char32_t>(static_cast<unsigned char>(rest[i]));
  };
  const size_t length = syntax_ == Syntax::git ? 1 : std::max<size_t>(char_length(rest), 1);
  next_ += length;
  if (length == 1) return byte(0);
  char32_t character = byte(0) & (0xFFu >> (length + 1));
  for (size_t i = 1; i < length; ++i) character = character << 6 | (byte(i) & 0x3F);
  return character;
}

// "[:alpha:]"; false when it is not one after all.
Result<bool> GlobParser::parse_named_class(Glob::Class& into) {
  const size_t end = pattern_.find(']', next_ + 2);
  if (end == pattern_.npos || end < next_ + 3 || pattern_[end - 1] != ':') return false;
  const std::string_view name = pattern_.substr(next_ + 2, end - next_ - 3);
  const auto named =
      std::ranges::find_if(kNamedClasses, [&](const Named& each) { return each.name == name; });
  if (named == std::end(kNamedClasses)) {
    return wrong(fmt::format("has the unknown class [:{}:]", preview(name, kShownPattern)),
                 "[:alpha:], [:digit:], [:alnum:] and so on are known");
  }
  for (size_t i = 0; i < named->ranges.size(); i += 2) {
    into.ranges.push_back({static_cast<unsigned char>(named->ranges[i]),
                           static_cast<unsigned char>(named->ranges[i + 1])});
  }
  next_ = end + 1;
  return true;
}

Result<void> GlobParser::parse_class() {
  Glob::Class one_of;
  ++next_;
  if (at(next_, '!') || at(next_, '^')) {
    one_of.negated = true;
    ++next_;
  }
  for (bool first = true; first || !at(next_, ']'); first = false) {
    if (at(next_, '[') && at(next_ + 1, ':') && TRY(parse_named_class(one_of))) continue;
    const char32_t from = TRY(class_character());
    char32_t to = from;
    if (at(next_, '-') && next_ + 1 < pattern_.size() && !at(next_ + 1, ']')) {
      ++next_;
      to = TRY(class_character());
      if (to < from && syntax_ == Syntax::tool) {
        return wrong("has a range that runs backwards", "write the smaller end first, as in [a-z]");
      }
    }
    // Git takes the start of a backward range for a member all the same.
    one_of.ranges.push_back({from, std::max(from, to)});
  }
  ++next_;
  glob_.tokens_.push_back(
      {.op = Glob::Op::one_of, .one_of = static_cast<std::uint32_t>(glob_.classes_.size())});
  glob_.classes_.push_back(std::move(one_of));
  return {};
}

}  // namespace helve::search
