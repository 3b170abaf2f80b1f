#include "terminal/history.h"

#include <algorithm>
#include <optional>

#include "base/diff.h"
#include "base/text.h"
#include "sys/file.h"
#include "sys/private_file.h"

namespace helve::terminal {
namespace {

constexpr size_t kMostFile = 8u << 20;   // bytes that are read
constexpr size_t kTidyAbove = 2u << 20;  // bytes; then only the last entries are kept
constexpr size_t kTidyAboveLines = 2 * kMostEntries;
constexpr size_t kMostKept = 1u << 20;  // bytes of them
constexpr std::chrono::milliseconds kLockWait{2000};

std::string escaped(std::string_view entry) {
  std::string out;
  for (const char c : entry) {
    if (c == '\n')
      out += "\\n";
    else if (c == '\\')
      out += "\\\\";
    else
      out += c;
  }
  return out;
}

// Nothing when this is no entry that we wrote.
std::optional<std::string> unescaped(std::string_view line) {
  if (line.empty() || line.size() > 2 * kMostEntry || !is_utf8(line)) return std::nullopt;
  std::string out;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\0') return std::nullopt;
    if (line[i] != '\\') {
      out += line[i];
      continue;
    }
    if (++i == line.size() || (line[i] != 'n' && line[i] != '\\')) return std::nullopt;
    out += line[i] == 'n' ? '\n' : '\\';
  }
  return out;
}

std::vector<std::string> entries_of(std::string_view file) {
  std::vector<std::string> entries;
  for (const std::string_view line : split(file, '\n')) {
    auto entry = unescaped(line);
    if (entry && (entries.empty() || entries.back() != *entry))
      entries.push_back(std::move(*entry));
  }
  if (entries.size() > kMostEntries)
    entries.erase(entries.begin(), entries.end() - static_cast<std::ptrdiff_t>(kMostEntries));
  return entries;
}

std::string last_entries(const std::vector<std::string>& entries) {
  std::string out;
  size_t first = entries.size() - std::min(entries.size(), kMostEntries);
  size_t bytes = 0;
  for (size_t i = entries.size(); i > first; --i) {
    bytes += escaped(entries[i - 1]).size() + 1;
    if (bytes > kMostKept) first = i;
  }
  for (; first < entries.size(); ++first) out += escaped(entries[first]) + "\n";
  return out;
}

}  // namespace

Result<std::string> History::read() const {
  auto file = sys::read_file(path_, kMostFile);
  if (!file && file.error().code == Code::not_found) return std::string();
  if (!file && file.error().code == Code::too_large)
    file.error().hint = "remove it: this is no history of ours";
  return file;
}

Result<std::vector<std::string>> History::load() const { return entries_of(TRY(read())); }

Result<void> History::add(std::string_view entry) const {
  if (trim(entry).empty() || entry.size() > kMostEntry) return {};
  TRY(sys::ensure_private_file(path_));
  // Held while the file is tidied, so that nobody's entry is lost then.
  const sys::Fd lock = TRY(sys::lock_file(path_ + ".lock", kLockWait));
  const std::string file = TRY(read());
  std::vector<std::string> entries = entries_of(file);
  if (!entries.empty() && entries.back() == entry) return {};
  if (file.size() > kTidyAbove || count_lines(file) >= kTidyAboveLines) {
    entries.emplace_back(entry);
    return sys::replace_file(path_, last_entries(entries), 0600);
  }
  const bool is_torn = !file.empty() && !file.ends_with('\n');
  return sys::append_file(path_, (is_torn ? "\n" : "") + escaped(entry) + "\n");
}

}  // namespace helve::terminal
