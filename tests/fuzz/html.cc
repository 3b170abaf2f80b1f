// HTML: whatever the bytes, the page becomes valid text of one form, within its bounds, and a title
// on one line.
#include "media/html.h"
#include "base/text.h"
#include "target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace helve;
  using fuzz::expect;
  const std::string_view bytes = fuzz::text_of(data, size);
  for (const auto part : {media::HtmlOptions::Part::main, media::HtmlOptions::Part::whole}) {
    constexpr size_t kMost = 4096, kSlack = 16384;  // what is begun is ended
    const media::HtmlPage page =
        media::html_to_markdown(bytes, {.part = part, .most_bytes = kMost});
    expect(is_utf8(page.markdown), "Markdown is valid text", page.markdown);
    expect(page.markdown.size() <= kMost + kSlack, "Markdown is bounded");
    expect(page.markdown.empty() || page.markdown.ends_with('\n'), "the last line ends");
    expect(!page.markdown.starts_with('\n') && !page.markdown.ends_with("\n\n"),
           "no blank lines around it", page.markdown);
    expect(page.title.find('\n') == page.title.npos && is_utf8(page.title), "a title is a line");
  }
  expect(is_utf8(media::decode_html(bytes)), "a page is decoded to valid text");
  return 0;
}
