#include "knowledge/passage_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "knowledge/fusion.h"
#include "knowledge/vector_rows.h"
#include "knowledge/word_index.h"

namespace helve::knowledge {
namespace {

// Words and meaning each nominate so many passages for a place among the best.
constexpr size_t kNominated = 50;
// Gone passages are cleared away when there are more of them than of others, and this many.
constexpr size_t kMaxGone = 4096;
constexpr double kHalfLifeMs = 30.0 * 24 * 60 * 60 * 1000;  // of how new a document is
constexpr double kMostGain = 0.5;  // by being new: of what a score lacks to 1, its power

double newness(std::int64_t date_ms, std::int64_t now_ms) {
  if (date_ms == 0) return 0;
  return std::exp2(-std::max(0.0, static_cast<double>(now_ms - date_ms)) / kHalfLifeMs);
}

}  // namespace

struct PassageIndex::Parts {
  struct Entry {
    Document document;
    Slot first = 0;  // of its passages
  };
  struct Place {
    const Entry* entry;  // null: it is gone
    size_t passage;
  };

  std::map<std::string, Entry, std::less<>> entries;  // nodes stay where they are
  std::vector<Place> places;                          // by slot
  size_t alive = 0;
  WordIndex words;
  VectorRows vectors;

  static WordIndex::Fields fields_of(const Document& document, const Passage& passage) {
    return {document.title, passage.heading, passage.text};
  }
  void remove(std::map<std::string, Entry, std::less<>>::iterator found);
  void clear_away();
  std::vector<Hit> search(const Question& question) const;
};

PassageIndex::PassageIndex() : parts_(std::make_unique<Parts>()) {}
PassageIndex::~PassageIndex() = default;
PassageIndex::PassageIndex(PassageIndex&&) noexcept = default;
PassageIndex& PassageIndex::operator=(PassageIndex&&) noexcept = default;

void PassageIndex::put(Document document) {
  remove(document.key);
  std::string key = document.key;
  const auto first = static_cast<Slot>(parts_->places.size());
  const Parts::Entry& entry =
      parts_->entries.emplace(std::move(key), Parts::Entry{std::move(document), first})
          .first->second;
  for (size_t i = 0; i < entry.document.passages.size(); ++i) {
    parts_->words.add(first + static_cast<Slot>(i),
                      Parts::fields_of(entry.document, entry.document.passages[i]));
    parts_->places.push_back({&entry, i});
  }
  parts_->alive += entry.document.passages.size();
}

void PassageIndex::remove(std::string_view key) {
  if (const auto found = parts_->entries.find(key); found != parts_->entries.end())
    parts_->remove(found);
}

void PassageIndex::Parts::remove(std::map<std::string, Entry, std::less<>>::iterator found) {
  const Document& document = found->second.document;
  for (size_t i = 0; i < document.passages.size(); ++i) {
    const Slot slot = found->second.first + static_cast<Slot>(i);
    words.forget(fields_of(document, document.passages[i]));
    vectors.drop(slot);
    places[slot].entry = nullptr;
  }
  alive -= document.passages.size();
  entries.erase(found);
  if (const size_t gone = places.size() - alive; gone > kMaxGone && gone > alive) clear_away();
}

void PassageIndex::Parts::clear_away() {
  std::vector<Slot> slots(places.size(), kGone);
  Slot next = 0;
  for (size_t old = 0; old < places.size(); ++old) {
    if (!places[old].entry) continue;
    slots[old] = next;
    places[next++] = places[old];
  }
  places.resize(next);
  for (auto& [key, entry] : entries) {
    if (!entry.document.passages.empty()) entry.first = slots[entry.first];
  }
  words.renumber(slots);
  vectors.renumber(slots);
}

const Document* PassageIndex::find(std::string_view key) const {
  const auto found = parts_->entries.find(key);
  return found == parts_->entries.end() ? nullptr : &found->second.document;
}

size_t PassageIndex::passages() const { return parts_->alive; }

size_t PassageIndex::vectors() const { return parts_->vectors.count(); }

std::string PassageIndex::embedded_text(const Passage& passage) {
  // "A > B": the nearest heading. A section's first passage begins with it; more of the path, and
  // titles, say less of what a passage means than they hide.
  std::string_view heading = passage.heading;
  if (const size_t last = heading.rfind(" > "); last != heading.npos)
    heading.remove_prefix(last + 3);
  const std::string_view first_line =
      std::string_view(passage.text).substr(0, passage.text.find('\n'));
  if (heading.empty() || first_line.find(heading) != first_line.npos) return passage.text;
  return fmt::format("{}\n{}", heading, passage.text);
}

std::vector<Hit> PassageIndex::without_vector(size_t limit) const {
  std::vector<Hit> out;
  limit = std::min(limit, passages() - vectors());
  for (Slot slot = 0; slot < parts_->places.size() && out.size() < limit; ++slot) {
    const Parts::Place& place = parts_->places[slot];
    if (place.entry && !parts_->vectors.has(slot))
      out.push_back({&place.entry->document, place.passage});
  }
  return out;
}

void PassageIndex::set_vector(std::string_view key, size_t passage, const Vector& vector) {
  const auto found = parts_->entries.find(key);
  if (found == parts_->entries.end() || passage >= found->second.document.passages.size()) return;
  parts_->vectors.set(found->second.first + static_cast<Slot>(passage), vector);
}

std::vector<Hit> PassageIndex::search(const Question& question) const {
  return parts_->search(question);
}

std::vector<Hit> PassageIndex::Parts::search(const Question& question) const {
  const auto accept = [&](Slot slot) {
    const Entry* const entry = places[slot].entry;
    return entry && std::string_view(entry->document.key).starts_with(question.prefix);
  };
  const bool by_meaning = question.meaning && question.mode != Mode::keyword && vectors.count() > 0;
  const bool by_words = question.mode != Mode::semantic || !by_meaning;
  const bool reorders = question.recency > 0 || (by_words && by_meaning);
  const size_t nominated = reorders ? std::max(kNominated, 2 * question.limit) : question.limit;

  WordIndex::Query query;
  VectorRows::Row row;
  std::set<Slot> slots;
  if (by_words) {
    query = words.query(question.text);
    for (const Ranked& each : words.best(query, nominated, accept)) slots.insert(each.slot);
  }
  if (by_meaning) {
    row = vectors.row_of(*question.meaning);
    for (const VectorRows::Near& each : vectors.nearest(row, nominated, accept))
      slots.insert(each.slot);
  }

  const auto relevance_of = [&](Slot slot) {
    if (!by_words) return meaning_relevance(vectors.cosine(row, slot));
    const double by_word = WordIndex::relative_score(query, slot);
    // What has no vector yet is not less related for that.
    return by_meaning && vectors.has(slot) ? relevance(by_word, vectors.cosine(row, slot))
                                           : words_relevance(by_word);
  };
  std::vector<Hit> hits;
  for (const Slot slot : slots) {
    const Document& document = places[slot].entry->document;
    // What is new gains, so that nothing falls below a threshold for being old.
    const double gain = kMostGain * question.recency * newness(document.date_ms, question.now_ms);
    const double score = 1 - std::pow(1 - relevance_of(slot), 1 + gain);
    if (score >= question.min_score) hits.push_back({&document, places[slot].passage, score});
  }
  std::ranges::stable_sort(hits, std::greater(), &Hit::score);
  if (hits.size() > question.limit) hits.resize(question.limit);
  return hits;
}

}  // namespace helve::knowledge
