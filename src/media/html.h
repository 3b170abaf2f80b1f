// HTML to Markdown: what a page says, without what only makes it look or work.
#pragma once

#include <string>
#include <string_view>

namespace helve::media {

struct HtmlOptions {
  // `main` leaves out menus and footers, and everything but the page's main part or its one article
  // when there is such a part and it holds enough.
  enum class Part : unsigned char { main, whole };
  Part part = Part::main;
  size_t most_bytes = 16u << 20;  // of the Markdown, about
};

struct HtmlPage {
  std::string markdown;
  std::string title;    // of the page, or else its first main heading; one line
  bool is_cut = false;  // there was more than `most_bytes`
};

// Takes time and memory in proportion to the page, whatever it is. Links keep their targets as they
// are written; those to scripts and data become text. Bytes that are not UTF-8 are spelled out.
HtmlPage html_to_markdown(std::string_view html, const HtmlOptions& options = {});

// A page in UTF-8: by its byte order mark, or `charset` (what came with it says; may be empty), or
// what it says itself, or else by its looks. Bytes that mean nothing are spelled out.
std::string decode_html(std::string_view bytes, std::string_view charset = {});

// Whether it is a page by the way it begins.
bool is_html(std::string_view bytes);

}  // namespace helve::media
