"""A recorded run of agents that work side by side is told again, each with its own replies: replay.py HELVE."""

import pathlib
import sys
import tempfile
import threading
import unittest

from mock_model import MockModel, Turn, results_of
from support import Place

NAMES = ("one", "two")


def decider():
    second_is_done = threading.Event()

    def decide(path, body):
        prompt = next(message["content"] for message in body["messages"] if message["role"] == "user")
        results = results_of(path, body)
        if prompt == "Do both.":
            if results:
                return Turn("Both are done.")
            return Turn("", [("agent", {"prompt": f"Write {name}.", "agent": name}) for name in NAMES])
        name = prompt.removeprefix("Write ").removesuffix(".")
        if not results:
            return Turn("", [("write", {"path": f"{name}.txt", "content": f"by {name}\n"})])
        if name == "two":
            second_is_done.set()
        else:
            second_is_done.wait(60)  # so that replies end in another order than they are asked for
        return Turn(f"{name} is written.")
    return decide


class Replay(unittest.TestCase):
    def place(self):
        place = Place()
        self.addCleanup(place.close)
        config = place.workspace.parent / "config" / "helve" / "config.yaml"
        config.parent.mkdir(parents=True)
        config.write_text("agents: [{id: one}, {id: two, model: {provider: anthropic, name: claude-x}}]\n")
        return place

    def test_each_conversation_gets_its_own_replies(self):
        server = MockModel(decider())
        self.addCleanup(server.server_close)
        with tempfile.TemporaryDirectory() as directory:
            record = pathlib.Path(directory) / "record"
            first = self.place()
            first.environment.update(ANTHROPIC_API_KEY="a", OPENAI_API_KEY="b", ANTHROPIC_BASE_URL=server.url)
            # Of the same form for both, since the mock looks into it.
            (first.workspace.parent / "config" / "helve" / "config.yaml").write_text("agents: [{id: one}, {id: two}]\n")
            done = first.run("--tools", "all", "--approvals", "off", "run", "--provider", "openai", "--base-url",
                             server.url + "/v1", "--model", "mock", "--record", str(record), "Do both.")
            self.assertEqual((done.returncode, done.stdout), (0, "Both are done.\n"), done.stderr)
            self.assertEqual(len(record.read_text().splitlines()), 6)

            words = ("--tools", "all", "--approvals", "off", "run", "--provider", "recorded", "--script", str(record))
            for _ in range(5):
                again = self.place()
                done = again.run(*words, "Do both.")
                self.assertEqual((done.returncode, done.stdout), (0, "Both are done.\n"), done.stderr)
                for name in NAMES:
                    self.assertEqual((again.workspace / f"{name}.txt").read_text(), f"by {name}\n")

            other = self.place()
            done = other.run(*words, "Do something else.")
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("message 1 is another than in the recorded run", done.stderr)
            self.assertEqual(list(other.workspace.glob("*.txt")), [])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
