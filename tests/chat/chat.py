"""helve chat in a real terminal: tmux types, the model tells a script."""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "terminal"))
from tmux import Terminal  # noqa: E402

HELVE = sys.argv[1]
EMPTY = "› Ask anything, or /help"
ALLOW = "? Allow edit? y once · s session · a always · n deny"
EDIT = {"tool": "edit", "arguments": {"path": "notes.txt", "old_text": "two", "new_text": "zwei"}}
READ = {"tool": "read", "arguments": {"path": "notes.txt"}}
USAGE = {"input": 1000, "output": 50}


class Chat:
    """A workspace, a script and a terminal with a chat in it."""

    def __init__(self, *turns, words=(), options=(), **more):
        self.directory = tempfile.TemporaryDirectory(prefix="helve-chat-")
        root = pathlib.Path(self.directory.name)
        self.workspace = root / "workspace"
        self.workspace.mkdir()
        (self.workspace / "notes.txt").write_text("one\ntwo\n")
        (self.workspace / "src").mkdir()
        (self.workspace / "src" / "main.cc").write_text("int main() {}\n")
        (self.workspace / ".ignore").write_text("*.log\n")
        (self.workspace / "notes.log").write_text("ignored\n")
        script = root / "script.jsonl"
        script.write_text("".join(json.dumps(turn) + "\n" for turn in turns))
        self.environment = {"XDG_STATE_HOME": str(root / "state"), "XDG_CONFIG_HOME": str(root / "config")}
        self.command = [HELVE, "--root", str(self.workspace), *options, "chat", "--provider", "scripted",
                        "--script", str(script), *words]
        settings = [f"{name}={value}" for name, value in self.environment.items()]
        self.terminal = Terminal("env", words=[*settings, *self.command], **more)

    def __enter__(self):
        self.terminal.expect_somewhere("/help")
        return self.terminal

    def __exit__(self, *_):
        process = self.terminal.child()
        self.terminal.__exit__()
        # What it still writes when its terminal goes must not meet the removal of its files.
        self.terminal.wait("it ends", lambda: not os.path.exists(f"/proc/{process}"))
        self.directory.cleanup()

    @property
    def notes(self):
        return (self.workspace / "notes.txt").read_text()


def say(terminal, text):
    terminal.type(text)
    terminal.press("Enter")


def rows_after(terminal, text):
    """The screen below the last row that is this."""
    rows = terminal.screen()
    return rows[len(rows) - rows[::-1].index(text):] if text in rows else []


def a_conversation_with_calls_a_question_and_a_diff():
    chat = Chat({"thinking": "The user wants a look.\nI look.", "text": "I **look**.", "calls": [READ], "usage": USAGE},
                {"text": "Now I change it.", "calls": [EDIT], "usage": USAGE},
                {"text": "Done:\n\n- one\n- zwei", "usage": USAGE}, rows=40)
    with chat as terminal:
        say(terminal, "Translate the notes")
        terminal.expect(ALLOW)
        assert rows_after(terminal, "› Translate the notes")[:7] == [
            "", "∴ The user wants a look. …", "", "I look.", "", "✓ read  notes.txt  (2 lines)", ""], terminal.screen()
        assert chat.notes == "one\ntwo\n"
        terminal.press("y")
        terminal.expect("allowed once: edit", *terminal_rows_of_the_edit(), "", "Done:", "", "• one", "• zwei", "", EMPTY)
        assert chat.notes == "one\nzwei\n"
        terminal.press("C-o")
        terminal.expect_somewhere("  new_text: zwei")
        say(terminal, "/undo")
        terminal.expect_somewhere("brings it back")
        terminal.expect("", EMPTY)
        assert chat.notes == "one\ntwo\n"
        say(terminal, "/cost")
        terminal.expect_somewhere("  session    3.0k tokens in, 150 out")
        terminal.press("C-d")
        terminal.expect("left with 0", "icanon", "echo")
        terminal.expect_somewhere("3.0k tokens in, 150 out")


def terminal_rows_of_the_edit():
    return ["✓ edit  notes.txt  (1 replacement)", "  1   one", "  2 - two", "  2 + zwei"]


def what_is_denied_is_not_done():
    chat = Chat({"calls": [EDIT]}, {"text": "As you wish."})
    with chat as terminal:
        say(terminal, "Change it")
        terminal.expect(ALLOW)
        terminal.press("x", "Enter", "n")
        terminal.expect("", "As you wish.", "", EMPTY)
        terminal.expect_somewhere("✗ edit  notes.txt")
        assert chat.notes == "one\ntwo\n"


def escape_denies_and_a_draft_survives_the_question():
    chat = Chat({"text": "one two three four five", "pause_ms": 30, "calls": [EDIT]}, {"text": "As you wish."})
    with chat as terminal:
        say(terminal, "Change it")
        terminal.expect_somewhere("Writing")
        terminal.type("not yet")
        terminal.expect(ALLOW)
        terminal.press("Escape")
        terminal.expect("", "As you wish.", "", "› not yet")
        assert chat.notes == "one\ntwo\n"


def the_session_allows_such_calls_from_then_on():
    other = {"tool": "edit", "arguments": {"path": "notes.txt", "old_text": "one", "new_text": "eins"}}
    chat = Chat({"calls": [EDIT]}, {"calls": [other]}, {"text": "Both."})
    with chat as terminal:
        say(terminal, "Change it")
        terminal.expect(ALLOW)
        terminal.press("s")
        terminal.expect("", "Both.", "", EMPTY)
        assert chat.notes == "eins\nzwei\n"


def control_c_stops_a_slow_answer_and_the_conversation_goes_on():
    with Chat({"text": "slow " * 200, "pause_ms": 100}, {"text": "Going on."}) as terminal:
        say(terminal, "Talk")
        terminal.expect_somewhere("slow slow")
        terminal.press("C-c")
        terminal.expect("", "Stopped. Say what to do instead.", "", EMPTY)
        terminal.press("C-c")  # too soon to mean more than the turn
        terminal.expect_somewhere("Ctrl-C once more leaves.")
        say(terminal, "Go on")
        terminal.expect("› Go on", "", "Going on.", "", EMPTY)


def control_c_twice_leaves():
    with Chat({"text": "slow " * 200, "pause_ms": 100}) as terminal:
        say(terminal, "Talk")
        terminal.expect_somewhere("slow slow")
        terminal.press("C-c", "C-c")
        terminal.wait("to have left", lambda: "left with 0" in terminal.screen() or "once more" in "\n".join(terminal.screen()))
        if "left with 0" not in terminal.screen():
            terminal.press("C-c")
        terminal.expect("left with 0", "icanon", "echo")


def what_is_said_meanwhile_is_queued_and_then_taken():
    with Chat({"text": "some words that come slowly one by one", "pause_ms": 100}, {"text": "Blue then."}) as terminal:
        say(terminal, "Paint it red")
        terminal.expect_somewhere("some words")
        say(terminal, "No, blue")
        terminal.expect("↳ queued: No, blue", EMPTY)
        terminal.expect("some words that come slowly one by one", "", "› No, blue", "", "Blue then.", "", EMPTY)


def control_c_stops_also_after_something_was_said_meanwhile():
    with Chat({"text": "some words that come slowly one by one", "pause_ms": 100}, {"text": "blue " * 200, "pause_ms": 100},
              {"text": "NEVER"}) as terminal:
        say(terminal, "Paint it red")
        terminal.expect_somewhere("some words")
        say(terminal, "No, blue")
        terminal.expect_somewhere("blue blue")
        terminal.press("C-c")
        terminal.expect("", "Stopped. Say what to do instead.", "", EMPTY)
        assert "NEVER" not in "\n".join(terminal.screen())


def commands_of_the_person_run_and_are_not_told():
    chat = Chat({"when": "Hello", "text": "Hi."})
    with chat as terminal:
        say(terminal, "!echo first; seq 2; false")
        terminal.expect("✗ exec  echo first; seq 2; false  exit code 1", "  first", "  1", "  2", "", EMPTY)
        say(terminal, "!echo first; seq 2")
        terminal.expect("✓ exec  echo first; seq 2  (3 lines)", "  first", "  1", "  2", "", EMPTY)
        say(terminal, "!printf 'x\\n' > notes.txt")
        terminal.wait("it has run", lambda: chat.notes == "x\n")
        terminal.expect("", EMPTY)
        say(terminal, "Hello")
        terminal.expect("Hi.", "", EMPTY)


def commands_are_listed_completed_and_corrected():
    with Chat({"text": "x"}, rows=40) as terminal:
        say(terminal, "/help")
        terminal.expect_somewhere("  /undo [CHANGE]")
        say(terminal, "/modle")
        terminal.expect("✗ there is no command /modle", "  did you mean /model?", "", EMPTY)
        terminal.type("/th")
        terminal.press("Tab")
        terminal.expect("› /thinking")
        terminal.press("Enter")
        terminal.expect("Thoughts are shown.", "", EMPTY)
        say(terminal, "/tools")
        terminal.expect_somewhere("  read_large_result")
        say(terminal, "/context")
        terminal.expect_somewhere("Together ")
        say(terminal, "/model other-name")
        terminal.expect_somewhere("From now on: ")
        say(terminal, "/etc/passwd is a file?")
        terminal.expect("› /etc/passwd is a file?", "", "x", "", EMPTY)


def capabilities_are_summed_up_by_the_model():
    chat = Chat({"text": "- Look at files\n- Run commands"}, {"when": "Hello", "text": "Hi."})
    with chat as terminal:
        terminal.type("/cap")
        terminal.press("Tab")
        terminal.expect("› /capabilities")
        terminal.press("Enter")
        terminal.expect_somewhere("  - Look at files")
        terminal.expect("  - Run commands", "", EMPTY)
        written = (chat.workspace / ".helve" / "prompts" / "capabilities.md").read_text()
        assert written.endswith("\n- Look at files\n- Run commands\n"), written
        say(terminal, "/undo")
        terminal.expect_somewhere("Undid capabilities_refresh")
        assert not (chat.workspace / ".helve").exists()
        say(terminal, "Hello")
        terminal.expect("Hi.", "", EMPTY)


def files_are_completed_by_their_names():
    chat = Chat({"when": "you can read: notes.txt, src/main.cc", "text": "Seen."})
    with chat as terminal:
        terminal.type("Compare @not")
        terminal.press("Tab")
        terminal.expect("› Compare @notes.txt")
        terminal.type(" with @src/m")
        terminal.press("Tab")
        terminal.expect("› Compare @notes.txt with @src/main.cc")
        terminal.type(" and @nothing.")
        terminal.press("Enter")
        terminal.expect("Seen.", "", EMPTY)


def sessions_are_listed_changed_and_taken_up_again():
    chat = Chat({"text": "First answer."}, {"text": "Second answer."}, {"text": "Third answer."}, rows=40)
    with chat as terminal:
        say(terminal, "The first one")
        terminal.expect("First answer.", "", EMPTY)
        say(terminal, "/rename Another title")
        terminal.expect("Renamed.", "", EMPTY)
        say(terminal, "/new")
        terminal.expect_somewhere("A new session: s_")
        say(terminal, "The second one")
        terminal.expect("Second answer.", "", EMPTY)
        say(terminal, "/sessions")
        terminal.expect("/sessions NUMBER goes on with one.", "", EMPTY)
        terminal.expect_somewhere("  2    Another title · now · s_")
        say(terminal, "/sessions 2")
        terminal.expect_somewhere(": Another title")
        say(terminal, "/export talk.md")
        terminal.expect_somewhere("Created talk.md")
        written = re.sub(r" · \d{4}-[-\d: ]+", "", (chat.workspace / "talk.md").read_text())
        assert written.startswith("# Another title\n"), written
        assert written.endswith("## 1 · user\n\nThe first one\n\n## 2 · assistant scripted\n\nFirst answer.\n\n"), written
        say(terminal, "/quit")
        terminal.expect("left with 0", "icanon", "echo")
        terminal.expect_somewhere("chat")


def a_model_that_fails_can_be_asked_again():
    with Chat({"error": {"code": "denied", "message": "no such model"}}, {"text": "Here I am."}) as terminal:
        say(terminal, "Hello")
        terminal.expect("✗ no such model", "  /retry asks again", "", EMPTY)
        say(terminal, "/retry")
        terminal.expect("› /retry", "", "Here I am.", "", EMPTY)


def old_sessions_can_be_compacted():
    with Chat({"text": "word " * 300}, {"text": "more " * 300},
              {"when": "summary", "text": "They talked."}) as terminal:
        say(terminal, "One")
        terminal.expect_somewhere("word word")
        terminal.expect("", EMPTY)
        say(terminal, "Two")
        terminal.expect_somewhere("more more")
        terminal.expect("", EMPTY)
        say(terminal, "/compact")
        terminal.expect_somewhere("· made room: ")


def slowly_compacted():
    """Two turns, and a summary that takes its time."""
    return Chat({"text": "word " * 300}, {"text": "more " * 300}, {"when": "summary", "text": "slow " * 200, "pause_ms": 100},
                {"when": "And then", "text": "Going on."})


def say_something_while_it_compacts(terminal):
    say(terminal, "One")
    terminal.expect_somewhere("word word")
    terminal.expect("", EMPTY)
    say(terminal, "Two")
    terminal.expect_somewhere("more more")
    terminal.expect("", EMPTY)
    say(terminal, "/compact")
    terminal.expect_somewhere("Making room")
    say(terminal, "And then")
    terminal.expect_somewhere("↳ queued: And then")


def what_is_said_during_a_compaction_is_answered_when_that_is_stopped():
    with slowly_compacted() as terminal:
        say_something_while_it_compacts(terminal)
        terminal.press("C-c")
        terminal.expect("› And then", "", "Going on.", "", EMPTY)


def it_fits_forty_columns_and_a_resize():
    with Chat({"text": "Some words that have to be broken at forty columns, and later at sixty.", "calls": [EDIT]},
              {"text": "\x1b[2J\x1b[31mred? 日本語もよい"}, columns=60, rows=40) as terminal:
        terminal.resize(40, 40)
        say(terminal, "A question that is longer than forty columns are wide")
        terminal.expect("? Allow edit? y once · s session · a al", "  ways · n deny")
        assert "Some words that have to be broken at" in terminal.screen(), terminal.screen()
        terminal.resize(60, 40)
        terminal.expect(ALLOW)
        terminal.press("y")
        terminal.expect("\\x1b[2J\\x1b[31mred? 日本語もよい", "", EMPTY)
        assert all(len(row) < 60 for row in terminal.screen())


def a_signal_stops_it_and_leaves_the_terminal_as_it_was():
    with Chat({"text": "slow " * 200, "pause_ms": 100}) as terminal:
        say(terminal, "Talk")
        terminal.expect_somewhere("slow slow")
        os.kill(terminal.child(), signal.SIGTERM)
        terminal.expect("left with 130", "icanon", "echo")


def a_dumb_terminal_gets_plain_lines():
    chat = Chat({"text": "**Plain** words.", "calls": [EDIT]}, {"text": "Done."}, term="dumb", rows=40)
    with chat as terminal:
        terminal.expect("›")
        say(terminal, "Hello")
        terminal.expect_somewhere("Allow? [y/s/a/N]")
        rows = terminal.screen()
        asked = next(i for i, row in enumerate(rows) if row.startswith("helve: "))
        assert "Plain words." in rows[:asked], rows
        say(terminal, "y")
        terminal.expect("Done.", "", "›")
        assert chat.notes == "one\nzwei\n"
        assert "\x1b[" not in terminal.tmux("capture-pane", "-p", "-e")
        say(terminal, "/quit")
        terminal.expect_somewhere("left with 0")


def a_pipe_is_read_line_by_line():
    chat = Chat({"text": "Hello."}, {"text": "Bye."})
    with chat as terminal:
        terminal.press("C-d")
        done = subprocess.run(chat.command, input="hi\n/thinking on\nmore\n", env={**terminal.environment, **chat.environment},
                              capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, done.stderr
        shown = done.stdout.split("\n")
        assert shown[2:11] == ["", "› hi", "", "Hello.", "", "› /thinking on", "", "Thoughts are shown.", ""], shown
        assert "\x1b" not in done.stdout


def a_run_at_a_terminal_looks_the_same():
    chat = Chat({"text": "x"})
    with chat as terminal:
        terminal.press("C-d")
        at = chat.command.index("chat")
        script = chat.directory.name + "/run.jsonl"
        pathlib.Path(script).write_text("".join(json.dumps(turn) + "\n" for turn in [
            {"text": "I **look**.", "calls": [READ]}, {"text": "- done"}]))
        words = [*chat.command[:at], "run", "--provider", "scripted", "--script", script, "Do it"]
        settings = [f"{name}={value}" for name, value in chat.environment.items()]
        with Terminal("env", words=[*settings, *words]) as second:
            second.expect("I look.", "", "✓ read  notes.txt  (2 lines)", "", "• done", "left with 0", "icanon", "echo")


def without_words_and_a_model_it_is_the_tour():
    with tempfile.TemporaryDirectory(prefix="helve-tour-") as directory:
        settings = [f"XDG_{name}_HOME={directory}/{name.lower()}" for name in ("STATE", "CONFIG")]
        with Terminal("env", words=[*settings, HELVE, "--root", directory], rows=120) as terminal:
            terminal.expect_somewhere("Allow? [y/s/a/N]")
            say(terminal, "y")
            terminal.expect_somewhere("Connect a model")
            terminal.expect_somewhere("left with 0")
            rows = terminal.screen()
            for call in ("grep  area", "exec  sh test.sh", "edit  area.sh", "undo"):
                assert any(row.startswith(f"✓ {call}") for row in rows), rows
            assert all(len(row) < 81 for row in rows), rows
        done = subprocess.run(["env", *settings, HELVE, "tour"], env=terminal.environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0 and "What happened here" in done.stdout, done
        # Whoever reads it in a log sees the same, and what they would be asked.
        for part in ("I look where the area comes from.", "Here you would be asked:", "Once more:", "Connect a model"):
            assert part in done.stdout, done
        assert done.stdout.index("An area is a product") < done.stdout.index("Here you would") < done.stdout.index("✓ edit  area.sh")


def whoever_says_no_in_the_tour_keeps_the_file():
    with tempfile.TemporaryDirectory(prefix="helve-tour-") as directory:
        settings = [f"XDG_{name}_HOME={directory}/{name.lower()}" for name in ("STATE", "CONFIG")]
        with Terminal("env", words=[*settings, HELVE, "tour"], rows=120) as terminal:
            terminal.expect_somewhere("Allow? [y/s/a/N]")
            say(terminal, "n")
            terminal.expect_somewhere("You said no, so the file stays as it is.")
            terminal.expect_somewhere("Connect a model")
            terminal.expect_somewhere("left with 0")
            assert not any("undo" in row for row in terminal.screen()), terminal.screen()


def without_words_but_with_a_model_it_is_a_chat():
    chat = Chat({"text": "x"})
    with chat as terminal:
        terminal.press("C-d")
        config = pathlib.Path(chat.environment["XDG_CONFIG_HOME"]) / "helve" / "config.yaml"
        config.parent.mkdir(parents=True)
        config.write_text(f"model: {{provider: scripted, script: {chat.directory.name}/script.jsonl}}\n")
        settings = [f"{name}={value}" for name, value in chat.environment.items()]
        with Terminal("env", words=[*settings, HELVE, "--root", str(chat.workspace)]) as second:
            second.expect(EMPTY)
            say(second, "Hello")
            second.expect("› Hello", "", "x", "", EMPTY)


CASES = [
    a_conversation_with_calls_a_question_and_a_diff, what_is_denied_is_not_done,
    escape_denies_and_a_draft_survives_the_question, the_session_allows_such_calls_from_then_on,
    control_c_stops_a_slow_answer_and_the_conversation_goes_on, control_c_twice_leaves,
    what_is_said_meanwhile_is_queued_and_then_taken, control_c_stops_also_after_something_was_said_meanwhile,
    commands_of_the_person_run_and_are_not_told,
    commands_are_listed_completed_and_corrected, capabilities_are_summed_up_by_the_model, files_are_completed_by_their_names,
    sessions_are_listed_changed_and_taken_up_again, a_model_that_fails_can_be_asked_again,
    old_sessions_can_be_compacted, what_is_said_during_a_compaction_is_answered_when_that_is_stopped,
    it_fits_forty_columns_and_a_resize,
    a_signal_stops_it_and_leaves_the_terminal_as_it_was, a_dumb_terminal_gets_plain_lines, a_pipe_is_read_line_by_line,
    a_run_at_a_terminal_looks_the_same, without_words_and_a_model_it_is_the_tour,
    whoever_says_no_in_the_tour_keeps_the_file, without_words_but_with_a_model_it_is_a_chat,
]

if __name__ == "__main__":
    for case in CASES:
        if len(sys.argv) > 2 and not any(name in case.__name__ for name in sys.argv[2:]):
            continue
        case()
        print("ok", case.__name__, flush=True)
