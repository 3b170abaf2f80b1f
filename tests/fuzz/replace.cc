// Replacing text: whatever the bytes, what was not matched stays, and a match is never empty.
#include "edit/replace.h"

#include "base/text.h"
#include "target.h"

namespace {

using namespace helve;
using fuzz::expect;

constexpr edit::Names kNames{"x", "old_text"};

void check_match(std::string_view content, std::string_view text) {
  const Result<edit::Match> match = edit::find_text(content, text, edit::Count::one, kNames);
  if (!match) {
    expect(!match.error().message.empty() && is_utf8(match.error().message), "an error can be read",
           match.error().message);
    return;
  }
  expect(match->regions.size() == 1, "one place is one place");
  const edit::Region region = match->regions[0];
  expect(region.begin < region.end && region.end <= content.size(),
         "a match is somewhere and not empty");
  if (match->stage == edit::Stage::exact) {
    std::string_view found = content.substr(region.begin, region.end - region.begin);
    if (text.starts_with('\n') && found.starts_with('\r')) found.remove_prefix(1);
    expect(found == text, "an exact match is exact");
  }
}

void check_replace(std::string_view content, std::string_view old_text, std::string_view new_text) {
  for (const edit::Count count : {edit::Count::one, edit::Count::all}) {
    const edit::Replacement replacement{old_text, new_text, count};
    const Result<edit::Replaced> replaced = edit::replace(content, {&replacement, 1}, kNames);
    if (!replaced) continue;
    expect(replaced->steps.size() == 1 && replaced->steps[0].replacements > 0,
           "a success replaced something");
    expect(content.starts_with(kByteOrderMark) == replaced->content.starts_with(kByteOrderMark) ||
               new_text.starts_with(kByteOrderMark),
           "the mark stays");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::string_view> parts = split(fuzz::text_of(data, size), '\0');
  parts.resize(3);
  check_match(parts[0], parts[1]);
  check_replace(parts[0], parts[1], parts[2]);
  return 0;
}
