#include "knowledge/vector_maker.h"

#include <system_error>
#include <vector>

namespace helve::knowledge {
namespace {

constexpr size_t kBatch = 64;  // passages

}  // namespace

std::string VectorMaker::wait(std::unique_lock<std::mutex>& lock,
                              const std::shared_ptr<Embedder>& embedder,
                              const std::stop_token& stop) {
  if (!is_making_) index_.use_embedder(embedder->id());
  if (index_.vectors() == index_.passages()) return "";
  if (!is_making_) start(embedder);
  made_.wait_for(lock, stop, kPatience, [this] { return !is_making_; });
  return is_making_ ? "" : failure_;
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
  struct Wanted {
    std::string key;
    size_t passage;
    std::string text;
  };
  std::vector<Wanted> wanted;
  {
    std::lock_guard lock(mutex_);
    for (const Hit& hit : index_.without_vector(kBatch))
      wanted.push_back({hit.document->key, hit.passage,
                        PassageIndex::embedded_text(hit.document->passages[hit.passage])});
  }
  if (wanted.empty()) return size_t{0};
  std::vector<std::string_view> texts;
  for (const Wanted& each : wanted) texts.push_back(each.text);
  const std::vector<Vector> vectors = TRY(embedder.embed(texts, stop));
  if (vectors.size() != texts.size())
    return Error{Code::unavailable, "the embedder gave too few vectors"};
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
  return wanted.size();
}

}  // namespace helve::knowledge
