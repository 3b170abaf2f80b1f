// The index of a repository, which any command may write: whatever the bytes, only whole entries of
// the paths that were asked for are told.
#include "workspace/git_index.h"

#include "target.h"

using namespace helve;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  const std::set<std::string> wanted{"a", "directory/file", "directory/file2"};
  for (const auto& [path, entry] : workspace::index_entries(text, wanted)) {
    fuzz::expect(wanted.contains(path), "only what was asked for");
    fuzz::expect(entry.blob.size() == 40, "a whole name of a blob");
  }
  return 0;
}
