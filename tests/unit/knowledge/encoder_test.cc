#include "knowledge/encoder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "knowledge/builtin_embedder.h"
#include "sys/file.h"
#include "unit/knowledge/tiny_encoder.h"
#include "unit/workspace/temp_tree.h"

namespace helve::knowledge {
namespace {

using Table = std::vector<std::vector<double>>;

// The encoder once more, as plainly as can be.
class PlainEncoder {
 public:
  std::vector<double> encode(std::span<const Piece> text) const {
    const Table embeddings = table(index_of(Part::embeddings));
    const std::vector<double> frequencies = table(index_of(Part::frequencies))[0];
    Table input;
    for (size_t place = 0; place < text.size(); ++place) {
      std::vector<double> row = embeddings[text[place]];
      for (size_t i = 0; i < row.size(); ++i) {
        const size_t half = frequencies.size();
        const double angle = static_cast<double>(place) * frequencies[i % half];
        row[i] = 2 * row[i] + (i < half ? std::sin(angle) : std::cos(angle));
      }
      input.push_back(row);
    }
    Table state = times(input, index_of(Part::residual));
    for (size_t layer = 0; layer < kLayers; ++layer) {
      add(attention(layer, layer == 0 ? input : state), state);
      Table inner = times(norm(state, index_of(layer, LayerPart::inner_norm_scale)),
                          index_of(layer, LayerPart::inner));
      for (auto& row : inner) {
        for (double& each : row) each = std::max(each, 0.0);
      }
      add(times(inner, index_of(layer, LayerPart::outer)), state);
    }
    Table mean(1, std::vector<double>(kTinyShape.width));
    for (const auto& row : state) {
      for (size_t i = 0; i < row.size(); ++i)
        mean[0][i] += row[i] / static_cast<double>(state.size());
    }
    std::vector<double> result = times(mean, index_of(Part::final))[0];
    double squares = 0;
    for (double& each : result) each = std::tanh(each), squares += each * each;
    for (double& each : result) each /= std::sqrt(squares);
    return result;
  }

 private:
  Table table(size_t part) const {
    const std::vector<float> numbers = tiny_numbers(plan_[part]);
    Table rows;
    for (size_t r = 0; r < plan_[part].rows; ++r)
      rows.emplace_back(
          numbers.begin() + static_cast<std::ptrdiff_t>(r * plan_[part].columns),
          numbers.begin() + static_cast<std::ptrdiff_t>((r + 1) * plan_[part].columns));
    return rows;
  }
  // By the part, with the bias behind it.
  Table times(const Table& a, size_t part) const {
    const Table weights = table(part);
    Table out(a.size(), table(part + 1)[0]);
    for (size_t r = 0; r < a.size(); ++r) {
      for (size_t k = 0; k < weights.size(); ++k) {
        for (size_t c = 0; c < out[r].size(); ++c) out[r][c] += a[r][k] * weights[k][c];
      }
    }
    return out;
  }
  Table norm(Table rows, size_t part) const {
    const std::vector<double> scale = table(part)[0], bias = table(part + 1)[0];
    for (auto& row : rows) {
      double mean = 0, variance = 0;
      const auto count = static_cast<double>(row.size());
      for (const double each : row) mean += each / count;
      for (const double each : row) variance += (each - mean) * (each - mean) / count;
      for (size_t i = 0; i < row.size(); ++i)
        row[i] = (row[i] - mean) / std::sqrt(variance + 1e-6) * scale[i] + bias[i];
    }
    return rows;
  }
  Table attention(size_t layer, const Table& input) const {
    const Table all = times(norm(input, index_of(layer, LayerPart::norm_scale)),
                            index_of(layer, LayerPart::attention));
    const size_t width = input[0].size(), head = width / kTinyShape.heads;
    Table out(input.size(), std::vector<double>(width));
    for (size_t at = 0; at < width; at += head) {
      for (size_t r = 0; r < input.size(); ++r) {
        std::vector<double> shares;
        double sum = 0;
        for (const auto& other : all) {
          double score = 0;
          for (size_t i = at; i < at + head; ++i) score += all[r][i] * other[width + i];
          shares.push_back(std::exp(score / std::sqrt(static_cast<double>(head))));
          sum += shares.back();
        }
        for (size_t k = 0; k < all.size(); ++k) {
          for (size_t i = at; i < at + head; ++i)
            out[r][i] += shares[k] / sum * all[k][2 * width + i];
        }
      }
    }
    return times(out, index_of(layer, LayerPart::mixed));
  }
  static void add(const Table& what, Table& to) {
    for (size_t r = 0; r < to.size(); ++r) {
      for (size_t i = 0; i < to[r].size(); ++i) to[r][i] += what[r][i];
    }
  }
  const EncoderPlan plan_ = plan_of(kTinyShape);
};

class EncoderTest : public ::testing::Test {
 protected:
  EncoderTest() { tree_.file("tiny.bin", content_); }

  Result<EncoderFile> open(std::string_view content) const {
    tree_.file("other.bin", content);
    return EncoderFile::open(tree_.path("other.bin"));
  }
  std::string why_refused(std::string_view content) const {
    const Result<EncoderFile> file = open(content);
    return file ? "" : file.error().message;
  }

  TempTree tree_;
  const std::string content_ = *convert(tiny_package(), kTinyShape);
};

TEST_F(EncoderTest, VectorsAreThoseOfThePlainEncoder) {
  const EncoderFile file = std::move(*EncoderFile::open(tree_.path("tiny.bin")));
  std::vector<std::vector<Piece>> texts = {{7}, {6, 7, 8, 9, 10}, {}};
  for (size_t i = 0; i < kMaxPieces; ++i) texts[2].push_back(static_cast<Piece>(i * i % 12));
  const std::vector<std::span<const Piece>> views(texts.begin(), texts.end());
  for (const Kernels* kernels : {&kPortableKernels, &best_kernels()}) {
    const std::vector<Vector> together = encode(file, views, *kernels);
    for (size_t t = 0; t < texts.size(); ++t) {
      const std::vector<double> plain = PlainEncoder().encode(texts[t]);
      const Vector alone = encode(file, std::span(views).subspan(t, 1), *kernels)[0];
      for (size_t i = 0; i < plain.size(); ++i) {
        ASSERT_NEAR(alone[i], plain[i], 2e-4) << t << " " << i;
        ASSERT_NEAR(alone[i], together[t][i], 1e-6) << "others beside it change nothing";
      }
    }
  }
}

TEST_F(EncoderTest, AFileCutShortIsRefused) {
  for (size_t size = 0; size < content_.size(); size += size < 100 ? 1 : 4999)
    ASSERT_NE(why_refused(content_.substr(0, size)), "") << size;
  EXPECT_NE(why_refused(content_.substr(0, content_.size() - 1)), "");
  EXPECT_NE(why_refused(content_ + "x").find("cut off"), std::string::npos);
  EXPECT_EQ(why_refused(content_), "");
}

TEST_F(EncoderTest, AFlippedHeaderIsRefused) {
  for (size_t at = 0; at < 64; ++at) {
    for (const int bit : {0, 3, 7}) {
      std::string flipped = content_;
      flipped[at] = static_cast<char>(flipped[at] ^ (1 << bit));
      ASSERT_NE(why_refused(flipped), "") << at;
    }
  }
  std::string newer = content_;
  newer[8] = 2;
  EXPECT_NE(why_refused(newer).find("another version"), std::string::npos);
  EXPECT_NE(why_refused(std::string(100, 'x')).find("something else"), std::string::npos);
}

TEST_F(EncoderTest, ADirectoryOrNothingIsRefused) {
  EXPECT_FALSE(EncoderFile::open(tree_.path()));
  const auto none = EncoderFile::open(tree_.path("none"));
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Code::not_found);
}

TEST_F(EncoderTest, ChangedContentIsFoundByLookingAtAllOfIt) {
  EXPECT_TRUE(open(content_)->verify());
  for (size_t at = 64; at < content_.size(); at += 1999) {
    std::string flipped = content_;
    flipped[at] = static_cast<char>(flipped[at] ^ 0x40);
    const Result<EncoderFile> file = open(flipped);
    ASSERT_TRUE(file);
    EXPECT_FALSE(file->verify()) << at;
  }
}

TEST_F(EncoderTest, WhateverTheContentIsItIsSafeToUse) {
  const std::string_view text = "ab é b";
  for (size_t at = 64; at < content_.size(); at += 1999) {
    std::string garbled = content_;
    for (size_t i = at; i < std::min(at + 64, garbled.size()); ++i)
      garbled[i] = static_cast<char>(0xff);
    tree_.file("garbled.bin", garbled);
    const auto embedder = open_builtin_embedder(tree_.path("garbled.bin"));
    ASSERT_TRUE(embedder);
    const auto made = (*embedder)->embed({&text, 1}, {});
    if (made) {
      for (const float each : (*made)[0]) ASSERT_TRUE(std::isfinite(each)) << at;
    } else {
      EXPECT_EQ(made.error().type, "bad_embedder_file");
    }
  }
}

TEST_F(EncoderTest, APackageOfAnotherShapeIsRefused) {
  const EncoderPackage good = tiny_package();
  EncoderShape wider = kTinyShape;
  wider.width = 128;
  EXPECT_FALSE(convert(good, wider));
  for (const char* vocabulary : {"", "{}", "[]", "[1]", R"([["a"]])", "[[\"a\",\"b\"]]"}) {
    EncoderPackage package = good;
    package.vocabulary = vocabulary;
    EXPECT_FALSE(convert(package, kTinyShape)) << vocabulary;
  }
  for (
      const char* model :
      {"", "[]", "{}", R"({"weightsManifest":[{}]})",
       R"({"weightsManifest":[{"weights":[{"name":"x","dtype":"float32","shape":[-1]}]}]})",
       R"({"weightsManifest":[{"weights":[{"name":"x","dtype":"float16","shape":[1]}]}]})",
       R"({"weightsManifest":[{"weights":[{"dtype":"float32","shape":[1048576,1048576,1048576,1048576]}]}]})"}) {
    EncoderPackage package = good;
    package.model = model;
    const Result<std::string> made = convert(package, kTinyShape);
    EXPECT_FALSE(made) << model;
  }
  EncoderPackage cut = good;
  cut.weights.pop_back();
  EXPECT_FALSE(convert(cut, kTinyShape));
}

TEST_F(EncoderTest, APackageWithOtherContentIsRefused) {
  tree_.file("dist/model.json", "{}");
  tree_.file("dist/vocab.json", "[]");
  for (int i = 1; i <= 7; ++i) tree_.file("dist/group1-shard" + std::to_string(i) + "of7", "x");
  const auto package = read_encoder_package(tree_.path());
  ASSERT_FALSE(package);
  EXPECT_EQ(package.error().type, "wrong_package");
  EXPECT_FALSE(read_encoder_package(tree_.path("none")));
}

class BuiltinEmbedderTest : public EncoderTest {
 protected:
  Vector embed(std::string_view text) {
    const auto made = embedder_->embed({&text, 1}, {});
    EXPECT_TRUE(made);
    return made ? (*made)[0] : Vector();
  }
  const std::unique_ptr<Embedder> embedder_ =
      std::move(*open_builtin_embedder(tree_.path("tiny.bin")));
};

TEST_F(BuiltinEmbedderTest, ManyTextsGiveWhatEachGivesAlone) {
  std::vector<std::string> texts;
  for (size_t i = 0; i < 60; ++i)
    texts.push_back(std::string(i, 'a') + " b" + std::string(i % 7, 'b'));
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  const auto made = embedder_->embed(views, {});
  ASSERT_TRUE(made);
  for (size_t i = 0; i < texts.size(); ++i) {
    const Vector alone = embed(texts[i]);
    for (size_t k = 0; k < alone.size(); ++k) ASSERT_NEAR((*made)[i][k], alone[k], 1e-6) << i;
  }
}

TEST_F(BuiltinEmbedderTest, GoesOnWhenItsFileIsCutShort) {
  const Vector before = embed("a b");
  std::filesystem::resize_file(tree_.path("tiny.bin"), 0);
  EXPECT_EQ(embed("a b"), before);
}

TEST_F(BuiltinEmbedderTest, ALongTextIsSeenToItsEnd) {
  std::string text;
  for (int i = 0; i < 200; ++i) text += "a ";
  const Vector without = embed(text), with = embed(text + "b b b b");
  EXPECT_NE(without, with);
  double squares = 0;
  for (const float each : with) squares += each * each;
  EXPECT_NEAR(squares, 1, 1e-5);
}

TEST_F(BuiltinEmbedderTest, TextWithoutWordsIsNearToNothing) {
  EXPECT_EQ(embed(""), Vector(64));
  EXPECT_EQ(embed(" \n"), Vector(64));
}

TEST_F(BuiltinEmbedderTest, AHugeTextIsBounded) {
  EXPECT_EQ(embed(std::string(kMaxEmbeddedBytes, 'a')), embed(std::string(1u << 22, 'a')));
}

TEST_F(BuiltinEmbedderTest, StopsBetweenTexts) {
  std::stop_source stop;
  stop.request_stop();
  const std::string_view text = "a";
  const auto made = embedder_->embed({&text, 1}, stop.get_token());
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, Code::cancelled);
}

}  // namespace
}  // namespace helve::knowledge
