// Encoding: text that is not UTF-8. Recognised, decoded to UTF-8, and encoded back to the very
// bytes it came from, so that what nobody touched stays as it was. Every encoding here can be
// decoded from the start of any line, and in all but the wide ones a newline is the byte 0x0A and
// nothing else.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace helve {

enum class Encoding : unsigned char {
  utf_8,
  utf_16le,
  utf_16be,
  utf_32le,
  utf_32be,
  iso_8859_1,
  windows_1252,
  // The C library knows the rest, and loads their tables when they are used.
  iso_8859_2,
  iso_8859_5,
  iso_8859_6,
  iso_8859_7,
  iso_8859_8,
  iso_8859_9,
  iso_8859_15,
  windows_874,
  windows_1250,
  windows_1251,
  windows_1253,
  windows_1254,
  windows_1255,
  windows_1256,
  windows_1257,
  koi8_r,
  koi8_u,
  ibm437,
  ibm850,
  ibm852,
  ibm855,
  ibm866,
  macintosh,
  x_mac_cyrillic,
  shift_jis,  // as Windows has it (CP932)
  euc_jp,
  euc_kr,   // with its extension (CP949)
  gb18030,  // which includes GBK and GB2312
  big5,
};
constexpr size_t kEncodings = static_cast<size_t>(Encoding::big5) + 1;

// "UTF-16LE", "windows-1252": the registered name.
std::string_view name_of(Encoding encoding);
// By any usual name ("utf16", "latin1", "cp1252", "SJIS", "gbk"); invalid_argument for others.
Result<Encoding> find_encoding(std::string_view name);
// Bytes of the smallest unit: 4, 2, or 1 for those that contain ASCII.
size_t unit_size(Encoding encoding);

struct TextFormat {
  Encoding encoding = Encoding::utf_8;
  bool mark = false;  // begins with a byte order mark

  bool operator==(const TextFormat&) const = default;
};
// The bytes of the mark, or nothing when there is none.
std::string_view mark_of(TextFormat format);

constexpr size_t kDetectedBytes = 64 * 1024;  // no more of a file is looked at to recognise it

// Whether the bytes are a whole file, or its start and may end inside a character.
enum class Extent : unsigned char { whole, start };
struct Detected {
  TextFormat format;
  bool certain = true;  // false: judged by what the text would say, or UTF-8 with wrong bytes in it
};
// Nothing when the bytes are no text, or none that can be told with confidence. Plain UTF-8 costs
// one validation.
std::optional<Detected> detect_encoding(std::string_view start, Extent extent);

// A byte that means nothing in the encoding becomes a lone surrogate (U+DC00 and the byte, in three
// bytes that are not valid UTF-8), which encodes to that byte again: so nothing is ever lost.

// Decodes a text in pieces.
class Decoder {
 public:
  // Fails when the C library lacks the encoding's table.
  static Result<Decoder> open(Encoding encoding);

  // Appends the text of `bytes` and returns how many of them were used: a character that is
  // incomplete at the end waits for the next piece, unless this is the last one.
  size_t decode(std::string_view bytes, bool last, std::string& out);

 private:
  struct Close {
    void operator()(void* converter) const;
  };
  explicit Decoder(Encoding encoding) : encoding_(encoding) {}

  Encoding encoding_;
  std::unique_ptr<void, Close> converter_;  // of the C library
};

// The text without its mark. The encoding must be known to the C library; all else succeeds.
Result<std::string> decode_text(std::string_view bytes, TextFormat format);
// The opposite. invalid_argument (not_encodable) names the first character that the encoding lacks.
Result<std::string> encode_text(std::string_view text, TextFormat format);
// Whether decoding and encoding gives the same bytes again, so that a part can be changed without
// touching the rest. False for the few texts whose encoding has two codes for one character.
bool is_lossless(std::string_view bytes, TextFormat format);

// A whole file for people to read, however it is encoded. Nothing when it is no text.
struct Readable {
  std::string text;  // bytes that mean nothing are spelled out
  Encoding encoding = Encoding::utf_8;
};
std::optional<Readable> readable(std::string_view bytes);

// Decoded text for people: a byte that meant nothing is shown as \xNN, and \ as \\. Valid text
// comes out with the backslashes doubled.
std::string escape_undecoded(std::string_view text);
// The same without doubling: for text of which only parts are shown, and nothing is taken back.
std::string spell_undecoded(std::string_view text);

}  // namespace helve
