#include "knowledge/word_index.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>

#include "knowledge/function_words.h"
#include "knowledge/tokens.h"

namespace helve::knowledge {
namespace {

constexpr size_t kMaxFieldBytes = 8192;  // what is longer is cut

using Counts = std::array<std::uint32_t, kFields>;

std::uint16_t impact_of(const Counts& counts, const Counts& lengths) {
  double sum = 0;
  for (size_t i = 0; i < kFields; ++i) {
    const FieldWeight& field = kFieldWeights[i];
    const double length = 1 - field.penalty + field.penalty * lengths[i] / field.pivot;
    if (counts[i] > 0) sum += field.weight * counts[i] / length;
  }
  const double share = sum / (kSaturation + sum);
  return static_cast<std::uint16_t>(std::max(1.0, std::round(share * WordIndex::kFullImpact)));
}

// Calls `visit` with each token and its field.
template <class Visit>
void for_each_token(const WordIndex::Fields& fields, const Visit& visit) {
  const std::string_view texts[kFields] = {fields.title, fields.heading, fields.body};
  for (size_t i = 0; i < kFields; ++i) {
    Tokens tokens(texts[i].substr(0, kMaxFieldBytes));
    while (const std::string* token = tokens.next()) visit(*token, i);
  }
}

// Where a search is in the postings of a term.
class Cursor {
 public:
  explicit Cursor(const WordIndex::Term& term)
      : slots_(term.postings->slots),
        impacts_(term.postings->impacts),
        weight_(term.weight),
        bound_(term.weight * term.postings->highest) {}

  std::uint64_t bound() const { return bound_; }  // no posting counts more
  size_t size() const { return slots_.size(); }
  Slot slot() const { return at_ < slots_.size() ? slots_[at_] : kGone; }
  std::uint64_t score() const { return weight_ * impacts_[at_]; }
  void step() { ++at_; }
  // On to the slot, or the first one after it.
  void skip_to(Slot slot) {
    size_t width = 1;
    size_t end = at_;
    while (end < slots_.size() && slots_[end] < slot) {
      at_ = end;
      end += width;
      width *= 2;
    }
    const auto first = slots_.begin() + static_cast<std::ptrdiff_t>(at_);
    const auto last = slots_.begin() + static_cast<std::ptrdiff_t>(std::min(end, slots_.size()));
    at_ = static_cast<size_t>(std::lower_bound(first, last, slot) - slots_.begin());
  }

  // The `limit`-th best that the term alone gives to accepted passages, among its first ones.
  std::uint64_t floor(size_t limit, const WordIndex::Accept& accept) const {
    constexpr size_t kLookedAt = 4096;
    std::vector<std::uint16_t> impacts;
    for (size_t i = 0; i < std::min(slots_.size(), kLookedAt); ++i) {
      if (accept(slots_[i])) impacts.push_back(impacts_[i]);
    }
    if (impacts.size() < limit) return 0;
    const auto nth = impacts.begin() + static_cast<std::ptrdiff_t>(limit - 1);
    std::ranges::nth_element(impacts, nth, std::greater());
    return weight_ * *nth;
  }

 private:
  std::span<const Slot> slots_;
  std::span<const std::uint16_t> impacts_;
  std::uint64_t weight_;
  std::uint64_t bound_;
  size_t at_ = 0;
};

// MaxScore: passages that have only words which cannot lift them among the best are never looked
// at; those words are only looked up for passages that have others.
class Search {
 public:
  Search(const WordIndex::Query& query, size_t limit, const WordIndex::Accept& accept)
      : limit_(limit), accept_(accept) {
    for (const WordIndex::Term& term : query.terms) cursors_.emplace_back(term);
    std::ranges::sort(cursors_, {}, &Cursor::bound);
    std::uint64_t sum = 0;
    for (const Cursor& cursor : cursors_) bounds_.push_back(sum += cursor.bound());
    best_.reserve(limit);
    // As many passages reach this as are asked for, so less is not enough.
    const auto rarest = std::find_if(cursors_.rbegin(), cursors_.rend(),
                                     [&](const Cursor& each) { return each.size() >= limit; });
    if (rarest != cursors_.rend()) raise(rarest->floor(limit, accept));
  }

  std::vector<Ranked> run() {
    while (first_ < cursors_.size()) {
      Slot slot = kGone;
      for (size_t i = first_; i < cursors_.size(); ++i) slot = std::min(slot, cursors_[i].slot());
      if (slot == kGone) break;
      look_at(slot);
    }
    std::ranges::sort_heap(best_, is_better);
    return std::move(best_);
  }

 private:
  static bool is_better(const Ranked& a, const Ranked& b) {
    return a.score != b.score ? a.score > b.score : a.slot < b.slot;
  }

  void look_at(Slot slot) {
    std::uint64_t score = 0;
    for (size_t i = first_; i < cursors_.size(); ++i) {
      if (cursors_[i].slot() != slot) continue;
      score += cursors_[i].score();
      cursors_[i].step();
    }
    for (size_t i = first_; i-- > 0;) {
      if (score + bounds_[i] < needed_) return;
      cursors_[i].skip_to(slot);
      if (cursors_[i].slot() == slot) score += cursors_[i].score();
    }
    if (score < needed_ || !accept_(slot)) return;
    if (best_.size() == limit_) {
      std::ranges::pop_heap(best_, is_better);
      best_.pop_back();
    }
    best_.push_back({slot, score});
    std::ranges::push_heap(best_, is_better);
    // Slots ascend: with the same score a later one is not better.
    if (best_.size() == limit_) raise(best_.front().score + 1);
  }

  void raise(std::uint64_t needed) {
    needed_ = std::max(needed_, needed);
    while (first_ < cursors_.size() && bounds_[first_] < needed_) ++first_;
  }

  const size_t limit_;
  const WordIndex::Accept& accept_;
  std::vector<Cursor> cursors_;        // by what they count at most, ascending
  std::vector<std::uint64_t> bounds_;  // of each with all before it
  size_t first_ = 0;                   // from here on a word alone may be enough
  std::uint64_t needed_ = 1;           // to be among the best
  std::vector<Ranked> best_;           // a heap, the least on top
};

const std::uint16_t* find(const WordIndex::Postings& postings, Slot slot) {
  const auto found = std::ranges::lower_bound(postings.slots, slot);
  if (found == postings.slots.end() || *found != slot) return nullptr;
  return &postings.impacts[static_cast<size_t>(found - postings.slots.begin())];
}

}  // namespace

void WordIndex::add(Slot slot, const Fields& fields) {
  struct Word {
    Postings* postings;
    Counts counts;
  };
  std::vector<Word> words;
  Counts lengths = {};
  for_each_token(fields, [&](const std::string& token, size_t field) {
    auto found = terms_.find(token);
    if (found == terms_.end()) found = terms_.emplace(token, Postings()).first;
    Postings& postings = found->second;
    // The impact says which of the words it is until it is known.
    if (postings.slots.empty() || postings.slots.back() != slot) {
      postings.slots.push_back(slot);
      postings.impacts.push_back(static_cast<std::uint16_t>(words.size()));
      words.push_back({&postings, {}});
    }
    ++words[postings.impacts.back()].counts[field];
    ++lengths[field];
  });
  for (const auto& [postings, counts] : words) {
    const std::uint16_t impact = impact_of(counts, lengths);
    postings->impacts.back() = impact;
    postings->highest = std::max(postings->highest, impact);
    ++postings->passages;
  }
  ++passages_;
}

void WordIndex::forget(const Fields& fields) {
  std::vector<Postings*> words;
  for_each_token(fields, [&](const std::string& token, size_t) {
    const auto found = terms_.find(token);
    if (found != terms_.end()) words.push_back(&found->second);
  });
  std::ranges::sort(words);
  const auto rest = std::ranges::unique(words);
  words.erase(rest.begin(), rest.end());
  for (Postings* postings : words) --postings->passages;
  --passages_;
}

void WordIndex::renumber(const std::vector<Slot>& slots) {
  for (auto& [token, postings] : terms_) {
    size_t kept = 0;
    postings.highest = 0;
    for (size_t i = 0; i < postings.slots.size(); ++i) {
      const Slot slot = slots[postings.slots[i]];
      if (slot == kGone) continue;
      postings.slots[kept] = slot;
      postings.impacts[kept] = postings.impacts[i];
      postings.highest = std::max(postings.highest, postings.impacts[kept++]);
    }
    postings.slots.resize(kept);
    postings.impacts.resize(kept);
  }
  std::erase_if(terms_, [](const auto& term) { return term.second.slots.empty(); });
}

std::uint64_t WordIndex::weight_of(std::uint32_t passages) const {
  const double with = passages;
  const double without = passages_ + kOtherPassages - with;
  const double rarity = std::log(1 + (without + 0.5) / (with + 0.5));
  return static_cast<std::uint64_t>(std::max(1.0, std::round(rarity * kRarityUnit)));
}

WordIndex::Query WordIndex::query(std::string_view text) const {
  Query query;
  std::vector<std::string> words;
  Tokens tokens(text);
  while (const std::string* token = tokens.next()) words.push_back(*token);
  std::ranges::sort(words);
  const auto rest = std::ranges::unique(words);
  words.erase(rest.begin(), rest.end());
  for (const std::string& word : words) {
    const auto found = terms_.find(word);
    const bool occurs = found != terms_.end() && found->second.passages > 0;
    std::uint64_t weight = weight_of(occurs ? found->second.passages : 0);
    if (is_function_word(word)) weight = std::min(weight, kMaxFunctionWeight);
    query.weight += weight;
    if (occurs) query.terms.push_back({&found->second, weight});
  }
  if (query.terms.size() > kMaxTerms) {
    std::ranges::nth_element(query.terms, query.terms.begin() + kMaxTerms, std::greater(),
                             &Term::weight);
    query.terms.resize(kMaxTerms);
  }
  return query;
}

std::vector<Ranked> WordIndex::best(const Query& query, size_t limit, const Accept& accept) const {
  if (limit == 0 || query.terms.empty()) return {};
  return Search(query, limit, accept).run();
}

std::uint64_t WordIndex::score(const Query& query, Slot slot) {
  std::uint64_t score = 0;
  for (const Term& term : query.terms) {
    if (const std::uint16_t* impact = find(*term.postings, slot)) score += term.weight * *impact;
  }
  return score;
}

double WordIndex::relative_score(const Query& query, Slot slot) {
  if (query.weight == 0) return 0;
  return static_cast<double>(score(query, slot)) /
         (static_cast<double>(query.weight) * static_cast<double>(kFullImpact));
}

}  // namespace helve::knowledge
