#include "media/notebook.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"

namespace helve::media {
namespace {

using testing::HasSubstr;

Cell only_cell(std::string_view cell) {
  const auto notebook = parse_notebook(R"({"cells": [)" + std::string(cell) + "]}");
  EXPECT_TRUE(notebook) << describe(notebook.error());
  if (!notebook || notebook->cells.size() != 1) return {};
  return notebook->cells[0];
}

TEST(Notebook, TakesSourceAsTextOrAsLines) {
  EXPECT_EQ(only_cell(R"({"cell_type": "code", "source": "a\nb"})").source, "a\nb");
  EXPECT_EQ(only_cell(R"({"cell_type": "code", "source": ["a\n", "b", 7]})").source, "a\nb");
  EXPECT_EQ(only_cell(R"({})").source, "");
}

TEST(Notebook, ShowsThePlainestFormOfAResult) {
  const Cell cell = only_cell(R"({"cell_type": "code", "source": "x", "outputs": [
      {"output_type": "execute_result", "data": {"text/html": "<b>1</b>", "text/plain": ["1"]}},
      {"output_type": "display_data", "data": {"application/json": {"a": 1}}}]})");
  EXPECT_EQ(to_text(cell, 4), "--- cell 4: code ---\nx\noutput:\n1\noutput:\n{\"a\":1}\n");
}

TEST(Notebook, GivesTheBytesOfImages) {
  const Cell cell = only_cell(R"({"cell_type": "code", "source": "plot", "outputs": [
      {"output_type": "display_data",
       "data": {"image/png": "AAEC\n", "text/plain": "<Figure>"}},
      {"output_type": "display_data", "data": {"image/png": "*"}}]})");
  ASSERT_EQ(cell.outputs.size(), 3u);
  EXPECT_EQ(cell.outputs[0].kind, CellOutput::Kind::image);
  EXPECT_EQ(cell.outputs[0].text, std::string("\0\1\2", 3));
  EXPECT_THAT(to_text(cell, 1), HasSubstr("output: an image\noutput:\n<Figure>\n"));
  EXPECT_THAT(to_text(cell, 1), HasSubstr("error:\nan image that is not valid base64\n"));
}

TEST(Notebook, CutsLongOutputsAndSaysSo) {
  const Cell cell = only_cell(R"({"cell_type": "code", "source": "", "outputs": [
      {"output_type": "stream", "text": ")" +
                              std::string(20'000, 'x') + R"("}]})");
  EXPECT_THAT(to_text(cell, 1), HasSubstr("x… [10000 more characters]\n"));
}

TEST(Notebook, ShowsNoEscapeCodes) {
  const Cell cell = only_cell(R"({"cell_type": "code", "source": "", "outputs": [
      {"output_type": "stream", "text": "\u001b[1;31mred\u001b[0m \u001b]0;title\u0007"}]})");
  EXPECT_EQ(cell.outputs.at(0).text, "red \\x1b]0;title\\x07");
}

TEST(Notebook, ReadsTheOldFormat) {
  const auto notebook = parse_notebook(R"({"nbformat": 3, "worksheets": [{"cells": [
      {"cell_type": "code", "input": "1+1", "prompt_number": 2,
       "outputs": [{"output_type": "pyout", "text": "2"}]}]}]})");
  ASSERT_TRUE(notebook);
  EXPECT_EQ(to_text(notebook->cells.at(0), 1), "--- cell 1: code [2] ---\n1+1\noutput:\n2\n");
}

TEST(Notebook, SaysWhatIsWrong) {
  for (const std::string_view bad :
       {"", "{", "[]", "{}", R"({"cells": 3})", R"({"worksheets": []})"}) {
    const auto notebook = parse_notebook(bad);
    ASSERT_FALSE(notebook) << bad;
    EXPECT_EQ(notebook.error().type, "damaged_notebook");
  }
  EXPECT_TRUE(parse_notebook(R"({"cells": [1, null, "x", {"outputs": [1, {}]}]})"));
}

}  // namespace
}  // namespace helve::media
