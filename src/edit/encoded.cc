#include "edit/encoded.h"

#include "base/text.h"

namespace helve::edit {

Decoded decode_for_edit(std::string bytes) {
  // UTF-16 without a mark can pass for UTF-8, but not without NUL bytes.
  const bool plain = is_utf8(bytes) && bytes.find('\0') == bytes.npos;
  const std::optional<Detected> detected =
      plain ? std::nullopt : detect_encoding(bytes, Extent::whole);
  if (!detected || detected->format.encoding == Encoding::utf_8) return {std::move(bytes)};
  if (!is_lossless(bytes, detected->format)) return {std::move(bytes)};
  Result<std::string> text = decode_text(bytes, detected->format);
  if (!text) return {std::move(bytes)};
  return {std::move(*text), detected->format};
}

Result<std::string> encode_again(std::string text, const std::optional<TextFormat>& format) {
  if (!format) return text;
  return encode_text(text, *format);
}

}  // namespace helve::edit
