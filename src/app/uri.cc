#include "app/uri.h"

#include <fmt/format.h>

#include <charconv>

#include "base/text.h"

namespace helve::app {
namespace {

constexpr std::string_view kScheme = "file://";
constexpr std::string_view kPlain =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";

Error bad_uri(std::string_view uri, std::string_view why) {
  return Error{Code::invalid_argument,
               fmt::format("'{}' {}", preview(escape_for_display(uri), 200), why), "",
               "invalid_uri"};
}

}  // namespace

std::string percent_encoded(std::string_view path) {
  std::string out;
  for (char c : path) {
    if (kPlain.find(c) != kPlain.npos)
      out += c;
    else
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

Result<std::string> percent_decoded(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    unsigned value = 0;
    const char* start = text.data() + i + 1;
    if (text.size() - i < 3 || std::from_chars(start, start + 2, value, 16).ptr != start + 2 ||
        value == 0)
      return bad_uri(text, "has a wrong % escape");
    out += static_cast<char>(value);
    i += 2;
  }
  return out;
}

std::string file_uri(std::string_view absolute_path) {
  return std::string(kScheme) + percent_encoded(absolute_path);
}

Result<std::string> path_of_uri(std::string_view uri) {
  if (!uri.starts_with(kScheme)) return bad_uri(uri, "is no file URI");
  std::string_view rest = uri.substr(kScheme.size());
  if (rest.starts_with("localhost/")) rest.remove_prefix(std::string_view("localhost").size());
  if (!rest.starts_with('/')) return bad_uri(uri, "names another machine or no absolute path");
  if (rest.find_first_of("?#") != rest.npos)
    return bad_uri(uri, "has a query or fragment, which files have not");
  std::string path = TRY(percent_decoded(rest));
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

}  // namespace helve::app
