#include "media/to_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "media/markdown.h"
#include "unit/media/helper_samples.h"

namespace helve::media {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Converted convert(std::string_view bytes, std::string_view name) {
  auto out = to_text(bytes, name);
  EXPECT_TRUE(out) << describe(out.error());
  return out.value_or(Converted{});
}

TEST(ToText, TellsTextApartByItsName) {
  EXPECT_EQ(convert("# a", "docs/Notes.MD").form, TextForm::markdown);
  EXPECT_EQ(convert("int a;", "a.cc").form, TextForm::code);
  EXPECT_EQ(convert("all:", "src/Makefile").form, TextForm::code);
  EXPECT_EQ(convert("#!/bin/sh\n", "start").form, TextForm::code);
  for (const auto name : {"a.csv", "a.json", "a.txt", "a", "", ".", "a.c h"})
    EXPECT_EQ(convert("# a", name).form, TextForm::plain) << name;
}

TEST(ToText, KeepsTextAsItIsButForMarksAndLineEnds) {
  EXPECT_EQ(convert("\xEF\xBB\xBF"
                    "a\r\nb\rc\n",
                    "a.txt")
                .text,
            "a\nb\rc\n");
  EXPECT_EQ(convert("", "a.txt").text, "");
  EXPECT_THAT(convert("a", "a.txt").notes, IsEmpty());
}

TEST(ToText, DecodesWhatIsNotUtf8AndSaysSo) {
  const std::string_view wide("\xFF\xFEh\0i\0\n\0", 8);
  EXPECT_EQ(convert(wide, "a.txt").text, "hi\n");
  EXPECT_THAT(convert(wide, "a.txt").notes, ElementsAre("decoded from UTF-16LE"));
}

TEST(ToText, TakesTheTitleOfMarkdownFromItsFrontMatterOrItsFirstHeading) {
  EXPECT_EQ(convert("---\ntags: x\ntitle: 'A day'\n---\n# No\n", "a.md").title, "A day");
  EXPECT_EQ(convert("---\ntags: x\n---\n\n## Yes ##\n", "a.md").title, "Yes");
  EXPECT_EQ(convert("---\ntitle: never ends\n# Yes\n", "a.md").title, "Yes");
  EXPECT_EQ(convert("```sh\n# no\n```\n    # no\n#no\n####### no\nC#\n# Yes C#\n", "a.md").title,
            "Yes C#");
  EXPECT_EQ(convert("text\n\nYes\n===\n", "a.md").title, "Yes");
  EXPECT_EQ(convert("text\n\n---\n#\n# ##\n", "a.md").title, "");
  EXPECT_EQ(convert("# no", "a.txt").title, "");
}

TEST(ToText, MakesMarkdownOfNotebooks) {
  const Converted out = convert(R"({"metadata": {"language_info": {"name": "python"}}, "cells": [
      {"cell_type": "markdown", "source": "# Sums\n"},
      {"cell_type": "code", "source": "print(1)\n```", "outputs": [
         {"output_type": "stream", "text": "1\n"},
         {"output_type": "display_data", "data": {"image/png": "AAEC"}}]}]})",
                                "a.ipynb");
  EXPECT_EQ(out.text, "# Sums\n\n````python\nprint(1)\n```\n````\n\n```\n1\n```\n");
  EXPECT_EQ(out.title, "Sums");
  EXPECT_EQ(out.form, TextForm::markdown);
  EXPECT_THAT(out.notes, ElementsAre("1 image left out"));
}

TEST(ToText, TakesADamagedNotebookAsText) {
  const Converted out = convert("{", "a.ipynb");
  EXPECT_EQ(out.text, "{");
  EXPECT_EQ(out.form, TextForm::plain);
  EXPECT_THAT(out.notes, ElementsAre(HasSubstr("the notebook is damaged")));
}

TEST(ToText, TakesTheTextOfAllPagesOfAPdf) {
  const Converted out = convert(pdf_of({"one", "two"}, "", "Numbers"), "a.bin");
  EXPECT_EQ(out.text, "--- page 1 ---\none\n\n--- page 2 ---\ntwo\n");
  EXPECT_EQ(out.title, "Numbers");
  EXPECT_EQ(out.form, TextForm::plain);
  EXPECT_THAT(out.notes, IsEmpty());
}

TEST(ToText, ReadsALongPdfInParts) {
  const Converted out = convert(pdf_of(std::vector<std::string>(250, "x")), "a.pdf");
  EXPECT_THAT(out.text, HasSubstr("\n--- page 250 ---\nx\n"));
}

TEST(ToText, KeepsThePagesBeforeThoseThatFail) {
  const Script helper("case $2 in 1,*) echo '{\"pages\": 9, \"text\": [\"one\"]}';; esac");
  const auto out = to_text(pdf_of({"x"}), "a.pdf", {.helper = helper.path()});
  ASSERT_TRUE(out) << describe(out.error());
  EXPECT_EQ(out->text, "--- page 1 ---\none\n");
  EXPECT_THAT(out->notes, ElementsAre(testing::StartsWith("pages 2 to 9 left out: ")));
  EXPECT_TRUE(out->is_cut);
}

TEST(ToText, ReadsNoMorePagesThanItsBound) {
  std::string texts = "\"x\"";
  for (int i = 1; i < 100; ++i) texts += ",\"x\"";
  const Script helper("echo '{\"pages\": 99999999, \"text\": [" + texts + "]}'");
  const auto out = to_text(pdf_of({"x"}), "a.pdf", {.helper = helper.path()});
  ASSERT_TRUE(out) << describe(out.error());
  EXPECT_THAT(out->notes, ElementsAre(HasSubstr("no more than 2000 are read")));
}

TEST(ToText, SaysThatAPdfHoldsNoText) {
  EXPECT_THAT(convert(pdf_of({""}), "a.pdf").notes, ElementsAre(HasSubstr("no text")));
}

TEST(ToText, NamesThePagesOfAPdfThatHoldNoText) {
  EXPECT_THAT(convert(pdf_of({"one", ""}), "a.pdf").notes,
              ElementsAre("page 2 holds no text; it may be scanned"));
  std::vector<std::string> pages(12);
  pages.emplace_back("last");
  EXPECT_THAT(convert(pdf_of(pages), "a.pdf").notes,
              ElementsAre("pages 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, … (12 in all) hold no text; they "
                          "may be scanned"));
}

TEST(ToText, TellsWhyAPdfCannotBeRead) {
  const auto damaged = to_text("%PDF-1.4\n", "a.pdf");
  ASSERT_FALSE(damaged);
  EXPECT_EQ(damaged.error().type, "damaged_pdf");
  std::stop_source stop;
  stop.request_stop();
  const auto stopped = to_text(pdf_of({"x"}), "a.pdf", {}, stop.get_token());
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, Code::cancelled);
}

TEST(ToText, RefusesWhatIsNoText) {
  const auto image = to_text("\x89PNG\r\n\x1a\n\xFF", "a.md");
  ASSERT_FALSE(image);
  EXPECT_EQ(image.error().type, "unsupported_type");
  EXPECT_EQ(image.error().message, "'a.md' is no text: PNG image");
  EXPECT_THAT(image.error().hint, HasSubstr("PDFs"));
  EXPECT_THAT(image.error().hint, HasSubstr("read shows it"));
  const auto unknown = to_text(std::string_view("\0\1\2\xFF\0", 5), "a");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().type, "unsupported_type");
  EXPECT_THAT(unknown.error().hint, HasSubstr("xxd can look into it"));
}

TEST(ToText, RefusesWhatIsTooLarge) {
  const auto out = to_text(std::string(kMaxDocument + 1, 'a'), "a.txt");
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error().code, Code::too_large);
}

TEST(Markdown, LeavesOutALanguageThatIsNoName) {
  std::string out;
  append_code_block(out, "c\n# x", "a");
  EXPECT_EQ(out, "```\na\n```\n");
}

}  // namespace
}  // namespace helve::media
