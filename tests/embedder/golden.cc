// The builtin embedder with its real weights, against what the reference implementation says.
#include <fmt/format.h>

#include <cmath>

#include "base/json.h"
#include "knowledge/builtin_embedder.h"
#include "knowledge/encoder_file.h"
#include "sys/file.h"

namespace helve::knowledge {
namespace {

constexpr size_t kEvery = 8;  // of a vector's numbers, one is written down
constexpr double kTolerance = 1e-4;

// What differs for one text; empty: nothing.
Result<std::string> compare(const Json& expected, const EncoderFile& file, Embedder& embedder) {
  const std::string_view text = string_at(expected, "text");
  JsonArray pieces;
  for (const Piece piece : cut_into_pieces(file.vocabulary(), normalized(text)))
    pieces.emplace_back(piece);
  if (to_text(Json(pieces)) != to_text(expected.at("pieces")))
    return fmt::format("pieces {} instead of {}", to_text(Json(pieces)),
                       to_text(expected.at("pieces")));
  const Vector vector = TRY(embedder.embed({&text, 1}, {}))[0];
  const JsonArray& numbers = expected.at("numbers").as_array();
  if (vector.size() != numbers.size() * kEvery) return std::string("a vector of another size");
  for (size_t i = 0; i < numbers.size(); ++i) {
    const double wanted = numbers[i].to_number<double>(), got = vector[i * kEvery];
    if (!(std::abs(got - wanted) < kTolerance))
      return fmt::format("number {} is {} instead of {}", i * kEvery, got, wanted);
  }
  return std::string();
}

Result<int> run(const std::string& golden, const std::string& path) {
  const Json all = TRY(parse_json(TRY(sys::read_file(golden, 1u << 20))));
  const EncoderFile file = TRY(EncoderFile::open(path));
  TRY(file.verify());
  const std::unique_ptr<Embedder> embedder = TRY(open_builtin_embedder(path));
  int wrong = 0;
  for (const Json& each : all.at("texts").as_array()) {
    const std::string difference = TRY(compare(each, file, *embedder));
    if (difference.empty()) continue;
    fmt::print("{}: {}\n", string_at(each, "text"), difference);
    ++wrong;
  }
  fmt::print("{} texts, {} wrong\n", all.at("texts").as_array().size(), wrong);
  return wrong;
}

}  // namespace
}  // namespace helve::knowledge

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const helve::Result<int> wrong = helve::knowledge::run(argv[1], argv[2]);
  if (!wrong) fmt::print("{}\n", describe(wrong.error()));
  return wrong && *wrong == 0 ? 0 : 1;
}
