// What the front matter of a note says of it: the few lines of "key: value" that matter to a
// search. Anything else in it is passed over.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace helve::knowledge {

struct NoteHead {
  std::string title;
  std::vector<std::string> tags;
  std::int64_t date_ms = 0;  // 0: it has none
};
NoteHead note_head(std::string_view text);

// Of a text that begins with "2026-03-09", at midnight UTC; 0 when it does not.
std::int64_t date_ms(std::string_view text);

}  // namespace helve::knowledge
