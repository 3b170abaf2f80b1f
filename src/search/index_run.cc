#include "search/index_run.h"

#include <algorithm>
#include <array>
#include <limits>

#include "search/index_number.h"

namespace helve::search {
namespace {

constexpr Gram kNoGram = std::numeric_limits<Gram>::max();
constexpr int kDocBits = 8;
constexpr int kPassBits = 12;  // two passes sort the 24 bits of a gram
constexpr size_t kBuckets = size_t{1} << kPassBits;

// Stable, so that documents stay in order within a gram.
void sort_by(const std::vector<std::uint32_t>& from, std::vector<std::uint32_t>& to, int shift) {
  std::array<std::uint32_t, kBuckets> starts{};
  for (const std::uint32_t pair : from) ++starts[pair >> shift & (kBuckets - 1)];
  std::uint32_t sum = 0;
  for (std::uint32_t& start : starts) sum += std::exchange(start, sum);
  to.resize(from.size());
  for (const std::uint32_t pair : from) to[starts[pair >> shift & (kBuckets - 1)]++] = pair;
}

// Reads a run from its start to its end.
class Cursor {
 public:
  Cursor(std::string_view run, Doc first_doc) : rest_(run), first_doc_(first_doc) {}

  // The next gram; kNoGram at the end.
  Gram next() {
    if (rest_.empty()) return kNoGram;
    gram_ += take_number();
    return gram_;
  }
  // Once for each gram.
  void append_docs(std::vector<Doc>& out) {
    const size_t count = take_number();
    for (const char doc : rest_.substr(0, count)) {
      out.push_back(first_doc_ + static_cast<unsigned char>(doc));
    }
    rest_.remove_prefix(std::min(count, rest_.size()));
  }

 private:
  std::uint32_t take_number() {
    std::uint32_t number = 0;
    for (int shift = 0; !rest_.empty() && shift < 32; shift += 7) {
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      number |= static_cast<std::uint32_t>(byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    return number;
  }

  std::string_view rest_;
  Doc first_doc_;
  Gram gram_ = 0;
};

}  // namespace

void RunMaker::add_document(std::string_view text) {
  for (const Gram gram : grams_.of(text)) {
    pairs_.push_back(gram << kDocBits | static_cast<std::uint32_t>(docs_));
  }
  ++docs_;
}

void RunMaker::sort() {
  sort_by(pairs_, spare_, kDocBits);
  sort_by(spare_, pairs_, kDocBits + kPassBits);
}

std::string RunMaker::take() {
  sort();
  std::string run;
  run.reserve(pairs_.size() * 3 / 2);
  Gram before = 0;
  for (size_t i = 0, end = 0; i < pairs_.size(); i = end) {
    const Gram gram = pairs_[i] >> kDocBits;
    while (end < pairs_.size() && pairs_[end] >> kDocBits == gram) ++end;
    append_number(run, gram - before);
    append_number(run, static_cast<std::uint32_t>(end - i));
    for (size_t k = i; k < end; ++k) run += static_cast<char>(pairs_[k]);
    before = gram;
  }
  pairs_.clear();
  docs_ = 0;
  return run;
}

sys::OrErrno<void> merge(std::string_view file_of_runs, std::span<const Run> runs,
                         SegmentWriter& writer, const std::stop_token& stop) {
  std::vector<Cursor> cursors;
  std::vector<Gram> grams;  // where each cursor stands
  for (const Run& run : runs) {
    cursors.emplace_back(file_of_runs.substr(run.offset, run.bytes), run.first_doc);
    grams.push_back(cursors.back().next());
  }
  std::vector<Doc> docs;
  while (!grams.empty()) {
    // A few hundred neighbours in memory are looked through faster than a heap is kept in order.
    const Gram least = *std::ranges::min_element(grams);
    if (least == kNoGram) break;
    if (stop.stop_requested()) return std::unexpected(std::errc::operation_canceled);
    docs.clear();
    for (size_t i = 0; i < grams.size(); ++i) {
      if (grams[i] != least) continue;
      cursors[i].append_docs(docs);
      grams[i] = cursors[i].next();
    }
    if (auto added = writer.add(least, docs); !added) return added;
  }
  return {};
}

}  // namespace helve::search
