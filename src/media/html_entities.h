// Character references of HTML: &amp;, &#233;, &eacute; and two thousand more.
#pragma once

#include <string>
#include <string_view>

namespace helve::media {

// In an attribute, an old name without its semicolon may be a part of an address: ?a=1&copy=2.
enum class ReferencePlace : unsigned char { text, attribute };

// Appends the text with the characters that its references stand for. A number that stands for no
// character becomes U+FFFD; what only looks like a reference stays.
void append_decoded(std::string& out, std::string_view text, ReferencePlace place);

}  // namespace helve::media
