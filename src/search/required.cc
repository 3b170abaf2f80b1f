#include "search/required.h"

#include <algorithm>

#include "base/text.h"

namespace helve::search {
namespace {

using Kind = Node::Kind;
using Texts = std::vector<RequiredText>;

constexpr size_t kMaxTexts = 32;        // in one set of alternatives
constexpr size_t kMaxTextBytes = 4096;  // of all texts of a set
constexpr size_t kMaxSimplified = 64;   // parts that are compared with each other
constexpr size_t kMaxSetMembers = 8;    // characters of a set that is written out

// What is known of a part of a pattern. When `exact`, a match of the part is one of `prefix`, and
// `suffix` is the same; otherwise a match begins with one of `prefix` and ends with one of `suffix`
// (an empty text: nothing is known), and `inside` is all that must hold.
struct Known {
  bool exact = false;
  Texts prefix = {{}};
  Texts suffix = {{}};
  Required inside = {};
};

std::string lowered(std::string text) {
  for (char& c : text) c = static_cast<char>(ascii_lower(static_cast<unsigned char>(c)));
  return text;
}

RequiredText joined(const RequiredText& a, const RequiredText& b) {
  const bool ignore_case = a.ignore_case || b.ignore_case;
  std::string text = a.text + b.text;
  return {ignore_case ? lowered(std::move(text)) : std::move(text), ignore_case};
}

bool fits(const Texts& texts) {
  size_t bytes = 0;
  for (const RequiredText& text : texts) bytes += text.text.size();
  return texts.size() <= kMaxTexts && bytes <= kMaxTextBytes;
}

void unify(Texts& texts) {
  std::ranges::sort(texts);
  const auto rest = std::ranges::unique(texts);
  texts.erase(rest.begin(), rest.end());
}

// Every text of `a` followed by every one of `b`; nothing when those are too many.
std::optional<Texts> product(const Texts& a, const Texts& b) {
  if (a.size() * b.size() > kMaxTexts) return std::nullopt;
  Texts out;
  for (const RequiredText& first : a)
    for (const RequiredText& second : b) out.push_back(joined(first, second));
  unify(out);
  if (!fits(out)) return std::nullopt;
  return out;
}

// Whether a match that has `longer` surely has `shorter`.
bool implies(const Required& longer, const Required& shorter) {
  return longer.kind == Required::Kind::text && shorter.kind == Required::Kind::text &&
         longer.text.ignore_case == shorter.text.ignore_case &&
         longer.text.text.find(shorter.text.text) != std::string::npos;
}

// Leaves out of an all_of what another part implies, and of an any_of what implies another part.
void simplify(Required& out) {
  std::vector<Required> kept;
  for (size_t i = 0; i < out.parts.size(); ++i) {
    bool needed = true;
    for (size_t j = 0; needed && j < out.parts.size(); ++j) {
      const Required& mine = out.parts[i];
      const Required& other = out.parts[j];
      const bool weaker =
          out.kind == Required::Kind::all_of ? implies(other, mine) : implies(mine, other);
      if (i != j && weaker) needed = mine.text == other.text && i < j;
    }
    if (needed) kept.push_back(out.parts[i]);
  }
  out.parts = std::move(kept);
}

Required combined(Required::Kind kind, std::vector<Required> parts) {
  Required out{.kind = kind};
  for (Required& part : parts) {
    if (part.kind == Required::Kind::anything) {
      if (kind == Required::Kind::any_of) return {};
    } else if (part.kind == kind) {
      std::ranges::move(part.parts, std::back_inserter(out.parts));
    } else {
      out.parts.push_back(std::move(part));
    }
  }
  if (out.parts.size() <= kMaxSimplified) simplify(out);
  if (out.parts.empty()) return {};
  if (out.parts.size() > 1) return out;
  Required only = std::move(out.parts.front());
  return only;
}

Required one_of(const Texts& texts) {
  std::vector<Required> parts;
  for (const RequiredText& text : texts) {
    if (text.text.empty()) return {};
    parts.push_back({.kind = Required::Kind::text, .text = text});
  }
  return combined(Required::Kind::any_of, std::move(parts));
}

// All that is known, as a condition.
Required condition(const Known& known) { return known.exact ? one_of(known.prefix) : known.inside; }

Known exactly(Texts texts) { return {.exact = true, .prefix = texts, .suffix = std::move(texts)}; }

// A literal and, when case is ignored, the characters beyond ASCII that fold to it.
Known of_character(char32_t c, bool ignore_case, bool unicode) {
  const Node plain{.kind = Kind::literal, .unicode = unicode, .character = c};
  if (!ignore_case || (c < 0x80 && !is_ascii_letter(c))) return exactly({{bytes_of(plain), false}});
  if (c >= 0x80) return unicode ? Known{} : exactly({{bytes_of(plain), false}});
  const char32_t lower = ascii_lower(c);
  Texts texts = {{std::string(1, static_cast<char>(lower)), true}};
  if (unicode && lower == 's') texts.push_back({"\xc5\xbf", false});
  if (unicode && lower == 'k') texts.push_back({"\xe2\x84\xaa", false});
  return exactly(std::move(texts));
}

Known of_set(const CharSet& set) {
  if (set.beyond_ascii || set.bytes.count() > kMaxSetMembers || set.bytes.none()) return {};
  Texts texts;
  for (size_t c = 0; c < 256; ++c) {
    if (set.bytes[c]) texts.push_back({std::string(1, static_cast<char>(c)), false});
  }
  return exactly(std::move(texts));
}

Known known_of(const Node& node);

Known of_sequence(const std::vector<Node>& children) {
  Known out = exactly({{}});
  Texts tail = {{}};  // what the part so far ends with
  std::vector<Required> conditions;
  for (const Node& child : children) {
    Known next = known_of(child);
    std::optional<Texts> together = product(tail, next.prefix);
    if (together && next.exact) {
      tail = std::move(*together);
      continue;
    }
    if (out.exact) out.prefix = together ? *together : tail;
    out.exact = false;
    conditions.push_back(one_of(together ? *together : tail));
    conditions.push_back(condition(next));
    tail = std::move(next.suffix);
  }
  if (out.exact) return exactly(std::move(tail));
  conditions.push_back(one_of(tail));
  out.inside = combined(Required::Kind::all_of, std::move(conditions));
  out.suffix = std::move(tail);
  return out;
}

Known of_choice(const std::vector<Node>& children) {
  Known out{.exact = true, .prefix = {}, .suffix = {}};
  std::vector<Required> conditions;
  for (const Node& child : children) {
    const Known next = known_of(child);
    conditions.push_back(condition(next));
    out.exact &= next.exact;
    std::ranges::copy(next.prefix, std::back_inserter(out.prefix));
    std::ranges::copy(next.suffix, std::back_inserter(out.suffix));
  }
  unify(out.prefix);
  unify(out.suffix);
  if (!fits(out.prefix) || !fits(out.suffix)) {
    out.exact = false;
    out.prefix = out.suffix = {{}};
  }
  if (!out.exact) out.inside = combined(Required::Kind::any_of, std::move(conditions));
  return out;
}

Known of_repeat(const Node& node) {
  if (node.most == 0) return exactly({{}});
  Known once = known_of(node.children.front());
  if (node.least == 0) {
    if (node.most > 1 || !once.exact) return {};
    once.prefix.push_back({});
    unify(once.prefix);
    return fits(once.prefix) ? exactly(once.prefix) : Known{};
  }
  if (!once.exact) return once;
  Texts texts = once.prefix;
  bool whole = true;
  for (std::uint32_t i = 1; whole && i < node.least; ++i) {
    std::optional<Texts> more = product(texts, once.prefix);
    whole = more.has_value();
    if (more) texts = std::move(*more);
  }
  Known out = exactly(std::move(texts));
  out.exact = whole && node.least == node.most;
  if (!out.exact) out.inside = one_of(out.prefix);
  return out;
}

Known known_of(const Node& node) {
  switch (node.kind) {
    case Kind::literal:
      return of_character(node.character, node.ignore_case, node.unicode);
    case Kind::set:
      return of_set(*node.set);
    case Kind::concat:
      return of_sequence(node.children);
    case Kind::alternate:
      return of_choice(node.children);
    case Kind::repeat:
      return of_repeat(node);
    case Kind::group:
    case Kind::atomic:
      return known_of(node.children.front());
    case Kind::back_reference:
      return {};
    default:  // takes up no text
      return exactly({{}});
  }
}

// How rare a text promises to be: longer is rarer, letters without case are commoner.
size_t weight(const RequiredText& text) { return text.text.size() * (text.ignore_case ? 3 : 4); }

size_t weight(const Texts& texts) {
  size_t least = SIZE_MAX;
  for (const RequiredText& text : texts) least = std::min(least, weight(text));
  return texts.empty() ? 0 : least - std::min(least - 1, texts.size() - 1);
}

}  // namespace

Required required_text(const Regex& regex) { return condition(known_of(regex.root)); }

bool satisfies(std::string_view content, const Required& required) {
  const auto part = [&](const Required& inner) { return satisfies(content, inner); };
  switch (required.kind) {
    case Required::Kind::anything:
      return true;
    case Required::Kind::text:
      return required.text.ignore_case
                 ? lowered(std::string(content)).find(required.text.text) != std::string::npos
                 : content.find(required.text.text) != std::string_view::npos;
    case Required::Kind::all_of:
      return std::ranges::all_of(required.parts, part);
    case Required::Kind::any_of:
      return std::ranges::any_of(required.parts, part);
  }
  return true;
}

std::vector<RequiredText> rarest_choice(const Required& required) {
  Texts best;
  switch (required.kind) {
    case Required::Kind::anything:
      break;
    case Required::Kind::text:
      best.push_back(required.text);
      break;
    case Required::Kind::all_of:
      for (const Required& part : required.parts) {
        Texts texts = rarest_choice(part);
        if (weight(texts) > weight(best)) best = std::move(texts);
      }
      break;
    case Required::Kind::any_of:
      for (const Required& part : required.parts) {
        Texts texts = rarest_choice(part);
        if (texts.empty()) return {};
        std::ranges::move(texts, std::back_inserter(best));
      }
      break;
  }
  return best;
}

std::string describe(const Required& required) {
  std::string out;
  switch (required.kind) {
    case Required::Kind::anything:
      return "*";
    case Required::Kind::text:
      return (required.text.ignore_case ? "i\"" : "\"") + escape_bytes(required.text.text) + "\"";
    default:
      out = required.kind == Required::Kind::all_of ? "(AND" : "(OR";
      for (const Required& part : required.parts) out += " " + describe(part);
      return out + ")";
  }
}

}  // namespace helve::search
