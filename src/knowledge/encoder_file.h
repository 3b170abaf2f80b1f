// EncoderFile: the weights and the vocabulary of the sentence encoder as they lie on disk.
// Written once by `helve embedder install`, and never changed.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "knowledge/panel.h"
#include "knowledge/pieces.h"

namespace helve::knowledge {

// How large the parts of an encoder are. All widths are multiples of 16.
struct EncoderShape {
  std::uint32_t tokens = 0;       // rows of the table of embeddings
  std::uint32_t pieces = 0;       // of the vocabulary
  std::uint32_t first_width = 0;  // of an embedding, and of the first layer's input
  std::uint32_t width = 0;        // of what goes from layer to layer, and of the result
  std::uint32_t inner_width = 0;  // of a feed-forward layer
  std::uint32_t heads = 0;        // of attention
  std::uint32_t tree_nodes = 0;   // of the vocabulary's tree

  bool operator==(const EncoderShape&) const = default;
};

constexpr size_t kLayers = 2;

// What the file holds, in this order. Layers have all of theirs one after the other.
enum class Part : unsigned char {
  tree,
  scores,
  embeddings,
  frequencies,
  residual,  // the first layer's input is not as wide as its output
  residual_bias,
  final,
  final_bias,
};
enum class LayerPart : unsigned char {
  norm_scale,
  norm_bias,
  attention,  // to questions, keys and values, side by side
  attention_bias,
  mixed,
  mixed_bias,
  inner_norm_scale,
  inner_norm_bias,
  inner,
  inner_bias,
  outer,
  outer_bias,
};
constexpr size_t kParts = 8, kLayerParts = 12;

// Tables and panels begin with the scales of their columns.
enum class PartKind : unsigned char { tree, score, number, table, panels };

// A part of the file. `name` is what the package that the weights come from calls it; empty: it is
// made from the vocabulary.
struct PartPlan {
  PartKind kind = PartKind::number;
  size_t rows = 1;
  size_t columns = 0;
  std::string name = {};
  size_t offset = 0;
  size_t bytes() const;
};
// Parts, then those of each layer.
using EncoderPlan = std::array<PartPlan, kParts + kLayers * kLayerParts>;
EncoderPlan plan_of(const EncoderShape& shape);
inline size_t index_of(Part part) { return static_cast<size_t>(part); }
inline size_t index_of(size_t layer, LayerPart part) {
  return kParts + layer * kLayerParts + static_cast<size_t>(part);
}

class EncoderFile {
 public:
  static constexpr std::uint32_t kVersion = 1;

  // The file is refused, with the reason, when it is not whole or of another version. That its
  // content is what was written is checked only by verify(), since that reads all of it.
  static Result<EncoderFile> open(const std::string& path);
  Result<void> verify() const;

  const EncoderShape& shape() const { return shape_; }
  Vocabulary vocabulary() const;
  // Of a piece below shape().tokens: its weights, and the scales of all.
  std::span<const std::int16_t> embedding(Piece piece) const;
  std::span<const float> embedding_scales() const;
  std::span<const float> numbers(size_t part) const { return view<float>(part); }
  // The part and the bias behind it.
  Matrix matrix(size_t part) const;

 private:
  EncoderFile(std::string path, std::string file, const EncoderShape& shape)
      : path_(std::move(path)), file_(std::move(file)), shape_(shape), plan_(plan_of(shape)) {}
  template <class T>
  std::span<const T> view(size_t part) const {
    return {reinterpret_cast<const T*>(file_.data() + plan_[part].offset),
            plan_[part].bytes() / sizeof(T)};
  }
  std::span<const float> scales(size_t part) const {
    return view<float>(part).first(plan_[part].columns);
  }
  std::span<const std::int16_t> weights(size_t part) const {
    return view<std::int16_t>(part).last(plan_[part].rows * plan_[part].columns);
  }

  std::string path_;
  std::string file_;
  EncoderShape shape_;
  EncoderPlan plan_;
};

// The whole file; `parts` are as the plan of the shape has them.
Result<std::string> encoder_file_content(const EncoderShape& shape,
                                         std::span<const std::string> parts);

}  // namespace helve::knowledge
