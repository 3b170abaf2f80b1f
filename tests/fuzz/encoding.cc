// Encodings: whatever the bytes, they are recognised within bounds, decoded whole and in pieces to
// the same text, and never lost.
#include "base/encoding.h"

#include "base/text.h"
#include "target.h"

namespace {

using namespace helve;
using fuzz::expect;

std::string in_pieces(Encoding encoding, std::string_view bytes, size_t piece) {
  Result<Decoder> decoder = Decoder::open(encoding);
  std::string out, waiting;
  if (!decoder) return out;
  for (size_t at = 0; at < bytes.size(); at += piece) {
    waiting += bytes.substr(at, piece);
    waiting.erase(0, decoder->decode(waiting, at + piece >= bytes.size(), out));
  }
  expect(waiting.empty(), "the last piece is decoded to its end");
  return out;
}

// Some characters of these have two codes.
bool has_two_codes(Encoding encoding) {
  return encoding == Encoding::shift_jis || encoding == Encoding::big5 ||
         encoding == Encoding::euc_jp;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto encoding = static_cast<Encoding>(data[0] % kEncodings);
  const std::string_view bytes = fuzz::text_of(data + 1, size - 1);
  for (const Extent extent : {Extent::whole, Extent::start}) {
    const auto found = detect_encoding(bytes, extent);
    if (found && found->format.mark)
      expect(bytes.starts_with(mark_of(found->format)), "a mark that is told is there");
    if (found && !has_two_codes(found->format.encoding))
      expect(is_lossless(bytes, found->format), "what is recognised is not lost");
  }
  const Result<std::string> text = decode_text(bytes, {encoding});
  if (!text) return 0;
  if (!has_two_codes(encoding)) expect(is_lossless(bytes, {encoding}), "no byte is lost", *text);
  if (encoding != Encoding::utf_8)
    expect(is_utf8(escape_undecoded(*text)), "what is shown is valid", *text);
  expect(in_pieces(encoding, bytes, 1 + data[0] / kEncodings) == *text, "pieces make the same text",
         *text);
  return 0;
}
