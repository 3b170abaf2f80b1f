// Members that are named twice, and names that are whole numbers: rare, but JSON.parse has rules.
#include <algorithm>
#include <unordered_map>

#include "jsonata/document_reader.h"

namespace helve::jsonata {
namespace {

constexpr size_t kCompared = 24;  // members up to which each is compared with each

struct Place {
  std::string_view key;
  size_t key_at;
  size_t value_at;
};

}  // namespace

bool DocumentReader::is_tidy(size_t start) {
  const size_t end = words_;
  std::string_view keys[kCompared];
  size_t count = 0;
  const auto text = [this](Word word) {
    const char* const bytes = word & tape::kUnescaped ? unescaped_.data() : text_.data();
    return std::string_view(bytes + tape::low(word), tape::key_length(word));
  };
  for (size_t at = start + 1; at < end; at += 1 + tape::span(tape_[at + 1])) {
    const std::string_view key = text(tape_[at]);
    if (is_index_key(key) || count == kCompared) return false;
    for (size_t i = 0; i < count; ++i)
      if (keys[i] == key) return false;
    keys[count++] = key;
  }
  return true;
}

void DocumentReader::tidy(size_t start) {
  std::vector<Place> places;
  std::unordered_map<std::string_view, size_t> known;
  bool has_index_keys = false;
  bool has_twins = false;
  for (size_t at = start + 1; at < words_; at += 1 + tape::span(tape_[at + 1])) {
    const Word word = tape_[at];
    const char* const bytes = word & tape::kUnescaped ? unescaped_.data() : text_.data();
    const std::string_view key(bytes + tape::low(word), tape::key_length(word));
    has_index_keys = has_index_keys || is_index_key(key);
    const auto [entry, is_new] = known.try_emplace(key, places.size());
    if (is_new) {
      places.push_back({key, at, at + 1});
    } else {
      has_twins = true;
      places[entry->second].value_at = at + 1;
    }
  }
  if (!has_index_keys && !has_twins) return;
  const auto names = std::ranges::stable_partition(
      places, [](const Place& place) { return is_index_key(place.key); });
  std::ranges::sort(places.begin(), names.begin(),
                    [](const Place& a, const Place& b) { return index_key_less(a.key, b.key); });
  std::vector<Word> tidied;
  tidied.reserve(words_ - start);
  for (const Place& place : places) {
    tidied.push_back(tape_[place.key_at]);
    const Word* const value = tape_ + place.value_at;
    tidied.insert(tidied.end(), value, value + tape::span(*value));
  }
  std::ranges::copy(tidied, tape_ + start + 1);
  words_ = start + 1 + tidied.size();
  const Word count = std::min<Word>(places.size(), tape::kMaxCount);
  tape_[start] =
      tape::make(tape::Kind::object, static_cast<std::uint32_t>(words_ - start)) | count << 32;
}

}  // namespace helve::jsonata
