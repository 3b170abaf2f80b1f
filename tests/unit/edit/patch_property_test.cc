// Random texts and changes: what we write as a patch, git and GNU patch apply as we do; what git
// writes, we apply as it does.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

#include "base/diff.h"
#include "edit/plan.h"

namespace helve::edit {
namespace {

namespace fs = std::filesystem;
using Tree = std::map<std::string, std::string>;

class Scratch {
 public:
  Scratch() {
    std::string pattern = fs::temp_directory_path() / "helve-patch-XXXXXX";
    path_ = mkdtemp(pattern.data());
  }
  ~Scratch() { fs::remove_all(path_); }

  void put(const std::string& directory, const Tree& tree) const {
    for (const auto& [name, content] : tree) {
      const fs::path file = path_ / directory / name;
      fs::create_directories(file.parent_path());
      std::ofstream(file, std::ios::binary) << content;
    }
    fs::create_directories(path_ / directory);
  }
  Tree get(const std::string& directory) const {
    Tree tree;
    for (const auto& entry : fs::recursive_directory_iterator(path_ / directory)) {
      if (!entry.is_regular_file()) continue;
      std::ifstream in(entry.path(), std::ios::binary);
      tree[fs::relative(entry.path(), path_ / directory)] = {std::istreambuf_iterator<char>(in),
                                                             {}};
    }
    return tree;
  }
  // Runs a command in the scratch directory.
  int run(const std::string& command) const {
    return std::system(("cd '" + path_.string() + "' && " + command).c_str());
  }
  std::string output(const std::string& command) const {
    run("(" + command + ") > output");
    std::ifstream in(path_ / "output", std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

 private:
  fs::path path_;
};

class Texts {
 public:
  explicit Texts(unsigned seed) : random_(seed) {}

  size_t below(size_t end) { return random_() % end; }

  std::string line() {
    static constexpr std::string_view kWords[] = {"a",   "b",    "{",    "}", "",     "\t",
                                                  "  x", "-- c", "++ d", "é", "@@ e", "*** f"};
    return std::string(kWords[below(std::size(kWords))]) +
           (below(3) == 0 ? "" : std::to_string(below(9)));
  }
  std::string ending() { return endings_ == 0 || below(3) > 0 ? "\n" : "\r\n"; }

  std::string text() {
    endings_ = below(3) == 0 ? 1 : 0;
    std::string out;
    for (size_t count = below(40); count > 0; --count) out += line() + ending();
    if (below(3) == 0 && out.ends_with('\n')) out.pop_back();
    return out;
  }
  std::string changed(std::string_view text) {
    std::string out;
    for (const std::string_view old : split_lines(text)) {
      switch (below(12)) {
        case 0:
          break;
        case 1:
          out += line() + ending();
          break;
        case 2:
          out += std::string(old) + (old.ends_with('\n') ? "" : "\n") + line() + ending();
          break;
        default:
          out += old;
      }
    }
    if (below(6) == 0 && out.ends_with('\n')) out.pop_back();
    return out;
  }

 private:
  std::mt19937 random_;
  size_t endings_ = 0;
};

struct Pair {
  Tree before, after;
};
Pair random_trees(unsigned seed, size_t count) {
  Texts texts(seed);
  Pair pair;
  for (size_t i = 0; i < count; ++i) {
    const std::string name = "dir/file " + std::to_string(i);
    const std::string old_text = texts.text();
    std::string new_text = texts.changed(old_text);
    if (old_text.empty() || new_text.empty() || old_text == new_text) continue;
    pair.before[name] = old_text;
    pair.after[name] = std::move(new_text);
  }
  return pair;
}

std::string patch_of(const Pair& pair) {
  std::string patch;
  for (const auto& [name, old_text] : pair.before)
    patch += unified_diff({"a/" + name, "b/" + name}, old_text, pair.after.at(name));
  return patch;
}

Result<Tree> applied(const Tree& before, std::string_view patch) {
  std::vector<FilePatch> patches = TRY(parse_patch(patch));
  const std::vector<PlannedFile> files = TRY(plan_patch(
      std::move(patches), {[](std::string_view name) { return std::string(name); },
                           [&](const std::string& name) -> Result<std::optional<std::string>> {
                             const auto file = before.find(name);
                             if (file == before.end()) return std::nullopt;
                             return file->second;
                           }}));
  Tree tree = before;
  for (const PlannedFile& file : files) {
    if (file.kind == PlannedFile::Kind::remove || file.kind == PlannedFile::Kind::move)
      tree.erase(file.path);
    if (file.kind != PlannedFile::Kind::remove)
      tree[file.to.empty() ? file.path : file.to] = file.content;
  }
  return tree;
}

TEST(PatchProperty, WhatWeWriteWeApply) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const Pair pair = random_trees(seed, 60);
    for (const auto& [name, old_text] : pair.before) {
      const std::string& new_text = pair.after.at(name);
      const std::string patch = unified_diff({"a/x", "b/x"}, old_text, new_text);
      const Result<Tree> tree = applied({{"x", old_text}}, patch);
      ASSERT_TRUE(tree) << tree.error().message << "\n" << patch;
      ASSERT_EQ(tree->at("x"), new_text) << patch;
    }
  }
}

TEST(PatchProperty, WhatWeWriteGitApplies) {
  const Pair pair = random_trees(101, 150);
  Scratch scratch;
  scratch.put("work", pair.before);
  scratch.put(".", {{"patch", patch_of(pair)}});
  ASSERT_EQ(scratch.run("cd work && git apply --whitespace=nowarn ../patch"), 0);
  EXPECT_EQ(scratch.get("work"), pair.after);
}

TEST(PatchProperty, WhatWeWriteGnuPatchApplies) {
  const Pair pair = random_trees(102, 150);
  Scratch scratch;
  scratch.put("work", pair.before);
  scratch.put(".", {{"patch", patch_of(pair)}});
  ASSERT_EQ(scratch.run("cd work && patch --binary -s -p1 < ../patch"), 0);
  EXPECT_EQ(scratch.get("work"), pair.after);
}

TEST(PatchProperty, WhatGitWritesWeApply) {
  Pair pair = random_trees(103, 150);
  // Files that appear, go, move and change places of lines too.
  Texts texts(7);
  pair.before["gone"] = "x\n";
  pair.after["new/one"] = "y";
  pair.after["empty"] = "";
  pair.before["odd\tname\"é"] = "q\n";
  pair.after["odd\tname\"é"] = "r\n";
  std::string moved;
  for (int i = 0; i < 30; ++i) moved += "line of a file that moves " + std::to_string(i) + "\n";
  pair.before["from"] = moved;
  pair.after["to/there"] = moved + "and changes\n";
  Scratch scratch;
  scratch.put("work", pair.before);
  ASSERT_EQ(scratch.run("cd work && git init -q . && git add -A && git write-tree > ../tree && "
                        "rm -r dir from gone odd*"),
            0);
  scratch.put("work", pair.after);
  const std::string patch =
      scratch.output("cd work && git add -A && git diff --cached -M $(cat ../tree)");
  ASSERT_FALSE(patch.empty());
  const Result<Tree> tree = applied(pair.before, patch);
  ASSERT_TRUE(tree) << tree.error().message;
  EXPECT_EQ(*tree, pair.after);
}

}  // namespace
}  // namespace helve::edit
