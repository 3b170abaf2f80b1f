"""What the parts of the benchmark share: the build, the peers, processes and the machine."""

import dataclasses
import datetime
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(os.environ.get("HELVE_BENCH_BUILD", ROOT / "build" / "bench"))
PEERS = ROOT / "build" / "bench-peers"
HELVE = BUILD / "helve"


@dataclasses.dataclass
class Section:
    """What a part of the benchmark has found: Markdown lines, (goal, what was measured, reached), and the numbers."""

    lines: list
    goals: list
    numbers: dict


@dataclasses.dataclass
class Setting:
    """What a part gets: a directory of its own, how often to measure."""

    directory: pathlib.Path
    quick: bool

    @property
    def rounds(self):
        return 1 if self.quick else 3


def say(text):
    print(text, file=sys.stderr, flush=True)


def run(*command, **options):
    """The output of a command; ends the program with its errors when it fails."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"bench: {' '.join(str(word) for word in command)} failed\n{done.stdout[-2000:]}{done.stderr[-4000:]}")
    return done


def build():
    say("building the bench preset")
    if not (BUILD / "build.ninja").exists():
        run("cmake", "--preset", "bench", "-B", BUILD, cwd=ROOT)
    run("ninja", "-C", BUILD, "helve", "bench_floor", "bench_mcp", "bench_dispatch", "bench_exchange", "bench_commands",
        "bench_launch", "bench_mock_model", "bench_floor_agent", "bench_sessions", "bench_embed")


def install_peers():
    lock = ROOT / "bench" / "package-lock.json"
    installed = PEERS / "package-lock.json"
    if (PEERS / "installed").exists() and installed.read_bytes() == lock.read_bytes():
        return
    say("installing the peers")
    if not shutil.which("npm"):
        sys.exit("bench: the peers need npm; --only floor --only helve --only bare --only dispatch does without")
    shutil.rmtree(PEERS, ignore_errors=True)
    PEERS.mkdir(parents=True)
    for name in ("package.json", "package-lock.json", ".npmrc"):
        shutil.copy(ROOT / "bench" / name, PEERS)
    run("npm", "ci", "--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=5", cwd=PEERS)
    (PEERS / "installed").touch()


def describe_machine(rounds):
    cpu = re.search(r"^model name\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return {"date": datetime.date.today().isoformat(), "processor": cpu[1] if cpu else platform.machine(), "cores": os.cpu_count(),
            "kernel": platform.release(), "rounds": rounds, "load": round(os.getloadavg()[0], 1)}


def make_environment(home, config_text=""):
    """A home of its own."""
    config = home / "config" / "helve"
    config.mkdir(parents=True)
    (config / "config.yaml").write_text(config_text or "{}\n")
    kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    return {**kept, "HOME": str(home), "XDG_CONFIG_HOME": str(home / "config"), "XDG_STATE_HOME": str(home / "state")}


class Serving:
    """A helve that runs already."""

    def __init__(self, tree, environment):
        self.process = subprocess.Popen([str(HELVE), "mcp", "--root", str(tree), "--tools", "all"], env=environment,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.number = 0
        self.request("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message):
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def request(self, method, params):
        self.number += 1
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        return self.answer()

    def answer(self):
        """The answer to the latest request; what else is told meanwhile, such as new resources, is passed over."""
        while line := self.process.stdout.readline():
            if line.startswith(b'{"jsonrpc":"2.0","id":%d,' % self.number):
                return line
        raise SystemExit("bench: helve has ended")

    def call(self, tool, arguments):
        """The time of one call, and its answer."""
        self.number += 1
        message = json.dumps({"jsonrpc": "2.0", "id": self.number, "method": "tools/call",
                              "params": {"name": tool, "arguments": arguments}}).encode() + b"\n"
        before = time.perf_counter()
        self.process.stdin.write(message)
        self.process.stdin.flush()
        line = self.answer()
        return (time.perf_counter() - before) * 1000, line

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=30)
