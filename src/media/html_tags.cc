#include "media/html_tags.h"

#include <algorithm>
#include <array>

namespace helve::media {
namespace {

struct Entry {
  std::string_view name;
  unsigned traits = 0;
};

// In the order of Tag.
constexpr Entry kTable[] = {
    {""},
    {"a"},
    {"address", kBlock},
    {"annotation", kDropped},
    {"annotation-xml", kDropped},
    {"area", kVoid},
    {"article", kBlock},
    {"aside", kBlock},
    {"audio", kDropped},
    {"b"},
    {"base", kVoid},
    {"blockquote", kBlock},
    {"body", kBlock},
    {"br", kVoid},
    {"button", kDropped},
    {"canvas", kDropped},
    {"caption", kBlock},
    {"center", kBlock},
    {"cite"},
    {"code"},
    {"col", kVoid},
    {"colgroup", kDropped},
    {"dd", kBlock},
    {"del"},
    {"details", kBlock},
    {"dfn"},
    {"dialog", kBlock},
    {"dir", kBlock},
    {"div", kBlock},
    {"dl", kBlock},
    {"dt", kBlock},
    {"em"},
    {"embed", kVoid},
    {"fieldset", kBlock},
    {"figcaption", kBlock},
    {"figure", kBlock},
    {"footer", kBlock | kBoilerplate},
    {"form", kBlock},
    {"frame", kVoid},
    {"frameset", kDropped},
    {"h1", kBlock},
    {"h2", kBlock},
    {"h3", kBlock},
    {"h4", kBlock},
    {"h5", kBlock},
    {"h6", kBlock},
    {"head"},
    {"header", kBlock},
    {"hgroup", kBlock},
    {"hr", kVoid | kBlock},
    {"html"},
    {"i"},
    {"iframe", kRaw | kDropped},
    {"img", kVoid},
    {"input", kVoid},
    {"kbd"},
    {"legend", kBlock},
    {"li", kBlock},
    {"link", kVoid},
    {"listing", kBlock},
    {"main", kBlock},
    {"map", kDropped},
    {"math"},
    {"menu", kBlock},
    {"meta", kVoid},
    {"nav", kBlock | kBoilerplate},
    {"noembed", kRaw | kDropped},
    {"noframes", kRaw | kDropped},
    {"noscript", kDropped},
    {"object", kDropped},
    {"ol", kBlock},
    {"optgroup"},
    {"option"},
    {"p", kBlock},
    {"param", kVoid},
    {"plaintext", kRaw | kBlock},
    {"pre", kBlock},
    {"q"},
    {"s"},
    {"samp"},
    {"script", kRaw | kDropped},
    {"search", kBlock | kBoilerplate},
    {"section", kBlock},
    {"select", kDropped},
    {"source", kVoid},
    {"strike"},
    {"strong"},
    {"style", kRaw | kDropped},
    {"summary", kBlock},
    {"sup"},
    {"svg", kDropped},
    {"table", kBlock},
    {"tbody", kBlock},
    {"td", kBlock},
    {"template", kDropped},
    {"textarea", kRaw | kDropped},
    {"tfoot", kBlock},
    {"th", kBlock},
    {"thead", kBlock},
    {"title", kRaw},
    {"tr", kBlock},
    {"track", kVoid},
    {"tt"},
    {"ul", kBlock},
    {"var"},
    {"video", kDropped},
    {"wbr", kVoid},
    {"xmp", kRaw | kBlock},
};
static_assert(std::size(kTable) == kTags);

constexpr size_t kMaxName =
    std::ranges::max(kTable, {}, [](const Entry& entry) { return entry.name.size(); }).name.size();

// Names by their hash, so that most are found at once.
constexpr size_t kSlots = 512;
constexpr size_t slot_of(std::string_view name) {
  size_t hash = name.size();
  for (const char c : name) hash = hash * 37 + static_cast<unsigned char>(c);
  return hash % kSlots;
}
constexpr auto kIndex = [] {
  std::array<Tag, kSlots> index{};
  for (size_t tag = 1; tag < kTags; ++tag) {
    size_t slot = slot_of(kTable[tag].name);
    while (index[slot] != Tag::other) slot = (slot + 1) % kSlots;
    index[slot] = static_cast<Tag>(tag);
  }
  return index;
}();

}  // namespace

Tag find_tag(std::string_view name) {
  if (name.size() > kMaxName) return Tag::other;
  std::array<char, kMaxName> letters;
  for (size_t i = 0; i < name.size(); ++i)
    letters[i] = static_cast<char>(name[i] >= 'A' && name[i] <= 'Z' ? name[i] | 0x20 : name[i]);
  const std::string_view lower(letters.data(), name.size());
  for (size_t slot = slot_of(lower); kIndex[slot] != Tag::other; slot = (slot + 1) % kSlots) {
    if (kTable[static_cast<size_t>(kIndex[slot])].name == lower) return kIndex[slot];
  }
  return Tag::other;
}

unsigned traits(Tag tag) { return kTable[static_cast<size_t>(tag)].traits; }

}  // namespace helve::media
