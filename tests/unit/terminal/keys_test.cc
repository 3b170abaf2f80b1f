#include "terminal/keys.h"

#include <gtest/gtest.h>

namespace helve::terminal {

// "C-a", "M-left", "S-enter", "x", "paste:…": as one would say it.
std::string told(const KeyPress& press) {
  static constexpr std::string_view kNames[] = {
      "",     "paste:", "enter", "tab", "backspace", "escape",    "up",     "down",
      "left", "right",  "home",  "end", "page_up",   "page_down", "insert", "remove"};
  std::string out;
  if (press.ctrl) out += "C-";
  if (press.alt) out += "M-";
  if (press.shift) out += "S-";
  return out.append(kNames[static_cast<size_t>(press.key)]).append(press.text);
}

void PrintTo(const KeyPress& press, std::ostream* out) { *out << told(press); }

namespace {

std::string told(const std::vector<KeyPress>& keys) {
  std::string out;
  for (const KeyPress& press : keys) out += (out.empty() ? "" : " ") + terminal::told(press);
  return out;
}

struct Case {
  std::string_view bytes, keys;
};

const Case kCases[] = {
    {"aä日😀", "a ä 日 😀"},
    {"\r", "enter"},
    {"\n", "C-j"},
    {"\t", "tab"},
    {"\x1b[Z", "S-tab"},
    {"\x7f\b", "backspace backspace"},
    {"\x01\x03\x1a\x1f", "C-a C-c C-z C-_"},
    {"\x1b[A\x1b[B\x1b[C\x1b[D", "up down right left"},
    {"\x1bOA\x1bOH\x1bOF", "up home end"},
    {"\x1b[H\x1b[F\x1b[1~\x1b[4~\x1b[7~\x1b[8~", "home end home end home end"},
    {"\x1b[3~\x1b[5~\x1b[6~\x1b[2~", "remove page_up page_down insert"},
    {"\x1b[1;5C\x1b[1;3D\x1b[1;2A", "C-right M-left S-up"},
    {"\x1b\x1b[D", "M-left"},
    {"\x1b"
     "b\x1b"
     "f\x1b"
     "\x7f",
     "M-b M-f M-backspace"},
    {"\x1b\r", "M-enter"},
    {"\x1b[13;2u", "S-enter"},
    {"\x1b[27;2;13~", "S-enter"},
    {"\x1b[13;5u", "C-enter"},
    {"\x1b[97;5u", "C-a"},
    {"\x1b[27;5;99~", "C-c"},
    {"\x1b[200~one\rtwo\r\n\x1b[Ax\x1b[201~y", "paste:one\ntwo\n\x1b[Ax y"},
    {"\x1b[I\x1b[Ox", "x"},                        // focus
    {"\x1b[?62;c\x1b[12;40Rx\x1b[>1;2cy", "x y"},  // answers
    {"\x1b]11;rgb:0/0/0\x07x\x1bP1$r\x1b\\y", "x y"},
    {"\x1b[[Ax", "x"},
    {"\x1b[999999999999;5Ax", "x"},
    {"\xff"
     "a\xc3(",
     "a ("},
    {"\x1b[15~\x1bOPx", "x"},  // function keys
};

TEST(Keys, AreWhatWasPressed) {
  for (const auto& [bytes, keys] : kCases) {
    KeyDecoder decoder;
    EXPECT_EQ(told(decoder.feed(bytes)), keys);
    EXPECT_FALSE(decoder.is_waiting()) << keys;
  }
}

TEST(Keys, DoNotDependOnHowTheBytesAreCut) {
  for (const auto& [bytes, keys] : kCases) {
    KeyDecoder decoder;
    std::vector<KeyPress> all;
    for (const char byte : bytes) {
      for (KeyPress& press : decoder.feed(std::string_view(&byte, 1)))
        all.push_back(std::move(press));
    }
    EXPECT_EQ(told(all), keys);
  }
}

TEST(Keys, TellEscapeByWhatDoesNotCome) {
  const Case cases[] = {
      {"\x1b", "escape"}, {"\x1b[", "M-["}, {"\x1bO", "M-O"}, {"\x1b[1;", "escape"}};
  for (const auto& [bytes, keys] : cases) {
    KeyDecoder decoder;
    EXPECT_EQ(told(decoder.feed(bytes)), "");
    EXPECT_TRUE(decoder.is_waiting());
    EXPECT_EQ(told(decoder.nothing_more()), keys);
    EXPECT_FALSE(decoder.is_waiting());
  }
}

TEST(Keys, KeepAPasteTogetherWhenItPauses) {
  KeyDecoder decoder;
  EXPECT_EQ(told(decoder.feed("\x1b[200~a\x1b[20")), "");
  EXPECT_FALSE(decoder.is_waiting());
  EXPECT_EQ(told(decoder.nothing_more()), "");
  EXPECT_EQ(told(decoder.feed("1~")), "paste:a");
}

TEST(Keys, BoundWhatIsPasted) {
  KeyDecoder decoder;
  decoder.feed("\x1b[200~");
  const std::string block(1 << 20, 'x');
  for (int i = 0; i < 6; ++i) decoder.feed(block);
  const auto keys = decoder.feed("\x1b[201~");
  ASSERT_EQ(keys.size(), 1u);
  EXPECT_EQ(keys[0].text.size(), kMostPasted);
}

}  // namespace
}  // namespace helve::terminal
