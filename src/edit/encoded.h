// Files in other encodings, as UTF-8 while they are worked on. Whatever is not changed comes out as
// the same bytes again; where that cannot be had, the bytes are worked on as they are.
#pragma once

#include <optional>
#include <string>

#include "base/encoding.h"

namespace helve::edit {

struct Decoded {
  std::string text;
  std::optional<TextFormat> format = {};  // nothing: the text is the bytes themselves
};

Decoded decode_for_edit(std::string bytes);
// Fails when the text has characters that the encoding lacks.
Result<std::string> encode_again(std::string text, const std::optional<TextFormat>& format);

}  // namespace helve::edit
