// memory_append: remembers something, at the end of the note of the day.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "sys/clock.h"
#include "sys/local_time.h"
#include "tool/make.h"
#include "tools/agent_memories.h"
#include "tools/files.h"

namespace helve::tools {
namespace {

constexpr size_t kMaxTags = 20;
// Attempts, when other processes add to the same file at the same time.
constexpr int kMaxAttempts = 100;

struct MemoryAppendInput {
  std::string text;
  std::optional<std::string> title;
  std::vector<std::string> tags;

  static constexpr auto schema() {
    return object(
        "Remember something for later: a decision, a fact, a preference. It is added to the file "
        "of the day, memory/YYYY-MM-DD.md in local time, where memory_search finds it. Say what "
        "will be understood without this conversation.",
        arg<&MemoryAppendInput::text>("What to remember, as Markdown")
            .min_length(1)
            .max_length(100'000)
            .from_stdin(),
        opt<&MemoryAppendInput::title>("A heading of a few words")
            .min_length(1)
            .max_length(200)
            .pattern("^[^\\r\\n]*$"),
        opt<&MemoryAppendInput::tags>("Words to find it by").max_length(kMaxTags));
  }

  Result<void> check() const {
    if (trim(text).empty())
      return Error{Code::invalid_argument, "the text is empty", "say what to remember"};
    for (const std::string& tag : tags) {
      if (trim(tag).empty() || tag.find_first_of(",\r\n") != tag.npos)
        return Error{Code::invalid_argument,
                     fmt::format("the tag '{}' is no word", escape_for_display(tag)),
                     "a tag has no comma and no line break"};
    }
    return {};
  }
};

struct MemoryAppendOutput {
  std::string path;
  std::int64_t start_line = 1;
  std::int64_t end_line = 1;
  bool created = false;
  std::optional<std::string> change;
  std::vector<std::string> notes;

  static constexpr auto schema() {
    return object("What was written.", arg<&MemoryAppendOutput::path>("The file, for memory_get"),
                  arg<&MemoryAppendOutput::start_line>("The first line of the entry, from 1"),
                  arg<&MemoryAppendOutput::end_line>("Its last line"),
                  arg<&MemoryAppendOutput::created>("The file is new"),
                  opt<&MemoryAppendOutput::change>("Id of the change, for undo"),
                  opt<&MemoryAppendOutput::notes>("What cannot be undone"));
  }

  std::string text() const {
    return fmt::format("Remembered in {}:{}-{}{}", path, start_line, end_line, lines_of(notes));
  }
};

std::string head_of(std::string_view day) {
  return fmt::format("---\ntitle: Notes of {}\ndate: {}\n---\n", day, day);
}

std::string entry_of(const MemoryAppendInput& in, std::string_view time) {
  std::string entry = fmt::format("## {}", time);
  if (in.title) entry += fmt::format(" {}", trim(*in.title));
  std::string_view text = in.text;
  text = text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
  entry += fmt::format("\n{}\n", text);
  if (!in.tags.empty()) entry += fmt::format("\nTags: {}\n", join(in.tags, ", "));
  return entry;
}

// With a blank line between it and what comes next.
std::string parted(std::string content) {
  if (!content.empty() && !content.ends_with('\n')) content += "\n";
  if (!content.empty() && !content.ends_with("\n\n")) content += "\n";
  return content;
}

// Once more when somebody else was faster.
bool is_worth_another_try(const Error& error) { return error.code == Code::conflict; }

Result<MemoryAppendOutput> append_once(const std::string& path, const std::string& day,
                                       const std::string& entry, const AgentMemory& memory,
                                       const Context& context) {
  const std::string target = memory.root + "/" + path;
  Result<workspace::Snapshot> old = memory.files.read_whole(target, knowledge::kMaxMemoryFileBytes);
  if (!old && old.error().code != Code::not_found) return std::move(old).error();
  const std::string before = parted(old ? std::move(old->content) : head_of(day));
  if (before.size() + entry.size() > knowledge::kMaxMemoryFileBytes)
    return Error{
        Code::too_large,
        fmt::format("{} would have more than {}", path, human_size(knowledge::kMaxMemoryFileBytes)),
        "shorten the note of the day", "memory_full"};
  workspace::Change change{.path = target, .content = before + entry};
  if (old)
    change.expected = old->version;
  else
    change.on_conflict = workspace::OnConflict::error;
  const workspace::Applied applied = TRY(memory.files.apply({&change, 1}, author_of(context)));
  const auto first = std::ranges::count(before, '\n') + 1;
  return MemoryAppendOutput{.path = path,
                            .start_line = first,
                            .end_line = first + std::ranges::count(entry, '\n') - 1,
                            .created = !old,
                            .change = change_of(applied),
                            .notes = applied.notes};
}

Result<MemoryAppendOutput> memory_append(const MemoryAppendInput& in, Context& context) {
  if (!context.clock) return Error{Code::unavailable, "memory_append does not know the time"};
  const AgentMemory memory = TRY(need_memory(context, AgentMemories::IfMissing::make));
  // What people call today. 2026-01-31 23:59:59
  const std::string now = sys::utc(sys::local_ms(context.clock->unix_ms()));
  const std::string day = now.substr(0, 10);
  const std::string path = fmt::format("memory/{}.md", day);
  const std::string entry = entry_of(in, now.substr(11, 5));
  std::lock_guard lock(memory.memory.writing());
  for (int attempt = 1;; ++attempt) {
    TRY(context.checkpoint());
    Result<MemoryAppendOutput> appended = append_once(path, day, entry, memory, context);
    if (appended || attempt == kMaxAttempts || !is_worth_another_try(appended.error()))
      return appended;
  }
}

}  // namespace

Tool tool_memory_append() {
  return make_tool(
      {.name = "memory_append",
       .group = "memory",
       .title = "Remember something",
       .effect = Effect::write,
       .examples = {{"A decision",
                     R"({"text": "We use SQLite: one file, no server.", "title": "Database"})"},
                    {"With tags", R"({"text": "Ilse prefers metric units.", "tags": ["user"]})"}}},
      memory_append);
}

}  // namespace helve::tools
