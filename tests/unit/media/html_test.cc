#include "media/html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "media/to_text.h"
#include "unit/golden.h"

namespace helve::media {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string markdown(std::string_view html, const HtmlOptions& options = {}) {
  return html_to_markdown(html, options).markdown;
}

// Pairs of files in tests/golden/html.
TEST(Html, BecomesMarkdown) {
  const auto directory = std::filesystem::path(HELVE_TEST_DIR) / "golden/html";
  size_t pages = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    if (entry.path().extension() != ".html") continue;
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string html(std::istreambuf_iterator<char>(in), {});
    const HtmlPage page = html_to_markdown(html);
    expect_golden("html/" + entry.path().stem().string() + ".md",
                  "title: " + page.title + "\n\n" + page.markdown);
    ++pages;
  }
  EXPECT_EQ(pages, 6u);
}

TEST(Html, TakesTheMainPartAloneWhenItHoldsEnough) {
  const std::string_view page =
      "<p>before</p><main><p>main</p></main><p>after, and much more of it";
  EXPECT_EQ(markdown(page), "before\n\nmain\n\nafter, and much more of it\n");
  const std::string large = "<p>before</p><div role=main>" + std::string(300, 'x') + "</div>after";
  EXPECT_EQ(markdown(large), std::string(300, 'x') + "\n");
  EXPECT_THAT(markdown(large, {.part = HtmlOptions::Part::whole}), HasSubstr("before"));
}

TEST(Html, TakesTheOneArticleOfAPage) {
  EXPECT_EQ(markdown("<p>side</p><article><p>what it is about</p></article>"),
            "what it is about\n");
}

TEST(Html, ShowsAMenuWhenThereIsNothingElse) {
  EXPECT_EQ(markdown("<nav><a href=x>y</a></nav>"), "[y](x)\n");
  EXPECT_EQ(markdown("<nav>a</nav>b"), "b\n");
  EXPECT_EQ(markdown("<nav>a</nav>b", {.part = HtmlOptions::Part::whole}), "a\n\nb\n");
}

TEST(Html, HasATitle) {
  EXPECT_EQ(html_to_markdown("<title> a\n &amp; b </title><h1>c</h1>").title, "a & b");
  EXPECT_EQ(html_to_markdown("<h1>c <b>d</b></h1><h1>e</h1>").title, "c d");
  EXPECT_EQ(html_to_markdown("<p>x").title, "");
  EXPECT_EQ(html_to_markdown("<svg><title>icon</title></svg>").title, "");
}

TEST(Html, IsDecodedByItsMarkOrItsOwnWordOrWhatCameWithIt) {
  EXPECT_EQ(decode_html("<meta charset=latin1>\xE9\x80"), "<meta charset=latin1>é€");
  EXPECT_EQ(decode_html("<meta http-equiv=x content='text/html; charset=koi8-r'>\xC1"),
            "<meta http-equiv=x content='text/html; charset=koi8-r'>а");
  EXPECT_EQ(decode_html("<meta charset=latin1>\xC1", "koi8-r"), "<meta charset=latin1>а");
  EXPECT_EQ(decode_html("<meta charset=latin1>é"), "<meta charset=latin1>é");
  EXPECT_EQ(decode_html(std::string_view("\xFF\xFE<\0p\0>\0", 8)), "<p>");
  EXPECT_EQ(decode_html("\xEF\xBB\xBF<p>"), "<p>");
  EXPECT_TRUE(is_utf8(decode_html("<meta charset=nonsense>\xC1\xFF")));
  EXPECT_TRUE(is_utf8(markdown("\xC1\xFF<b\xC1>\xE2")));
}

TEST(Html, IsKnownByItsNameOrItsStart) {
  const auto converted = [](std::string_view bytes, std::string_view name) {
    return to_text(bytes, name).value_or(Converted{});
  };
  EXPECT_EQ(converted("<p>x", "a.HTM").text, "x\n");
  EXPECT_EQ(converted("<p>x", "a.htm").form, TextForm::markdown);
  EXPECT_EQ(converted("\n<!DOCTYPE HTML><title>t</title>x", "download").text, "x\n");
  EXPECT_EQ(converted("<!DOCTYPE HTML><title>t</title>x", "download").title, "t");
  EXPECT_EQ(converted("<html>x", "a.php").form, TextForm::code);
  EXPECT_EQ(converted("<p>x", "a.txt").text, "<p>x");
  EXPECT_EQ(to_text("\x89PNG\r\n\x1a\n", "a.html").error().type, "unsupported_type");
}

TEST(Html, IsCutWhereItIsTooLongAndSaysSo) {
  std::string page;
  for (int i = 0; i < 1000; ++i) page += "<p>é word &amp; more</p>";
  const HtmlPage cut = html_to_markdown(page, {.most_bytes = 500});
  EXPECT_TRUE(cut.is_cut);
  EXPECT_LT(cut.markdown.size(), 600u);
  EXPECT_TRUE(is_utf8(cut.markdown));
  EXPECT_FALSE(html_to_markdown(page).is_cut);
  const auto converted = to_text(page, "a.html", {.html = {.most_bytes = 500}});
  ASSERT_TRUE(converted);
  EXPECT_THAT(converted->notes, ElementsAre("cut after 500 bytes of Markdown"));
}

// Each of these once took a tree-building parser quadratic time or memory.
TEST(Html, StaysWithinItsBoundsWhateverThePage) {
  constexpr size_t kCount = 100'000;
  const auto repeat = [](std::string_view text, size_t count) {
    std::string out;
    for (size_t i = 0; i < count; ++i) out += text;
    return out;
  };
  std::string attributes = "<a";
  for (size_t i = 0; i < kCount; ++i) attributes += " a" + std::to_string(i) + "=1";
  for (const std::string& page :
       {repeat("<div>", kCount) + "x", repeat("<b a=1><i>", kCount) + "x",
        repeat("<ul><li>", kCount) + "x", repeat("<blockquote>", kCount) + "x",
        repeat("<table><tr><td>", kCount) + "x",
        repeat("<x1>", kCount) + repeat("</x2>", kCount) + "x",
        "<p>" + repeat("<font size=1>", 1000) + repeat("</p><p>", 1000) + "x", attributes + ">x",
        "x" + repeat("<a ", kCount), "x<!--" + repeat("-", kCount),
        "x<script>" + repeat("</script", kCount), "x" + repeat("&", kCount),
        repeat("<td colspan=9999 rowspan=9999>", kCount) + "x",
        "<table>" + repeat("<tr><td colspan=9999 rowspan=9999>x", 1000)}) {
    const HtmlPage out = html_to_markdown(page);
    EXPECT_THAT(out.markdown, HasSubstr("x")) << page.substr(0, 40);
    EXPECT_LT(out.markdown.size(), 10 * page.size()) << page.substr(0, 40);
  }
}

}  // namespace
}  // namespace helve::media
