// Pieces: cuts text into the pieces of a vocabulary, as SentencePiece does with a unigram model:
// of all ways to write the text, the one whose pieces are together the likeliest.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace helve::knowledge {

using Piece = std::uint16_t;
constexpr Piece kUnknownPiece = 0;  // for characters that no piece has; a row of them is one

// A vocabulary as it lies in the file: a tree of bytes. A node's children stand together, in the
// order of their bytes; the first node is the root.
struct PieceNode {
  std::uint32_t first_child = 0;
  Piece piece = kUnknownPiece;  // that ends here; unknown: none does
  std::uint8_t children = 0;
  std::uint8_t byte = 0;
};
struct PieceText {
  std::string text;
  Piece piece = 0;
};
// Of texts that are the same, the last counts. They are words, not texts: as deep as the longest is
// the recursion.
std::vector<PieceNode> make_piece_tree(std::vector<PieceText> pieces);

struct Vocabulary {
  std::span<const PieceNode> tree;
  std::span<const double> scores;  // of each piece: the logarithm of how likely it is
};

// What the encoder was taught on: NFKC, one space instead of any white space, none at the ends.
// What is no UTF-8 is a character that no piece has.
std::string normalized(std::string_view text);

// The pieces of a normalized text. Whatever the tree holds, nothing outside of it is read, and each
// piece has a score.
std::vector<Piece> cut_into_pieces(const Vocabulary& vocabulary, std::string_view text);

}  // namespace helve::knowledge
