#include "knowledge/word_index.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
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
  Cursor(const WordIndex::List& list, std::uint64_t weight)
      : slots_(list.slots),
        impacts_(list.impacts),
        weight_(weight),
        bound_(weight * list.highest) {}

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

bool is_better(const Ranked& a, const Ranked& b) {
  return a.score != b.score ? a.score > b.score : a.slot < b.slot;
}

// MaxScore: passages that have only words which cannot lift them among the best are never looked
// at; those words are only looked up for passages that have others.
class Search {
 public:
  Search(std::vector<Cursor> cursors, size_t limit, const WordIndex::Accept& accept)
      : limit_(limit), accept_(accept), cursors_(std::move(cursors)) {
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

const std::uint16_t* find(const WordIndex::List& list, Slot slot) {
  const auto found = std::ranges::lower_bound(list.slots, slot);
  if (found == list.slots.end() || *found != slot) return nullptr;
  return &list.impacts[static_cast<size_t>(found - list.slots.begin())];
}

}  // namespace

void WordIndex::keep(const KeptWords& words) {
  kept_ = words;
  passages_ = words.passages;
}

const KeptTerm* WordIndex::find_kept(std::string_view word) const {
  const auto name = [this](const KeptTerm& term) {
    return kept_.names.substr(term.name_at, term.name_size);
  };
  const auto found = std::ranges::lower_bound(kept_.terms, word, {}, name);
  return found == kept_.terms.end() || name(*found) != word ? nullptr : &*found;
}

WordIndex::List WordIndex::list_of(const KeptTerm& term) const {
  return {kept_.slots.subspan(term.first, term.count),
          kept_.impacts.subspan(term.first, term.count), term.highest};
}

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
    auto found = terms_.find(token);
    if (found == terms_.end()) found = terms_.emplace(token, Postings()).first;
    words.push_back(&found->second);
  });
  std::ranges::sort(words);
  const auto rest = std::ranges::unique(words);
  words.erase(rest.begin(), rest.end());
  for (Postings* postings : words) --postings->passages;
  --passages_;
}

void WordIndex::renumber(const std::vector<Slot>& slots) {
  const auto take = [&](Postings& to, const List& from) {
    for (size_t i = 0; i < from.slots.size(); ++i) {
      const Slot slot = slots[from.slots[i]];
      if (slot == kGone) continue;
      to.slots.push_back(slot);
      to.impacts.push_back(from.impacts[i]);
      to.highest = std::max(to.highest, from.impacts[i]);
    }
    to.passages = static_cast<std::int32_t>(to.slots.size());
  };
  for (const KeptTerm& term : kept_.terms)
    terms_.try_emplace(std::string(kept_.names.substr(term.name_at, term.name_size)));
  for (auto& [word, postings] : terms_) {
    Postings renumbered;
    if (const KeptTerm* kept = find_kept(word)) take(renumbered, list_of(*kept));
    take(renumbered, {postings.slots, postings.impacts});
    postings = std::move(renumbered);
  }
  std::erase_if(terms_, [](const auto& term) { return term.second.slots.empty(); });
  kept_ = {};
}

std::vector<std::pair<std::string_view, const WordIndex::Postings*>> WordIndex::sorted() const {
  std::vector<std::pair<std::string_view, const Postings*>> terms;
  for (const auto& [word, postings] : terms_) terms.emplace_back(word, &postings);
  std::ranges::sort(terms, {}, [](const auto& term) { return term.first; });
  return terms;
}

std::uint64_t WordIndex::weight_of(std::int64_t passages) const {
  const auto with = static_cast<double>(passages);
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
  query.kept = kept_.passages;
  for (const std::string& word : words) {
    Term term{};
    std::int64_t passages = 0;
    if (const KeptTerm* kept = find_kept(word)) {
      term.kept = list_of(*kept);
      passages += kept->count;
    }
    if (const auto found = terms_.find(word); found != terms_.end()) {
      const Postings& added = found->second;
      term.added = {added.slots, added.impacts, added.highest};
      passages += added.passages;
    }
    term.weight = weight_of(passages);
    if (is_function_word(word)) term.weight = std::min(term.weight, kMaxFunctionWeight);
    query.weight += term.weight;
    if (passages > 0) query.terms.push_back(term);
  }
  if (query.terms.size() > kMaxTerms) {
    std::ranges::nth_element(query.terms, query.terms.begin() + kMaxTerms, std::greater(),
                             &Term::weight);
    query.terms.resize(kMaxTerms);
  }
  return query;
}

std::vector<Ranked> WordIndex::best(const Query& query, size_t limit, const Accept& accept) const {
  if (limit == 0) return {};
  std::vector<Ranked> best;
  for (const List Term::*list : {&Term::kept, &Term::added}) {
    std::vector<Cursor> cursors;
    for (const Term& term : query.terms) {
      if (!(term.*list).slots.empty()) cursors.emplace_back(term.*list, term.weight);
    }
    std::ranges::copy(Search(std::move(cursors), limit, accept).run(), std::back_inserter(best));
  }
  std::ranges::sort(best, is_better);
  if (best.size() > limit) best.resize(limit);
  return best;
}

std::uint64_t WordIndex::score(const Query& query, Slot slot) {
  std::uint64_t score = 0;
  for (const Term& term : query.terms) {
    const List& list = slot < query.kept ? term.kept : term.added;
    if (const std::uint16_t* impact = find(list, slot)) score += term.weight * *impact;
  }
  return score;
}

double WordIndex::relative_score(const Query& query, Slot slot) {
  if (query.weight == 0) return 0;
  return static_cast<double>(score(query, slot)) /
         (static_cast<double>(query.weight) * static_cast<double>(kFullImpact));
}

}  // namespace helve::knowledge
