#include "terminal/markdown.h"

#include <gtest/gtest.h>

#include <random>

#include "base/text.h"
#include "terminal/width.h"

namespace helve::terminal {
namespace {

std::string render(std::string_view text, const MarkdownStyle& style) {
  std::string out;
  MarkdownStream stream(style, [&](std::string_view written) { out += written; });
  stream.feed(text);
  stream.finish();
  return out;
}

constexpr MarkdownStyle kPlain{.width = 30};
constexpr MarkdownStyle kColoured{.colours = true, .width = 30};

// "«1»bold«0»" for readable expectations.
std::string marked(std::string text) {
  std::string out;
  for (size_t at; (at = text.find("\x1b[")) != text.npos;) {
    const size_t end = text.find('m', at);
    out += text.substr(0, at) + "«" + text.substr(at + 2, end - at - 2) + "»";
    text.erase(0, end + 1);
  }
  return out + text;
}

struct Case {
  std::string_view markdown, expected;
};

TEST(Markdown, IsReadableWithoutColours) {
  const Case cases[] = {
      {"Hello **bold** and *it*", "Hello bold and it\n"},
      {"a `code` b", "a `code` b\n"},
      {"one two three four five six seven", "one two three four five six\nseven\n"},
      {"# Title\n\n\n\ntext\n\n", "# Title\n\ntext\n"},
      {"- one two three four five six seven\n  - inner\n- last",
       "- one two three four five six\n  seven\n  - inner\n- last\n"},
      {"9. nine\n10. ten\n    more", "9. nine\n10. ten\n    more\n"},
      {"- [ ] open\n- [x] done", "- [ ] open\n- [x] done\n"},
      {"> quoted\n> > deeper", "> quoted\n> > deeper\n"},
      {"```cc\nint  x;   // not wrapped however long it is\n```\nafter",
       "```cc\nint  x;   // not wrapped however long it is\n```\nafter\n"},
      {"[text](https://x.org/a)", "text (https://x.org/a)\n"},
      {"<https://x.org>", "https://x.org\n"},
      {"![pic](a.png)", "pic (a.png)\n"},
      {"***", "──────────────────────────────\n"},
      {"files *.cc and *.h", "files *.cc and *.h\n"},
      {"snake_case_name and 2 * 3 * 4", "snake_case_name and 2 * 3 * 4\n"},
      {"**open", "**open\n"},
      {"a ``x ` y`` b", "a `x ` y` b\n"},
      {"```x``` y\n```\nz", "`x` y\n```\nz\n"},
      {R"(\*no\*)", "*no*\n"},
      {"[not](", "[not](\n"},
      {"[1] and [x]", "[1] and [x]\n"},
      {"# a\n1) b", "# a\n1) b\n"},
      {"-x\n--\n1.5", "-x\n--\n1.5\n"},
      {"| a | b |\n|---|--:|\n| x | 10 |\n| long | 2 |\nend",
       "a      b\n----  --\nx     10\nlong   2\nend\n"},
      {"| no | head |\nx", "| no | head |\nx\n"},
      {"日本語日本語日本語日本語日本語日本語", "日本語日本語日本語日本語日本語\n日本語\n"},
      {"see ~~this~~ https://example.org/a_b_c", "see this\nhttps://example.org/a_b_c\n"},
      {"line\r\nnext", "line\nnext\n"},
      {"", ""},
      {"- a\n\n  b\n\nc", "- a\n\n  b\n\nc\n"},
  };
  for (const auto& [markdown, expected] : cases)
    EXPECT_EQ(render(markdown, kPlain), expected) << markdown;
}

TEST(Markdown, MarksWithFewLooks) {
  const Case cases[] = {
      {"**b** *i* `c`", "«0;1»b«0» «0;3»i«0» «0;36»c«0»\n"},
      {"## Head", "«0;1»Head«0»\n"},
      {"- x", "«0;2»• «0»x\n"},
      {"- [x] done", "«0;32»☑ «0»done\n"},
      {"> q", "«0;2»│ «0»q\n"},
      {"**a *b***", "«0;1»a«0» «0;1;3»b«0»\n"},
      {"```sh\nls\n```", "  «0;2»sh«0»\n  ls\n"},
      {"```cc\nf(\"a//\"); // b \"c\"\n```",
       "  «0;2»cc«0»\n  f(«0;32»\"a//\"«0»); «0;2»// b \"c\"«0»\n"},
      {"```sh\necho $# 'it # x' it's # c\n```",
       "  «0;2»sh«0»\n  echo $# «0;32»'it # x'«0» it's «0;2»# c«0»\n"},
      {"```weird\n\"a\" // b\n```", "  «0;2»weird«0»\n  \"a\" // b\n"},
      {"[t](u)", "«0;4»t«0» «0;2»(u)«0»\n"},
  };
  for (const auto& [markdown, expected] : cases)
    EXPECT_EQ(marked(render(markdown, kColoured)), expected) << markdown;
}

TEST(Markdown, LinksWhereTheTerminalCan) {
  EXPECT_EQ(render("[t](http://u)", {.width = 30, .hyperlinks = true}),
            "\x1b]8;;http://u\x1b\\t\x1b]8;;\x1b\\\n");
  EXPECT_EQ(render("[t](http://u/\x1b\\x)", {.width = 30, .hyperlinks = true}),
            "t (http://u/\\x1b\\x)\n");
}

TEST(Markdown, ShowsWordsBeforeTheLineEnds) {
  std::string out;
  MarkdownStream stream(kPlain, [&](std::string_view written) { out += written; });
  stream.feed("Hello wor");
  EXPECT_EQ(out, "Hello");
  stream.feed("ld **bo");
  EXPECT_EQ(out, "Hello world");
  stream.feed("ld** and");
  EXPECT_EQ(out, "Hello world bold");
}

TEST(Markdown, LetsNoEscapeCodeThrough) {
  const std::string evil =
      "\x1b[2Jx **\x1b]52;c;AAAA\x07** `\x1b[31m`\n```\x1b[1m\n\x1b]0;t\x07\u202E\n```\n"
      "| \x1b[2J | b |\n|--|--|\n| \x9b | \x1b |\n# \x1b[2J\n- \x1b[2J\n> "
      "\x1b[2J\n[\x1b[2J](\x1b[2J)";
  const std::string out = render(evil, {.width = 30});
  for (const char c : out) EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20) << out;
  EXPECT_TRUE(is_utf8(out));
  EXPECT_EQ(out.find("\u202E"), out.npos);
}

TEST(Markdown, KeepsWithinTheWidth) {
  for (const size_t width : {10u, 17u, 40u, 80u}) {
    const std::string out = render(
        "# A heading that is long enough to be wrapped\n- item with a "
        "verylongwordthatdoesnotfitatall "
        "and more\n  - inner **bold text that wraps** too\n> quote that is long enough to wrap\n\n"
        "| name | what it does in many words | n |\n|---|---|---|\n| a | some long text here, so | "
        "1 |\n",
        {.colours = true, .width = width});
    for (const std::string_view line : split(out, '\n')) EXPECT_LE(columns_of(line), width) << out;
  }
}

TEST(Markdown, GoesOnAfterMarksThatNeverEnd) {
  std::string text;
  for (int i = 0; i < 2000; ++i) text += "*a [b `c ";
  const std::string out = render(text, {.width = 100'000});
  EXPECT_EQ(out, std::string(trim(text)) + "\n");
}

TEST(Markdown, DoesNotDependOnHowTheTextIsCut) {
  const std::string text =
      "# Töne **und** Farben\n\nEin *Satz* mit `code` und [link](https://x.org/ä) "
      "👨‍👩‍👧 "
      "⚠️ "
      "e\u0301.\n"
      "- a **b\n  - c** d `e\n    1. f\n- [x] g\n\n> q\n> > r\n***\n---\n```c++ x\nint a; // "
      "```\n````\n"
      "| a | b |\n|:-:|---|\n| `|` | **x** |\nText * mit _allem_ __was__ ~~geht~~ ***so***\\\n"
      "\xff\xfe\x1b[1m\n1. x\n10) y\n* * *\n*a*b **c**d\n<https://a.b> <br> a < b\n    code?\n";
  std::mt19937 random(7);
  for (const bool colours : {false, true}) {
    const MarkdownStyle style{.colours = colours, .width = 24, .hyperlinks = colours};
    const std::string whole = render(text, style);
    for (int round = 0; round < 200; ++round) {
      std::string out;
      MarkdownStream stream(style, [&](std::string_view written) { out += written; });
      for (size_t at = 0; at < text.size();) {
        const size_t length = 1 + random() % (round % 2 == 0 ? 3 : 40);
        stream.feed(std::string_view(text).substr(at, length));
        at += length;
      }
      stream.finish();
      ASSERT_EQ(out, whole);
    }
  }
}

}  // namespace
}  // namespace helve::terminal
