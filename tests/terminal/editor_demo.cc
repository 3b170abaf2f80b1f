// A conversation without an agent: what is submitted comes back as Markdown. For tests in a real
// terminal.
//   editor_demo STATE-DIRECTORY
#include <fmt/format.h>

#include <cstdlib>
#include <deque>

#include "base/text.h"
#include "sys/clock.h"
#include "sys/environment.h"
#include "sys/stop_signals.h"
#include "sys/stream.h"
#include "sys/terminal.h"
#include "terminal/completion.h"
#include "terminal/history.h"
#include "terminal/markdown.h"
#include "terminal/prompt.h"
#include "terminal/status_line.h"
#include "terminal/tool_lines.h"

namespace {

using namespace helve;
using namespace helve::terminal;

constexpr std::string_view kSample = R"(# A short guide

Text with **bold**, *italic* and `code`, long enough to be wrapped at the width of the terminal; see
[the manual](https://example.org/manual).

1. First, look at the [list](https://example.org).
   - nested with `inline code`
   - [x] done
   - [ ] not done
2. Then build:

```sh
cmake --preset dev   # configure
ninja -C build/dev
```

| tool | what it does | time |
|------|--------------|-----:|
| `read` | shows a file | 2 ms |
| `grep` | searches **everything** | 40 ms |

> Quoted text, also long enough to be wrapped when the terminal is narrow.

---
Done. 日本語もよい 👍🏽
)";

constexpr std::string_view kDiff =
    "--- a/src/main.cc\n+++ b/src/main.cc\n@@ -1,4 +1,5 @@\n #include <cstdio>\n int main() {\n"
    "-  puts(\"old\");\n+  puts(\"new\");\n+  puts(\"more\");\n }\n";

Completions complete(std::string_view text, size_t cursor) {
  static const std::vector<Candidate> kCommands = {
      {"/guide", "shows some Markdown"},
      {"/slow", "answers word by word"},
      {"/tools", "shows tool calls"},
      {"/sleep", "waits, with a status"},
  };
  static const std::vector<Candidate> kFiles = {{"@src/main.cc"}, {"@src/more.cc"}, {"@README.md"}};
  const CompletionWord word = word_at(text, cursor);
  Completions found{.start = word.start};
  if (word.kind == CompletionWord::Kind::none) return found;
  const bool is_command = word.kind == CompletionWord::Kind::command;
  for (const Candidate& each : is_command ? kCommands : kFiles) {
    if (std::string_view(each.text).substr(1).starts_with(word.word))
      found.candidates.push_back(each);
  }
  return found;
}

std::string tools(const LineStyle& style) {
  CallView read{.name = "read",
                .arguments = JsonObject{{"path", "src/main.cc"}},
                .subject = {"path"},
                .state = CallState::ok,
                .summary = "120 lines"};
  CallView edit{.name = "edit",
                .arguments = JsonObject{{"path", "src/main.cc"}},
                .subject = {"path"},
                .state = CallState::ok,
                .summary = "+2 -1",
                .result = std::string(kDiff)};
  CallView exec{.name = "exec",
                .arguments = JsonObject{{"command", "ninja -C build/dev && ctest"}},
                .subject = {"command"},
                .state = CallState::failed,
                .summary = "exit status 1",
                .elapsed = std::chrono::milliseconds(65'000)};
  CallView grep{.name = "grep",
                .arguments = JsonObject{{"pattern", "wcwidth"}, {"path", "src"}},
                .subject = {"pattern"}};
  return tool_line(read, style) + "\n" + tool_line(edit, style) + "\n" + tool_details(edit, style) +
         tool_line(exec, style) + "\n" + tool_line(grep, style) + "\n";
}

class Conversation {
 public:
  Conversation(Prompt& prompt, bool colours, int output)
      : prompt_(prompt),
        output_(output),
        colours_(colours),
        status_({.colours = colours, .columns = columns()}, {}),
        markdown_({.colours = colours, .width = columns() - 1},
                  [this](std::string_view text) { print(text); }) {}

  void answer(const std::string& text) {
    markdown_.resize(columns() - 1);
    if (text == "/guide") {
      say(kSample);
    } else if (text == "/tools") {
      print(tools({colours_, columns()}));
    } else if (text == "/slow") {
      for (const std::string_view word : split("One word comes after the other.\n", ' '))
        waiting_.push_back(std::string(word) + (word.ends_with('\n') ? "" : " "));
    } else if (text == "/sleep") {
      status_.start("Sleeping", clock_.steady());
    } else {
      say(text);
    }
  }
  // While there is something to show, it is called again soon.
  void go_on() {
    if (!waiting_.empty()) {
      markdown_.feed(waiting_.front());
      waiting_.pop_front();
      if (waiting_.empty()) markdown_.finish();
    }
    if (prompt_.editor() == nullptr) return;
    if (auto row = status_.next(clock_.steady())) prompt_.editor()->set_status({*row});
  }
  void interrupt() {
    status_.stop();
    if (prompt_.editor() != nullptr) prompt_.editor()->set_status({});
    print("(interrupted)\n");
  }
  void expand() { print("(expanded)\n"); }

 private:
  void say(std::string_view text) {
    markdown_.feed(text);
    markdown_.finish();
  }
  void print(std::string_view text) {
    if (prompt_.editor() != nullptr)
      prompt_.editor()->print(text);
    else
      (void)sys::write_all(output_, text);
  }
  size_t columns() const {
    return prompt_.terminal() != nullptr ? prompt_.terminal()->size().columns : 80;
  }

  Prompt& prompt_;
  int output_;
  bool colours_;
  sys::RealClock clock_;
  StatusLine status_;
  MarkdownStream markdown_;
  std::deque<std::string> waiting_;
};

}  // namespace

int main(int count, char** words) {
  auto signals = sys::StopSignals::make();
  if (count != 2 || !signals) return EXIT_FAILURE;
  const bool is_dumb = sys::environment("TERM").value_or("dumb") == "dumb";
  const History history(std::string(words[1]) + "/history");
  Prompt prompt = Prompt::open({.is_dumb = is_dumb,
                                .editor = {.prompt = with_look(cyan, "› ", !is_dumb),
                                           .hint = "Ask anything",
                                           .colours = !is_dumb,
                                           .complete = complete}});
  if (prompt.editor() != nullptr)
    prompt.editor()->set_history(history.load().value_or(std::vector<std::string>()));
  Conversation conversation(prompt, !is_dumb, 1);
  for (;;) {
    conversation.go_on();
    const auto edited = prompt.read_for(std::chrono::milliseconds(50), (*signals)->token());
    if (!edited) return EXIT_FAILURE;
    switch (edited->kind) {
      case Edited::Kind::submitted:
        (void)history.add(edited->text);
        if (prompt.editor() != nullptr) prompt.editor()->remember(edited->text);
        conversation.answer(edited->text);
        break;
      case Edited::Kind::interrupted:
        conversation.interrupt();
        break;
      case Edited::Kind::expand:
        conversation.expand();
        break;
      case Edited::Kind::ended:
        return EXIT_SUCCESS;
      default:
        break;
    }
  }
}
