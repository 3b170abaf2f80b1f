#include "knowledge/encoder.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace helve::knowledge {
namespace {

constexpr float kNormEpsilon = 1e-6f;  // as the encoder was taught with
constexpr float kLengthEpsilon = 1e-12f;

// Rows of numbers that belong to somebody.
class Block {
 public:
  Block(size_t count, size_t width) : numbers_(count * width), width_(width), count_(count) {}
  Rows rows() { return {numbers_.data(), width_, count_}; }
  // Some rows, from one column on.
  Rows part(size_t first, size_t count, size_t column = 0) {
    return {numbers_.data() + first * width_ + column, width_, count};
  }
  size_t width() const { return width_; }

 private:
  std::vector<float> numbers_;
  size_t width_, count_;
};

// The sum by eight lanes, which the compiler can add at once.
template <class Of>
float sum(size_t count, Of of) {
  float lanes[8] = {};
  for (size_t i = 0; i < count; i += 8) {
    for (size_t lane = 0; lane < 8; ++lane) lanes[lane] += of(i + lane);
  }
  return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) +
         ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
}

void normalize(const Rows& in, std::span<const float> scale, std::span<const float> bias,
               const Rows& out) {
  const size_t width = scale.size();
  for (size_t r = 0; r < in.count; ++r) {
    const float* const from = in.row(r);
    float* const to = out.row(r);
    const float mean = sum(width, [&](size_t i) { return from[i]; }) / static_cast<float>(width);
    const float variance =
        sum(width, [&](size_t i) { return (from[i] - mean) * (from[i] - mean); }) /
        static_cast<float>(width);
    const float factor = 1 / std::sqrt(variance + kNormEpsilon);
    for (size_t i = 0; i < width; ++i) to[i] = (from[i] - mean) * factor * scale[i] + bias[i];
  }
}

void add(const Rows& what, size_t width, const Rows& to) {
  for (size_t r = 0; r < to.count; ++r) {
    for (size_t i = 0; i < width; ++i) to.row(r)[i] += what.row(r)[i];
  }
}

// The scores of one piece against all become shares that add up to 1.
void soften(float* scores, size_t count) {
  const float largest = *std::max_element(scores, scores + count);
  float sum = 0;
  for (size_t i = 0; i < count; ++i) sum += scores[i] = std::exp(scores[i] - largest);
  for (size_t i = 0; i < count; ++i) scores[i] /= sum;
}

static_assert(kMaxPieces % kPanelColumns == 0);

// Attention of the pieces of one text to each other, for one head of this width.
class Attention {
 public:
  Attention(const Kernels& kernels, size_t head_width)
      : kernels_(kernels),
        width_(head_width),
        panel_(std::max(head_width, kMaxPieces) * kPanelColumns),
        scores_(kMaxPieces, kMaxPieces) {
    scale_.fill(1 / std::sqrt(static_cast<float>(head_width)));
    ones_.fill(1);
  }

  void attend(const Rows& questions, const Rows& keys, const Rows& values, const Rows& out) {
    const size_t count = questions.count;
    const Rows scores = scores_.part(0, count);
    for (size_t first = 0; first < count; first += kPanelColumns) {
      // The keys stand in columns; behind the last one there is nothing.
      const size_t columns = std::min(kPanelColumns, count - first);
      std::ranges::fill(panel_, 0.0f);
      for (size_t c = 0; c < columns; ++c) {
        for (size_t k = 0; k < width_; ++k) panel_[k * kPanelColumns + c] = keys.row(first + c)[k];
      }
      kernels_.multiply(questions, width_, panel_.data(), scale_.data(), zeros_.data(),
                        {scores.data + first, scores.stride, count});
    }
    for (size_t r = 0; r < count; ++r) soften(scores.row(r), count);
    for (size_t column = 0; column < width_; column += kPanelColumns) {
      for (size_t k = 0; k < count; ++k)
        std::copy_n(values.row(k) + column, kPanelColumns, &panel_[k * kPanelColumns]);
      kernels_.multiply(scores, count, panel_.data(), ones_.data(), zeros_.data(),
                        {out.data + column, out.stride, count});
    }
  }

 private:
  const Kernels& kernels_;
  const size_t width_;
  std::vector<float> panel_;
  std::array<float, kPanelColumns> scale_, ones_, zeros_ = {};
  Block scores_;
};

class Encoding {
 public:
  Encoding(const EncoderFile& file, const Kernels& kernels,
           std::span<const std::span<const Piece>> texts)
      : file_(file), kernels_(kernels), texts_(texts) {
    for (const auto& text : texts) count_ += text.size();
  }

  std::vector<Vector> run() {
    const EncoderShape& shape = file_.shape();
    Block first(count_, shape.first_width), state(count_, shape.width);
    look_up(first);
    multiply(kernels_, first.rows(), file_.matrix(index_of(Part::residual)), state.rows());
    for (size_t i = 0; i < kLayers; ++i) {
      attend(i, i == 0 ? first : state, state);
      feed_forward(i, state);
    }
    return finish(state);
  }

 private:
  // A piece's embedding counts twice, as the encoder was taught; its place is waves of all lengths.
  void look_up(Block& out) const {
    const auto frequencies = file_.numbers(index_of(Part::frequencies));
    const auto scales = file_.embedding_scales();
    size_t row = 0;
    for (const auto& text : texts_) {
      for (size_t place = 0; place < text.size(); ++place, ++row) {
        float* const to = out.rows().row(row);
        kernels_.widen(file_.embedding(text[place]).data(), out.width(), to);
        for (size_t i = 0; i < out.width(); ++i) to[i] *= 2 * scales[i];
        for (size_t i = 0; i < frequencies.size(); ++i) {
          const float angle = static_cast<float>(place) * frequencies[i];
          to[i] += std::sin(angle);
          to[frequencies.size() + i] += std::cos(angle);
        }
      }
    }
  }

  void attend(size_t layer, Block& in, Block& state) const {
    const size_t width = in.width(), heads = file_.shape().heads, head = width / heads;
    Block normal(count_, width), all(count_, 3 * width), mixed(count_, state.width());
    normalize(in.rows(), numbers(layer, LayerPart::norm_scale),
              numbers(layer, LayerPart::norm_bias), normal.rows());
    multiply(kernels_, normal.rows(), matrix(layer, LayerPart::attention), all.rows());
    Attention attention(kernels_, head);
    size_t row = 0;
    for (const auto& text : texts_) {
      const size_t count = text.size();
      for (size_t at = 0; at < width; at += head)
        attention.attend(all.part(row, count, at), all.part(row, count, width + at),
                         all.part(row, count, 2 * width + at), normal.part(row, count, at));
      row += count;
    }
    multiply(kernels_, normal.rows(), matrix(layer, LayerPart::mixed), mixed.rows());
    add(mixed.rows(), state.width(), state.rows());
  }

  void feed_forward(size_t layer, Block& state) const {
    const size_t width = state.width(), inner_width = file_.shape().inner_width;
    Block normal(count_, width), inner(count_, inner_width);
    normalize(state.rows(), numbers(layer, LayerPart::inner_norm_scale),
              numbers(layer, LayerPart::inner_norm_bias), normal.rows());
    multiply(kernels_, normal.rows(), matrix(layer, LayerPart::inner), inner.rows());
    for (size_t r = 0; r < count_; ++r) {
      float* const row = inner.rows().row(r);
      for (size_t i = 0; i < inner_width; ++i) row[i] = std::max(row[i], 0.0f);
    }
    multiply(kernels_, inner.rows(), matrix(layer, LayerPart::outer), normal.rows());
    add(normal.rows(), width, state.rows());
  }

  std::vector<Vector> finish(Block& state) const {
    const size_t width = state.width();
    Block means(texts_.size(), width), ends(texts_.size(), width);
    size_t row = 0;
    for (size_t t = 0; t < texts_.size(); ++t) {
      float* const mean = means.rows().row(t);
      for (size_t end = row + texts_[t].size(); row < end; ++row) {
        for (size_t i = 0; i < width; ++i) mean[i] += state.rows().row(row)[i];
      }
      for (size_t i = 0; i < width; ++i) mean[i] /= static_cast<float>(texts_[t].size());
    }
    multiply(kernels_, means.rows(), file_.matrix(index_of(Part::final)), ends.rows());
    std::vector<Vector> vectors;
    for (size_t t = 0; t < texts_.size(); ++t) {
      const float* const end = ends.rows().row(t);
      Vector vector(width);
      std::transform(end, end + width, vector.begin(), [](float x) { return std::tanh(x); });
      const float squares = sum(width, [&](size_t i) { return vector[i] * vector[i]; });
      const float factor = 1 / std::sqrt(std::max(squares, kLengthEpsilon));
      for (float& each : vector) each *= factor;
      vectors.push_back(std::move(vector));
    }
    return vectors;
  }

  std::span<const float> numbers(size_t layer, LayerPart part) const {
    return file_.numbers(index_of(layer, part));
  }
  Matrix matrix(size_t layer, LayerPart part) const { return file_.matrix(index_of(layer, part)); }

  const EncoderFile& file_;
  const Kernels& kernels_;
  const std::span<const std::span<const Piece>> texts_;
  size_t count_ = 0;  // of all pieces
};

}  // namespace

std::vector<Vector> encode(const EncoderFile& file, std::span<const std::span<const Piece>> texts,
                           const Kernels& kernels) {
  return Encoding(file, kernels, texts).run();
}

}  // namespace helve::knowledge
