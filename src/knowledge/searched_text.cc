#include "knowledge/searched_text.h"

#include <optional>

#include "base/encoding.h"
#include "base/text.h"

namespace helve::knowledge {

SearchedText::SearchedText(std::string_view content) : content_(content) {
  const bool has_nul = content.find('\0') != content.npos;
  if (!has_nul && is_utf8(content)) return;
  if (std::optional<Readable> text = readable(content)) {
    decoded_ = std::move(text->text);
    is_decoded_ = true;
  } else {
    is_text_ = !has_nul;
  }
}

}  // namespace helve::knowledge
