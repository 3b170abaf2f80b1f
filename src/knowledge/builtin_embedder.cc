#include "knowledge/builtin_embedder.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "knowledge/encoder.h"

namespace helve::knowledge {
namespace {

// Pieces that are worked on together. What they need of memory is some megabytes.
constexpr size_t kBatchPieces = 2 * kMaxPieces;

// Some pieces of a text that the encoder sees at once.
struct Window {
  size_t text = 0;
  std::span<const Piece> pieces;
};

// As few as can be, and as long as each other.
void add_windows(size_t text, std::span<const Piece> pieces, std::vector<Window>& windows) {
  pieces = pieces.first(std::min(pieces.size(), kMaxWindows * kMaxPieces));
  const size_t count = (pieces.size() + kMaxPieces - 1) / kMaxPieces;
  for (size_t i = 0; i < count; ++i) {
    const size_t first = pieces.size() * i / count, end = pieces.size() * (i + 1) / count;
    windows.push_back({text, pieces.subspan(first, end - first)});
  }
}

class BuiltinEmbedder final : public Embedder {
 public:
  explicit BuiltinEmbedder(EncoderFile file) : file_(std::move(file)) {}

  std::string_view id() const override { return kBuiltinEmbedder; }

  Result<std::vector<Vector>> embed(std::span<const std::string_view> texts,
                                    std::stop_token stop) override {
    std::vector<Vector> vectors(texts.size(), Vector(file_.shape().width));
    std::vector<std::vector<Piece>> pieces(texts.size());
    std::vector<Window> windows;
    for (size_t i = 0; i < texts.size(); ++i) {
      if (stop.stop_requested()) return stopped();
      pieces[i] =
          cut_into_pieces(file_.vocabulary(), normalized(cut_utf8(texts[i], kMaxEmbeddedBytes)));
      add_windows(i, pieces[i], windows);
    }
    for (std::span<const Window> rest = windows; !rest.empty();) {
      if (stop.stop_requested()) return stopped();
      const std::span<const Window> batch = next_batch(rest);
      rest = rest.subspan(batch.size());
      encode_batch(batch, vectors);
    }
    for (Vector& vector : vectors) {
      if (!to_unit_length(vector))
        return Error{Code::internal, "the embedder's weights give no numbers",
                     "make its file anew: helve embedder install --force", "bad_embedder_file"};
    }
    return vectors;
  }

 private:
  static Error stopped() { return {Code::cancelled, "stopped while texts were embedded"}; }

  static std::span<const Window> next_batch(std::span<const Window> windows) {
    size_t count = 0, pieces = 0;
    while (count < windows.size() &&
           (count == 0 || pieces + windows[count].pieces.size() <= kBatchPieces))
      pieces += windows[count++].pieces.size();
    return windows.first(count);
  }

  // Adds the windows' vectors to those of their texts.
  void encode_batch(std::span<const Window> batch, std::vector<Vector>& vectors) const {
    std::vector<std::span<const Piece>> pieces;
    for (const Window& window : batch) pieces.push_back(window.pieces);
    const std::vector<Vector> made = encode(file_, pieces);
    for (size_t i = 0; i < batch.size(); ++i) {
      Vector& sum = vectors[batch[i].text];
      std::ranges::transform(sum, made[i], sum.begin(), std::plus());
    }
  }

  const EncoderFile file_;
};

}  // namespace

Result<std::unique_ptr<Embedder>> open_builtin_embedder(const std::string& path) {
  return std::unique_ptr<Embedder>(std::make_unique<BuiltinEmbedder>(TRY(EncoderFile::open(path))));
}

}  // namespace helve::knowledge
