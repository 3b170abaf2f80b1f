#include "knowledge/vector_maker.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <vector>

namespace helve::knowledge {
namespace {

constexpr size_t kLookedUp = 64;  // passages at once
constexpr std::chrono::milliseconds kTick{100};

}  // namespace

std::string VectorCount::note() const {
  const std::string why =
      failure.empty() ? "vectors are still being made" : "vectors could not be made: " + failure;
  return fmt::format("{}: {} of {} passages have one; the others are found by their words only{}",
                     why, made, all,
                     failure.empty() ? " (`helve embedder build` makes all at once)" : "");
}

VectorCount VectorMaker::wait(std::unique_lock<std::mutex>& lock,
                              const std::shared_ptr<Embedder>& embedder, Until until,
                              const Progress& progress, const std::stop_token& stop) {
  if (!is_making_) index_.use_embedder(embedder->id());
  if (index_.vectors() < index_.passages() && !is_making_) start(embedder);
  const auto begin = clock_.steady();
  while (is_making_ && !stop.stop_requested()) {
    const auto left = begin + (has_made_ ? kPatience : kFirstPatience) - clock_.steady();
    if (until == Until::patience_ends && left.count() <= 0) break;
    made_.wait_for(
        lock, stop,
        until == Until::patience_ends ? std::min<std::chrono::nanoseconds>(left, kTick) : kTick,
        [this] { return !is_making_; });
    if (progress)
      progress(static_cast<double>(index_.vectors()), static_cast<double>(index_.passages()),
               "making vectors");
  }
  VectorCount count{.made = index_.vectors(), .all = index_.passages()};
  if (!is_making_ && !count.is_complete()) count.failure = failure_;
  return count;
}

void VectorMaker::start(std::shared_ptr<Embedder> embedder) {
  failure_.clear();
  try {
    // The thread before it has ended: it said so.
    thread_ = std::jthread([this, embedder = std::move(embedder)](const std::stop_token& stop) {
      make_all(*embedder, stop);
    });
    is_making_ = true;
  } catch (const std::system_error& failure) {
    failure_ = failure.what();
  }
}

void VectorMaker::make_all(Embedder& embedder, const std::stop_token& stop) {
  Result<size_t> made = 0;
  try {
    do made = make_some(embedder, stop);
    while (made && *made > 0);
  } catch (const std::exception& failure) {
    made = Error{Code::unavailable, failure.what()};
  }
  std::lock_guard lock(mutex_);
  if (!made) failure_ = describe(made.error());
  is_making_ = false;
  made_.notify_all();
}

// How many; none when there is nothing left to do.
Result<size_t> VectorMaker::make_some(Embedder& embedder, const std::stop_token& stop) {
  std::vector<Wanted> wanted;
  {
    std::lock_guard lock(mutex_);
    for (const Hit& hit : index_.without_vector(kLookedUp))
      wanted.push_back({hit.document->key, hit.passage,
                        PassageIndex::embedded_text(hit.document->passages[hit.passage])});
  }
  if (wanted.empty()) return size_t{0};
  std::vector<std::string_view> texts;
  for (const Wanted& each : wanted) texts.push_back(each.text);
  // In steps, so that what is made is of use at once, and little is lost when the process ends.
  for (size_t done = 0; done < wanted.size();) {
    const std::span<const std::string_view> rest = std::span(texts).subspan(done);
    const std::span<const std::string_view> step = rest.first(embedder.step(rest));
    const std::vector<Vector> vectors = TRY(embedder.embed(step, stop));
    if (vectors.size() != step.size())
      return Error{Code::unavailable, "the embedder gave too few vectors"};
    TRY(take(std::span(wanted).subspan(done, step.size()), vectors));
    done += step.size();
  }
  return wanted.size();
}

Result<void> VectorMaker::take(std::span<const Wanted> wanted, std::span<const Vector> vectors) {
  std::lock_guard lock(mutex_);
  const size_t before = index_.vectors();
  size_t given = 0;
  for (size_t i = 0; i < wanted.size(); ++i) {
    const auto& [key, passage, text] = wanted[i];
    const IndexedDocument* const document = index_.find(key);
    // It may have changed meanwhile.
    if (!document || passage >= document->passages.size() ||
        PassageIndex::embedded_text(document->passages[passage]) != text)
      continue;
    index_.set_vector(key, passage, vectors[i]);
    ++given;
  }
  if (given > 0 && index_.vectors() == before)
    return Error{Code::unavailable, "the embedder's vectors cannot be used"};
  has_made_ = true;
  return {};
}

}  // namespace helve::knowledge
