// Files that are no text: whatever the bytes, types, image headers and notebooks are read within
// bounds, and what is shown of them is valid.
#include "base/base64.h"
#include "base/text.h"
#include "media/file_type.h"
#include "media/image.h"
#include "media/notebook.h"
#include "target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace helve;
  using fuzz::expect;
  const std::string_view bytes = fuzz::text_of(data, size);
  const auto type = media::file_type(bytes);
  if (const auto info = media::inspect_image(bytes)) {
    expect(info->width > 0 && info->height > 0, "an image has a size");
    expect(type && type->mime_type == media::mime_type_of(info->format),
           "the type of an image is its format");
  }
  if (const auto notebook = media::parse_notebook(bytes)) {
    size_t number = 0;
    for (const media::Cell& cell : notebook->cells)
      expect(is_utf8(escape_invalid_utf8(media::to_text(cell, ++number))), "a cell is valid text");
  }
  const auto decoded = from_base64(bytes);
  if (decoded) expect(from_base64(to_base64(*decoded)) == decoded, "base64 loses nothing");
  expect(from_base64(to_base64(bytes)) == bytes, "base64 loses nothing");
  return 0;
}
