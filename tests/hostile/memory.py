"""A command that takes all the memory there is ends alone: helve goes on, and so does all that it keeps.

memory.py HELVE [TEST…]
"""

import contextlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

HELVE = os.path.abspath(sys.argv[1])
PATIENCE = 30  # seconds
ROOM = 1 << 30  # bytes; of helve and its commands together, so that nobody else on this machine is hit
BOMBS = {
    "one process": "python3 -c \"x = []\nwhile True: x.append(b'x' * (1 << 24))\"",
    "many processes": "for i in 1 2 3 4; do python3 -c \"x = []\nwhile True: x.append(b'x' * (1 << 24))\" & done; wait",
    "a file in memory": "head -c 100G /dev/zero > /dev/shm/bomb",
}


def made_group(directory, limit):
    """A control group whose processes have ROOM together, below or beside the directory; None where that cannot be."""
    group = directory / f"test-{os.getpid()}"
    try:
        group.mkdir()
    except OSError:
        return None
    try:
        (group / limit).write_text(str(ROOM))
        with contextlib.suppress(OSError):  # where swap is counted, it is none
            (group / "memory.swap.max").write_text("0")
        return group
    except OSError:
        group.rmdir()
        return None


def limited_group():
    for line in pathlib.Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        if "memory" in controllers.split(","):
            group = made_group(pathlib.Path("/sys/fs/cgroup/memory" + path), "memory.limit_in_bytes")
        elif not controllers:
            group = made_group(pathlib.Path("/sys/fs/cgroup" + path).parent, "memory.max")
        else:
            continue
        if group:
            return group
    return None


class Server:
    def __init__(self, directory, environment, group=None):
        join = (lambda: (group / "cgroup.procs").write_text("0")) if group else None
        self.process = subprocess.Popen([HELVE, "mcp", "--tools", "all"], cwd=directory, env=environment, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, preexec_fn=join)
        self.calls = 0
        self.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {},
                                "clientInfo": {"name": "t", "version": "1"}})

    def ask(self, method, params):
        self.calls += 1
        message = {"jsonrpc": "2.0", "id": self.calls, "method": method, "params": params}
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
        while (answer := json.loads(self.process.stdout.readline())).get("id") != self.calls:
            pass
        return answer["result"]

    def call(self, tool, **arguments):
        return self.ask("tools/call", {"name": tool, "arguments": arguments})

    def end(self):
        self.process.stdin.close()
        code = self.process.wait(PATIENCE)
        self.process.stdout.close()
        return code


def text_of(answer):
    return "".join(part.get("text", "") for part in answer["content"])


class Bombs(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="helve-memory-")
        self.addCleanup(directory.cleanup)
        base = pathlib.Path(os.path.realpath(directory.name))
        self.work = base / "work"
        self.work.mkdir()
        self.environment = {"HOME": str(base), "PATH": os.environ["PATH"], "XDG_STATE_HOME": str(base / "state"),
                            "XDG_CONFIG_HOME": str(base / "config"), "HELVE_APPROVALS_MODE": "off",
                            "HELVE_SANDBOX_LIMITS_TMP_MB": "256"}  # the default is a part of all memory, not of ROOM

    def remove(self, group):
        end = time.monotonic() + PATIENCE
        while True:
            try:
                return group.rmdir()
            except OSError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.05)  # the last of its processes are about to go

    def survives(self, server, bomb, tool):
        """The answer to the bomb; afterwards all is as it was before."""
        server.call("write", path="kept", content="before\n")
        answer = server.call(tool, command=bomb)
        self.assertIsNone(server.process.poll())
        self.assertIn("on\n", text_of(server.call(tool, command="echo on")))
        self.assertIn("kept", text_of(server.call("changes")))
        server.call("write", path="kept", content="after\n")
        server.call("undo")
        self.assertEqual((self.work / "kept").read_text(), "before\n")
        self.assertEqual(server.end(), 0)
        return answer

    def test_it_ends_alone_where_no_limit_is_set(self):
        for tool in ("exec", "bash"):
            for name, bomb in BOMBS.items():
                with self.subTest(name, tool=tool):
                    group = limited_group()
                    if not group:
                        self.skipTest("only root can make a control group here")
                    self.addCleanup(self.remove, group)
                    answer = self.survives(Server(self.work, self.environment, group), bomb, tool)
                    if name == "one process":
                        self.assertEqual(answer["structuredContent"]["exit_code"], 128 + 9)
                    self.doCleanups()
                    self.setUp()

    def test_the_answer_names_the_limit_that_is_set(self):
        self.environment["HELVE_SANDBOX_LIMITS_MEMORY_MB"] = "256"
        answer = self.survives(Server(self.work, self.environment), BOMBS["one process"], "exec")
        # Without a control group each process has the limit by itself, and is told.
        words = text_of(answer)
        self.assertTrue("sandbox.limits.memory_mb" in words or "MemoryError" in words, words)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
