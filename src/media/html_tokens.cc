#include "media/html_tokens.h"

#include <algorithm>

#include "base/text.h"
#include "media/html_entities.h"

namespace helve::media {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r'; }
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
           rest_[sign + 1] != '/' && rest_[sign + 1] != '!' && rest_[sign + 1] != '?')
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
  const char* at = attributes.data();
  const char* const end = at + attributes.size();
  const auto skip_space = [&] {
    while (at < end && is_space(*at)) ++at;
  };
  const auto rest_from = [&](const char* begin) {
    return std::string_view(begin, static_cast<size_t>(end - begin));
  };
  while (at < end && (is_space(*at) || *at == '/')) ++at;
  attributes = rest_from(at);
  if (at == end || *at == '>') return {};
  const char* begin = at++;  // even if it is =
  while (at < end && *at != '=' && !ends_name(*at)) ++at;
  HtmlAttribute found{.name = {begin, at}, .value = {}};
  attributes = rest_from(at);
  skip_space();
  if (at == end || *at != '=') return found;
  ++at;
  skip_space();
  if (at < end && (*at == '"' || *at == '\'')) {
    const std::string_view quoted = rest_from(at + 1);
    found.value = quoted.substr(0, quoted.find(*at));
    at = std::min(found.value.data() + found.value.size() + 1, end);
  } else {
    begin = at;
    while (at < end && *at != '>' && !is_space(*at)) ++at;
    found.value = {begin, at};
  }
  attributes = rest_from(at);
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
