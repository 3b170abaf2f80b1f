// What a model writes and what a terminal sends: however it is cut, the same comes out, and nothing
// of it acts on the terminal.
#include "target.h"
#include "terminal/line_editor.h"
#include "terminal/markdown.h"
#include "terminal/tool_lines.h"

namespace {

using namespace helve::terminal;
using helve::fuzz::expect;

std::string rendered(std::string_view text, size_t piece, const MarkdownStyle& style) {
  std::string out;
  MarkdownStream stream(style, [&](std::string_view written) { out += written; });
  for (; !text.empty(); text.remove_prefix(std::min(piece, text.size())))
    stream.feed(text.substr(0, piece));
  stream.finish();
  return out;
}

bool is_harmless(std::string_view text) {
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') return false;
  }
  return text.find("\xC2\x9B") == text.npos;
}

void check_markdown(std::string_view text) {
  const MarkdownStyle plain_style{.width = 20};
  const std::string whole = rendered(text, text.size() + 1, plain_style);
  expect(is_harmless(whole), "no control character gets through", whole);
  expect(whole.empty() || whole.ends_with('\n'), "the last line is ended", whole);
  expect(rendered(text, 1, plain_style) == whole, "pieces make no difference", whole);
  const MarkdownStyle colours{.colours = true, .width = 33, .hyperlinks = true};
  expect(rendered(text, 3, colours) == rendered(text, 7, colours), "nor with colours", text);
}

void check_keys(std::string_view bytes) {
  KeyDecoder at_once;
  KeyDecoder one_by_one;
  std::vector<KeyPress> keys;
  for (const char byte : bytes) {
    for (KeyPress& key : one_by_one.feed({&byte, 1})) keys.push_back(std::move(key));
  }
  expect(at_once.feed(bytes) == keys, "keys do not depend on how bytes are cut", bytes);
  at_once.nothing_more();
  expect(!at_once.is_waiting(), "what does not go on is over", bytes);
}

void check_editor(std::string_view bytes) {
  LineEditor editor({.columns = 15, .rows = 5}, [](std::string_view) {});
  editor.set_history({"one", "two\nthree"});
  editor.show();
  Edited edited = editor.feed(bytes);
  for (size_t i = 0; i <= bytes.size() && edited.kind != Edited::Kind::going_on; ++i) {
    editor.show();
    edited = editor.feed("");
  }
  expect(edited.kind == Edited::Kind::going_on, "everything typed is used up", bytes);
  editor.resize(7, 3);
  editor.print(bytes.substr(0, 10));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = helve::fuzz::text_of(data, size);
  check_markdown(text);
  check_keys(text);
  check_editor(text);
  expect(is_harmless(tool_details({.name = std::string(text), .result = std::string(text)}, {})),
         "a result does not act on the terminal", text);
  return 0;
}
