// bench_convert FILE…: how fast each document becomes text, in megabytes of it for each second of
// processor time: the best of several runs.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iterator>
#include <string>

#include "media/to_text.h"

namespace {

constexpr int kRuns = 9;

double seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

}  // namespace

int main(int count, char** words) {
  if (count < 2) return 2;
  for (int i = 1; i < count; ++i) {
    std::ifstream file(words[i], std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(file), {});
    double best = 1e9;
    size_t written = 0;
    for (int run = 0; run < kRuns; ++run) {
      const double begin = seconds();
      const auto text = helve::media::to_text(bytes, words[i]);
      best = std::min(best, seconds() - begin);
      if (!text) {
        fmt::print(stderr, "{}: {}\n", words[i], helve::describe(text.error()));
        return 1;
      }
      written = text->text.size();
    }
    fmt::print("{}: {} bytes to {}, {:.1f} MB/s\n", words[i], bytes.size(), written,
               static_cast<double>(bytes.size()) / 1e6 / std::max(best, 1e-6));
  }
  return 0;
}
