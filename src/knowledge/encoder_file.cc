#include "knowledge/encoder_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/quick_hash.h"
#include "base/text.h"
#include "knowledge/file_copy.h"

namespace helve::knowledge {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::string_view kMagic = "helveuse";
constexpr size_t kAlignment = 64;
constexpr std::uint32_t kMaxSize = 1u << 20;  // of anything that a shape counts

struct Header {
  std::array<char, 8> magic = {};
  std::uint32_t version = 0;
  EncoderShape shape;
  std::uint64_t size = 0;     // of the file
  std::uint64_t content = 0;  // hash of all after the header
  std::uint64_t check = 0;    // hash of all before
};
static_assert(sizeof(Header) == kAlignment);

std::uint64_t check_of(const Header& header) {
  return quick_hash({reinterpret_cast<const char*>(&header), offsetof(Header, check)});
}

Error refused(std::string_view path, std::string_view why) {
  return {Code::unavailable,
          fmt::format("the embedder's file '{}' cannot be used: {}", escape_for_display(path), why),
          "make it anew: helve embedder install --force", "bad_embedder_file"};
}

bool is_sound(const EncoderShape& shape) {
  for (const std::uint32_t each : {shape.first_width, shape.width, shape.inner_width}) {
    if (each == 0 || each % kPanelColumns != 0 || each > kMaxSize) return false;
  }
  // Each head has as much of the width, in whole panels.
  return shape.heads > 0 && shape.first_width % (shape.heads * kPanelColumns) == 0 &&
         shape.width % (shape.heads * kPanelColumns) == 0 && shape.tokens > 0 &&
         shape.tokens <= kMaxSize && shape.pieces <= shape.tokens && shape.tree_nodes > 0 &&
         shape.tree_nodes <= kMaxSize;
}

size_t plan_size(const EncoderPlan& plan) {
  return std::ranges::max(plan, {}, &PartPlan::offset).offset +
         std::ranges::max(plan, {}, &PartPlan::offset).bytes();
}

}  // namespace

size_t PartPlan::bytes() const {
  const size_t count = rows * columns;
  switch (kind) {
    case PartKind::tree:
      return count * sizeof(PieceNode);
    case PartKind::score:
      return count * sizeof(double);
    case PartKind::number:
      return count * sizeof(float);
    case PartKind::table:
    case PartKind::panels:
      return columns * sizeof(float) + count * sizeof(std::int16_t);
  }
  return 0;
}

EncoderPlan plan_of(const EncoderShape& shape) {
  using enum PartKind;
  EncoderPlan plan;
  const std::string encoder = "module/Encoder_en/";
  const std::string applied = "module_apply_default/Encoder_en/KonaTransformer/Encode/";
  const std::string concat = "/ConcatPartitions/concat";
  const size_t first = shape.first_width, width = shape.width, inner_width = shape.inner_width;

  plan[index_of(Part::tree)] = {tree, 1, shape.tree_nodes};
  plan[index_of(Part::scores)] = {score, 1, shape.pieces};
  plan[index_of(Part::embeddings)] = {table, shape.tokens, first, "module/Embeddings_en"};
  plan[index_of(Part::frequencies)] = {
      number, 1, first / 2,
      applied + "TransformerStack/Layer_0/AddTimingSignal/TimingSignal/ExpandDims_1"};
  const std::string dense = applied + "Layer_0/TransformerLayer/dense/";
  plan[index_of(Part::residual)] = {panels, first, width, dense + "kernel" + concat};
  plan[index_of(Part::residual_bias)] = {number, 1, width, dense + "bias" + concat};
  const std::string last = encoder + "hidden_layers/tanh_layer_0/";
  plan[index_of(Part::final)] = {panels, width, width, last + "weights"};
  plan[index_of(Part::final_bias)] = {number, 1, width, last + "bias"};

  for (size_t i = 0; i < kLayers; ++i) {
    using enum LayerPart;
    const size_t in = i == 0 ? first : width;
    const std::string layer = fmt::format("{}Layer_{}/TransformerLayer/", applied, i);
    const std::string stack =
        fmt::format("{}TransformerStack/Layer_{}/TransformerLayer/FFN/", applied, i);
    const std::string kernels = fmt::format(
        "{}KonaTransformer/Encode/Layer_{}/TransformerLayer/MultiheadAttention/", encoder, i);
    const std::string norm = "layer_prepostprocess/layer_norm/layer_norm_";
    const std::string attended = layer + "MultiheadAttention/";
    const auto set = [&](LayerPart part, PartKind kind, size_t rows, size_t columns,
                         std::string name) {
      plan[index_of(i, part)] = {kind, rows, columns, std::move(name)};
    };
    set(norm_scale, number, 1, in, layer + norm + "scale" + concat);
    set(norm_bias, number, 1, in, layer + norm + "bias" + concat);
    set(attention, panels, in, 3 * in, kernels + "qkv_transform_single/kernel/part_0");
    set(attention_bias, number, 1, 3 * in, attended + "qkv_transform_single/bias" + concat);
    set(mixed, panels, in, width, kernels + "output_transform_single/kernel/part_0");
    set(mixed_bias, number, 1, width, attended + "output_transform_single/bias" + concat);
    set(inner_norm_scale, number, 1, width, layer + "FFN/" + norm + "scale" + concat);
    set(inner_norm_bias, number, 1, width, layer + "FFN/" + norm + "bias" + concat);
    set(inner, panels, width, inner_width, stack + "conv1/Tensordot/Reshape_1");
    set(inner_bias, number, 1, inner_width, layer + "FFN/conv1/bias" + concat);
    set(outer, panels, inner_width, width, stack + "conv2/Tensordot/Reshape_1");
    set(outer_bias, number, 1, width, layer + "FFN/conv2/bias" + concat);
  }
  size_t offset = sizeof(Header);
  for (PartPlan& part : plan) {
    part.offset = offset;
    offset += (part.bytes() + kAlignment - 1) / kAlignment * kAlignment;
  }
  return plan;
}

Result<EncoderFile> EncoderFile::open(const std::string& path) {
  const size_t slash = path.rfind('/');
  const auto directory = sys::open_directory(slash == path.npos ? "." : path.substr(0, slash + 1));
  if (!directory) return sys::to_error(directory.error(), "open the embedder's file", path);
  const auto file = sys::open_beneath(*directory, path.substr(slash + 1), sys::Open::read);
  if (!file) return sys::to_error(file.error(), "open the embedder's file", path);
  const auto status = sys::status(*file);
  if (!status || status->kind != sys::FileKind::file) return refused(path, "it is no file");
  auto copy = copy_of(*file);
  if (!copy) return sys::to_error(copy.error(), "read the embedder's file", path);
  const std::string_view bytes = *copy;
  Header header;
  if (bytes.size() < sizeof header) return refused(path, "it has no header");
  std::memcpy(&header, bytes.data(), sizeof header);
  if (std::string_view(header.magic.data(), header.magic.size()) != kMagic)
    return refused(path, "it is something else");
  if (header.version != kVersion) return refused(path, "it is of another version");
  if (header.check != check_of(header) || !is_sound(header.shape))
    return refused(path, "its header changed");
  EncoderFile made(path, std::move(*copy), header.shape);
  if (header.size != made.file_.size() || header.size != plan_size(made.plan_))
    return refused(path, "it is cut off");
  return made;
}

Result<void> EncoderFile::verify() const {
  const std::string_view bytes = file_;
  const auto* const header = reinterpret_cast<const Header*>(bytes.data());
  if (quick_hash(bytes.substr(sizeof(Header))) != header->content)
    return refused(path_, "its content changed");
  return {};
}

Vocabulary EncoderFile::vocabulary() const {
  return {view<PieceNode>(index_of(Part::tree)), view<double>(index_of(Part::scores))};
}

std::span<const std::int16_t> EncoderFile::embedding(Piece piece) const {
  return weights(index_of(Part::embeddings))
      .subspan(size_t{piece} * shape_.first_width, shape_.first_width);
}

std::span<const float> EncoderFile::embedding_scales() const {
  return scales(index_of(Part::embeddings));
}

Matrix EncoderFile::matrix(size_t part) const {
  return {weights(part), scales(part), numbers(part + 1), plan_[part].rows};
}

Result<std::string> encoder_file_content(const EncoderShape& shape,
                                         std::span<const std::string> parts) {
  const EncoderPlan plan = plan_of(shape);
  if (!is_sound(shape) || parts.size() != plan.size())
    return Error{Code::internal, "these are not the parts of an encoder"};
  std::string content(sizeof(Header), 0);
  for (size_t i = 0; i < plan.size(); ++i) {
    if (parts[i].size() != plan[i].bytes())
      return Error{Code::internal, "a part of the encoder has the wrong size: " + plan[i].name};
    content.resize(plan[i].offset);
    content += parts[i];
  }
  Header header{.version = EncoderFile::kVersion, .shape = shape, .size = content.size()};
  std::ranges::copy(kMagic, header.magic.begin());
  header.content = quick_hash(std::string_view(content).substr(sizeof header));
  header.check = check_of(header);
  std::memcpy(content.data(), &header, sizeof header);
  return content;
}

}  // namespace helve::knowledge
