#include "base/encoding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "base/text.h"

namespace helve {
namespace {

using enum Encoding;
using namespace std::string_view_literals;

std::string encoded(std::string_view text, TextFormat format) {
  const Result<std::string> bytes = encode_text(text, format);
  EXPECT_TRUE(bytes) << name_of(format.encoding) << ": " << describe(bytes.error());
  return bytes.value_or("");
}

std::string decoded(std::string_view bytes, TextFormat format) {
  const Result<std::string> text = decode_text(bytes, format);
  EXPECT_TRUE(text) << describe(text.error());
  return text.value_or("");
}

std::string detected(std::string_view bytes, Extent extent = Extent::whole) {
  const auto found = detect_encoding(bytes, extent);
  if (!found) return "nothing";
  return std::string(name_of(found->format.encoding)) + (found->format.mark ? " with mark" : "") +
         (found->certain ? "" : "?");
}

struct Sample {
  Encoding encoding;
  std::string_view text;
};
const Sample kSamples[] = {
    {windows_1252, "Die Größe der Datei überschreitet das Limit – „bitte“ kürzen.\n"},
    {windows_1252, "Le café est fermé à cause de l'été; ça ira. C’est tout… 10 €\n"},
    {windows_1252, "# El niño comió en la mañana, ¿verdad?\nprint('España')\n"},
    {windows_1252, "/* Jón Þór á að mæta í dag. */\n"},
    {windows_1252, "Copyright © 2004 Someone\n"},
    {windows_1252, "naïve\n"},
    {windows_1251, "Файл не найден. Проверьте, пожалуйста, имя и попробуйте ещё раз.\n"},
    {windows_1251, "// Функция возвращает количество строк\nint count();\n"},
    {koi8_r, "Файл не найден. Проверьте, пожалуйста, имя и попробуйте ещё раз.\n"},
    {koi8_r, "# Настройки сервера\nport = 80\n"},
    {windows_1251, "привет, мир. вот простой текст\n"},
    {windows_1255, "אין כמעט ניבים כאלה בשפה, ולכן הם נדירים.\n"},
    {windows_1255, "# הגדרות של השרת, נא לא לשנות אותן\nport = 80\n"},
    {shift_jis, "ファイルが見つかりません。名前を確認してください。\n"},
    {shift_jis, "// 日本語のコメントです\nint x;\n"},
    {euc_jp, "ファイルが見つかりません。名前を確認してください。\n"},
    {euc_jp, "# 設定を読み込む\nload()\n"},
    {gb18030, "文件没有找到，请检查名称后再试一次。\n"},
    {gb18030, "// 返回用户的数据\nreturn data;\n"},
    {gb18030, "你好，世界\n"},
    {big5, "檔案不存在，請檢查名稱後再試一次。這是一個測試。\n"},
    {big5, "// 我們在這裡設定的時間\nint t;\n"},
    {euc_kr, "파일을 찾을 수 없습니다. 이름을 확인하고 다시 시도하십시오.\n"},
    {euc_kr, "# 사용자 정보를 가져온다\nget()\n"},
    {utf_16le, "plain text\r\nand a second line\r\n"},
    {utf_16be, "plain text\nand a second line\n"},
    {utf_16le, "文件没有找到，请检查名称后再试一次。\r\n"},
    {utf_16be, "Файл не найден. Проверьте имя.\n"},
    {utf_16le, "ok"},
};

TEST(EncodingDetection, RecognisesTextByWhatItSays) {
  for (const auto& [encoding, text] : kSamples) {
    EXPECT_EQ(detected(encoded(text, {encoding})), std::string(name_of(encoding)) + "?") << text;
  }
}

TEST(EncodingDetection, RecognisesAFileByItsStartWhereverItIsCut) {
  for (const auto& [encoding, text] : kSamples) {
    std::string bytes;
    while (bytes.size() < 400) bytes += encoded(text, {encoding});
    for (size_t cut = 300; cut < 308; ++cut) {
      EXPECT_EQ(detected(bytes.substr(0, cut), Extent::start), std::string(name_of(encoding)) + "?")
          << text << cut;
    }
  }
}

TEST(EncodingDetection, BelievesAByteOrderMark) {
  for (const Encoding encoding : {utf_8, utf_16le, utf_16be, utf_32le, utf_32be}) {
    for (const std::string_view text : {"", "a", "日本\n"}) {
      const std::string bytes = encoded(text, {encoding, true});
      EXPECT_EQ(detected(bytes), std::string(name_of(encoding)) + " with mark");
      EXPECT_EQ(decoded(bytes, {encoding, true}), text);
    }
  }
}

TEST(EncodingDetection, TakesValidUtf8ForGranted) {
  for (const std::string_view text : {"", "plain\n", "Größe ファイル 😀\n", "\x1b[31mred\x1b[0m"}) {
    EXPECT_EQ(detected(text), "UTF-8");
  }
  EXPECT_EQ(detected("caf\xC3", Extent::start), "UTF-8");
  EXPECT_NE(detected("caf\xC3", Extent::whole), "UTF-8");
}

TEST(EncodingDetection, KnowsDamagedUtf8) {
  EXPECT_EQ(detected("Gr\xC3\xB6\xC3\x9F"
                     "e und \xFF ein Byte\n"),
            "UTF-8?");
  EXPECT_EQ(detected("\xE3\x83\x95\xE3\x82\xA1\xE3\x82\xA4 \xE3\x83\n"), "UTF-8?");
}

TEST(EncodingDetection, SaysNothingWhenItIsNotSure) {
  for (const std::string_view bytes :
       {"\x00\x01\x02\x03\x04\x05"sv,  // binary
        "abc\0def"sv,                  // a stray NUL
        "a\0"sv,                       // too short to tell
        "\x7f"
        "ELF\x02\x01\x01\0\0\0\0\0\0\0\0\0"sv,                     // an executable's start
        "\x1f\x8b\x08\x01\x90\x81\xff\xee\x12\x99"sv,              // compressed
        "x = '\xff\xff\xff\xff\xff\xff'\n"sv,                      // bytes in a script
        "\xD4\xC0\xC9\xCB \xCD\xC5 \xCD\xC0\xC9\xC4\xC5\xCD\n"sv,  // Cyrillic capitals
        "\xA2\xA5\xE0\xE1\xA8\xEF \xAF\xE0\xAE\xA3\xE0\xA0\xAC\xAC\xEB \xA4\xAB\xEF "
        "\xE0\xA0\xA1\xAE\xE2\xEB \xE1 \xE1\xA5\xE2\xEC\xEE\n"sv,  // Cyrillic of DOS
        "caf\xC3\n"sv,                                             // cut UTF-8
        "za\xBF\xF3\xB3\xE6 g\xEA\x9C"
        "l\xB9 ja\x9F\xF1\n"sv,  // Polish: no western word
        "\xDEi\xFE"
        "e ve ka\xF0\xFDt, \xE7ok g\xFCzel bir \xFE"
        "ey\n"sv}) {  // Turkish
    EXPECT_EQ(detected(bytes), "nothing") << escape_for_display(bytes);
  }
}

TEST(EncodingDetection, FindsNothingInRandomBytes) {
  std::mt19937 random(7);
  for (int round = 0; round < 500; ++round) {
    std::string bytes(64 + random() % 512, ' ');
    for (char& c : bytes) c = static_cast<char>(random());
    EXPECT_EQ(detected(bytes), "nothing");
  }
}

TEST(Encoding, RoundTripsWhateverTheBytes) {
  std::mt19937 random(1);
  for (size_t i = 0; i < kEncodings; ++i) {
    const auto encoding = static_cast<Encoding>(i);
    if (encoding == shift_jis || encoding == big5 || encoding == euc_jp) continue;  // see below
    for (int round = 0; round < 300; ++round) {
      std::string bytes(random() % 40, ' ');
      for (char& c : bytes) c = static_cast<char>(round % 2 ? random() : random() % 16 + 0xD6);
      EXPECT_TRUE(is_lossless(bytes, {encoding}))
          << name_of(encoding) << ' ' << escape_for_display(bytes);
    }
  }
}

TEST(Encoding, RoundTripsEveryCharacterThatItHas) {
  for (size_t i = 0; i < kEncodings; ++i) {
    const auto encoding = static_cast<Encoding>(i);
    std::string all;
    for (int byte = 0; byte < 256; ++byte) {
      const std::string one(1, static_cast<char>(byte));
      if (unit_size(encoding) == 1 && is_utf8(decoded(one, {encoding}))) all += one;
    }
    EXPECT_TRUE(is_lossless(all, {encoding})) << name_of(encoding);
  }
  for (const auto& [encoding, text] : kSamples) {
    const std::string bytes = encoded(text, {encoding});
    EXPECT_EQ(decoded(bytes, {encoding}), text);
    EXPECT_TRUE(is_lossless(bytes, {encoding}));
  }
}

TEST(Encoding, TellsATextWhoseCharactersHaveTwoCodes) {
  // The sign "not" as NEC and as JIS have it.
  EXPECT_EQ(decoded("\xEE\xF9", {shift_jis}), decoded("\x81\xCA", {shift_jis}));
  EXPECT_TRUE(is_lossless("\x81\xCA", {shift_jis}));
  EXPECT_FALSE(is_lossless("\xEE\xF9", {shift_jis}));
}

TEST(Encoding, KeepsBytesThatMeanNothing) {
  const std::string text = decoded("a\x81z", {windows_1252});
  EXPECT_FALSE(is_utf8(text));
  EXPECT_EQ(escape_undecoded(text), "a\\x81z");
  EXPECT_EQ(encoded(text + "é", {windows_1252}), "a\x81z\xE9");
}

TEST(Encoding, SpellsOutWrongBytesOfUtf8) {
  EXPECT_EQ(spell_undecoded("é\xB0\\\xE2\x82"), "é\\xb0\\\\xe2\\x82");
}

TEST(Encoding, KeepsLoneSurrogatesAndOddBytes) {
  const std::string_view bytes =
      "a\0\x00\xD8"
      "b\0\x41\xDC"
      "c"sv;
  EXPECT_TRUE(is_lossless(bytes, {utf_16le}));
  EXPECT_EQ(escape_undecoded(decoded(bytes, {utf_16le})), "a\\x00\\xd8b\\x41\\xdc\\x63");
  EXPECT_TRUE(is_lossless("\xFF\xFE\0\0\0\xD8\0\0\0\0\x11\0xyz"sv, {utf_32le, true}));
}

TEST(Encoding, DecodesInPiecesOfAnySize) {
  for (const auto& [encoding, text] : kSamples) {
    const std::string bytes =
        encoded(std::string(text) + (unit_size(encoding) > 1 ? "😀" : ""), {encoding});
    for (const size_t piece : {1, 2, 3, 5, 7}) {
      Result<Decoder> decoder = Decoder::open(encoding);
      ASSERT_TRUE(decoder);
      std::string out, waiting;
      for (size_t at = 0; at < bytes.size(); at += piece) {
        waiting += bytes.substr(at, piece);
        waiting.erase(0, decoder->decode(waiting, at + piece >= bytes.size(), out));
        EXPECT_LT(waiting.size(), 4u);
      }
      EXPECT_EQ(out, decoded(bytes, {encoding})) << name_of(encoding);
      EXPECT_TRUE(waiting.empty());
    }
  }
}

TEST(Encoding, NamesTheCharacterThatAnEncodingLacks) {
  for (const Encoding encoding : {iso_8859_1, windows_1252, koi8_r, shift_jis}) {
    const Result<std::string> bytes = encode_text("a 😀", {encoding});
    ASSERT_FALSE(bytes);
    EXPECT_EQ(bytes.error().type, "not_encodable");
    EXPECT_THAT(bytes.error().message, testing::HasSubstr("😀 (U+1F600)"));
    EXPECT_THAT(bytes.error().message, testing::HasSubstr(name_of(encoding)));
  }
  EXPECT_FALSE(encode_text("\xFF", {utf_16le}));
}

TEST(Encoding, IsFoundByItsUsualNames) {
  for (size_t i = 0; i < kEncodings; ++i) {
    const auto encoding = static_cast<Encoding>(i);
    EXPECT_EQ(find_encoding(name_of(encoding)).value_or(utf_8), encoding) << name_of(encoding);
  }
  EXPECT_EQ(find_encoding("latin-1").value_or(utf_8), iso_8859_1);
  EXPECT_EQ(find_encoding("CP1252").value_or(utf_8), windows_1252);
  EXPECT_EQ(find_encoding("GBK").value_or(utf_8), gb18030);
  EXPECT_EQ(find_encoding("Shift-JIS").value_or(utf_8), shift_jis);
  for (const std::string_view name : {"", " ", "klingon"}) {
    const Result<Encoding> none = find_encoding(name);
    ASSERT_FALSE(none) << name;
    EXPECT_THAT(none.error().hint, testing::HasSubstr("UTF-16LE"));
  }
}

}  // namespace
}  // namespace helve
