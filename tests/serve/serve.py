"""helve mcp as a process: what its flags, its settings and its standard input change."""

import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile
import tomllib
import unittest

HELVE = os.path.abspath(sys.argv.pop(1))
PATIENCE = 60  # seconds; nothing here takes so long unless it fails


def request(number, method, params):
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + "\n"


class ServeTest(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="helve-serve-")
        self.addCleanup(directory.cleanup)
        self.base = pathlib.Path(directory.name)
        self.root = self.base / "a root"
        self.root.mkdir()
        (self.root / "notes.md").write_text("one\n")
        self.environment = {"PATH": os.environ["PATH"], "HOME": str(self.base)}

    def serve(self, *words, client="another", **environment):
        """What a client of this name is told of `read`, and gets from it."""
        lines = [request(1, "initialize", {"protocolVersion": "2025-11-25", "capabilities": {},
                                           "clientInfo": {"name": client, "version": "1"}}),
                 request(2, "tools/list", {}),
                 request(3, "tools/call", {"name": "read", "arguments": {"path": "notes.md"}})]
        done = subprocess.run([HELVE, "mcp", "--root", str(self.root), *words], input="".join(lines), text=True,
                              capture_output=True, timeout=PATIENCE, env=self.environment | environment, check=True)
        self.assertEqual(done.stderr, "")
        answers = {answer["id"]: answer["result"] for answer in map(json.loads, done.stdout.splitlines())}
        tool = next(tool for tool in answers[2]["tools"] if tool["name"] == "read")
        return tool, answers[3]

    def gets_values(self, *words, **rest):
        tool, answer = self.serve(*words, **rest)
        self.assertEqual("outputSchema" in tool, "structuredContent" in answer)
        self.assertIn("1\tone", answer["content"][0]["text"])
        return "structuredContent" in answer

    def test_values_are_for_clients_that_show_the_text_too(self):
        self.assertTrue(self.gets_values())
        self.assertFalse(self.gets_values(client="claude-code"))
        self.assertFalse(self.gets_values(client="codex-mcp-client"))

    def test_the_flag_decides_before_the_setting(self):
        self.assertFalse(self.gets_values(HELVE_MCP_STRUCTURED="never"))
        self.assertTrue(self.gets_values("--structured", "always", client="claude-code", HELVE_MCP_STRUCTURED="never"))
        self.assertFalse(self.gets_values("--structured", "never"))
        self.assertFalse(self.gets_values("--structured", "auto", client="claude-code", HELVE_MCP_STRUCTURED="always"))

    def test_at_a_terminal_it_says_who_is_expected(self):
        ours, theirs = os.openpty()
        self.addCleanup(os.close, ours)
        os.write(ours, b"\x04")  # the end of the input, which the terminal keeps until somebody reads
        done = subprocess.run([HELVE, "mcp", "--root", str(self.root)], stdin=theirs, capture_output=True, text=True,
                              timeout=PATIENCE, env=self.environment, check=True)
        os.close(theirs)
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr.count("an MCP client is expected on standard input"), 1, done.stderr)
        self.assertIn("helve doctor", done.stderr)

    def test_doctor_shows_what_connects_clients(self):
        def doctor(*words):
            return subprocess.run([HELVE, "--root", str(self.root), "doctor", *words], capture_output=True, text=True,
                                  timeout=PATIENCE, env=self.environment).stdout

        server = json.loads(doctor("--json"))["mcp"]["mcpServers"]["helve"]
        lines = [line.strip() for line in doctor().splitlines()]
        claude = next(line for line in lines if line.startswith("claude mcp add"))
        self.assertEqual(shlex.split(claude), ["claude", "mcp", "add", "helve", "--", server["command"], *server["args"]])
        codex = "\n".join(lines[lines.index("[mcp_servers.helve]"):])
        self.assertEqual(tomllib.loads(codex)["mcp_servers"]["helve"], server)


if __name__ == "__main__":
    unittest.main()
