// WordIndex: an inverted index over passages with three fields, ranked by BM25F. Finds the best
// without looking at most of the others.
//
// What a word counts in a passage is worked out when it is added: lengths are compared with fixed
// ones instead of averages, as passages are of a size by construction. So a passage scores the same
// whatever the others are, but for how rare words are. Scores are whole numbers, which do not
// depend on the order of adding.
//
// It may stand on words that lie in a file: these are used where they are, what is added lies in
// memory.
//
// One thread changes it, or any number ask it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace helve::knowledge {

using Slot = std::uint32_t;  // the number of a passage
constexpr Slot kGone = static_cast<Slot>(-1);

struct Ranked {
  Slot slot = 0;
  std::uint64_t score = 0;

  bool operator==(const Ranked&) const = default;
};

// How the fields of a passage count: title, heading, body.
struct FieldWeight {
  double weight;   // of a word in it
  double pivot;    // its usual length in words
  double penalty;  // of being longer, 0 to 1
};
constexpr size_t kFields = 3;
constexpr FieldWeight kFieldWeights[kFields] = {{1.0, 5, 0.5}, {1.2, 6, 0.5}, {1.0, 80, 0.6}};
constexpr double kSaturation = 1.2;   // a word that occurs so often counts half of what it can
constexpr double kRarityUnit = 1024;  // of a word's weight
// Rarity is judged as if there were so many passages besides which have none of the words: in a
// single note every word would be common otherwise, and what it lacks all that mattered.
constexpr double kOtherPassages = 100;
// However rare a function word is: in a few notes most are.
constexpr std::uint64_t kMaxFunctionWeight = 512;

// Words of the passages from slot 0 on, as they lie in a file.
struct KeptTerm {
  std::uint64_t first = 0;    // of its postings
  std::uint32_t count = 0;    // of those
  std::uint32_t name_at = 0;  // in the names
  std::uint16_t name_size = 0;
  std::uint16_t highest = 0;  // of the impacts
  std::uint32_t unused = 0;
};
struct KeptWords {
  std::span<const KeptTerm> terms;  // in the order of their names
  std::string_view names;
  std::span<const Slot> slots;
  std::span<const std::uint16_t> impacts;
  Slot passages = 0;
};

class WordIndex {
 public:
  static constexpr size_t kMaxTerms = 64;  // of a query: the rarest
  // A posting's count of its word: of a word that is there without end.
  static constexpr std::uint32_t kFullImpact = 65535;

  struct Fields {
    std::string_view title, heading, body;
  };
  // To begin with, of an index that has nothing yet. What it lies in is borrowed, until renumber().
  void keep(const KeptWords& words);
  // Slots are added in ascending order, each once.
  void add(Slot slot, const Fields& fields);
  // A passage that was added with these is gone. Its postings stay until renumber(): whoever asks
  // leaves it out.
  void forget(const Fields& fields);
  // By old slot the new one, ascending too, or kGone. Afterwards all lies in memory.
  void renumber(const std::vector<Slot>& slots);

  struct Postings {
    std::vector<Slot> slots;  // ascending
    std::vector<std::uint16_t> impacts;
    std::uint16_t highest = 0;  // of the impacts, at least
    std::int32_t passages = 0;  // that are not forgotten; less than 0 where kept ones are
  };
  // In the order of the words, of an index that stands on none.
  std::vector<std::pair<std::string_view, const Postings*>> sorted() const;

  struct List {
    std::span<const Slot> slots;  // ascending
    std::span<const std::uint16_t> impacts;
    std::uint16_t highest = 0;
  };
  struct Term {
    List kept, added;
    std::uint64_t weight;  // how rare it is
  };
  struct Query {
    std::vector<Term> terms;   // that occur
    std::uint64_t weight = 0;  // of all its words, also those that do not occur
    Slot kept = 0;             // slots below this are in the lists of what was kept
  };
  Query query(std::string_view text) const;

  using Accept = std::function<bool(Slot)>;
  // The best first, of equals the lower slot; only what is accepted.
  std::vector<Ranked> best(const Query& query, size_t limit, const Accept& accept) const;
  static std::uint64_t score(const Query& query, Slot slot);
  // As a part of what no passage exceeds, 0 to 1.
  static double relative_score(const Query& query, Slot slot);

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  std::uint64_t weight_of(std::int64_t passages) const;
  const KeptTerm* find_kept(std::string_view word) const;
  List list_of(const KeptTerm& term) const;

  KeptWords kept_;
  std::unordered_map<std::string, Postings, Hash, std::equal_to<>> terms_;  // what was added
  std::uint32_t passages_ = 0;
};

}  // namespace helve::knowledge
