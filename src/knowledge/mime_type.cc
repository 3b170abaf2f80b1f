#include "knowledge/mime_type.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace helve::knowledge {
namespace {

struct Ending {
  std::string_view ending, mime_type;
};
constexpr std::array kEndings = std::to_array<Ending>({
    {"md", "text/markdown"},
    {"markdown", "text/markdown"},
    {"json", "application/json"},
    {"jsonl", "application/jsonl"},
    {"ipynb", "application/x-ipynb+json"},
    {"html", "text/html"},
    {"htm", "text/html"},
    {"csv", "text/csv"},
    {"tsv", "text/tab-separated-values"},
    {"xml", "application/xml"},
    {"yaml", "application/yaml"},
    {"yml", "application/yaml"},
    {"toml", "application/toml"},
    {"pdf", "application/pdf"},
    {"c", "text/x-c"},
    {"h", "text/x-c"},
    {"cc", "text/x-c++"},
    {"cpp", "text/x-c++"},
    {"hpp", "text/x-c++"},
    {"py", "text/x-python"},
    {"js", "text/javascript"},
    {"mjs", "text/javascript"},
    {"ts", "text/x-typescript"},
    {"tsx", "text/x-typescript"},
    {"jsx", "text/javascript"},
    {"go", "text/x-go"},
    {"rs", "text/x-rust"},
    {"java", "text/x-java"},
    {"rb", "text/x-ruby"},
    {"sh", "text/x-shellscript"},
    {"sql", "text/x-sql"},
    {"css", "text/css"},
    {"kt", "text/x-kotlin"},
    {"swift", "text/x-swift"},
    {"php", "text/x-php"},
});

}  // namespace

std::string mime_type_of(std::string_view path) {
  const size_t slash = path.rfind('/');
  const std::string_view name = slash == path.npos ? path : path.substr(slash + 1);
  const size_t dot = name.rfind('.');
  if (dot == name.npos) return "text/plain";
  std::string ending(name.substr(dot + 1));
  std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return std::tolower(c); });
  const auto found = std::ranges::find(kEndings, ending, &Ending::ending);
  return std::string(found == kEndings.end() ? "text/plain" : found->mime_type);
}

TextKind text_kind_of(std::string_view mime_type) {
  if (mime_type == "text/markdown") return TextKind::markdown;
  const bool is_code =
      mime_type.starts_with("text/x-") || mime_type == "text/javascript" || mime_type == "text/css";
  return is_code ? TextKind::code : TextKind::plain;
}

}  // namespace helve::knowledge
