#include "knowledge/pieces.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <memory>

#include "base/text.h"

namespace helve::knowledge {
namespace {

constexpr std::string_view kSpace = "\xe2\x96\x81";    // U+2581 stands for a space in pieces
constexpr std::string_view kUnknown = "\xef\xbf\xbd";  // U+FFFD, which no piece has

std::string valid_utf8(std::string_view text) {
  std::string valid;
  while (!text.empty()) {
    const size_t good = valid_utf8_prefix(text);
    valid += text.substr(0, good);
    if (good == text.size()) break;
    valid += kUnknown;
    text.remove_prefix(good + 1);
  }
  return valid;
}

std::string nfkc(const std::string& text) {
  utf8proc_uint8_t* mapped = nullptr;
  const auto size = utf8proc_map(
      reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
      static_cast<utf8proc_ssize_t>(text.size()), &mapped,
      static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT));
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(mapped, &std::free);
  if (size < 0) return text;
  return {reinterpret_cast<const char*>(mapped), static_cast<size_t>(size)};
}

std::string fold_white_space(std::string_view text) {
  std::string folded;
  bool is_waiting = false;  // a space, for a character that follows
  for (const char c : text) {
    if (c == ' ' || (c >= '\t' && c <= '\r')) {
      is_waiting = !folded.empty();
      continue;
    }
    if (is_waiting) folded += ' ';
    is_waiting = false;
    folded += c;
  }
  return folded;
}

// Adds the children of a node, which are those of `pieces`: they begin alike up to `depth`, and
// are sorted.
void add_children(std::vector<PieceNode>& tree, size_t node, std::span<const PieceText> pieces,
                  size_t depth) {
  while (!pieces.empty() && pieces.front().text.size() == depth) {
    tree[node].piece = pieces.front().piece;
    pieces = pieces.subspan(1);
  }
  std::vector<std::span<const PieceText>> groups;
  for (auto rest = pieces; !rest.empty();) {
    const char byte = rest.front().text[depth];
    const auto end =
        std::ranges::find_if(rest, [&](const PieceText& each) { return each.text[depth] != byte; });
    groups.push_back(rest.first(static_cast<size_t>(end - rest.begin())));
    rest = rest.subspan(groups.back().size());
  }
  const size_t first = tree.size();
  tree[node].first_child = static_cast<std::uint32_t>(first);
  tree[node].children = static_cast<std::uint8_t>(groups.size());
  for (const auto& group : groups)
    tree.push_back({.byte = static_cast<std::uint8_t>(group.front().text[depth])});
  for (size_t i = 0; i < groups.size(); ++i) add_children(tree, first + i, groups[i], depth + 1);
}

const PieceNode* child(const Vocabulary& vocabulary, const PieceNode& node, char c) {
  if (std::uint64_t{node.first_child} + node.children > vocabulary.tree.size()) return nullptr;
  const auto children = vocabulary.tree.subspan(node.first_child, node.children);
  const auto found =
      std::ranges::lower_bound(children, static_cast<std::uint8_t>(c), {}, &PieceNode::byte);
  return found != children.end() && found->byte == static_cast<std::uint8_t>(c) ? &*found : nullptr;
}

}  // namespace

std::vector<PieceNode> make_piece_tree(std::vector<PieceText> pieces) {
  std::ranges::stable_sort(pieces, {}, &PieceText::text);
  std::vector<PieceNode> tree(1);
  add_children(tree, 0, pieces, 0);
  return tree;
}

std::string normalized(std::string_view text) {
  if (is_ascii(text)) return fold_white_space(text);
  return fold_white_space(nfkc(valid_utf8(text)));
}

std::vector<Piece> cut_into_pieces(const Vocabulary& vocabulary, std::string_view text) {
  if (text.empty() || vocabulary.tree.empty()) return {};
  std::string marked(kSpace);
  for (const char c : text) {
    if (c == ' ')
      marked += kSpace;
    else
      marked += c;
  }
  // The best way to each place: its score, where its last piece begins, and that piece.
  struct Way {
    double score = -std::numeric_limits<double>::infinity();
    size_t from = 0;
    Piece piece = kUnknownPiece;
  };
  std::vector<Way> ways(marked.size() + 1);
  ways[0].score = 0;
  const auto offer = [&](size_t from, size_t to, double score, Piece piece) {
    score += ways[from].score;
    if (score >= ways[to].score) ways[to] = {score, from, piece};
  };
  for (size_t from = 0, next = 0; from < marked.size(); from = next) {
    next = from + std::max(char_length(std::string_view(marked).substr(from)), size_t{1});
    bool is_known = false;
    const PieceNode* node = &vocabulary.tree[0];
    for (size_t to = from; to < marked.size();) {
      node = child(vocabulary, *node, marked[to]);
      ++to;
      if (!node) break;
      if (node->piece == kUnknownPiece || node->piece >= vocabulary.scores.size()) continue;
      offer(from, to, vocabulary.scores[node->piece], node->piece);
      is_known = true;
    }
    if (!is_known) offer(from, next, 0, kUnknownPiece);
  }
  std::vector<Piece> pieces;
  for (size_t at = marked.size(); at > 0; at = ways[at].from) {
    const bool is_repeated =
        ways[at].piece == kUnknownPiece && !pieces.empty() && pieces.back() == kUnknownPiece;
    if (!is_repeated) pieces.push_back(ways[at].piece);
  }
  std::ranges::reverse(pieces);
  return pieces;
}

}  // namespace helve::knowledge
