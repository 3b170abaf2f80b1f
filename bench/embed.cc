// bench_embed FILE TEXTS ROUNDS: milliseconds that the builtin embedder takes for each text of a
// JSON list, one at a time and all together; FILE is what `helve embedder install` makes.
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cstdlib>
#include <functional>

#include "base/json.h"
#include "knowledge/builtin_embedder.h"
#include "sys/file.h"

namespace {

using namespace helve;

double cpu_milliseconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

double median_of(int rounds, const std::function<void()>& work) {
  std::vector<double> times;
  for (int i = 0; i < rounds; ++i) {
    const double start = cpu_milliseconds();
    work();
    times.push_back(cpu_milliseconds() - start);
  }
  std::ranges::nth_element(times, times.begin() + rounds / 2);
  return times[static_cast<size_t>(rounds) / 2];
}

Result<void> measure(const std::string& file, const std::string& list, int rounds) {
  const Json texts = TRY(parse_json(TRY(sys::read_file(list, 1u << 20))));
  std::vector<std::string_view> all;
  for (const Json& each : texts.as_array()) all.emplace_back(each.as_string());
  const std::unique_ptr<knowledge::Embedder> embedder = TRY(knowledge::open_builtin_embedder(file));
  const std::vector<knowledge::Vector> vectors = TRY(embedder->embed(all, {}));
  JsonArray times;
  for (const std::string_view text : all)
    times.push_back(median_of(rounds, [&] { (void)embedder->embed({&text, 1}, {}); }));
  const double together = median_of(rounds, [&] { (void)embedder->embed(all, {}); });
  JsonArray first;
  for (const float each : vectors.at(0)) first.push_back(double{each});
  fmt::print("{}\n", to_text(JsonObject{{"ms", std::move(times)},
                                        {"together_ms", together / static_cast<double>(all.size())},
                                        {"vector", std::move(first)}}));
  return {};
}

}  // namespace

int main(int count, char** words) {
  if (count != 4) return 2;
  const Result<void> done = measure(words[1], words[2], std::max(1, std::atoi(words[3])));
  if (!done) fmt::print(stderr, "{}\n", describe(done.error()));
  return done ? 0 : 1;
}
