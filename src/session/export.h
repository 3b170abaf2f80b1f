// Export: a whole session as text, to be read by people (Markdown) or programs (JSON Lines).
#pragma once

#include <string>
#include <string_view>

#include "session/item.h"
#include "store/store.h"

namespace helve::session {

enum class ExportFormat : unsigned char { markdown, jsonl };

constexpr size_t kMaxExport = 32u << 20;  // bytes; an entry that began before is written whole

struct Exported {
  std::string text;
  std::uint64_t entries = 0;  // that are in it
  std::uint64_t last = 0;     // the number of the last one
  bool is_whole = true;       // false: more follow
};

// The entries after `after`; with a head that says whose they are.
Result<Exported> export_session(store::Store& store, std::string_view session, ExportFormat format,
                                std::uint64_t after = 0, size_t max_bytes = kMaxExport);

// One entry of each form, with a newline at its end.
std::string to_markdown(const store::Entry& entry);
std::string to_jsonl(const store::Entry& entry);

}  // namespace helve::session
