"""A command that takes all memory or fills the disk: it fails alone. The server that runs it goes on, and says what it
could not do.

exhausted.py HELVE; the disk is a small file system in a mount namespace of its own, which needs the privilege to make one.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HELVE = os.path.abspath(sys.argv[1])
SKIPPED = 77
DISK = "24m"


class Server:
    def __init__(self, base):
        environment = {"PATH": os.environ["PATH"], "HOME": str(base), "HELVE_SANDBOX_LIMITS_MEMORY_MB": "256"}
        work = base / "work"
        work.mkdir(exist_ok=True)
        self.process = subprocess.Popen([HELVE, "mcp", "--root", str(work), "--tools", "all"], env=environment,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.number = 0
        self.request("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}})

    def request(self, method, params):
        self.number += 1
        message = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
        while line := self.process.stdout.readline():
            answer = json.loads(line)
            if answer.get("id") == self.number:
                return answer["result"]
        raise AssertionError("helve has ended")

    def call(self, tool, **arguments):
        return self.request("tools/call", {"name": tool, "arguments": arguments})

    def close(self):
        self.process.stdin.close()
        code = self.process.wait(timeout=60)
        self.process.stdout.close()
        return code


class Exhausted(unittest.TestCase):
    def setUp(self):
        self.base = pathlib.Path(tempfile.mkdtemp(prefix="helve-exhausted-"))
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK}", "none", self.base], check=True)
        self.server = Server(self.base)

    def tearDown(self):
        if self.server.process.poll() is None:
            self.server.close()
        subprocess.run(["umount", "-l", self.base], check=True)
        self.base.rmdir()

    def run_command(self, command):
        return self.server.call("exec", command=command)

    def test_a_command_that_takes_all_memory_fails_alone(self):
        greedy = self.run_command("python3 -c 'a = [bytearray(1 << 20) for _ in range(4096)]'")["structuredContent"]
        self.assertNotEqual(greedy.get("exit_code"), 0, greedy)
        self.assertEqual(self.run_command("echo on")["structuredContent"]["output"], "on\n")

    def test_a_command_that_fills_the_disk_fails_alone(self):
        filling = self.run_command("cat /dev/zero > big; echo $?")["structuredContent"]
        self.assertIn("No space left", filling["output"])
        # What reads goes on as before, its record or not.
        self.assertEqual(self.run_command("echo on")["structuredContent"]["output"], "on\n")
        # What would change something either does so or says why not; nothing is half done.
        written = self.server.call("write", path="note.txt", content="x" * 100_000)
        there = (self.base / "work" / "note.txt").exists()
        self.assertEqual(there, not written.get("isError"), written)
        if written.get("isError"):
            self.assertRegex(written["content"][0]["text"], "(?i)space|full")

    def test_all_is_well_again_when_there_is_room(self):
        self.run_command("cat /dev/zero > big")
        (self.base / "work" / "big").unlink()
        written = self.server.call("write", path="note.txt", content="on\n")
        self.assertFalse(written.get("isError"), written)
        self.assertEqual(self.server.close(), 0)
        again = Server(self.base)
        read = again.call("exec", command="cat note.txt")
        self.assertFalse(read.get("isError"), read)
        self.assertEqual(read["structuredContent"]["output"], "on\n")
        self.assertEqual(again.close(), 0)


if __name__ == "__main__":
    if os.environ.get("HELVE_OWN_MOUNTS") != "1":
        possible = subprocess.run(["unshare", "-m", "true"], capture_output=True, check=False)
        if possible.returncode != 0:
            print("skipped: no mount namespace can be made here")
            sys.exit(SKIPPED)
        os.environ["HELVE_OWN_MOUNTS"] = "1"
        os.execvp("unshare", ["unshare", "-m", sys.executable, os.path.abspath(__file__), HELVE])
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
