// A plain way to change files: each is read, its new content is written beside it, the two change
// places, and the old one is removed, one file after the other. No patch, no journal, no sync;
// nothing is taken back. It is a yardstick and no lower bound: who works on several files at once,
// or removes nothing, can be faster. It makes the change of bench/changes.py: bench_exchange
// DIRECTORY NAME…
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace {

std::string read_file(int directory, const char* name) {
  std::string content;
  const int file = openat(directory, name, O_RDONLY | O_CLOEXEC);
  if (file < 0) return content;
  const off_t size = lseek(file, 0, SEEK_END);
  content.resize_and_overwrite(static_cast<size_t>(std::max<off_t>(size, 0)),
                               [&](char* data, size_t room) {
                                 const ssize_t got = pread(file, data, room, 0);
                                 return static_cast<size_t>(std::max<ssize_t>(got, 0));
                               });
  close(file);
  return content;
}

size_t line_start(std::string_view text, size_t line) {
  size_t at = 0;
  for (; line > 0; --line) at = text.find('\n', at) + 1;
  return at;
}

bool change(int directory, const char* name) {
  std::string content = read_file(directory, name);
  const auto lines = static_cast<size_t>(std::ranges::count(content, '\n'));
  for (const size_t line : {lines * 3 / 4, lines / 4})
    content.insert(line_start(content, line), "changed ");
  const std::string beside = std::string(".") + name;
  const int file = openat(directory, beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (file < 0) return false;
  const bool written =
      write(file, content.data(), content.size()) == static_cast<ssize_t>(content.size());
  close(file);
  return written && renameat2(directory, beside.c_str(), directory, name, RENAME_EXCHANGE) == 0 &&
         unlinkat(directory, beside.c_str(), 0) == 0;
}

}  // namespace

int main(int count, char** words) {
  const int directory = count > 1 ? open(words[1], O_DIRECTORY | O_CLOEXEC) : -1;
  if (directory < 0) return 2;
  for (int i = 2; i < count; ++i)
    if (!change(directory, words[i])) return 1;
  return 0;
}
