"""helve run as programs and scripts start it, with a model that tells a script: run.py HELVE."""

import json
import os
import pathlib
import subprocess
import sys
import unittest

from support import Place

EDIT = {"tool": "edit", "arguments": {"path": "notes.txt", "old_text": "two", "new_text": "zwei"}}


class Run(unittest.TestCase):
    def setUp(self):
        self.place = Place()
        self.addCleanup(self.place.close)
        (self.place.workspace / "notes.txt").write_text("one\ntwo\n")
        self.script = pathlib.Path(self.place.directory.name) / "script.jsonl"
        self.says({"text": "Hi."})

    def says(self, *turns):
        self.script.write_text("".join(json.dumps(turn) + "\n" for turn in turns))

    def run_with(self, stdin, *words, options=("--session", "s_1")):
        """`stdin`: a text that is piped in, a file or a descriptor."""
        command = self.place.command(*options, "run", "--provider", "scripted", "--script", str(self.script), *words)
        given = {"input": stdin} if isinstance(stdin, str) else {"stdin": stdin}
        return subprocess.run(command, env=self.place.environment, capture_output=True, text=True, timeout=120, check=False,
                              **given)

    def events(self, done):
        return [json.loads(line) for line in done.stdout.splitlines()]

    def asked(self, *arguments):
        """What the model was asked."""
        done = self.run_with(*arguments, "--json")
        self.assertEqual(done.returncode, 0, done)
        return next(event["text"] for event in self.events(done) if event["type"] == "prompt")

    def test_what_is_piped_in_stands_below_the_prompt(self):
        self.assertEqual(self.asked("  a\nb\n", "Review", "this"), "Review this\n\n<stdin>\n  a\nb\n</stdin>")

    def test_without_a_prompt_it_is_the_prompt(self):
        self.assertEqual(self.asked("Do it.\n"), "Do it.")

    def test_a_dash_says_where(self):
        self.assertEqual(self.asked("b\n", "a", "-", "c"), "a \n\nb\n c")

    def test_a_file_is_read_as_well(self):
        with (self.place.workspace / "notes.txt").open() as notes:
            self.assertEqual(self.asked(notes, "Sum up"), "Sum up\n\n<stdin>\none\ntwo\n</stdin>")

    def test_what_has_nothing_adds_nothing(self):
        self.assertEqual(self.asked(subprocess.DEVNULL, "Do it"), "Do it")
        self.says({"text": "Hi."})
        self.assertEqual(self.asked("", "Do it"), "Do it")

    def test_a_pipe_that_nobody_writes_into_does_not_hang(self):
        ours, theirs = os.pipe()
        done = self.run_with(ours, "Do it")
        os.close(theirs)
        os.close(ours)
        self.assertEqual((done.returncode, done.stdout), (0, "Hi.\n"), done)
        self.assertIn("nothing came on standard input", done.stderr)

    def test_too_much_is_refused(self):
        done = self.run_with("x" * (10 * 1024 * 1024 + 1), "Do it")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("standard input is longer than 10.0 MB", done.stderr)
        self.assertIn("write it to a file", done.stderr)

    def test_a_run_that_failed_says_how_to_go_on(self):
        for turns, outcome in (([{"error": {"code": "unavailable", "message": "overloaded"}}], "overloaded"),
                               ([{"text": "No.", "stop": "refusal"}], "refused"),
                               ([{"calls": [{"tool": "ls", "arguments": {}}]}], "turn_limit")):
            self.says(*turns)
            done = self.run_with(subprocess.DEVNULL, "--turns", "1", "Do it", options=("--session", f"s_{outcome}"))
            self.assertNotEqual(done.returncode, 0, done)
            self.assertIn(outcome, done.stderr)
            self.assertIn(f"go on with: helve --session s_{outcome} run", done.stderr)
        done = self.run_with(subprocess.DEVNULL, "--turns", "0", "Do it", options=("--session", "s_2"))
        self.assertNotIn("go on with", done.stderr, "nothing was begun")

    def test_questions_say_which_call_they_are_about(self):
        self.says({"calls": [EDIT, EDIT]}, {"text": "Well."})
        events = self.events(self.run_with(subprocess.DEVNULL, "--json", "Do it"))
        by_type = {kind: [event["id"] for event in events if event["type"] == kind]
                   for kind in ("call", "approval_asked", "approval_resolved")}
        self.assertEqual(len(set(by_type["call"])), 2, events)
        self.assertEqual(by_type["approval_asked"], by_type["call"], events)
        self.assertEqual(by_type["approval_resolved"], by_type["call"], events)

    def test_the_hint_of_an_error_is_shown(self):
        self.says({"calls": [{"tool": "read", "arguments": {"path": "none.txt"}}]}, {"text": "Well."})
        done = self.run_with(subprocess.DEVNULL, "Do it")
        self.assertIn("✗ read", done.stderr)
        self.assertIn("\n  hint: ", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
