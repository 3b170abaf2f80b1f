#include "terminal/line_buffer.h"

#include <gtest/gtest.h>

namespace helve::terminal {
namespace {

using Do = void (LineBuffer::*)();

// "ab|c": the bar is the cursor.
LineBuffer buffer_of(std::string text) {
  const size_t bar = text.find('|');
  text.erase(bar, 1);
  LineBuffer buffer;
  buffer.insert(text);
  buffer.move_to(bar);
  return buffer;
}

std::string told(const LineBuffer& buffer) {
  std::string text = buffer.text();
  return text.insert(buffer.cursor(), "|");
}

struct Case {
  std::string_view before;
  std::vector<Do> steps;
  std::string_view after;
};

TEST(LineBuffer, EditsAsEmacsDoes) {
  using B = LineBuffer;
  const Case cases[] = {
      {"ab|c", {&B::move_left}, "a|bc"},
      {"|abc", {&B::move_left}, "|abc"},
      {"a👨‍👩‍👧|", {&B::move_left}, "a|👨‍👩‍👧"},
      {"a👨‍👩‍👧|b", {&B::erase_left}, "a|b"},
      {"a|e\u0301b", {&B::erase_right}, "a|b"},
      {"one two|", {&B::move_word_left}, "one |two"},
      {"one |two", {&B::move_word_left}, "|one two"},
      {"|one two", {&B::move_word_right, &B::move_word_right}, "one two|"},
      {"one two.txt|", {&B::kill_word_left}, "one two.|"},
      {"one two.txt|", {&B::kill_blank_word_left}, "one |"},
      {"one| two", {&B::kill_word_right}, "one|"},
      {"ab\ncd|ef\ngh", {&B::kill_to_line_end}, "ab\ncd|\ngh"},
      {"ab\ncd|\ngh", {&B::kill_to_line_end}, "ab\ncd|gh"},
      {"ab\ncd|ef", {&B::kill_to_line_start}, "ab\n|ef"},
      {"ab\n|ef", {&B::kill_to_line_start}, "ab|ef"},
      {"one two|", {&B::kill_word_left, &B::kill_word_left, &B::yank}, "one two|"},
      {"one two|", {&B::kill_word_left, &B::move_word_left, &B::yank}, "two|one "},
      {"ab|", {&B::transpose}, "ba|"},
      {"a|b", {&B::transpose}, "ba|"},
      {"|ab", {&B::transpose}, "|ab"},
      {"ab\ncd|ef", {&B::move_to_line_start}, "ab\n|cdef"},
      {"ab\ncd|ef\n", {&B::move_to_line_end}, "ab\ncdef|\n"},
      {"ab|", {&B::erase_left, &B::erase_left, &B::undo}, "ab|"},
      {"one two|", {&B::kill_word_left, &B::undo, &B::undo, &B::undo}, "|"},
  };
  for (const Case& each : cases) {
    LineBuffer buffer = buffer_of(std::string(each.before));
    for (const Do step : each.steps) (buffer.*step)();
    EXPECT_EQ(told(buffer), each.after) << each.before;
  }
}

TEST(LineBuffer, KeepsTheColumnThroughShorterLines) {
  LineBuffer buffer = buffer_of("日本語\nab\nabcdef|");
  EXPECT_TRUE(buffer.move_up());
  EXPECT_EQ(told(buffer), "日本語\nab|\nabcdef");
  EXPECT_TRUE(buffer.move_up());
  EXPECT_EQ(told(buffer), "日本語|\nab\nabcdef");
  EXPECT_FALSE(buffer.move_up());
  EXPECT_TRUE(buffer.move_down());
  EXPECT_TRUE(buffer.move_down());
  EXPECT_EQ(told(buffer), "日本語\nab\nabcdef|");
  EXPECT_FALSE(buffer.move_down());
}

TEST(LineBuffer, UndoesWordsNotLetters) {
  LineBuffer buffer;
  for (const char c : std::string("one two")) buffer.insert(std::string(1, c));
  buffer.undo();
  EXPECT_EQ(buffer.text(), "one ");
  buffer.undo();
  EXPECT_EQ(buffer.text(), "one");
  buffer.undo();
  EXPECT_EQ(buffer.text(), "");
  buffer.undo();
}

TEST(LineBuffer, IsBoundedAndValid) {
  LineBuffer buffer;
  buffer.insert(std::string_view("a\xff\0b", 4));
  EXPECT_EQ(buffer.text(), "ab");
  buffer.insert(std::string(kMostText, 'x'));
  EXPECT_EQ(buffer.text(), "ab");
}

}  // namespace
}  // namespace helve::terminal
