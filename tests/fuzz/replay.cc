// Runs a fuzz target without libFuzzer: on every file of a corpus, so that what once broke it stays
// repaired, and on mutations of each, the same ones in every run. The input being tried lies in
// <program>.input: it is still there after a crash.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "target.h"

namespace {

constexpr size_t kMutations = 4000;   // in all
constexpr size_t kMaxBytes = 8192;    // of a mutated input
constexpr unsigned kMostChanges = 6;  // to one input

class Trial {
 public:
  explicit Trial(std::string copy)
      : path_(std::move(copy)), copy_(path_, std::ios::binary | std::ios::trunc) {}

  // The copy is one file that stays open: creating thousands of files would take longer than the
  // target.
  void run(const std::string& input) {
    copy_.seekp(0).write(input.data(), static_cast<std::streamsize>(input.size())).flush();
    std::filesystem::resize_file(path_, input.size());
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
  }
  void forget() { std::filesystem::remove(path_); }

 private:
  const std::string path_;
  std::ofstream copy_;
};

class Mutator {
 public:
  explicit Mutator(const std::vector<std::string>& corpus) : corpus_(corpus) {}

  std::string mutate(std::string text) {
    for (size_t changes = 1 + below(kMostChanges); changes > 0; --changes) change(text);
    text.resize(std::min(text.size(), kMaxBytes));
    return text;
  }

 private:
  // std::uniform_int_distribution may differ between libraries; the inputs must not.
  size_t below(size_t end) { return end == 0 ? 0 : random_() % end; }

  void change(std::string& text) {
    static constexpr std::string_view kPieces[] = {"\"",
                                                   "\\",
                                                   "{",
                                                   "}",
                                                   "[",
                                                   "]",
                                                   ",",
                                                   ":",
                                                   "\n",
                                                   "null",
                                                   "true",
                                                   "-1",
                                                   "1e999",
                                                   "9223372036854775808",
                                                   "\\u0000",
                                                   "\\ud800",
                                                   "\xff",
                                                   "\xc3",
                                                   "\xf0\x9f\x98\x80",
                                                   "\xe2\x80\xae",
                                                   "<json>",
                                                   "</json>",
                                                   "\x1b[",
                                                   "'",
                                                   "#",
                                                   "&a",
                                                   "*a"};
    const size_t at = below(text.size() + 1);
    const size_t count = std::min(below(16) + 1, text.size() - at);
    switch (below(7)) {
      case 0:
        if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1u << below(8)));
        break;
      case 1:
        text.insert(at, 1, static_cast<char>(below(256)));
        break;
      case 2:
        text.erase(at, count);
        break;
      case 3:
        text.insert(below(text.size() + 1), text.substr(at, count));
        break;
      case 4:
        text.resize(at);
        break;
      case 5:
        text.insert(at, kPieces[below(std::size(kPieces))]);
        break;
      default: {
        const std::string& other = corpus_[below(corpus_.size())];
        text.replace(at, text.npos, other, below(other.size() + 1), other.npos);
      }
    }
  }

  const std::vector<std::string>& corpus_;
  std::mt19937_64 random_{20240229};
};

std::vector<std::string> read_corpus(const char* directory) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(directory))
    paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> corpus;
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    corpus.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return corpus;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> corpus =
      argc == 2 ? read_corpus(argv[1]) : std::vector<std::string>();
  if (corpus.empty()) {
    std::fprintf(stderr, "usage: %s CORPUS, a directory with at least one file\n", argv[0]);
    return 2;
  }
  Trial trial(std::string(argv[0]) + ".input");
  trial.run("");
  for (const std::string& input : corpus) trial.run(input);
  Mutator mutator(corpus);
  for (size_t i = 0; i < kMutations; ++i) trial.run(mutator.mutate(corpus[i % corpus.size()]));
  trial.forget();
  std::fprintf(stderr, "%zu inputs, %zu mutations\n", corpus.size(), kMutations);
}
