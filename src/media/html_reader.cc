#include "media/html_reader.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace helve::media {
namespace {

constexpr size_t kNone = static_cast<size_t>(-1);
constexpr size_t kMaxStyle = 4096;  // bytes of a style that are looked at

template <class... Tags>
auto any_of(Tags... tags) {
  return [=](Tag tag) { return ((tag == tags) || ...); };
}

constexpr auto is_nothing = [](Tag) { return false; };
constexpr auto is_table = [](Tag tag) { return tag == Tag::table; };
constexpr auto is_cell = [](Tag tag) {
  return tag == Tag::td || tag == Tag::th || tag == Tag::caption;
};
constexpr auto is_section = [](Tag tag) {
  return tag == Tag::thead || tag == Tag::tbody || tag == Tag::tfoot;
};
constexpr auto is_table_part = [](Tag tag) {
  return is_section(tag) || tag == Tag::tr || is_cell(tag);
};
bool can_hold(Tag holder, Tag part) {
  if (is_table(holder)) return true;
  if (part == Tag::td || part == Tag::th) return holder == Tag::tr || is_section(holder);
  return part == Tag::tr && is_section(holder);
}
// What stands in a table does not end what stands around it.
constexpr auto is_wall = [](Tag tag) { return is_table(tag) || is_cell(tag); };
constexpr auto is_list_or_wall = [](Tag tag) {
  return tag == Tag::ul || tag == Tag::ol || tag == Tag::menu || tag == Tag::dir || is_wall(tag);
};
constexpr auto is_heading = [](Tag tag) { return tag >= Tag::h1 && tag <= Tag::h6; };
constexpr auto is_page = [](Tag tag) {
  return tag == Tag::html || tag == Tag::head || tag == Tag::body;
};

// Tells elements apart that are not known: the hash of their name. 0: known.
std::uint64_t name_number(const HtmlToken& token) {
  if (token.tag != Tag::other) return 0;
  std::uint64_t hash = 0xCBF29CE484222325;
  for (const char c : token.name)
    hash = (hash ^ static_cast<unsigned char>(c >= 'A' && c <= 'Z' ? c | 0x20 : c)) * 0x100000001B3;
  return hash | 1;
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> list) {
  return std::ranges::any_of(list, [&](auto each) { return equals_ignoring_case(each, word); });
}

bool hides(std::string_view style) {
  std::string compact;
  for (const char c : style.substr(0, kMaxStyle)) {
    if (!kHtmlSpace.contains(c)) compact += static_cast<char>(c >= 'A' && c <= 'Z' ? c | 0x20 : c);
  }
  return compact.contains("display:none") || compact.contains("visibility:hidden");
}

// The signs beside headings that link to them, and the numbers beside lines of code.
bool is_ornament(std::string_view classes) {
  return std::ranges::any_of(split(classes, ' '), [](std::string_view each) {
    return is_one_of(each, {"headerlink", "anchor-link", "anchorjs-link", "heading-anchor",
                            "gutter", "rouge-gutter", "lineno", "linenos", "linenodiv"});
  });
}

}  // namespace

HtmlReader::HtmlReader(std::string_view html, Boilerplate boilerplate)
    : tokens_(html),
      drops_boilerplate_(boilerplate == Boilerplate::drop),
      is_xml_(trim(html.substr(0, 64)).starts_with("<?xml")) {}

HtmlEvent HtmlReader::next() {
  while (true) {
    if (closing_ > 0) {
      --closing_;
      if (const auto closed = close(open_.size() - 1)) return *closed;
      continue;
    }
    if (const std::string_view text = std::exchange(raw_, {}); !text.empty() && !is_skipping()) {
      const bool is_literal = open_.back().tag != Tag::title;
      return {.kind = HtmlEvent::Kind::text, .is_literal = is_literal, .text = text};
    }
    const HtmlToken token = held_ ? *held_ : tokens_.next();
    held_.reset();
    std::optional<HtmlEvent> event;
    switch (token.kind) {
      case HtmlToken::Kind::text:
        if (!is_skipping()) event = HtmlEvent{.kind = HtmlEvent::Kind::text, .text = token.text};
        break;
      case HtmlToken::Kind::start:
        event = start(token);
        break;
      case HtmlToken::Kind::end:
        event = end(token);
        break;
      case HtmlToken::Kind::done:
        if (open_.empty()) return {};
        closing_ = open_.size();
        break;
    }
    if (event) return *event;
  }
}

template <class Wanted, class Barrier>
size_t HtmlReader::find_open(Wanted is_wanted, Barrier is_barrier) const {
  for (size_t index = open_.size(); index-- > 0;) {
    if (is_wanted(open_[index].tag)) return index;
    if (is_barrier(open_[index].tag)) break;
  }
  return kNone;
}

// Whether the tag ends elements that are open; these are then to be closed first.
bool HtmlReader::ends_others(const HtmlToken& token) {
  size_t first = kNone;
  const auto end_from = [&](size_t index) { first = std::min(first, index); };
  const Tag tag = token.tag;
  if ((traits(tag) & kBlock) && count(Tag::p) > 0) end_from(find_open(any_of(Tag::p), is_wall));
  if (tag == Tag::li && count(Tag::li) > 0) end_from(find_open(any_of(tag), is_list_or_wall));
  if ((tag == Tag::dt || tag == Tag::dd) && count(Tag::dl) > 0)
    end_from(find_open(any_of(Tag::dt, Tag::dd), any_of(Tag::dl)));
  if (is_heading(tag) && !open_.empty() && is_heading(open_.back().tag)) end_from(open_.size() - 1);
  if (is_table_part(tag) && count(Tag::table) > 0) {
    // Everything in what can hold it.
    end_from(1 + find_open([&](Tag holder) { return can_hold(holder, tag); }, is_nothing));
  }
  if (first >= open_.size()) return false;
  closing_ = open_.size() - first;
  held_ = token;
  return true;
}

bool HtmlReader::is_for_readers(const HtmlToken& token, bool& is_main) const {
  const unsigned traits = media::traits(token.tag);
  if (traits & kDropped) return false;
  const bool is_of_part =  // and no footer of the page
      token.tag == Tag::footer &&
      count(Tag::article) + count(Tag::main) + count(Tag::section) + count(Tag::blockquote) > 0;
  if (drops_boilerplate_ && (traits & kBoilerplate) && !is_of_part) return false;
  is_main = token.tag == Tag::main;
  bool is_shown = token.tag != Tag::dialog;
  std::string_view attributes = token.attributes;
  while (const auto found = take_attribute(attributes)) {
    const auto is = [&](std::string_view name) { return equals_ignoring_case(found->name, name); };
    const std::string_view value = trim(found->value);
    if (is("hidden") && !equals_ignoring_case(value, "until-found")) return false;
    if (is("aria-hidden") && equals_ignoring_case(value, "true")) return false;
    if (is("style") && hides(value)) return false;
    if (is("open")) is_shown = true;
    if (is("class") && is_ornament(value)) return false;
    if (!is("role")) continue;
    if (equals_ignoring_case(value, "main")) is_main = true;
    if (drops_boilerplate_ && is_one_of(value, {"navigation", "banner", "contentinfo", "search",
                                                "menu", "menubar", "dialog", "alertdialog"}))
      return false;
  }
  return is_shown;
}

std::optional<HtmlEvent> HtmlReader::start(const HtmlToken& token) {
  const Tag tag = token.tag;
  if (is_page(tag)) return {};
  if (ends_others(token)) return {};
  if (tag == Tag::a && count(Tag::a) > 0) {
    if (const size_t index = find_open(any_of(tag), is_wall); index != kNone) {
      held_ = token;
      return close(index);
    }
  }
  const unsigned traits = media::traits(tag);
  const bool is_foreign = is_xml_ || count(Tag::svg) + count(Tag::math) > 0;
  const bool is_empty = (traits & kVoid) || (is_foreign && token.self_closing);
  if ((traits & kRaw) && !is_empty) raw_ = tokens_.take_raw(token.name);
  HtmlEvent event{.kind = HtmlEvent::Kind::open, .tag = tag, .attributes = token.attributes};
  const bool appears = !is_skipping() && is_for_readers(token, event.is_main);
  event.element = ++elements_;
  if (traits & kVoid) return appears ? std::optional(event) : std::nullopt;
  if (open_.size() >= kMaxHtmlDepth) {
    if (!is_empty) ++too_deep_;
    if (!appears) raw_ = {};
    return {};
  }
  const bool begins_skipping = !appears && !is_skipping();
  open_.push_back({tag, appears, event.element, name_number(token)});
  ++counts_[static_cast<size_t>(tag)];
  if (begins_skipping) skip();
  if (is_empty) closing_ = 1;
  return appears ? std::optional(event) : std::nullopt;
}

std::optional<HtmlEvent> HtmlReader::end(const HtmlToken& token) {
  const Tag tag = token.tag;
  if (tag == Tag::br) return start(token);
  if (is_page(tag) || (traits(tag) & kVoid)) return {};
  if (too_deep_ > 0) {
    --too_deep_;
    return {};
  }
  if (!is_heading(tag) && count(tag) == 0) return {};
  size_t index = kNone;
  if (is_heading(tag)) {
    index = find_open(is_heading, is_wall);
  } else if (tag == Tag::other) {
    const std::uint64_t name = name_number(token);
    for (size_t at = open_.size(); at-- > 0 && !is_wall(open_[at].tag) && index == kNone;) {
      if (open_[at].name == name) index = at;
    }
  } else if (is_table(tag)) {
    index = find_open(is_table, is_nothing);
  } else if (is_table_part(tag)) {
    index = find_open(any_of(tag), is_table);
  } else if (tag == Tag::li) {
    index = find_open(any_of(tag), is_list_or_wall);
  } else {
    index = find_open(any_of(tag), is_wall);
  }
  if (index == kNone) return {};
  // Inline elements may overlap, but what is hidden ends with all that is in it.
  if (!(traits(tag) & (kBlock | kDropped)) && open_[index].appeared) return close(index);
  closing_ = open_.size() - index;
  return {};
}

std::optional<HtmlEvent> HtmlReader::close(size_t index) {
  const Open closed = open_[index];
  open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(index));
  --counts_[static_cast<size_t>(closed.tag)];
  if (index + 1 == skipped_from_)
    skipped_from_ = kNothingSkipped;
  else if (index + 1 < skipped_from_ && skipped_from_ != kNothingSkipped)
    --skipped_from_;
  if (!closed.appeared) return {};
  return HtmlEvent{.kind = HtmlEvent::Kind::close, .tag = closed.tag, .element = closed.element};
}

}  // namespace helve::media
