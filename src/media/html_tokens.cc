#include "media/html_tokens.h"

#include <algorithm>

#include "base/text.h"
#include "media/html_entities.h"

namespace helve::media {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_space(char c) { return kHtmlSpace.contains(c); }
bool ends_name(char c) { return c == '>' || c == '/' || is_space(c); }

// What stands after the first `mark`, or nothing.
std::string_view after(std::string_view text, std::string_view mark, size_t from) {
  const size_t at = text.find(mark, from);
  return at == text.npos ? std::string_view() : text.substr(at + mark.size());
}

std::string_view after_comment(std::string_view text) {  // which begins with <!--
  if (text.starts_with("<!-->")) return text.substr(5);
  if (text.starts_with("<!--->")) return text.substr(6);
  for (size_t at = text.find("--", 4); at != text.npos; at = text.find("--", at + 1)) {
    if (text.substr(at + 2).starts_with('>')) return text.substr(at + 3);
    if (text.substr(at + 2).starts_with("!>")) return text.substr(at + 4);
  }
  return {};
}

}  // namespace

HtmlToken HtmlTokens::next() {
  while (!rest_.empty()) {
    size_t sign = rest_.find('<');
    // A sign that begins no tag is text, as is everything up to the next one.
    while (sign != rest_.npos && sign + 1 < rest_.size() && !is_letter(rest_[sign + 1]) &&
           !std::string_view("/!?").contains(rest_[sign + 1]))
      sign = rest_.find('<', sign + 1);
    if (sign + 1 == rest_.size()) sign = rest_.npos;
    if (sign != 0) {
      const std::string_view text = rest_.substr(0, sign);
      rest_.remove_prefix(text.size());
      return {.kind = HtmlToken::Kind::text, .text = text};
    }
    if (is_letter(rest_[1])) return take_tag(HtmlToken::Kind::start, 1);
    if (rest_[1] == '/' && rest_.size() > 2 && is_letter(rest_[2]))
      return take_tag(HtmlToken::Kind::end, 2);
    rest_ = rest_.starts_with("<!--") ? after_comment(rest_) : after(rest_, ">", 2);
  }
  return {};
}

HtmlToken HtmlTokens::take_tag(HtmlToken::Kind kind, size_t begin) {
  const auto end =
      std::find_if(rest_.begin() + static_cast<std::ptrdiff_t>(begin), rest_.end(), ends_name);
  const auto size = static_cast<size_t>(end - rest_.begin());
  HtmlToken token{.kind = kind, .name = rest_.substr(begin, size - begin)};
  const std::string_view tail = rest_.substr(size);
  std::string_view left = tail, last;
  while (const auto attribute = take_attribute(left)) last = attribute->value;
  if (left.empty()) {
    rest_ = {};
    return {};
  }
  token.tag = find_tag(token.name);
  token.attributes = tail.substr(0, tail.size() - left.size());
  const bool is_in_value = !last.empty() && last.end() == token.attributes.end();
  token.self_closing = token.attributes.ends_with('/') && !is_in_value;
  rest_ = left.substr(1);
  return token;
}

std::string_view HtmlTokens::take_raw(std::string_view name) {
  size_t end = rest_.find("</");
  for (; end != rest_.npos; end = rest_.find("</", end + 2)) {
    const std::string_view tag = rest_.substr(end + 2);
    if (tag.size() > name.size() && equals_ignoring_case(tag.substr(0, name.size()), name) &&
        ends_name(tag[name.size()]))
      break;
  }
  const std::string_view raw = rest_.substr(0, end);
  rest_.remove_prefix(raw.size());
  return raw;
}

std::optional<HtmlAttribute> take_attribute(std::string_view& attributes) {
  const auto skip = [&](std::string_view characters) {
    attributes.remove_prefix(std::min(attributes.find_first_not_of(characters), attributes.size()));
  };
  const auto take_until = [&](auto is_end) {
    const auto end = std::ranges::find_if(attributes, is_end);
    const std::string_view taken(attributes.begin(), end);
    attributes.remove_prefix(taken.size());
    return taken;
  };
  skip(" \t\n\f\r/");
  if (attributes.empty() || attributes[0] == '>') return {};
  const char* const begin = attributes.data();
  attributes.remove_prefix(1);  // even if it is =
  take_until([](char c) { return c == '=' || ends_name(c); });
  HtmlAttribute found{.name = {begin, attributes.data()}, .value = {}};
  const std::string_view behind_name = attributes;
  skip(kHtmlSpace);
  if (!attributes.starts_with('=')) {
    attributes = behind_name;
    return found;
  }
  attributes.remove_prefix(1);
  skip(kHtmlSpace);
  if (attributes.starts_with('"') || attributes.starts_with('\'')) {
    const char quote = attributes[0];
    attributes.remove_prefix(1);
    const size_t end = std::min(attributes.find(quote), attributes.size());
    found.value = attributes.substr(0, end);
    attributes.remove_prefix(std::min(end + 1, attributes.size()));
  } else {
    found.value = take_until([](char c) { return c == '>' || is_space(c); });
  }
  return found;
}

std::optional<std::string> attribute(std::string_view attributes, std::string_view name) {
  while (const auto found = take_attribute(attributes)) {
    if (!equals_ignoring_case(found->name, name)) continue;
    std::string value;
    append_decoded(value, found->value, ReferencePlace::attribute);
    return value;
  }
  return {};
}

}  // namespace helve::media
