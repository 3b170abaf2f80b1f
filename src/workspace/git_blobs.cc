#include "workspace/git_blobs.h"

#include <fmt/core.h>

#include <charconv>

#include "base/hash.h"
#include "base/text.h"
#include "sys/environment.h"
#include "sys/process.h"

namespace helve::workspace {
namespace {

constexpr auto kLongest = std::chrono::seconds(60);
constexpr size_t kHeader = 80;  // bytes before each content, at most

std::vector<std::string> environment() {
  return {"PATH=/usr/local/bin:/usr/bin:/bin",
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

// Commands can write objects of any content: only the name tells what belongs there.
bool is_named(const std::string& name, std::string_view content) {
  std::string whole = fmt::format("blob {}", content.size()) + '\0';
  return sha1_hex(whole.append(content)) == name;
}

// "NAME blob SIZE\n", with the content followed by "\n"; "NAME missing\n".
enum class Contents : bool { left_out, follow };
template <typename Use>
void parse(std::string_view out, Contents contents, const Use& use) {
  while (!out.empty()) {
    const size_t line = out.find('\n');
    if (line == out.npos) break;
    const std::vector<std::string_view> words = split(out.substr(0, line), ' ');
    out.remove_prefix(line + 1);
    if (words.size() != 3) continue;
    size_t size = 0;
    (void)std::from_chars(words[2].data(), words[2].data() + words[2].size(), size);
    const bool follows = contents == Contents::follow;
    if (follows && out.size() <= size) break;
    if (words[1] == "blob") use(std::string(words[0]), size, out.substr(0, follows ? size : 0));
    if (follows) out.remove_prefix(size + 1);
  }
}

Result<std::string> ask_git(const std::string& directory, const std::vector<std::string>& blobs,
                            std::string how, std::uint64_t limit, const sys::Writable& writable) {
  const std::string path = sys::environment("PATH").value_or("/usr/local/bin:/usr/bin:/bin");
  sys::Command command{
      .argv = {TRY(sys::find_program("git", path, writable)), "--git-dir=" + directory, "-c",
               "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c",
               "protocol.allow=never", "cat-file", std::move(how)},
      .env = environment(),
      .stdout_limit = limit + kHeader * blobs.size(),
      .timeout = kLongest};
  for (const std::string& blob : blobs) command.stdin_text += blob + "\n";
  sys::Finished finished = TRY(sys::run(command));
  if (finished.exit_code != 0)
    return Error{Code::unavailable,
                 fmt::format("git cannot read '{}': {}", escape_for_display(directory),
                             escape_for_display(preview(trim(finished.err), 200))),
                 "look at the repository with git fsck", "not_kept"};
  if (finished.out_truncated)
    return Error{Code::too_large, "what would be restored from git is too large",
                 "undo less at once: a path", "too_large"};
  return std::move(finished.out);
}

}  // namespace

Result<Blobs> read_blobs(const std::string& directory, const std::vector<std::string>& blobs,
                         std::uint64_t limit, const sys::Writable& writable) {
  const std::string out = TRY(ask_git(directory, blobs, "--batch", limit, writable));
  Blobs found;
  parse(out, Contents::follow, [&](const std::string& name, size_t, std::string_view content) {
    if (is_named(name, content)) found.emplace(name, content);
  });
  return found;
}

Result<BlobSizes> blob_sizes(const std::string& directory, const std::vector<std::string>& blobs,
                             const sys::Writable& writable) {
  const std::string out = TRY(ask_git(directory, blobs, "--batch-check", 0, writable));
  BlobSizes sizes;
  parse(out, Contents::left_out,
        [&](const std::string& name, size_t size, std::string_view) { sizes.emplace(name, size); });
  return sizes;
}

Result<std::string> checked_blob(const Record::File& file, std::string content) {
  if (content.size() == file.old.size) return content;
  return not_there(file);
}

Result<std::string> read_blob(const Record::File& file, const sys::Writable& writable) {
  Blobs read = TRY(read_blobs(file.repository, {file.old_blob}, kMaxKeptFile, writable));
  const auto found = read.find(file.old_blob);
  if (found == read.end()) return not_there(file);
  return checked_blob(file, std::move(found->second));
}

}  // namespace helve::workspace
