#include "cli/completion.h"

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "base/text.h"
#include "unit/cli/fixture.h"
#include "unit/golden.h"

namespace helve::cli {
namespace {

std::string output_of(const std::string& command) {
  std::string out;
  FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) return "cannot run";
  char buffer[4096];
  for (size_t count; (count = fread(buffer, 1, sizeof buffer, pipe)) > 0;)
    out.append(buffer, count);
  const int status = pclose(pipe);
  return status == 0 ? out : out + "\nfailed";
}

// A file that goes with the value.
class Script {
 public:
  explicit Script(const std::string& text) {
    std::string pattern = std::filesystem::temp_directory_path() / "helve-completion-XXXXXX";
    directory_ = mkdtemp(pattern.data());
    std::ofstream(path()) << text;
  }
  ~Script() { std::filesystem::remove_all(directory_); }
  std::string path() const { return directory_ + "/script"; }

 private:
  std::string directory_;
};

class Completion : public Cli {
 protected:
  // What bash offers behind these words; the last one is being typed.
  std::string offered(const std::vector<std::string>& words) {
    const Script script(completion_script(Shell::bash, program_, registry_));
    std::string line;
    for (const std::string& word : words) line += " '" + word + "'";
    std::string out = output_of(
        "bash -c 'compopt() { :; }; . " + script.path() + "; COMP_WORDS=(helve" + quoted(line) +
        "); COMP_CWORD=" + std::to_string(words.size()) + "; _helve; echo \"${COMPREPLY[*]}\"'");
    while (out.ends_with('\n')) out.pop_back();
    return out;
  }
  static std::string quoted(const std::string& line) {
    std::string out;
    for (char c : line) out += c == '\'' ? std::string("\"") : std::string(1, c);
    return out;
  }
};

TEST_F(Completion, OffersGroupsAndCommandsFirst) { EXPECT_EQ(offered({"s"}), "status"); }
TEST_F(Completion, OffersTheToolsOfAGroup) { EXPECT_EQ(offered({"demo", ""}), "echo fail pour"); }
TEST_F(Completion, OffersTheFlagsOfAToolAndOfTheProgram) {
  EXPECT_EQ(offered({"demo", "echo", "--ti"}), "--times --timeout --timeout");
  EXPECT_EQ(offered({"demo", "echo", "--js"}), "--json");
}
TEST_F(Completion, OffersTheChoicesOfAFlag) {
  EXPECT_EQ(offered({"demo", "echo", "--mood", ""}), "calm merry wild");
  EXPECT_EQ(offered({"demo", "echo", "--mood", "=", "m"}), "merry");
  EXPECT_EQ(offered({"--color", "a"}), "auto always");
}
TEST_F(Completion, OffersTheChoicesOfAPositional) {
  EXPECT_EQ(offered({"completion", ""}), "bash zsh fish");
}
TEST_F(Completion, OffersNamesWhereTheyAreExpected) {
  EXPECT_EQ(offered({"call", "demo"}), "demo_echo demo_fail demo_pour");
  EXPECT_EQ(offered({"help", "s"}), "status");
  EXPECT_EQ(offered({"help", "demo_e"}), "demo_echo");
  EXPECT_EQ(offered({"help", "demo", ""}), "echo fail pour");
  EXPECT_EQ(offered({"help", "demo", "echo", ""}), "");
  EXPECT_EQ(offered({"help", "status", ""}), "");
  EXPECT_EQ(offered({"--dialect", "cl"}), "claude claw");
  EXPECT_EQ(offered({"--tools", "k"}), "kb kb_read");
  EXPECT_EQ(offered({"--profile", ""}), "default bare");
}
TEST_F(Completion, OffersOnlyTopicsThatHelpUnderstands) {
  size_t topics = 0;
  const Outline outline = outline_of(program_, registry_);
  for (const OutlinePlace& place : outline.places) {
    if (place.path != "help" && !place.path.starts_with("help ")) continue;
    for (const auto& row : place.words) {
      const std::string line = place.path + " " + row.first;
      std::vector<std::string> words;
      for (std::string_view word : split(line, ' ')) words.emplace_back(word);
      EXPECT_EQ(run(words), 0) << place.path << " " << row.first << "\n" << err_;
      ++topics;
    }
  }
  EXPECT_GT(topics, registry_.tools().size() * 2);
}
TEST_F(Completion, SaysWhatANegationDoes) {
  for (Shell shell : {Shell::zsh, Shell::fish}) {
    EXPECT_NE(
        completion_script(shell, program_, registry_).find("Do not write calls down in the log"),
        std::string::npos);
  }
}
TEST_F(Completion, OffersNothingForFreeText) {
  EXPECT_EQ(offered({"demo", "echo", "--times", ""}), "");
}
TEST_F(Completion, OffersFilesForPaths) {
  EXPECT_EQ(offered({"fs", "read", "/etc/passw"}).substr(0, 11), "/etc/passwd");
}
TEST_F(Completion, OffersDirectoriesForThose) {
  EXPECT_EQ(offered({"status", "--place", "/et"}), "/etc");
}
TEST_F(Completion, OffersNoFilesForWhatIsOnlyCalledAPath) {
  EXPECT_EQ(offered({"status", "--path", "/et"}), "");
}
TEST_F(Completion, OffersWordsThatAreSuggested) {
  EXPECT_EQ(offered({"status", "--kind", ""}), "warm cold");
}
TEST_F(Completion, SkipsGlobalFlagsInFrontOfTheGroup) {
  EXPECT_EQ(offered({"-C", "/tmp", "--json", "demo", "f"}), "fail");
}

TEST_F(Completion, ScriptsKnowEveryToolFlagAndChoice) {
  for (Shell shell : {Shell::bash, Shell::zsh, Shell::fish}) {
    const std::string script = completion_script(shell, program_, registry_);
    for (const char* word :
         {"demo", "echo", "kb", "status", "mood", "merry", "add-dir", "no-record"}) {
      EXPECT_NE(script.find(word), std::string::npos)
          << word << " in script " << static_cast<int>(shell);
    }
  }
}

TEST_F(Completion, ScriptsAreAcceptedByTheirShells) {
  const std::pair<Shell, std::string> shells[] = {
      {Shell::bash, "bash"}, {Shell::zsh, "zsh"}, {Shell::fish, "fish"}};
  for (const auto& [shell, name] : shells) {
    if (output_of("command -v " + name + " || true").empty()) continue;  // only bash is everywhere
    const Script script(completion_script(shell, program_, registry_));
    EXPECT_EQ(output_of(name + " -n " + script.path() + " 2>&1"), "") << name;
  }
}

TEST_F(Completion, TheManPageHasEveryToolAndNoWarnings) {
  EXPECT_EQ(run({"man"}), 0);
  EXPECT_NE(out_.find(".SS \"helve demo echo TEXT\""), std::string::npos);
  EXPECT_NE(out_.find("\\-\\-times N"), std::string::npos);
  for (std::string_view line : split(out_, '\n')) {
    for (char c : line) ASSERT_LT(static_cast<unsigned char>(c), 0x80) << line;
  }
  expect_golden("cli/helve.1", out_);
}

}  // namespace
}  // namespace helve::cli
