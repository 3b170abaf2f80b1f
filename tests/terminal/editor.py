"""The line editor, the history and Markdown, as a person sees them."""

import os
import signal
import sys

from tmux import Terminal

DEMO = sys.argv[1]
EMPTY = "› Ask anything"


def start(**options):
    terminal = Terminal(DEMO, **options)
    terminal.expect(EMPTY)
    return terminal


def what_is_typed_is_submitted_and_answered_as_markdown():
    with start() as terminal:
        terminal.type("Hello **there**, `you`")
        terminal.expect_all("› Hello **there**, `you`")
        terminal.press("Enter")
        terminal.expect_all("› Hello **there**, `you`", "Hello there, you", EMPTY)
        terminal.expect_cursor(2, 2)
        assert "\x1b[1mthere" in terminal.tmux("capture-pane", "-p", "-e")


def long_text_is_wrapped_at_forty_columns():
    with start(columns=40) as terminal:
        terminal.type("The quick brown fox jumps over the lazy dog and runs away")
        terminal.expect_all("› The quick brown fox jumps over the la", "  zy dog and runs away")
        terminal.expect_cursor(22, 1)
        terminal.press("Enter")
        terminal.expect("The quick brown fox jumps over the lazy", "dog and runs away", EMPTY)


def editing_in_the_middle_rewrites_what_follows():
    with start(columns=20) as terminal:
        terminal.type("one three four five six")
        terminal.expect_all("› one three four fi", "  ve six")
        terminal.press("C-a", "M-f", "M-f", "M-b")
        terminal.expect_cursor(6, 0)
        terminal.type("two 二 ")
        terminal.expect_all("› one two 二 three", "  four five six")
        terminal.press("C-k")
        terminal.expect_all("› one two 二")
        terminal.press("BSpace", "BSpace")
        terminal.expect_all("› one two")
        terminal.press("C-u", "C-y", "Home")
        terminal.type("x")
        terminal.press("End", "Enter")
        terminal.expect("› xone two", "xone two", EMPTY)


def new_lines_are_made_by_keys_and_by_a_backslash():
    with start() as terminal:
        terminal.type("one")
        terminal.press("M-Enter")
        terminal.type("two")
        terminal.press("C-j")
        terminal.type("three\\")
        terminal.press("Enter")
        terminal.type("four")
        terminal.expect_all("› one", "  two", "  three", "  four")
        terminal.press("Up", "Up")
        terminal.expect_cursor(5, 1)
        terminal.press("Enter")
        terminal.expect("one", "two", "three", "four", EMPTY)


def a_paste_is_no_submission_and_a_long_one_is_folded():
    with start() as terminal:
        terminal.paste("first\nsecond\n")
        terminal.expect_all("› first", "  second")
        terminal.press("C-c")
        terminal.expect_all(EMPTY)
        terminal.type("see ")
        terminal.paste("".join(f"- line {i}\n" for i in range(37)))
        terminal.expect_all("› see [pasted 37 lines]")
        terminal.press("Enter")
        terminal.expect("• line 35", "• line 36", EMPTY)


def earlier_prompts_come_back_also_from_another_process():
    with start() as terminal:
        for text in ("alpha", "beta", "beta"):
            terminal.type(text)
            terminal.press("Enter")
            terminal.expect(f"› {text}", text, EMPTY)
        with start(state=terminal.state) as other:
            other.type("draft")
            other.press("Up")
            other.expect_all("› beta")
            other.press("Up")
            other.expect_all("› alpha")
            other.press("Down", "Down")
            other.expect_all("› draft")
            other.press("C-c", "C-r")
            other.type("lph")
            other.expect_all("› alpha", "search: lph")
            other.press("Enter")
            other.expect("› alpha", "alpha", EMPTY)


def a_resize_draws_it_anew():
    with start(columns=60) as terminal:
        terminal.type("above")
        terminal.press("Enter")
        terminal.expect("above", EMPTY)
        terminal.type("some text that has room in sixty columns, but not in thirty")
        terminal.expect("› some text that has room in sixty columns, but not in thir", "  ty")
        terminal.resize(30)
        # tmux keeps the first row out of sight then.
        terminal.expect("above", "› some text that has room in", "  sixty columns, but not in t", "  hirty")
        terminal.resize(70)
        terminal.expect("above", "› some text that has room in sixty columns, but not in thirty")
        terminal.type("!")
        terminal.press("Enter")
        terminal.expect("some text that has room in sixty columns, but not in thirty!", EMPTY)


def control_c_clears_and_then_interrupts_and_control_d_ends():
    with start() as terminal:
        terminal.type("no")
        terminal.expect_all("› no")
        terminal.press("C-c")
        terminal.expect_all(EMPTY)
        terminal.press("C-c")
        terminal.expect_all("(interrupted)", EMPTY)
        terminal.press("C-o")
        terminal.expect("(expanded)", EMPTY)
        terminal.press("C-d")
        terminal.expect("left with 0", "icanon", "echo")


def a_signal_leaves_the_terminal_as_it_was():
    with start() as terminal:
        os.kill(terminal.child(), signal.SIGTERM)
        terminal.expect("left with 1", "icanon", "echo")


def a_signal_also_ends_a_plain_prompt():
    with Terminal(DEMO, term="dumb") as terminal:
        terminal.expect_all("›")
        os.kill(terminal.child(), signal.SIGTERM)
        terminal.expect_somewhere("left with 1")


def candidates_are_offered_below():
    with start() as terminal:
        terminal.type("/s")
        terminal.press("Tab")
        terminal.expect_all("› /sl", "  /slow   answers word by word", "  /sleep  waits, with a status")
        terminal.press("Tab", "Tab")
        terminal.expect_all("› /sleep", "  /slow   answers word by word", "› /sleep  waits, with a status")
        terminal.press("Escape")
        terminal.expect_all("› /sleep")
        terminal.press("C-u")
        terminal.type("look at @R")
        terminal.press("Tab")
        terminal.expect_all("› look at @README.md")


def one_can_type_while_output_appears_above():
    with start(columns=24) as terminal:
        terminal.type("/sleep")
        terminal.press("Enter")
        terminal.expect_somewhere(" Sleeping ·")
        terminal.type("/slow")
        terminal.press("Enter")
        terminal.type("steering")
        terminal.wait("all of it", lambda: terminal.screen()[2:4] == ["One word comes after", "the other."])
        terminal.wait("what is typed", lambda: terminal.screen()[-1] == "› steering" and "Sleeping" in terminal.screen()[-2])
        terminal.press("C-c", "C-c")
        terminal.expect_all("› /sleep", "› /slow", "One word comes after", "the other.", "(interrupted)", EMPTY)


def much_text_scrolls_within_the_screen():
    with start(rows=6) as terminal:
        for i in range(8):
            terminal.type(f"line {i}")
            terminal.press("C-j")
        terminal.expect_all("  line 4", "  line 5", "  line 6", "  line 7")
        terminal.press("M-<")
        terminal.expect("› line 0", "  line 1", "  line 2", "  line 3", "  line 4")
        terminal.press("C-c")
        terminal.expect(EMPTY)


def a_dumb_terminal_gets_plain_lines():
    with Terminal(DEMO, term="dumb") as terminal:
        terminal.expect_all("›")
        terminal.type("**plain** `words`")
        terminal.press("Enter")
        terminal.expect_all("› **plain** `words`", "plain `words`", "›")
        assert "\x1b[1" not in terminal.tmux("capture-pane", "-p", "-e")
        terminal.press("C-d")
        terminal.expect("left with 0", "icanon", "echo")


CASES = [
    what_is_typed_is_submitted_and_answered_as_markdown, long_text_is_wrapped_at_forty_columns,
    editing_in_the_middle_rewrites_what_follows, new_lines_are_made_by_keys_and_by_a_backslash,
    a_paste_is_no_submission_and_a_long_one_is_folded, earlier_prompts_come_back_also_from_another_process,
    a_resize_draws_it_anew, control_c_clears_and_then_interrupts_and_control_d_ends,
    a_signal_leaves_the_terminal_as_it_was, a_signal_also_ends_a_plain_prompt, candidates_are_offered_below, one_can_type_while_output_appears_above,
    much_text_scrolls_within_the_screen, a_dumb_terminal_gets_plain_lines,
]

if __name__ == "__main__":
    for case in CASES:
        case()
        print("ok", case.__name__)
