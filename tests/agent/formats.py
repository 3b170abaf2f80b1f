"""The same task through every provider's format leaves the same transcript: formats.py HELVE."""

import json
import sqlite3
import sys
import unittest

from mock_model import MockModel, Turn, as_asked, results_of, schemas_of, text_turn
from support import Place

STEPS = [Turn("I look first.", [("read", {"path": "notes.txt"}), ("glob", {"pattern": "*.txt"})]),
         Turn("", [("read", {"path": "missing.txt"})]),
         Turn("", [("exec", {"command": "echo $GREETING", "env": {"GREETING": "hello"}})]),
         Turn("", [("tool_call", {"tool": "tree", "arguments": {"path": "."}})]),
         Turn("Now I write.", [("write", {"path": "out.txt", "content": "é \"quoted\"\n"})]),
         Turn("All **done**.")]
# A model that knows no calls makes one at a time.
TEXT_STEPS = [Turn("I look first.", [("read", {"path": "notes.txt"})]), Turn("", [("glob", {"pattern": "*.txt"})]),
              *STEPS[1:]]
FORMATS = {"openai": "/v1", "openai-responses": "/v1", "anthropic": "", "gemini": "/v1beta"}


def decide(path, body):
    results = len(results_of(path, body))
    for step in STEPS:
        if results == 0:
            schemas = schemas_of(path, body)
            return Turn(step.text, [(name, as_asked(schemas[name], arguments)) for name, arguments in step.calls])
        results -= len(step.calls)
    return STEPS[-1]


def decide_text(_, body):
    answers = sum(1 for message in body["messages"] if message["role"] == "assistant")
    return text_turn(TEXT_STEPS[answers])


def meant(arguments):
    """An object that was asked for as text is an object."""
    return {name: json.loads(value) if isinstance(value, str) and value.startswith("{") else value
            for name, value in arguments.items()}


def transcript(place):
    """What was said, called and answered, without what only a provider knows; each call with its result."""
    database = sqlite3.connect(place.environment["XDG_STATE_HOME"] + "/helve/helve.db")
    lines, calls = [], {}
    for kind, body in database.execute("SELECT kind, body FROM entries ORDER BY number"):
        for part in json.loads(body)["message"]["parts"]:
            call = part.pop("id", None) or part.pop("call_id", None)
            for key in ("origin", "sealed"):
                part.pop(key, None)
            if "arguments" in part:
                part["arguments"] = meant(json.loads(part["arguments"]))
            line = (kind, json.dumps(part, sort_keys=True))
            if call is None:
                lines.append(line)
            elif call in calls:
                calls[call].append(line)
            else:
                calls[call] = [line]
                lines.append(calls[call])
    database.close()
    return [line if isinstance(line, tuple) else tuple(line) for line in lines]


class Formats(unittest.TestCase):
    def play(self, decide_by, *words, environment=None):
        place, server = Place(), MockModel(decide_by)
        self.addCleanup(place.close)
        self.addCleanup(server.server_close)
        (place.workspace / "notes.txt").write_text("one\ntwo\n")
        key = {name: "k" for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY")}
        place.environment.update(key, **environment or {})
        done = place.run("--approvals", "off", "run", "--model", "mock",
                         *[word.replace("URL", server.url) for word in words], "Do it.")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, "All **done**.\n")
        self.assertEqual((place.workspace / "out.txt").read_text(), "é \"quoted\"\n")
        return transcript(place)

    def test_all_providers(self):
        seen = {name: self.play(decide, "--provider", name, "--base-url", "URL" + path)
                for name, path in FORMATS.items()}
        first = seen.pop("openai")
        self.assertEqual(len(first), 10, first)
        self.assertIn("hello", str(first))
        self.assertIn("notes.txt", str(first[6]), "what tree answered")
        self.assertNotIn("repaired", str(first))
        for name, lines in seen.items():
            self.assertEqual(lines, first, name)

    def test_a_call_as_a_format_asks_for_it_is_taken(self):
        place = Place()
        self.addCleanup(place.close)

        def tools(name):
            done = place.run("tools", "--format", name)
            self.assertEqual(done.stderr, "", "nothing is left out")
            listed = [tool.get("function", tool) for tool in json.loads(done.stdout)]
            return {tool["name"]: tool.get("input_schema") or tool.get("parameters") for tool in listed}
        names = set(tools("anthropic"))
        for name in ("openai", "openai-strict", "gemini"):
            offered = tools(name)
            self.assertEqual(set(offered), names)
            arguments = {"command": "echo $GREETING", "env": {"GREETING": "hello"}}
            if name == "openai-strict":
                arguments = {key: arguments.get(key) for key in offered["exec"]["required"]}
            done = place.run("--approvals", "off", "call", "exec", json.dumps(as_asked(offered["exec"], arguments)))
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "hello\n", ""), name)

    def test_text_promises_what_is_done(self):
        told = []

        def decide_and_listen(path, body):
            told.append(body["messages"][0]["content"])
            return decide_text(path, body)
        words = ("--provider", "openai", "--protocol", "text", "--base-url", "URL/v1")
        self.play(decide_and_listen, *words)
        self.assertIn("Use one tool at a time", told[-1])
        self.assertNotIn("several such blocks", told[-1])
        self.play(decide_and_listen, *words, environment={"HELVE_AGENT_ORDER": "serial"})
        self.assertIn("several such blocks", told[-1])

    def test_text(self):
        lines = self.play(decide_text, "--provider", "openai", "--protocol", "text", "--base-url", "URL/v1")
        native = self.play(decide, "--provider", "openai", "--base-url", "URL/v1")
        # One call at a time, so in another order; what was called and answered is the same.
        self.assertEqual(sorted(map(str, lines)), sorted(map(str, native)))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
