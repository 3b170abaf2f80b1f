// HtmlReader: an HTML document as the elements and the text that people would see. Every element
// that opens also closes: what authors leave open ends as HTML's rules say. There is no tree:
// memory is bounded by the depth that is followed, and time by the length of the document, whatever
// it is.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "media/html_tokens.h"

namespace helve::media {

constexpr size_t kMaxHtmlDepth = 256;  // deeper elements have no effect; their text stays

struct HtmlEvent {
  enum class Kind : unsigned char { open, close, text, done };
  Kind kind = Kind::done;
  Tag tag = Tag::other;
  bool is_main = false;         // what the page is about, by its own word
  bool is_literal = false;      // text without references
  size_t element = 0;           // the same number when it opens and when it closes
  std::string_view attributes;  // of an element that opens
  std::string_view text;
};

// Elements close in the order opposite to their opening, except those of inline text, which may
// overlap: <b><i></b></i>. Void elements such as <br> only open.
class HtmlReader {
 public:
  // Whether menus, footers and their like appear.
  enum class Boilerplate : unsigned char { keep, drop };

  HtmlReader(std::string_view html, Boilerplate boilerplate);

  HtmlEvent next();
  // After an element has opened: nothing in it appears.
  void skip() { skipped_from_ = open_.size(); }

 private:
  struct Open {
    Tag tag;
    bool appeared;
    size_t element;
    std::uint64_t name;  // of one that is not known
  };

  std::optional<HtmlEvent> start(const HtmlToken& token);
  std::optional<HtmlEvent> end(const HtmlToken& token);
  std::optional<HtmlEvent> close(size_t index);
  bool ends_others(const HtmlToken& token);
  bool is_for_readers(const HtmlToken& token, bool& is_main) const;
  size_t count(Tag tag) const { return counts_[static_cast<size_t>(tag)]; }
  template <class Wanted, class Barrier>
  size_t find_open(Wanted is_wanted, Barrier is_barrier) const;
  bool is_skipping() const { return open_.size() >= skipped_from_; }

  HtmlTokens tokens_;
  const bool drops_boilerplate_;
  const bool is_xml_;
  std::vector<Open> open_;
  std::array<unsigned short, kTags> counts_{};  // of the open elements
  size_t closing_ = 0;                          // how many of the innermost are to close first
  std::optional<HtmlToken> held_;               // the tag that waits for that
  std::string_view raw_;                        // content of an element that has just opened
  size_t skipped_from_ = kNothingSkipped;       // with so many open, nothing appears
  size_t too_deep_ = 0;                         // elements that are open without being in `open_`
  size_t elements_ = 0;

  static constexpr size_t kNothingSkipped = kMaxHtmlDepth + 1;
};

}  // namespace helve::media
