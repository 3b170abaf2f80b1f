"""What a model is told of tools, and how it reaches the others: offers.py HELVE."""

import json
import subprocess
import sys
import unittest

from mock_model import MockModel, Turn, results_of
from support import Place

WRITE = {"path": "made.txt", "content": "x"}
LONGEST = 24_000  # bytes of the tools in a request


class Offers(unittest.TestCase):
    def setUp(self):
        self.requests = []

    def play(self, *turns, words=(), prompts=("Do it.",)):
        """The workspace, after a chat with a model that makes these turns."""
        place, left = Place(), list(turns)
        self.addCleanup(place.close)

        def decide(path, body):
            self.requests.append((path, body))
            return left.pop(0)
        server = MockModel(decide)
        self.addCleanup(server.server_close)
        command = place.command(*words, "chat", "--provider", "openai", "--base-url", server.url + "/v1", "--model", "mock")
        done = subprocess.run(command, env=place.environment, input="".join(prompt + "\n" for prompt in prompts),
                              capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(left, [], done.stdout)
        return place.workspace

    def results(self):
        return results_of(*self.requests[-1])

    def names(self):
        return [tool["function"]["name"] for tool in self.requests[0][1]["tools"]]

    def test_the_tools_take_little_room(self):
        self.play(Turn("ok"))
        self.assertLess(len(json.dumps(self.requests[0][1]["tools"])), LONGEST)
        self.assertIn("tool_search", self.names())
        self.assertNotIn("kb_write", self.names())

    def test_whoever_wants_all_gets_all(self):
        self.play(Turn("ok"), words=["--tools", "all"])
        self.assertIn("kb_write", self.names())
        self.assertNotIn("tool_search", self.names())

    def test_a_tool_is_found_and_called(self):
        self.play(Turn("", [("tool_search", {"query": "directory tree"})]),
                  Turn("", [("tool_call", {"tool": "tree", "arguments": {"path": "."}})]),
                  Turn("ok"))
        found, tree = self.results()
        self.assertIn('"tool":"tree"', found)
        self.assertTrue(tree.startswith("."), tree)

    def test_a_tool_that_is_found_is_asked_about_like_any_other(self):
        workspace = self.play(Turn("", [("tool_call", {"tool": "write", "arguments": WRITE})]), Turn("ok"))
        self.assertIn("needs approval", self.results()[0])
        self.assertFalse((workspace / "made.txt").exists())

    def test_a_conversation_begins_as_it_began(self):
        self.play(Turn("", [("write", WRITE)]), Turn("ok"), Turn("ok"), words=["--approvals", "off"], prompts=("one", "two"))
        beginnings = [(body["messages"][0], body["tools"]) for _, body in self.requests]
        self.assertEqual(beginnings, beginnings[:1] * 3, "providers keep what they have read as long as it stays the same")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
