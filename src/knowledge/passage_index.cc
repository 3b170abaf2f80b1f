#include "knowledge/passage_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "knowledge/fusion.h"
#include "knowledge/index_file.h"
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
// Writing the whole index takes about as long as reading this part of its passages again …
constexpr size_t kPassagesASave = 128;
// … this many of which are read in a moment; and finding so many vectors takes as long as one.
constexpr size_t kReadInAMoment = 32;
constexpr size_t kVectorsAPassage = 8;

double newness(std::int64_t date_ms, std::int64_t now_ms) {
  if (date_ms == 0) return 0;
  return std::exp2(-std::max(0.0, static_cast<double>(now_ms - date_ms)) / kHalfLifeMs);
}

}  // namespace

struct PassageIndex::Parts {
  struct Entry {
    IndexedDocument document;
    Slot first = 0;     // of its passages
    std::string owned;  // what the document's texts are parts of, unless they lie in the file
  };
  using Entries = std::map<std::string, Entry, std::less<>>;  // nodes stay where they are
  struct Place {
    const Entry* entry;  // null: it is gone
    size_t passage;
  };

  std::unique_ptr<IndexFile> file;  // null: all lies in memory
  Entries entries;
  std::vector<Place> places;  // by slot
  size_t alive = 0;
  WordIndex words;
  VectorRows vectors;
  std::string embedder;  // whose vectors they are
  std::string note;
  size_t unsaved = 0;  // passages that a next process would have to look at again
  size_t unsaved_vectors = 0;

  static WordIndex::Fields fields_of(const IndexedDocument& document, const PassageView& passage) {
    return {document.title, passage.heading, passage.text};
  }
  bool put(Document document, const std::stop_token& stop);
  void remove(Entries::iterator found);
  void clear_away();
  std::vector<Hit> search(const Question& question) const;
  bool take(std::unique_ptr<IndexFile> from);
  Result<void> save(const PassageIndex::Place& place);
};

PassageIndex::PassageIndex() : parts_(std::make_unique<Parts>()) {}
PassageIndex::~PassageIndex() = default;
PassageIndex::PassageIndex(PassageIndex&&) noexcept = default;
PassageIndex& PassageIndex::operator=(PassageIndex&&) noexcept = default;

bool PassageIndex::put(Document document, const std::stop_token& stop) {
  remove(document.key);
  return parts_->put(std::move(document), stop);
}

bool PassageIndex::Parts::put(Document document, const std::stop_token& stop) {
  const auto at = entries.try_emplace(document.key).first;
  Entry& entry = at->second;
  entry.first = static_cast<Slot>(places.size());
  entry.owned = std::move(document.content);
  if (entry.owned.empty()) {
    for (Passage& passage : document.passages) {
      passage.begin = entry.owned.size();
      entry.owned += passage.text;
    }
  }
  const size_t content = entry.owned.size();
  std::vector<size_t> headings;
  const Passage* last = nullptr;
  for (const Passage& passage : document.passages) {
    // A section's passages have the same.
    const bool is_new = !last || last->heading != passage.heading;
    headings.push_back(is_new ? entry.owned.size() : headings.back());
    if (is_new) entry.owned += passage.heading;
    last = &passage;
  }
  const std::string_view owned = entry.owned;
  IndexedDocument& indexed = entry.document;
  indexed = {.key = std::move(document.key),
             .title = std::move(document.title),
             .date_ms = document.date_ms,
             .stamp = std::move(document.stamp),
             .content = owned.substr(0, content),
             .passages = {}};
  for (size_t i = 0; i < document.passages.size() && !stop.stop_requested(); ++i) {
    const Passage& passage = document.passages[i];
    indexed.passages.push_back({.heading = owned.substr(headings[i], passage.heading.size()),
                                .text = owned.substr(passage.begin, passage.text.size()),
                                .first_line = passage.first_line,
                                .last_line = passage.last_line});
    words.add(entry.first + static_cast<Slot>(i), fields_of(indexed, indexed.passages.back()));
    places.push_back({&entry, i});
  }
  alive += indexed.passages.size();
  unsaved += indexed.passages.size() + 1;
  if (!stop.stop_requested()) return true;
  remove(at);
  return false;
}

void PassageIndex::remove(std::string_view key) {
  if (const auto found = parts_->entries.find(key); found != parts_->entries.end())
    parts_->remove(found);
}

void PassageIndex::Parts::remove(Entries::iterator found) {
  const IndexedDocument& document = found->second.document;
  for (size_t i = 0; i < document.passages.size(); ++i) {
    const Slot slot = found->second.first + static_cast<Slot>(i);
    words.forget(fields_of(document, document.passages[i]));
    vectors.drop(slot);
    places[slot].entry = nullptr;
  }
  alive -= document.passages.size();
  unsaved += document.passages.size() + 1;
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

void PassageIndex::restamp(std::string_view key, std::string stamp) {
  const auto found = parts_->entries.find(key);
  if (found == parts_->entries.end()) return;
  found->second.document.stamp = std::move(stamp);
  ++parts_->unsaved;
}

const IndexedDocument* PassageIndex::find(std::string_view key) const {
  const auto found = parts_->entries.find(key);
  return found == parts_->entries.end() ? nullptr : &found->second.document;
}

std::vector<const IndexedDocument*> PassageIndex::documents() const {
  std::vector<const IndexedDocument*> all;
  for (const auto& [key, entry] : parts_->entries) all.push_back(&entry.document);
  return all;
}

size_t PassageIndex::passages() const { return parts_->alive; }

size_t PassageIndex::vectors() const { return parts_->vectors.count(); }

std::string PassageIndex::embedded_text(const PassageView& passage) {
  // "A > B": the nearest heading. A section's first passage begins with it; more of the path, and
  // titles, say less of what a passage means than they hide.
  std::string_view heading = passage.heading;
  if (const size_t last = heading.rfind(" > "); last != heading.npos)
    heading.remove_prefix(last + 3);
  const std::string_view first_line = passage.text.substr(0, passage.text.find('\n'));
  if (heading.empty() || first_line.find(heading) != first_line.npos)
    return std::string(passage.text);
  return fmt::format("{}\n{}", heading, passage.text);
}

void PassageIndex::use_embedder(std::string_view id) {
  if (parts_->embedder == id) return;
  parts_->vectors = {};
  parts_->embedder = id;
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
  ++parts_->unsaved_vectors;
}

std::vector<Hit> PassageIndex::search(const Question& question) const {
  return parts_->search(question);
}

std::vector<Hit> PassageIndex::Parts::search(const Question& question) const {
  const auto accept = [&](Slot slot) {
    const Entry* const entry = places[slot].entry;
    return entry && std::string_view(entry->document.key).starts_with(question.prefix) &&
           (!question.accepts || question.accepts(entry->document, places[slot].passage));
  };
  const bool by_meaning = question.meaning && question.mode != Mode::keyword && vectors.count() > 0;
  // What has no vector yet is found by its words in every mode.
  const bool is_incomplete = by_meaning && vectors.count() < alive;
  const bool by_words = question.mode != Mode::semantic || !by_meaning || is_incomplete;
  const bool reorders = question.recency > 0 || (by_words && by_meaning);
  const size_t nominated = reorders ? std::max(kNominated, 2 * question.limit) : question.limit;

  WordIndex::Query query;
  VectorRows::Row row;
  std::set<Slot> slots;
  if (by_words) {
    query = words.query(question.text);
    const bool is_any = question.mode != Mode::semantic || !by_meaning;
    const auto by_word = [&](Slot slot) { return accept(slot) && (is_any || !vectors.has(slot)); };
    for (const Ranked& each : words.best(query, nominated, by_word)) slots.insert(each.slot);
  }
  if (by_meaning) {
    row = vectors.row_of(*question.meaning);
    for (const VectorRows::Near& each : vectors.nearest(row, nominated, accept))
      slots.insert(each.slot);
  }

  const auto relevance_of = [&](Slot slot) {
    // What has no vector yet is not less related for that.
    if (!by_meaning || !vectors.has(slot))
      return words_relevance(WordIndex::relative_score(query, slot));
    const double cosine = vectors.cosine(row, slot);
    if (question.mode == Mode::semantic) return meaning_relevance(cosine);
    return relevance(WordIndex::relative_score(query, slot), cosine);
  };
  std::vector<Hit> hits;
  for (const Slot slot : slots) {
    const IndexedDocument& document = places[slot].entry->document;
    // What is new gains, so that nothing falls below a threshold for being old.
    const double gain = kMostGain * question.recency * newness(document.date_ms, question.now_ms);
    const double score = 1 - std::pow(1 - relevance_of(slot), 1 + gain);
    if (score >= question.min_score)
      hits.push_back({&document, places[slot].passage, score, by_meaning && vectors.has(slot)});
  }
  std::ranges::stable_sort(hits, std::greater(), &Hit::score);
  if (hits.size() > question.limit) hits.resize(question.limit);
  return hits;
}

bool PassageIndex::open(const Place& place) {
  std::unique_ptr<IndexFile> file = IndexFile::open(place.directory, place.name);
  if (!file) return false;
  auto parts = std::make_unique<Parts>();
  if (!parts->take(std::move(file))) return false;
  parts_ = std::move(parts);
  return true;
}

bool PassageIndex::Parts::take(std::unique_ptr<IndexFile> from) {
  file = std::move(from);
  for (const KeptDocument& kept : file->documents()) {
    std::string key(file->text(kept.key));
    const auto [at, is_new] = entries.try_emplace(key);
    if (!is_new) return false;
    Entry& entry = at->second;
    entry.first = kept.first;
    entry.document = {.key = std::move(key),
                      .title = std::string(file->text(kept.title)),
                      .date_ms = kept.date_ms,
                      .stamp = std::string(file->text(kept.stamp)),
                      .content = file->text(kept.content),
                      .passages = {}};
    entry.document.passages.reserve(kept.passages);
    for (const KeptPassage& passage : file->passages().subspan(kept.first, kept.passages)) {
      places.push_back({&entry, entry.document.passages.size()});
      entry.document.passages.push_back({.heading = file->text(passage.heading),
                                         .text = file->text(passage.text),
                                         .first_line = passage.first_line,
                                         .last_line = passage.last_line});
    }
  }
  alive = places.size();
  words.keep(file->words());
  vectors.keep(file->rows());
  embedder = file->embedder();
  note = file->note();
  return true;
}

Result<void> PassageIndex::save(const Place& place) {
  const Result<void> saved = parts_->save(place);
  parts_->unsaved = parts_->unsaved_vectors = 0;
  // What lies in the file needs no memory of our own.
  if (saved) open(place);
  return saved;
}

Result<void> PassageIndex::Parts::save(const PassageIndex::Place& place) {
  clear_away();
  std::vector<std::string_view> texts;
  std::uint64_t end = 0;
  const auto add = [&](std::string_view text) {
    const TextPlace at{end, text.size()};
    if (!text.empty()) texts.push_back(text);
    end += text.size();
    return at;
  };
  std::vector<KeptDocument> documents;
  std::vector<KeptPassage> passages;
  // In the order of their passages' slots.
  std::vector<const Entry*> in_order;
  for (const auto& [key, entry] : entries) in_order.push_back(&entry);
  std::ranges::stable_sort(in_order, {}, [&](const Entry* entry) {
    return entry->document.passages.empty() ? places.size() : entry->first;
  });
  for (const Entry* const entry : in_order) {
    const IndexedDocument& document = entry->document;
    const TextPlace content = add(document.content);
    documents.push_back({.key = add(document.key),
                         .title = add(document.title),
                         .stamp = add(document.stamp),
                         .content = content,
                         .date_ms = document.date_ms,
                         .first = static_cast<Slot>(passages.size()),
                         .passages = static_cast<std::uint32_t>(document.passages.size())});
    TextPlace heading;
    const PassageView* last = nullptr;
    for (const PassageView& passage : document.passages) {
      if (!last || last->heading != passage.heading) heading = add(passage.heading);
      const auto offset = static_cast<size_t>(passage.text.data() - document.content.data());
      passages.push_back({.heading = heading,
                          .text = {content.at + offset, passage.text.size()},
                          .first_line = passage.first_line,
                          .last_line = passage.last_line});
      last = &passage;
    }
  }
  return write_index_file(place.directory, place.name,
                          {.documents = documents,
                           .passages = passages,
                           .texts = texts,
                           .words = words,
                           .rows = vectors.own(),
                           .note = note,
                           .embedder = embedder});
}

bool PassageIndex::is_worth_saving() const {
  return parts_->unsaved + parts_->unsaved_vectors / kVectorsAPassage >
         kReadInAMoment + parts_->alive / kPassagesASave;
}

const std::string& PassageIndex::note() const { return parts_->note; }
void PassageIndex::set_note(std::string note) { parts_->note = std::move(note); }

}  // namespace helve::knowledge
