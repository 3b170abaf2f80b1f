// HtmlTokens: the tags and the text of an HTML document, one after the other, as the standard cuts
// them. Every byte is looked at a fixed number of times, whatever the document; nothing is copied.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "media/html_tags.h"

namespace helve::media {

struct HtmlToken {
  enum class Kind : unsigned char { text, start, end, done };
  Kind kind = Kind::done;
  Tag tag = Tag::other;
  bool self_closing = false;
  std::string_view text;        // with its references
  std::string_view name;        // of a tag, as it is written
  std::string_view attributes;  // of a start tag, as they are written
};

class HtmlTokens {
 public:
  explicit HtmlTokens(std::string_view html) : rest_(html) {}

  // Comments and declarations are passed over, as is a tag that never ends.
  HtmlToken next();
  // After the start tag of a script or its like: everything before its end tag.
  std::string_view take_raw(std::string_view name);

 private:
  HtmlToken take_tag(HtmlToken::Kind kind, size_t begin);

  std::string_view rest_;
};

struct HtmlAttribute {
  std::string_view name;   // as it is written
  std::string_view value;  // with its references
};
// Takes the next one off; nothing at the end of the tag.
std::optional<HtmlAttribute> take_attribute(std::string_view& attributes);
// The first of that name (in lower case), without references. Nothing when there is none.
std::optional<std::string> attribute(std::string_view attributes, std::string_view name);

constexpr std::string_view kHtmlSpace = " \t\n\f\r";

}  // namespace helve::media
