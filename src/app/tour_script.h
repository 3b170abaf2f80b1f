// What the tour plays: a workspace with a mistake in it, and a model that finds it.
#pragma once

#include <string_view>
#include <utility>

namespace helve::app {

constexpr std::pair<std::string_view, std::string_view> kTourFiles[] = {
    {"area.sh", "# area WIDTH HEIGHT\necho $(($1 + $2))\n"},
    {"test.sh",
     "# Every shape that we sell has an area.\n"
     "got=$(sh area.sh 6 7)\n"
     "if [ \"$got\" = 42 ]; then echo \"ok: area\"; else echo \"FAILED: area is $got, not 42\"; "
     "exit 1; fi\n"},
    {"notes.md", "# Shapes\n\nThe shop asks for the area of everything. `sh test.sh` must pass.\n"},
};

// Only the edit asks a person.
constexpr std::string_view kTourConfig =
    "commands:\n"
    "  - {pattern: sh test.sh, verdict: allow}\n"
    "approvals:\n"
    "  allow:\n"
    "    - {tool: undo}\n"
    "model:\n"
    "  provider: scripted\n";

constexpr std::string_view kTourPrompt = "The tests fail. Find out why and mend it.";

constexpr std::string_view kTourTurns =
    R"({"pause_ms": 25, "text": "I look where the area comes from.", "calls": [{"tool": "grep", "arguments": {"pattern": "area"}}]}
{"pause_ms": 25, "text": "The tests say what is wrong. They run in the sandbox: no network, and nothing outside of this workspace can be written.", "calls": [{"tool": "exec", "arguments": {"command": "sh test.sh"}}]}
{"pause_ms": 25, "text": "An area is a product, and `area.sh` adds. This changes a file, so **you are asked**.", "calls": [{"tool": "edit", "arguments": {"path": "area.sh", "old_text": "$1 + $2", "new_text": "$1 * $2"}}]}
{"pause_ms": 25, "when": "approval", "text": "You said no, so the file stays as it is. That is all: nothing happens behind your back."}
{"pause_ms": 25, "text": "Once more:", "calls": [{"tool": "exec", "arguments": {"command": "sh test.sh"}}]}
{"pause_ms": 25, "text": "It is mended. And every change can be taken back:", "calls": [{"tool": "undo", "arguments": {}}]}
{"pause_ms": 25, "text": "What happened here:\n\n- `grep`, `exec`, `edit` and `undo` are tools; a model calls them, and so can you: `helve fs grep area`\n- every call went through the same rules, and `helve log` would show it\n- the conversation is kept, and can be resumed after a crash\n"}
)";

}  // namespace helve::app
