#include <fmt/core.h>

#include "search/regex_render.h"

namespace helve::search {
namespace {

using Kind = Node::Kind;
using Trust = BytePattern::Trust;

// A character beyond ASCII, whichever: four bytes are the longest.
constexpr std::string_view kBeyond = R"([\x80-\xff]{1,4})";

// Every match begins with a word character, also by Unicode's definition.
bool begins_with_word(const Node& node);
bool ends_with_word(const Node& node);

bool is_word_only(const CharSet& set) {
  for (size_t c = 0; c < 256; ++c) {
    if (set.bytes[c] && !is_ascii_word(static_cast<char32_t>(c))) return false;
  }
  if (!set.beyond_ascii) return set.bytes.any();
  // The characters beyond ASCII that fold to letters are letters.
  return set.operation == CharSet::Operation::unite && !set.negated && set.operands.empty() &&
         std::ranges::all_of(set.items, [](const CharSet::Item& item) {
           return !item.negated &&
                  (item.kind == CharSet::Kind::word || item.kind == CharSet::Kind::digit ||
                   (item.kind == CharSet::Kind::range && item.last < 0x80));
         });
}

template <bool (*edge_of)(const Node&)>
bool edge_is_word(const Node& node, const Node* outermost) {
  switch (node.kind) {
    case Kind::literal:
      return is_ascii_word(node.character);
    case Kind::set:
      return is_word_only(*node.set);
    case Kind::concat:
      return outermost && edge_of(*outermost);
    case Kind::alternate:
      return std::ranges::all_of(node.children, edge_of);
    case Kind::repeat:
      return node.least > 0 && edge_of(node.children.front());
    case Kind::group:
    case Kind::atomic:
      return edge_of(node.children.front());
    default:
      return false;
  }
}

bool begins_with_word(const Node& node) {
  return edge_is_word<begins_with_word>(node,
                                        node.children.empty() ? nullptr : &node.children.front());
}
bool ends_with_word(const Node& node) {
  return edge_is_word<ends_with_word>(node,
                                      node.children.empty() ? nullptr : &node.children.back());
}

class Renderer {
 public:
  explicit Renderer(const Regex& regex) : lines_(regex.options.newlines == Newlines::excluded) {}

  // `first` and `last`: nothing of the pattern comes before, or after.
  void node(const Node& node, bool first, bool last);
  BytePattern finish() && { return {std::move(out_), trust_}; }

 private:
  void trust_at_most(Trust most) { trust_ = std::max(trust_, most); }
  void literal(const Node& node);
  void set(const CharSet& set, bool repeated_without_end);
  void sequence(const std::vector<Node>& children, bool first, bool last);
  void repeat(const Node& node);
  // No word character before, or after. The neighbour is made part of the match, which only the
  // outermost place of a pattern permits.
  void no_word(bool outermost);

  bool lines_;
  std::string out_;
  Trust trust_ = Trust::everywhere;
};

void Renderer::literal(const Node& node) {
  const char32_t c = node.character;
  if (!node.ignore_case || (c < 0x80 && !is_ascii_letter(c))) {
    for (const char byte : bytes_of(node))
      out_ += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
    return;
  }
  if (c >= 0x80) {
    if (!node.unicode) {
      out_ += fmt::format("\\x{:02x}", static_cast<unsigned>(c));
      return;
    }
    const std::string_view folded = c == kLongS ? "[sS]|" : c == kKelvinSign ? "[kK]|" : "";
    out_ += fmt::format("(?:{}{})", folded, kBeyond);
    trust_at_most(Trust::ascii);
    return;
  }
  const char lower = static_cast<char>(ascii_lower(c));
  const std::string both = fmt::format("[{}{}]", lower, static_cast<char>(ascii_upper(c)));
  if (node.unicode && lower == 's')
    out_ += "(?:" + both + R"(|\xc5\xbf))";
  else if (node.unicode && lower == 'k')
    out_ += "(?:" + both + R"(|\xe2\x84\xaa))";
  else
    out_ += both;
}

void Renderer::set(const CharSet& set, bool repeated_without_end) {
  std::bitset<256> bytes = set.bytes;
  if (bytes.none() && !set.beyond_ascii) {  // matches nothing; PCRE2 will say so
    out_ += R"(\x00)";
    trust_at_most(Trust::nowhere);
    return;
  }
  if (!set.beyond_ascii) {
    out_ += bytes_to_class(bytes);
    return;
  }
  trust_at_most(Trust::ascii);
  if (repeated_without_end) {
    for (size_t c = 0x80; c < 256; ++c) bytes.set(c);
    out_ += bytes_to_class(bytes);
  } else if (bytes.none()) {
    out_ += fmt::format("(?:{})", kBeyond);
  } else {
    out_ += fmt::format("(?:{}|{})", bytes_to_class(bytes), kBeyond);
  }
}

void Renderer::no_word(bool outermost) {
  if (!outermost) return trust_at_most(Trust::nowhere);
  trust_at_most(Trust::ascii);
  std::bitset<256> bytes;
  for (size_t c = 0; c < 256; ++c) bytes[c] = !is_ascii_word(static_cast<char32_t>(c));
  if (lines_) bytes.reset('\n');
  out_ += bytes_to_class(bytes);
}

void Renderer::sequence(const std::vector<Node>& children, bool first, bool last) {
  for (size_t i = 0; i < children.size(); ++i) {
    const Node& child = children[i];
    const bool is_first = first && i == 0;
    const bool is_last = last && i + 1 == children.size();
    const bool word_follows = i + 1 < children.size() && begins_with_word(children[i + 1]);
    const bool word_before = i > 0 && ends_with_word(children[i - 1]);
    const bool boundary = child.kind == Kind::word_boundary;
    if (is_first && word_follows && (boundary || child.kind == Kind::word_start))
      node({.kind = Kind::word_start_half}, true, false);
    else if (is_last && word_before && (boundary || child.kind == Kind::word_end))
      node({.kind = Kind::word_end_half}, false, true);
    else
      node(child, is_first, is_last);
  }
}

void Renderer::repeat(const Node& repeat) {
  const Node& child = repeat.children.front();
  out_ += "(?:";
  if (child.kind == Kind::set)
    set(*child.set, repeat.most == kUnbounded);
  else
    node(child, false, false);
  out_ += ")";
  if (repeat.most == kUnbounded)
    out_ += repeat.least == 0   ? "*"
            : repeat.least == 1 ? "+"
                                : fmt::format("{{{},}}", repeat.least);
  else
    out_ += repeat.least == 0 && repeat.most == 1
                ? "?"
                : fmt::format("{{{},{}}}", repeat.least, repeat.most);
}

void Renderer::node(const Node& node, bool first, bool last) {
  switch (node.kind) {
    case Kind::empty:
      break;
    case Kind::literal:
      literal(node);
      break;
    case Kind::set:
      set(*node.set, false);
      break;
    case Kind::line_start:
      out_ += "^";
      break;
    case Kind::line_end:
      out_ += "$";
      break;
    case Kind::text_start:
    case Kind::text_end:
      // A line is all the text there is, unless newlines are matched.
      if (lines_)
        out_ += node.kind == Kind::text_start ? "^" : "$";
      else
        trust_at_most(Trust::nowhere);
      break;
    case Kind::word_start_half:
      out_ += first ? "(?:^|" : "";
      no_word(first);
      out_ += first ? ")" : "";
      break;
    case Kind::word_end_half:
      out_ += last ? "(?:$|" : "";
      no_word(last);
      out_ += last ? ")" : "";
      break;
    case Kind::word_boundary:
    case Kind::not_word_boundary:
    case Kind::word_start:
    case Kind::word_end:
    case Kind::look:
      trust_at_most(Trust::nowhere);
      break;
    case Kind::concat:
      sequence(node.children, first, last);
      break;
    case Kind::alternate:
      out_ += "(?:";
      for (const Node& child : node.children) {
        if (&child != &node.children.front()) out_ += "|";
        this->node(child, first, last);
      }
      out_ += ")";
      break;
    case Kind::repeat:
      repeat(node);
      break;
    case Kind::atomic:
      trust_at_most(Trust::nowhere);
      [[fallthrough]];
    case Kind::group:
      out_ += "(?:";
      this->node(node.children.front(), first, last);
      out_ += ")";
      break;
    case Kind::back_reference:
      trust_at_most(Trust::nowhere);
      out_ += lines_ ? R"([^\n]*)" : R"([\x00-\xff]*)";
      break;
  }
}

}  // namespace

BytePattern to_hyperscan(const Regex& regex) {
  Renderer renderer(regex);
  renderer.node(regex.root, true, true);
  BytePattern out = std::move(renderer).finish();
  // There is no exact engine for bytes beside characters: there the approximation is the answer.
  if (regex.byte_mode && out.trust == Trust::ascii) out.trust = Trust::everywhere;
  return out;
}

}  // namespace helve::search
