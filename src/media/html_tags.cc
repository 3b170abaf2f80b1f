#include "media/html_tags.h"

#include <algorithm>
#include <array>

namespace helve::media {
namespace {

struct Entry {
  std::string_view name;
  unsigned traits = 0;
};

// In the order of Tag, which is that of the names.
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
static_assert(std::ranges::is_sorted(kTable, {}, &Entry::name));

constexpr size_t kMaxName =
    std::ranges::max(kTable, {}, [](const Entry& entry) { return entry.name.size(); }).name.size();

}  // namespace

Tag find_tag(std::string_view name) {
  if (name.size() > kMaxName) return Tag::other;
  std::array<char, kMaxName> letters;
  std::ranges::transform(name, letters.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  const std::string_view lower(letters.data(), name.size());
  const Entry* found = std::ranges::lower_bound(kTable, lower, {}, &Entry::name);
  if (found == std::end(kTable) || found->name != lower) return Tag::other;
  return static_cast<Tag>(found - kTable);
}

unsigned traits(Tag tag) { return kTable[static_cast<size_t>(tag)].traits; }

}  // namespace helve::media
