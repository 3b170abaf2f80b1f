#include "terminal/completion.h"

#include <gtest/gtest.h>

namespace helve::terminal {
namespace {

using Kind = CompletionWord::Kind;

TEST(Completion, FindsTheWordThatIsBeingTyped) {
  struct Case {
    std::string_view text;  // up to the cursor
    Kind kind;
    size_t start;
    std::string_view word;
  };
  const Case cases[] = {
      {"/he", Kind::command, 0, "he"},
      {"/", Kind::command, 0, ""},
      {"/help me", Kind::none, 0, ""},
      {"a /he", Kind::none, 0, ""},
      {"see @src/ma", Kind::file, 4, "src/ma"},
      {"@", Kind::file, 0, ""},
      {"one\n@b", Kind::file, 4, "b"},
      {"me@example", Kind::none, 0, ""},
      {"see @\"my fi", Kind::file, 4, "my fi"},
      {"see @\"my file\" and", Kind::none, 0, ""},
      {"", Kind::none, 0, ""},
  };
  for (const Case& each : cases) {
    const std::string text = std::string(each.text) + "rest";
    const CompletionWord found = word_at(text, each.text.size());
    EXPECT_EQ(found.kind, each.kind) << each.text;
    EXPECT_EQ(found.start, each.start) << each.text;
    EXPECT_EQ(found.word, each.word) << each.text;
  }
}

TEST(Completion, QuotesNamesWithBlanks) {
  EXPECT_EQ(file_reference("a/b.cc"), "@a/b.cc");
  EXPECT_EQ(file_reference("my file"), "@\"my file\"");
}

}  // namespace
}  // namespace helve::terminal
