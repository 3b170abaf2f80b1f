// The user's git configuration: whatever it says, what is found in it is a part of it.
#include "search/ignore.h"
#include "target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = helve::fuzz::text_of(data, size);
  const std::string found = helve::search::excludes_file_setting(text);
  helve::fuzz::expect(found.size() <= size, "a value is no longer than the file", found);
  return 0;
}
