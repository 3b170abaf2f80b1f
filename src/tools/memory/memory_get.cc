// memory_get: reads a note, or some lines of it.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "tool/make.h"
#include "tools/agent_memories.h"

namespace helve::tools {
namespace {

struct MemoryGetInput {
  std::string path;
  std::int64_t from = 1;
  std::optional<std::int64_t> lines;

  static constexpr auto schema() {
    return object(
        "Read a memory file, or some lines of it, with line numbers. Usually after memory_search, "
        "to see what stands around a match.",
        arg<&MemoryGetInput::path>("MEMORY.md, memory.md, or a file below memory/")
            .file()
            .min_length(1),
        opt<&MemoryGetInput::from>("The first line, from 1").min(1),
        opt<&MemoryGetInput::lines>("How many lines; default: all").min(1));
  }
};

struct MemoryGetOutput {
  std::string path;
  std::string content_;
  std::int64_t start_line = 0;
  std::int64_t end_line = 0;
  std::int64_t total_lines = 0;

  static constexpr auto schema() {
    return object("Lines of a note.", arg<&MemoryGetOutput::path>("The file"),
                  arg<&MemoryGetOutput::content_>("The lines, without numbers"),
                  arg<&MemoryGetOutput::start_line>("Number of the first one; 0: there is none"),
                  arg<&MemoryGetOutput::end_line>("Number of the last one"),
                  arg<&MemoryGetOutput::total_lines>("Lines of the whole file"));
  }

  std::string text() const {
    if (total_lines == 0) return fmt::format("{} is empty", path);
    std::string out;
    std::int64_t number = start_line;
    for (std::string_view line : split(content_, '\n')) {
      if (line.ends_with('\r')) line.remove_suffix(1);
      if (number > start_line) out += "\n";
      out += fmt::format("{}: {}", number++, line);
    }
    return out;
  }
};

Error not_memory(const std::string& path, const Context& context) {
  return Error{Code::invalid_argument,
               fmt::format("'{}' is not a memory file: those are MEMORY.md, memory.md and files "
                           "below memory/",
                           escape_for_display(path)),
               fmt::format("use `{}` for other files", context.other_tool("read")), "not_memory"};
}

Result<MemoryGetOutput> memory_get(const MemoryGetInput& in, Context& context) {
  TRY(context.checkpoint());
  if (!knowledge::is_memory_path(in.path)) return not_memory(in.path, context);
  const AgentMemory memory = TRY(need_memory(context));
  Result<std::string> read = memory.memory.read(in.path);
  if (!read && read.error().code == Code::not_found)
    read.error().hint =
        fmt::format("{} finds notes by what they say", context.other_tool("memory_search"));
  std::string content = TRY(std::move(read));
  if (content.ends_with('\n')) content.pop_back();
  MemoryGetOutput out{.path = escape_invalid_utf8(in.path)};
  if (content.empty()) return out;
  const std::vector<std::string_view> lines = split(content, '\n');
  out.total_lines = static_cast<std::int64_t>(lines.size());
  if (in.from > out.total_lines)
    return Error{Code::invalid_argument,
                 fmt::format("{} has no line {}", escape_for_display(in.path), in.from),
                 fmt::format("its lines are 1 to {}", out.total_lines), "past_end"};
  out.start_line = in.from;
  const std::int64_t left = out.total_lines - in.from + 1;
  out.end_line = in.from - 1 + std::min(in.lines.value_or(left), left);
  const char* const begin = lines[static_cast<size_t>(out.start_line - 1)].data();
  const std::string_view last = lines[static_cast<size_t>(out.end_line - 1)];
  out.content_ =
      escape_invalid_utf8({begin, static_cast<size_t>(last.data() + last.size() - begin)});
  return out;
}

}  // namespace

Tool tool_memory_get() {
  return make_tool({.name = "memory_get",
                    .group = "memory",
                    .title = "Read a memory file",
                    .effect = Effect::read,
                    .idempotent = true,
                    .subject = {"path"},
                    .examples = {{"The whole file", R"({"path": "MEMORY.md"})"},
                                 {"Ten lines from line 20",
                                  R"({"path": "memory/2026-03-09.md", "from": 20, "lines": 10})"}}},
                   memory_get);
}

}  // namespace helve::tools
