"""helve mcp with a home, a workspace and a session of its own, and what the system knows of its processes."""

import json
import os
import pathlib
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time

PATIENCE = 60  # seconds; nothing here takes so long unless it fails
ENDED = re.compile(r"Note: background command (j_[\w-]+) \((.*)\) (?:ended|is lost): ?(.*)")


class Place:
    """Where processes of one session work, one after the other or at once."""

    def __init__(self):
        self.base = pathlib.Path(tempfile.mkdtemp(prefix="helve-jobs-"))
        self.root = self.base / "root"
        self.root.mkdir()
        self.environment = {"PATH": os.environ["PATH"], "HOME": str(self.base),
                            "XDG_STATE_HOME": str(self.base / "state")}
        self.user = None  # as whom helve runs; None: as we do
        self.clients = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for client in self.clients:
            client.kill()
        shutil.rmtree(self.base, ignore_errors=True)

    def command(self, *words):
        return [sys.argv[1], "--root", str(self.root), "--session", "work", *words]

    def serve(self):
        self.clients.append(Client(self.command("mcp", "--tools", "all"), self.environment, self.user))
        return self.clients[-1]

    def run(self, *words):
        return subprocess.run(self.command(*words), env=self.environment, capture_output=True, text=True, timeout=PATIENCE)

    def recorded(self, job):
        """The state of a job in the store, without asking helve: whoever asks is told."""
        database = sqlite3.connect(f"file:{self.base}/state/helve/helve.db?mode=ro", uri=True)
        try:
            return database.execute("SELECT state FROM jobs WHERE id = ?", [job]).fetchone()[0]
        finally:
            database.close()


class Client:
    def __init__(self, command, environment, user):
        self.process = subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, user=user, extra_groups=user and [])
        self.last = 0
        self.told = []  # (job, how) of every end that an answer told
        self.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {},
                                "clientInfo": {"name": "t", "version": "1"}})
        self.send({"method": "notifications/initialized"})

    @property
    def pid(self):
        return self.process.pid

    def send(self, message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, method, params):
        self.last += 1
        self.send({"id": self.last, "method": method, "params": params})
        while True:
            message = json.loads(self.process.stdout.readline())
            if message.get("id") == self.last:
                return message["result"]

    def call(self, tool, **arguments):
        """The structured answer; ends that it tells besides go to `told`."""
        result = self.ask("tools/call", {"name": tool, "arguments": arguments})
        for block in result["content"]:
            for line in block.get("text", "").splitlines():
                if match := ENDED.match(line):
                    self.told.append((match[1], match[3]))
        return result.get("structuredContent") or {"error": result["_meta"]["helve/error"]}

    def start(self, command):
        return self.call("exec", command=command, background=True)["process_id"]

    def close(self):
        self.process.stdin.close()
        self.process.wait(PATIENCE)
        self.process.stdout.close()

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


def a_word():
    """A number of seconds that names one sleep among all processes of the machine."""
    return str(random.randrange(10**8, 9 * 10**8))


def processes_with(word):
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and word.encode() in (entry / "cmdline").read_bytes():
                found.append(int(entry.name))
        except OSError:
            pass  # it is gone
    return found


def await_that(condition, what):
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, f"in vain: {what}"
        time.sleep(0.01)
