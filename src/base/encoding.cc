#include "base/encoding.h"

#include <fmt/format.h>
#include <iconv.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>

#include "base/encoding_tables.h"
#include "base/text.h"

namespace helve {
namespace {

struct Entry {
  Encoding encoding;
  std::string_view name;
  const char* library_name;  // what iconv calls it; null: our own code
  std::string_view aliases;  // letters and digits only, lower case, one space around each
};
using enum Encoding;
constexpr std::array<Entry, kEncodings> kTable = {{
    {utf_8, "UTF-8", nullptr, " utf8 ascii usascii "},
    {utf_16le, "UTF-16LE", nullptr, " utf16le utf16 unicode ucs2 ucs2le "},
    {utf_16be, "UTF-16BE", nullptr, " utf16be ucs2be "},
    {utf_32le, "UTF-32LE", nullptr, " utf32le utf32 ucs4 ucs4le "},
    {utf_32be, "UTF-32BE", nullptr, " utf32be ucs4be "},
    {iso_8859_1, "ISO-8859-1", nullptr, " iso88591 latin1 l1 "},
    {windows_1252, "windows-1252", nullptr, " windows1252 cp1252 ansi "},
    {iso_8859_2, "ISO-8859-2", "ISO-8859-2", " iso88592 latin2 "},
    {iso_8859_5, "ISO-8859-5", "ISO-8859-5", " iso88595 "},
    {iso_8859_6, "ISO-8859-6", "ISO-8859-6", " iso88596 "},
    {iso_8859_7, "ISO-8859-7", "ISO-8859-7", " iso88597 "},
    {iso_8859_8, "ISO-8859-8", "ISO-8859-8", " iso88598 iso88598i "},
    {iso_8859_9, "ISO-8859-9", "ISO-8859-9", " iso88599 latin5 "},
    {iso_8859_15, "ISO-8859-15", "ISO-8859-15", " iso885915 latin9 "},
    {windows_874, "windows-874", "WINDOWS-874", " windows874 cp874 tis620 iso885911 "},
    {windows_1250, "windows-1250", "CP1250", " windows1250 cp1250 "},
    {windows_1251, "windows-1251", "CP1251", " windows1251 cp1251 "},
    {windows_1253, "windows-1253", "CP1253", " windows1253 cp1253 "},
    {windows_1254, "windows-1254", "CP1254", " windows1254 cp1254 "},
    {windows_1255, "windows-1255", nullptr, " windows1255 cp1255 "},
    {windows_1256, "windows-1256", "CP1256", " windows1256 cp1256 "},
    {windows_1257, "windows-1257", "CP1257", " windows1257 cp1257 "},
    {koi8_r, "KOI8-R", "KOI8-R", " koi8r koi8 "},
    {koi8_u, "KOI8-U", "KOI8-U", " koi8u "},
    {ibm437, "IBM437", "IBM437", " ibm437 cp437 "},
    {ibm850, "IBM850", "IBM850", " ibm850 cp850 "},
    {ibm852, "IBM852", "IBM852", " ibm852 cp852 "},
    {ibm855, "IBM855", "IBM855", " ibm855 cp855 "},
    {ibm866, "IBM866", "IBM866", " ibm866 cp866 "},
    {macintosh, "macintosh", "MACINTOSH", " macintosh macroman mac "},
    {x_mac_cyrillic, "x-mac-cyrillic", "MAC-CYRILLIC", " xmaccyrillic maccyrillic "},
    {shift_jis, "Shift_JIS", "CP932", " shiftjis sjis cp932 ms932 windows31j "},
    {euc_jp, "EUC-JP", "EUC-JP-MS", " eucjp eucjpms "},
    {euc_kr, "EUC-KR", "UHC", " euckr cp949 uhc ksc5601 "},
    {gb18030, "GB18030", "GB18030", " gb18030 gbk gb2312 cp936 euccn "},
    {big5, "Big5", "BIG5", " big5 cp950 "},
}};
static_assert([] {
  for (size_t i = 0; i < kEncodings; ++i) {
    if (static_cast<size_t>(kTable[i].encoding) != i) return false;
  }
  return true;
}());

const Entry& entry_of(Encoding encoding) { return kTable[static_cast<size_t>(encoding)]; }

void append_char(std::string& out, char32_t c) {
  const auto put = [&](char32_t byte) { out += static_cast<char>(byte); };
  if (c < 0x80) return put(c);
  if (c < 0x800) {
    put(0xC0 | c >> 6);
  } else {
    if (c < 0x10000) {
      put(0xE0 | c >> 12);
    } else {
      put(0xF0 | c >> 18);
      put(0x80 | (c >> 12 & 0x3F));
    }
    put(0x80 | (c >> 6 & 0x3F));
  }
  put(0x80 | (c & 0x3F));
}

constexpr char32_t kUndecoded = 0xDC00;  // with the byte added
void append_undecoded(std::string& out, std::string_view bytes) {
  for (const unsigned char byte : bytes) append_char(out, kUndecoded + byte);
}

// The byte that the text begins with when it was not decoded.
constexpr size_t kUndecodedLength = 3;
std::optional<unsigned char> undecoded_byte(std::string_view text) {
  if (text.size() < kUndecodedLength || text[0] != '\xED') return {};
  const auto second = static_cast<unsigned char>(text[1]);
  const auto third = static_cast<unsigned char>(text[2]);
  if (second < 0xB0 || second > 0xB3 || (third & 0xC0) != 0x80) return {};
  return static_cast<unsigned char>((second & 0x03) << 6 | (third & 0x3F));
}

// The character that valid UTF-8 begins with.
char32_t first_char(std::string_view text, size_t length) {
  if (length == 1) return static_cast<unsigned char>(text[0]);
  char32_t c = static_cast<unsigned char>(text[0]) & (0xFF >> (length + 1));
  for (size_t i = 1; i < length; ++i) c = c << 6 | (static_cast<unsigned char>(text[i]) & 0x3F);
  return c;
}

std::uint32_t unit_at(std::string_view bytes, size_t size, bool big_endian) {
  std::uint32_t unit = 0;
  for (size_t i = 0; i < size; ++i) {
    const size_t at = big_endian ? i : size - 1 - i;
    unit = unit << 8 | static_cast<unsigned char>(bytes[at]);
  }
  return unit;
}

void append_unit(std::string& out, std::uint32_t unit, size_t size, bool big_endian) {
  for (size_t i = 0; i < size; ++i) {
    const size_t shift = 8 * (big_endian ? size - 1 - i : i);
    out += static_cast<char>(unit >> shift & 0xFF);
  }
}

bool is_big_endian(Encoding encoding) { return encoding == utf_16be || encoding == utf_32be; }
bool is_surrogate(std::uint32_t unit) { return unit >= 0xD800 && unit <= 0xDFFF; }

size_t decode_wide(std::string_view bytes, Encoding encoding, bool last, std::string& out) {
  const size_t size = unit_size(encoding);
  const bool big_endian = is_big_endian(encoding);
  size_t at = 0;
  while (bytes.size() - at >= size) {
    const std::uint32_t unit = unit_at(bytes.substr(at), size, big_endian);
    size_t length = size;
    if (!is_surrogate(unit) && unit <= 0x10FFFF) {
      append_char(out, unit);
    } else if (size == 2 && unit < 0xDC00 && bytes.size() - at < 4 && !last) {
      break;  // its other half is in the next piece
    } else {
      const std::uint32_t next = size == 2 && unit < 0xDC00 && bytes.size() - at >= 4
                                     ? unit_at(bytes.substr(at + 2), size, big_endian)
                                     : 0;
      if (next >= 0xDC00 && next <= 0xDFFF) {
        append_char(out, 0x10000 + ((unit - 0xD800) << 10 | (next - 0xDC00)));
        length = 4;
      } else {
        append_undecoded(out, bytes.substr(at, size));
      }
    }
    at += length;
  }
  if (last) {
    append_undecoded(out, bytes.substr(at));
    at = bytes.size();
  }
  return at;
}

void decode_by_table(std::string_view bytes, const HighHalf& table, std::string& out) {
  for (const unsigned char byte : bytes) {
    const char32_t c = byte < 0x80 ? byte : table[byte - 0x80];
    if (c || byte == 0)
      append_char(out, c);
    else
      append_undecoded(out, {reinterpret_cast<const char*>(&byte), 1});
  }
}

const auto kNoConverter = reinterpret_cast<iconv_t>(-1);

size_t decode_by_library(iconv_t converter, std::string_view bytes, bool last, std::string& out) {
  char buffer[4096];
  char* in = const_cast<char*>(bytes.data());
  size_t left = bytes.size();
  while (left > 0) {
    char* to = buffer;
    size_t room = sizeof buffer;
    const size_t done = iconv(converter, &in, &left, &to, &room);
    const int problem = done == static_cast<size_t>(-1) ? errno : 0;
    out.append(buffer, to);
    if (problem == 0 || problem == E2BIG) continue;
    if (problem == EINVAL && !last) break;
    append_undecoded(out, {in, 1});
    ++in, --left;
  }
  return bytes.size() - left;
}

Error not_encodable(std::string_view text, Encoding encoding) {
  const size_t length = char_length(text);
  const std::string_view character = text.substr(0, std::max<size_t>(length, 1));
  return {
      Code::invalid_argument,
      length == 0
          ? fmt::format("the text has bytes that are not UTF-8 ({})", escape_for_display(character))
          : fmt::format("the character {} (U+{:04X}) does not exist in {}",
                        escape_for_display(character),
                        static_cast<unsigned>(first_char(character, length)), name_of(encoding)),
      "use characters of the file's encoding, or convert the file to UTF-8 first", "not_encodable"};
}

bool append_encoded(std::string& out, char32_t c, Encoding encoding) {
  if (encoding == utf_16le || encoding == utf_16be) {
    const bool big_endian = is_big_endian(encoding);
    if (c >= 0x10000) {
      append_unit(out, 0xD800 + ((c - 0x10000) >> 10), 2, big_endian);
      c = 0xDC00 + ((c - 0x10000) & 0x3FF);
    }
    append_unit(out, c, 2, big_endian);
    return true;
  }
  if (encoding == utf_32le || encoding == utf_32be) {
    append_unit(out, c, 4, is_big_endian(encoding));
    return true;
  }
  if (c < 0x80) {
    out += static_cast<char>(c);
    return true;
  }
  const HighHalf& table = high_half(encoding);
  const auto* const found = std::ranges::find(table, static_cast<char16_t>(c));
  if (c > 0xFFFF || found == table.end()) return false;
  out += static_cast<char>(0x80 + (found - table.begin()));
  return true;
}

// Text without bytes that were not decoded.
Result<void> encode_part(std::string& out, std::string_view text, Encoding encoding,
                         iconv_t converter) {
  if (encoding == utf_8) {
    out += text;
    return {};
  }
  if (converter == kNoConverter) {
    for (size_t length; !text.empty(); text.remove_prefix(length)) {
      length = char_length(text);
      if (length == 0 || !append_encoded(out, first_char(text, length), encoding))
        return not_encodable(text, encoding);
    }
    return {};
  }
  char buffer[4096];
  char* in = const_cast<char*>(text.data());
  size_t left = text.size();
  while (left > 0) {
    char* to = buffer;
    size_t room = sizeof buffer;
    const size_t done = iconv(converter, &in, &left, &to, &room);
    const int problem = done == static_cast<size_t>(-1) ? errno : 0;
    out.append(buffer, to);
    if (problem != 0 && problem != E2BIG) return not_encodable({in, left}, encoding);
  }
  return {};
}

Error no_table(Encoding encoding) {
  return {Code::unsupported, fmt::format("the C library has no table for {}", name_of(encoding)),
          "install the character set tables of the C library (gconv)", "no_encoding_table"};
}

}  // namespace

std::string_view name_of(Encoding encoding) { return entry_of(encoding).name; }

Result<Encoding> find_encoding(std::string_view name) {
  std::string word = " ";
  for (const char c : name) {
    if (c >= 'A' && c <= 'Z')
      word += static_cast<char>(c + 32);
    else if (c != '-' && c != '_' && c != ' ')
      word += c;
  }
  word += ' ';
  for (const Entry& entry : kTable) {
    if (entry.aliases.find(word) != entry.aliases.npos) return entry.encoding;
  }
  std::string known;
  for (const Entry& entry : kTable) (known += known.empty() ? "" : ", ") += entry.name;
  return Error{Code::invalid_argument,
               fmt::format("no encoding '{}'", preview(escape_for_display(name), 80)),
               "known are " + known, "unknown_encoding"};
}

size_t unit_size(Encoding encoding) {
  if (encoding == utf_16le || encoding == utf_16be) return 2;
  return encoding == utf_32le || encoding == utf_32be ? 4 : 1;
}

std::string_view mark_of(TextFormat format) {
  using namespace std::string_view_literals;
  if (!format.mark) return {};
  switch (format.encoding) {
    case utf_8:
      return kByteOrderMark;
    case utf_16le:
      return "\xFF\xFE"sv;
    case utf_16be:
      return "\xFE\xFF"sv;
    case utf_32le:
      return "\xFF\xFE\0\0"sv;
    case utf_32be:
      return "\0\0\xFE\xFF"sv;
    default:
      return {};
  }
}

void Decoder::Close::operator()(void* converter) const { iconv_close(converter); }

Result<Decoder> Decoder::open(Encoding encoding) {
  Decoder decoder(encoding);
  if (const char* name = entry_of(encoding).library_name) {
    iconv_t converter = iconv_open("UTF-8", name);
    if (converter == kNoConverter) return no_table(encoding);
    decoder.converter_.reset(converter);
  }
  return decoder;
}

size_t Decoder::decode(std::string_view bytes, bool last, std::string& out) {
  if (converter_) return decode_by_library(converter_.get(), bytes, last, out);
  if (unit_size(encoding_) > 1) return decode_wide(bytes, encoding_, last, out);
  if (encoding_ == utf_8)
    out += bytes;
  else
    decode_by_table(bytes, high_half(encoding_), out);
  return bytes.size();
}

Result<std::string> decode_text(std::string_view bytes, TextFormat format) {
  Decoder decoder = TRY(Decoder::open(format.encoding));
  if (const std::string_view mark = mark_of(format); bytes.starts_with(mark))
    bytes.remove_prefix(mark.size());
  std::string text;
  text.reserve(bytes.size());
  decoder.decode(bytes, true, text);
  return text;
}

Result<std::string> encode_text(std::string_view text, TextFormat format) {
  std::unique_ptr<void, void (*)(void*)> converter(nullptr, [](void* open) { iconv_close(open); });
  if (const char* name = entry_of(format.encoding).library_name) {
    iconv_t opened = iconv_open(name, "UTF-8");
    if (opened == kNoConverter) return no_table(format.encoding);
    converter.reset(opened);
  }
  std::string out(mark_of(format));
  out.reserve(out.size() + text.size() * unit_size(format.encoding));
  while (!text.empty()) {
    size_t end = format.encoding == utf_8 ? text.npos : text.find('\xED');
    while (end != text.npos && !undecoded_byte(text.substr(end))) end = text.find('\xED', end + 1);
    const std::string_view part = text.substr(0, end);
    TRY(encode_part(out, part, format.encoding, converter ? converter.get() : kNoConverter));
    text.remove_prefix(part.size());
    if (const auto byte = text.empty() ? std::nullopt : undecoded_byte(text)) {
      out += static_cast<char>(*byte);
      text.remove_prefix(kUndecodedLength);
    }
  }
  return out;
}

bool is_lossless(std::string_view bytes, TextFormat format) {
  if (!bytes.starts_with(mark_of(format))) return false;
  const Result<std::string> text = decode_text(bytes, format);
  if (!text) return false;
  const Result<std::string> again = encode_text(*text, format);
  return again && *again == bytes;
}

std::string escape_undecoded(std::string_view text) {
  std::string out;
  out.reserve(text.size() + 16);
  while (!text.empty()) {
    const auto byte = undecoded_byte(text);
    const size_t length = byte ? kUndecodedLength : std::max<size_t>(char_length(text), 1);
    out += byte ? fmt::format("\\x{:02x}", *byte) : escape_bytes(text.substr(0, length));
    text.remove_prefix(length);
  }
  return out;
}

std::string spell_undecoded(std::string_view text) {
  std::string out;
  out.reserve(text.size() + 16);
  while (!text.empty()) {
    const size_t valid = valid_utf8_prefix(text);
    out += text.substr(0, valid);
    text.remove_prefix(valid);
    if (text.empty()) break;
    const auto byte = undecoded_byte(text);
    // UTF-8 is decoded by leaving it as it is, wrong bytes among it.
    out += fmt::format("\\x{:02x}", byte.value_or(static_cast<unsigned char>(text[0])));
    text.remove_prefix(byte ? kUndecodedLength : 1);
  }
  return out;
}

std::optional<Readable> readable(std::string_view bytes) {
  // UTF-16 without a mark can pass for UTF-8, but not without NUL bytes.
  if (is_utf8(bytes) && bytes.find('\0') == bytes.npos) return Readable{std::string(bytes)};
  const std::optional<Detected> detected = detect_encoding(bytes, Extent::whole);
  if (!detected) return {};
  const Result<std::string> text = decode_text(bytes, detected->format);
  if (!text) return {};
  return Readable{spell_undecoded(*text), detected->format.encoding};
}

}  // namespace helve
