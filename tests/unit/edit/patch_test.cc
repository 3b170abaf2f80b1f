#include "edit/patch.h"

#include <gtest/gtest.h>

#include "edit/plan.h"

namespace helve::edit {
namespace {

using Tree = std::map<std::string, std::string>;

Result<std::vector<PlannedFile>> planned(const Tree& tree, std::string_view patch,
                                         std::string_view path = {}) {
  std::vector<FilePatch> patches = TRY(parse_patch(patch, path));
  return plan_patch(std::move(patches),
                    {[](std::string_view name) { return std::string(name); },
                     [&tree](const std::string& name) -> Result<std::optional<std::string>> {
                       const auto file = tree.find(name);
                       if (file == tree.end()) return std::nullopt;
                       return file->second;
                     }});
}

// The tree after the patch, as Workspace::apply would leave it.
Result<Tree> patched(Tree tree, std::string_view patch, std::string_view path = {}) {
  const std::vector<PlannedFile> files = TRY(planned(tree, patch, path));
  for (const PlannedFile& file : files)
    if (file.kind == PlannedFile::Kind::remove || file.kind == PlannedFile::Kind::move)
      tree.erase(file.path);
  for (const PlannedFile& file : files)
    if (file.kind != PlannedFile::Kind::remove)
      tree[file.to.empty() ? file.path : file.to] = file.content;
  return tree;
}

// The content of a.txt after a patch to it, or the type of the error.
std::string after(std::string_view content, std::string_view patch) {
  const Result<Tree> tree = patched({{"a.txt", std::string(content)}}, patch, "a.txt");
  return tree ? tree->at("a.txt") : std::string(tree.error().type_name());
}

std::string update(std::string_view hunks) {
  return "*** Begin Patch\n*** Update File: a.txt\n" + std::string(hunks) + "*** End Patch\n";
}

std::string error_of(const Tree& tree, std::string_view patch) {
  const Result<Tree> result = patched(tree, patch);
  return result ? "none" : result.error().message;
}

TEST(Envelope, AddsUpdatesMovesAndDeletes) {
  const Result<Tree> tree = patched(
      {{"old", "1\n2\n3\n"}, {"gone", "x"}, {"moved", "m\n"}},
      "*** Begin Patch\n*** Add File: dir/new\n+a\n+\n+b\n*** Update File: old\n@@\n 1\n-2\n"
      "+two\n 3\n*** Delete File: gone\n*** Update File: moved\n*** Move to: there\n@@\n-m\n"
      "+M\n*** End Patch\n");
  ASSERT_TRUE(tree) << tree.error().message;
  EXPECT_EQ(*tree, (Tree{{"dir/new", "a\n\nb\n"}, {"old", "1\ntwo\n3\n"}, {"there", "M\n"}}));
}

TEST(Envelope, TakesWhatModelsWrapItIn) {
  const std::string body = update("@@\n-b\n+B\n");
  const std::string content = "a\nb\n";
  const std::string expected = "a\nB\n";
  EXPECT_EQ(after(content, "```diff\n" + body + "```\n"), expected);
  EXPECT_EQ(after(content, "\n\n" + body + "\n\n"), expected);
  EXPECT_EQ(after(content, "<<'EOF'\n" + body + "EOF\n"), expected);
  EXPECT_EQ(after(content, "apply_patch <<EOF\n" + body + "EOF\n"), expected);
  EXPECT_EQ(after(content, "Here it is:\n" + body), expected);
  EXPECT_EQ(after(content, "*** Update File: a.txt\n@@\n-b\n+B\n"), expected);
  EXPECT_EQ(after(content, " *** Begin Patch \n*** Update File: a.txt\n-b\n+B\n *** End Patch \n"),
            expected);
}

TEST(Envelope, TakesEveryHunkHeader) {
  const std::string content = "class A\n  x\nclass B\n  x\n";
  EXPECT_EQ(after(content, update("@@ class B\n-  x\n+  y\n")), "class A\n  x\nclass B\n  y\n");
  EXPECT_EQ(after(content, update("@@ class B @@\n-  x\n+  y\n")), "class A\n  x\nclass B\n  y\n");
  EXPECT_EQ(after(content, update("@@ class A\n@@   x\n+  y\n")),
            "class A\n  x\n  y\nclass B\n  x\n");
  EXPECT_EQ(after(content, update("@@\n class B\n-  x\n+  y\n")), "class A\n  x\nclass B\n  y\n");
  EXPECT_EQ(after(content, update("@@ -4 +4 @@\n-  x\n+  y\n")), "class A\n  x\nclass B\n  y\n");
  EXPECT_EQ(after(content, update("@@ class C\n-  x\n+  y\n")), "anchor_not_found");
}

TEST(Envelope, KeepsCarriageReturnsOfTheFile) {
  EXPECT_EQ(after("a\r\nb\r\n", update("@@\n a\n-b\n+B\n+c\n")), "a\r\nB\r\nc\r\n");
  EXPECT_EQ(
      after(
          "a\nb\n",
          "*** Begin Patch\r\n*** Update File: a.txt\r\n@@\r\n a\r\n-b\r\n+B\r\n*** End Patch\r\n"),
      "a\nB\n");
  EXPECT_EQ(after("a\r\nb\n", update("@@\n-a\n+A\n b\n")), "A\r\nb\n");
  EXPECT_EQ(after("a\rb\rc", update("@@\n a\n-b\n+B\n")), "a\rB\rc");
}

TEST(Envelope, EndsEachAddedLine) {
  EXPECT_EQ(after("no newline", update("@@\n-no newline\n+first\n+second\n")), "first\nsecond\n");
  EXPECT_EQ(after("a\nb", update("@@\n-a\n+A\n b\n")), "A\nb");
  EXPECT_EQ(after("a\nb", update("@@\n b\n+c\n")), "a\nb\nc\n");
}

TEST(Envelope, AddsLinesAtTheEndWhenNoPlaceIsNamed) {
  EXPECT_EQ(after("a\n", update("@@\n+b\n+c\n")), "a\nb\nc\n");
}

TEST(Envelope, HoldsToTheEndOfTheFile) {
  EXPECT_EQ(after("x\na\nx\n", update("@@\n-x\n+y\n*** End of File\n")), "x\na\ny\n");
  EXPECT_EQ(after("x\na\n", update("@@\n-x\n+y\n*** End of File\n")), "not_at_end");
}

TEST(Envelope, TakesEmptyLinesForContextButNotAtTheEnd) {
  EXPECT_EQ(after("a\n\nb\n", update("@@\n a\n\n-b\n+B\n\n")), "a\n\nB\n");
  EXPECT_EQ(after("a\nb\n", update("@@\n-a\n+A\n\n@@\n-b\n+B\n")), "A\nB\n");
}

TEST(Envelope, SaysWhatIsWrongWithIt) {
  EXPECT_EQ(error_of({}, "*** Begin Patch\n*** End Patch\n"), "the patch names no file to change");
  EXPECT_EQ(error_of({}, ""), "the patch is empty");
  EXPECT_EQ(error_of({}, "*** Begin Patch\n*** Frobnicate File: foo\n*** End Patch"),
            "line 2 of the patch: '*** Frobnicate File: foo' begins no file");
  EXPECT_EQ(error_of({}, "*** Begin Patch\n*** Add File: a\n+x\n"),
            "line 3 of the patch: the patch ends without '*** End Patch'");
  EXPECT_EQ(error_of({}, "*** Begin Patch\n*** Update File: a\n*** End Patch\n"),
            "line 2 of the patch: the update of a has no hunks");
  EXPECT_EQ(error_of({}, "*** Begin Patch\n*** Add File:\n+x\n*** End Patch\n"),
            "line 2 of the patch: '*** Add File:' without a path");
  EXPECT_EQ(error_of({}, "*** Begin Patch\n*** Add File: a\nx\n*** End Patch\n"),
            "line 3 of the patch: 'x' begins no file");
  EXPECT_EQ(error_of({{"a", "x\n"}}, "*** Begin Patch\n*** Update File: a\n@@\nx\n*** End Patch\n"),
            "line 3 of the patch: a hunk without lines");
}

TEST(Placing, TriesTheStagesInTurn) {
  EXPECT_EQ(after("a  \nb\n", update("@@\n a\n-b\n+c\n")), "a  \nc\n");
  EXPECT_EQ(after("  if x:\n    y\n", update("@@\n if x:\n-  y\n+  z\n")), "  if x:\n    z\n");
  EXPECT_EQ(after("“a” – b\nc\n", update("@@\n \"a\" - b\n-c\n+d\n")), "“a” – b\nd\n");
}

TEST(Placing, RefusesIndentationThatIsNotShiftedEvenly) {
  EXPECT_EQ(after("f\n  x\n  y\n", update("@@\n-x\n+x2\n   y\n")), "hunk_not_found");
  EXPECT_EQ(after("f\n  “x”\n  y\n", update("@@\n-\"x\"\n+x2\n   y\n")), "hunk_not_found");
  EXPECT_EQ(error_of({{"a.txt", "f\n  x\n  y\n"}}, update("@@\n-x\n+x2\n   y\n")),
            "line 3 of the patch: the hunk is not in a.txt; nearest are lines 2–3, where line 2 "
            "begins with 2 spaces where the hunk has nothing:\n2 | ··x\n3 | ··y");
  // Another place where it is even is the one.
  EXPECT_EQ(after("  x\n  y\nf\n  x\n    y\n", update("@@\n-x\n+x2\n   y\n")),
            "  x\n  y\nf\n  x2\n    y\n");
}

TEST(Placing, RefusesToGuess) {
  EXPECT_EQ(after("x\na\nx\n", update("@@\n-x\n+y\n")), "ambiguous_hunk");
  EXPECT_EQ(error_of({{"a.txt", "x\na\nx\n"}}, update("@@\n-x\n+y\n")),
            "the hunk on line 3 of the patch fits 2 places in a.txt: from lines 1, 3");
}

TEST(Placing, LetsTheOrderDecide) {
  EXPECT_EQ(after("x\na\nx\n", update("@@\n-x\n+1\n@@\n-x\n+2\n")), "1\na\n2\n");
  EXPECT_EQ(after("x\na\nx\n", update("@@\n-a\n+A\n@@\n-x\n+y\n")), "x\nA\ny\n");
  EXPECT_EQ(after("a\nb\nc\n", update("@@\n-c\n+C\n@@\n-a\n+A\n")), "A\nb\nC\n");
}

TEST(Placing, LetsLineNumbersDecide) {
  std::string content;
  for (int i = 0; i < 40; ++i) content += i % 10 == 5 ? "x\n" : "line " + std::to_string(i) + "\n";
  std::string expected = content;
  expected.replace(expected.find("x\nline 16"), 1, "y");
  EXPECT_EQ(after(content, "@@ -16 +16 @@\n-x\n+y\n"), expected);
  EXPECT_EQ(after(content, "@@ -17 +17 @@\n-x\n+y\n"), expected);
  EXPECT_EQ(after(content, "@@ -21 +21 @@\n-x\n+y\n"), "ambiguous_hunk");
}

TEST(Placing, RefusesTwoHunksForOneLine) {
  EXPECT_EQ(after("a\nb\n", update("@@\n-a\n-b\n+c\n@@\n-b\n+d\n")), "overlap");
}

TEST(Placing, ShowsWhatComesNearest) {
  EXPECT_EQ(error_of({{"a.txt", "int alpha = 1;\nint beta = 2;\n"}},
                     update("@@\n int alpha = 1;\n-int beta = 3;\n+int c;\n")),
            "line 3 of the patch: the hunk is not in a.txt; nearest are lines 1–2, where line 2 "
            "has '2;' where "
            "the hunk has '3;':\n1 | int alpha = 1;\n2 | int beta = 2;");
}

TEST(Unified, TakesWhatGitWrites) {
  const Result<Tree> tree =
      patched({{"x", "1\n2\n3\n"}, {"gone", "a\n"}, {"from", "f\n"}, {"src", "s\n"}},
              "From 123\nSubject: x\n\n---\n x | 2 +-\n\ndiff --git a/x b/x\nindex 1..2 "
              "100644\n--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@ head\n 1\n-2\n+two\n"
              " 3\ndiff --git a/new b/new\nnew file mode 100755\nindex 0..1\n--- /dev/null\n+++ "
              "b/new\n@@ -0,0 +1 @@\n+n\n\\ No newline at end of file\n"
              "diff --git a/gone b/gone\ndeleted file mode 100644\n--- a/gone\n+++ /dev/null\n@@ "
              "-1 +0,0 @@\n-a\n"
              "diff --git a/from b/to\nsimilarity index 100%\nrename from from\nrename to to\n"
              "diff --git a/src b/copy\nsimilarity index 50%\ncopy from src\ncopy to copy\n--- "
              "a/src\n+++ b/copy\n@@ -1 +1 @@\n-s\n+S\n"
              "diff --git a/empty b/empty\nnew file mode 100644\nindex 000..e69\n-- \n2.39\n");
  ASSERT_TRUE(tree) << tree.error().message;
  EXPECT_EQ(*tree, (Tree{{"x", "1\ntwo\n3\n"},
                         {"new", "n"},
                         {"to", "f\n"},
                         {"src", "s\n"},
                         {"copy", "S\n"},
                         {"empty", ""}}));
}

TEST(Unified, TakesWhatDiffWrites) {
  EXPECT_EQ(
      after("1\n2\n",
            "--- a.txt\t2024-01-01 00:00:00\n+++ a.txt\t2024-01-01\n@@ -1,2 +1,2 @@\n 1\n-2\n+b\n"),
      "1\nb\n");
  EXPECT_EQ(after("1\n2\n", "--- a.txt.orig\n+++ a.txt\n@@ -1,2 +1,2 @@\n 1\n-2\n+b\n"), "1\nb\n");
}

TEST(Unified, TakesHunksForANamedFile) {
  EXPECT_EQ(after("1\n2\n", "@@ -1,2 +1,2 @@\n 1\n-2\n+b\n"), "1\nb\n");
  EXPECT_EQ(after("1\n2\n", "@@\n-2\n+b\n"), "1\nb\n");
  EXPECT_EQ(after("1\n2\n", " 1\n-2\n+b\n"), "1\nb\n");
  EXPECT_EQ(error_of({}, "@@\n-2\n+b\n"), "line 1 of the patch: hunks without a file");
}

TEST(Unified, UnquotesNames) {
  const Result<Tree> tree =
      patched({{"a\tb\xc3\xa4", "1\n"}},
              "--- \"a/a\\tb\\303\\244\"\n+++ \"b/a\\tb\\303\\244\"\n@@ -1 +1 @@\n-1\n+2\n");
  ASSERT_TRUE(tree) << tree.error().message;
  EXPECT_EQ(*tree, (Tree{{"a\tb\xc3\xa4", "2\n"}}));
}

TEST(Unified, LeavesAFolderCalledAAlone) {
  const Result<Tree> tree = patched({{"a/x", "1\n"}}, "--- a/x\n+++ a/x\n@@ -1 +1 @@\n-1\n+2\n");
  ASSERT_TRUE(tree) << tree.error().message;
  EXPECT_EQ(*tree, (Tree{{"a/x", "2\n"}}));
}

TEST(Unified, ChecksTheCounts) {
  const std::string names = "--- a.txt\n+++ a.txt\n";
  EXPECT_EQ(after("1\n2\n3\n", names + "@@ -1,3 +1,3 @@\n 1\n-2\n+b\n"), "invalid_patch");
  EXPECT_EQ(after("1\n2\n3\n", names + "@@ -1,1 +1,1 @@\n 1\n-2\n+b\n"), "invalid_patch");
  EXPECT_EQ(after("1\n2\n3\n", names + "@@ -1,99999999999999999999 +1,1 @@\n 1\n"),
            "invalid_patch");
}

TEST(Unified, NamesTheEndingsItself) {
  EXPECT_EQ(after("a\r\nb\r\n", "@@ -1,2 +1,2 @@\n a\r\n-b\r\n+b\n"), "a\r\nb\n");
  EXPECT_EQ(after("a\nb\n", "@@ -1,2 +1,2 @@\n a\n-b\n+b\r\n"), "a\nb\r\n");
  EXPECT_EQ(after("a\nb", "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n"), "a\nb\n");
  EXPECT_EQ(after("a\nb\n", "@@ -1,2 +1,2 @@\n a\n-b\n+b\n\\ No newline at end of file\n"), "a\nb");
}

TEST(Unified, KeepsTheLastNewlineThatThePatchDidNotKnowOf) {
  const std::string open = "\\ No newline at end of file\n";
  EXPECT_EQ(after("a\nb\n", "@@ -1,2 +1,2 @@\n a\n-b\n" + open + "+c\n" + open), "a\nc\n");
  EXPECT_EQ(after("a\nb", "@@ -1,2 +1,2 @@\n a\n-b\n" + open + "+c\n" + open), "a\nc");
  EXPECT_EQ(after("a\nb\n", "@@\n a\n-b\n" + open + "+c\n" + open), "a\nc\n");
}

TEST(Unified, TakesLinesThatLookLikeFileNamesForLines) {
  EXPECT_EQ(after("-- c\nx\n", "--- a.txt\n+++ a.txt\n@@\n--- c\n+++ d\n"), "++ d\nx\n");
  EXPECT_EQ(after("-- c\nx\ny\n", "--- a.txt\n+++ a.txt\n@@\n--- c\n+++ d\n@@\n-y\n+z\n"),
            "++ d\nx\nz\n");
  const Result<Tree> tree = patched({{"a", "1\n"}, {"b", "2\n"}, {"c", "3\n"}},
                                    "--- a/a\n+++ b/a\n@@\n-1\n+one\n--- b\n+++ b\n@@\n-2\n+two\n"
                                    "--- c.orig\n+++ c\n@@ -1 +1 @@\n-3\n+three\n");
  ASSERT_TRUE(tree) << tree.error().message;
  EXPECT_EQ(*tree, (Tree{{"a", "one\n"}, {"b", "two\n"}, {"c", "three\n"}}));
}

TEST(Unified, RefusesWhatItCannotDo) {
  EXPECT_EQ(after("x", "diff --git a/a.txt b/a.txt\nGIT binary patch\nliteral 1\n"),
            "binary_patch");
  EXPECT_EQ(after("x", "diff --git a/a.txt b/a.txt\nold mode 100644\nnew mode 100755\n"),
            "mode_change");
  EXPECT_EQ(
      after(
          "x",
          "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+t\n"),
      "link_in_patch");
  EXPECT_EQ(after("x\n", "--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1 @@\n+y\n"), "path_conflict");
  EXPECT_EQ(after("x\ny\n", "--- a/a.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"), "hunk_not_found");
}

TEST(Plan, TakesFilesAsTheyAreBefore) {
  const Result<Tree> swapped = patched({{"a", "A\n"}, {"b", "B\n"}},
                                       "*** Begin Patch\n*** Update File: a\n*** Move to: b\n*** "
                                       "Update File: b\n*** Move to: a\n@@\n"
                                       "-B\n+C\n*** End Patch\n");
  ASSERT_TRUE(swapped) << swapped.error().message;
  EXPECT_EQ(*swapped, (Tree{{"a", "C\n"}, {"b", "A\n"}}));
}

TEST(Plan, JoinsUpdatesOfOneFile) {
  const Result<Tree> tree = patched({{"a", "1\n2\n3\n"}},
                                    "*** Begin Patch\n*** Update File: a\n@@\n-3\n+c\n*** Update "
                                    "File: a\n@@\n-1\n+a\n*** End Patch\n");
  ASSERT_TRUE(tree) << tree.error().message;
  EXPECT_EQ(*tree, (Tree{{"a", "a\n2\nc\n"}}));
}

TEST(Plan, ReplacesAFileThatIsDeletedAndAdded) {
  const Result<Tree> tree = patched(
      {{"a", "1\n"}}, "*** Begin Patch\n*** Delete File: a\n*** Add File: a\n+2\n*** End Patch\n");
  ASSERT_TRUE(tree) << tree.error().message;
  EXPECT_EQ(*tree, (Tree{{"a", "2\n"}}));
}

TEST(Plan, FindsContradictions) {
  const Tree tree = {{"a", "A\n"}, {"b", "B\n"}};
  EXPECT_EQ(
      error_of(tree, "*** Begin Patch\n*** Add File: n\n+x\n*** Delete File: n\n*** End Patch\n"),
      "n is named twice in the patch, on lines 2 and 4");
  EXPECT_EQ(
      error_of(tree,
               "*** Begin Patch\n*** Update File: a\n*** Move to: a\n@@\n-A\n+x\n*** End Patch\n"),
      "line 2 of the patch moves a onto itself");
  EXPECT_EQ(error_of(tree,
                     "*** Begin Patch\n*** Update File: a\n*** Move to: n\n*** Update File: b\n*** "
                     "Move to: n\n*** End Patch\n"),
            "n is named twice in the patch, on lines 2 and 4");
  EXPECT_EQ(error_of(tree, "*** Begin Patch\n*** Delete File: missing\n*** End Patch\n"),
            "line 2 of the patch deletes missing, which does not exist");
  EXPECT_EQ(error_of(tree, "*** Begin Patch\n*** Update File: a\n@@\n A\n*** End Patch\n"),
            "the patch changes nothing in a");
}

std::string with_lines(const std::string& content, std::vector<LinePatch> patches) {
  const Result<Patched> result = apply_line_patches(content, patches, "a.txt");
  return result ? result->content : result.error().message;
}

TEST(LinePatches, ReplaceInsertAndDelete) {
  EXPECT_EQ(with_lines("1\n2\n3\n", {{2, 2, "two"}}), "1\ntwo\n3\n");
  EXPECT_EQ(with_lines("1\n2\n3\n", {{2, 3, ""}}), "1\n");
  EXPECT_EQ(with_lines("1\n2\n", {{1, 0, "0"}, {3, 0, "3\n4\n"}, {2, 2, "b\nc"}}),
            "0\n1\nb\nc\n3\n4\n");
  EXPECT_EQ(with_lines("", {{1, 0, "x"}}), "x\n");
  EXPECT_EQ(with_lines("1\r\n2\r\n", {{2, 2, "a\nb"}}), "1\r\na\r\nb\r\n");
  EXPECT_EQ(with_lines("1\n2", {{2, 2, "b"}}), "1\nb");
}

TEST(LinePatches, StayInRangeAndApart) {
  EXPECT_EQ(with_lines("1\n2\n", {{2, 3, "x"}}), "lines 2–3 are not in a.txt, which has 2");
  EXPECT_EQ(with_lines("1\n2\n", {{0, 1, "x"}}), "lines 0–1 are not in a.txt, which has 2");
  EXPECT_EQ(with_lines("1\n2\n", {{4, 0, "x"}}), "line 4 is not in a.txt, which has 2");
  EXPECT_EQ(with_lines("1\n2\n", {{2, 1, "x"}}), "end_line 1 is before start_line 2");
  EXPECT_EQ(with_lines("1\n2\n3\n", {{1, 2, "x"}, {2, 3, "y"}}),
            "two parts of the patch change line 2 of a.txt");
}

}  // namespace
}  // namespace helve::edit
