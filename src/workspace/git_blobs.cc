#include "workspace/git_blobs.h"

#include <fmt/core.h>

#include <charconv>

#include "base/text.h"
#include "sys/environment.h"
#include "sys/process.h"

namespace helve::workspace {
namespace {

constexpr auto kLongest = std::chrono::seconds(60);
constexpr size_t kHeader = 80;  // bytes before each content, at most

std::vector<std::string> environment() {
  return {"PATH=" + sys::environment("PATH").value_or("/usr/local/bin:/usr/bin:/bin"),
          "HOME=" + sys::home_directory(),
          "LC_ALL=C",
          "GIT_ALLOW_PROTOCOL=",
          "GIT_NO_LAZY_FETCH=1",
          "GIT_NO_REPLACE_OBJECTS=1",
          "GIT_OPTIONAL_LOCKS=0",
          "GIT_TERMINAL_PROMPT=0"};
}

Error not_there(const Record::File& file) {
  return {Code::not_found,
          fmt::format("what '{}' was before is not in the repository any more",
                      escape_for_display(file.path)),
          "undo the other files by path", "not_kept"};
}

// "NAME blob SIZE\n", the content, "\n"; "NAME missing\n".
std::map<std::string, std::string> parse(std::string_view out) {
  std::map<std::string, std::string> found;
  while (!out.empty()) {
    const size_t line = out.find('\n');
    if (line == out.npos) break;
    const std::vector<std::string_view> words = split(out.substr(0, line), ' ');
    out.remove_prefix(line + 1);
    if (words.size() != 3) continue;
    size_t size = 0;
    (void)std::from_chars(words[2].data(), words[2].data() + words[2].size(), size);
    if (out.size() <= size) break;
    if (words[1] == "blob") found.emplace(words[0], out.substr(0, size));
    out.remove_prefix(size + 1);
  }
  return found;
}

}  // namespace

Result<std::map<std::string, std::string>> read_blobs(const std::string& directory,
                                                      const std::vector<std::string>& blobs,
                                                      std::uint64_t limit) {
  sys::Command command{
      .argv = {"git", "--git-dir=" + directory, "-c", "core.hooksPath=/dev/null", "-c",
               "core.fsmonitor=false", "-c", "protocol.allow=never", "cat-file", "--batch"},
      .env = environment(),
      .stdout_limit = limit + kHeader * blobs.size(),
      .timeout = kLongest};
  for (const std::string& blob : blobs) command.stdin_text += blob + "\n";
  const sys::Finished finished = TRY(sys::run(command));
  if (finished.exit_code != 0)
    return Error{Code::unavailable,
                 fmt::format("git cannot read '{}': {}", escape_for_display(directory),
                             escape_for_display(preview(trim(finished.err), 200))),
                 "look at the repository with git fsck", "not_kept"};
  if (finished.out_truncated)
    return Error{Code::too_large, "what would be restored from git is too large",
                 "undo less at once: a path", "too_large"};
  return parse(finished.out);
}

Result<std::string> checked_blob(const Record::File& file, std::string content) {
  if (content.size() == file.old.size) return content;
  return not_there(file);
}

Result<std::string> read_blob(const Record::File& file) {
  std::map<std::string, std::string> read =
      TRY(read_blobs(file.repository, {file.old_blob}, kMaxKeptFile));
  const auto found = read.find(file.old_blob);
  if (found == read.end()) return not_there(file);
  return checked_blob(file, std::move(found->second));
}

}  // namespace helve::workspace
