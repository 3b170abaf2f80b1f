"""1,000 commands with random timeouts, floods, children in the background and kills, through one server. In the end there
is no process, no zombie and no open descriptor more than before, and the server is not larger.

commands.py HELVE [SEED [COUNT]]
"""

import concurrent.futures
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import threading
import time

SEED = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(1 << 30)
COUNT = int(sys.argv[3]) if len(sys.argv) > 3 else 1000
AT_ONCE = 8
MAX_GROWTH_KB = 4096  # allocators keep some of what they got
KEPT_OUTPUTS = 64  # of jobs that have ended: what came before them is let go
PATIENCE = 60  # seconds, for what ends by itself after the answer

# What may rightly be refused: whatever ends by itself can be faster than the next call, and a shell can be killed by its command.
EXPECTED = {"bash": {"shell_ended", "shell_busy"}, "process": {"no_input", "has_ended"}}

# {s} is a sleep that outlives the test and can be told from all others.
COMMANDS = {
    "plain": "true",
    "fails": "exit 3",
    "flood": "yes helve | head -c {n}",
    "flood of errors": "yes helve | head -c {n} >&2",
    "binary flood": "head -c {n} /dev/urandom",
    "endless flood": "yes",
    "sleeps": "{s}",
    "sleeps, deaf": "trap '' TERM INT HUP; {s}; {s}",
    "stops itself": "kill -STOP $$; {s}",
    "kills itself": "kill -9 $$",
    "crashes": "kill -SEGV $$",
    "child keeps the pipe": "{s} & echo on",
    "child of its own session": "setsid {s} & echo on",
    "daemon": "(setsid sh -c '{s} & {s}' </dev/null >/dev/null 2>&1 &) ; echo on",
    "deaf daemon": "(trap '' TERM HUP; setsid {s} >/dev/null 2>&1 &) ; echo on",
    "many children": "for i in 1 2 3 4 5 6 7 8 9 10; do {s} & done; echo on",
    "zombies": "for i in 1 2 3 4 5; do (true &) ; done; echo on",
    "reads": "cat",
    "opens much": "exec 10</dev/null 11</dev/null 12</dev/null; true",
}


class Server:
    """Answers come in any order."""

    def __init__(self, helve, root, environment):
        self.process = subprocess.Popen([helve, "mcp", "--root", root, "--tools", "all"], env=environment,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.lock, self.number, self.waiting = threading.Lock(), 0, {}
        threading.Thread(target=self.read, daemon=True).start()
        self.request("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "soak", "version": "1"}}).result()
        self.send({"method": "notifications/initialized"})

    def send(self, message):
        with self.lock:
            self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
            self.process.stdin.flush()

    def request(self, method, params):
        answer = concurrent.futures.Future()
        with self.lock:
            self.number += 1
            answer.number = self.number
            self.waiting[self.number] = answer
        self.send({"id": answer.number, "method": method, "params": params})
        return answer

    def read(self):
        for line in self.process.stdout:
            message = json.loads(line)
            if "id" in message and "method" not in message:
                self.waiting.pop(message["id"]).set_result(message)

    def call(self, tool, **arguments):
        """The structured answer. An error that is not to be expected fails the test."""
        result = self.request("tools/call", {"name": tool, "arguments": arguments}).result(timeout=120)["result"]
        error = result.get("_meta", {}).get("helve/error", {}).get("error_type")
        if result.get("isError") and error not in EXPECTED.get(tool, ()):
            raise AssertionError(f"{tool} {arguments}: {result}")
        return result.get("structuredContent", {})

    def cancel(self, tool, after, **arguments):
        """A cancelled request has no answer."""
        answer = self.request("tools/call", {"name": tool, "arguments": arguments})
        time.sleep(after)
        self.send({"method": "notifications/cancelled", "params": {"requestId": answer.number}})
        with self.lock:
            self.waiting[answer.number] = concurrent.futures.Future()  # it may have been faster


def make_command(source, mark):
    text = COMMANDS[source.choice(list(COMMANDS))]
    return text.format(s=f"sleep {mark}", n=source.choice([10, 5000, 300_000, 3_000_000]))


def run_once(server, seed, mark):
    source = random.Random(seed)
    command, timeout = make_command(source, mark), source.choice([0.2, 0.3, 0.5])
    way = source.choices(["wait", "background", "yield", "cancel", "bash", "terminal"], [10, 4, 2, 2, 2, 2])[0]
    if way == "wait":
        server.call("exec", command=command, timeout=timeout)
    elif way == "terminal":
        server.call("exec", command=command, timeout=timeout, terminal=True)
    elif way == "bash":
        server.call("bash", command=command, timeout=timeout)
    elif way == "cancel":
        server.cancel("exec", source.random() / 5, command=command, timeout=5)
    else:
        started = server.call("exec", command=command, timeout=5, **({"background": True} if way == "background" else {"yield_ms": 50}))
        job = started.get("process_id")
        if not job:
            return
        server.call("process", action="input", process_id=job, input="line\n")
        server.call("process", action="poll", process_id=job)
        server.call("process", **source.choice([{"action": "kill"}, {"action": "signal", "signal": "KILL"}, {"action": "signal", "signal": "SEGV"}]), process_id=job)
        server.call("process", action="kill", process_id=job)


def read_processes():
    """{pid: (parent, state, command line)}."""
    found = {}
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
            words = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        found[int(entry.name)] = (int(fields[1]), fields[0], words)
    return found


def descendants(processes, top):
    below = {pid for pid, (parent, _, _) in processes.items() if parent == top}
    for pid in list(below):
        below |= descendants(processes, pid)
    return below


def leftovers(server, mark):
    """What should not be there: sleeps of ours, zombies, and processes that are neither helve-spawn nor a shell that waits."""
    processes = read_processes()
    ours = descendants(processes, server.process.pid)
    return [f"{pid} {processes[pid][1]} {processes[pid][2]}" for pid in sorted(processes)
            if mark in processes[pid][2] and pid != os.getpid() or
            pid in ours and (processes[pid][1] == "Z" or not processes[pid][2].startswith(("helve-spawn", "/bin/bash --norc")))]


def descriptors(pid):
    return sorted(os.readlink(f"/proc/{pid}/fd/{name}").split(":")[0] for name in os.listdir(f"/proc/{pid}/fd"))


def resident_kb(pid):
    return int(pathlib.Path(f"/proc/{pid}/status").read_text().split("VmRSS:")[1].split()[0])


def settle(server, mark):
    """Waits until nothing is left of the commands; the session's shell is started anew, as it may hold children, and the
    outputs that are kept for later calls make way for empty ones."""
    server.call("bash", restart=True, command="true")
    for _ in range(KEPT_OUTPUTS):
        server.call("process", action="wait", process_id=server.call("exec", command="true", background=True)["process_id"])
    end = time.monotonic() + PATIENCE
    while (left := leftovers(server, mark)) and time.monotonic() < end:
        time.sleep(0.05)
    return left


def helpers(server):
    processes = read_processes()
    return [pid for pid in descendants(processes, server.process.pid) if processes[pid][0] == server.process.pid]


def observe(server, mark):
    left = settle(server, mark)
    return {"left over": left, "descriptors": descriptors(server.process.pid),
            "descriptors of helpers": [descriptors(pid) for pid in helpers(server)], "kb": resident_kb(server.process.pid)}


def run_many(server, seeds, mark):
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        for done in [pool.submit(run_once, server, seed, mark) for seed in seeds]:
            done.result()


def compare(before, after):
    """What is wrong."""
    for name in ("descriptors", "descriptors of helpers"):
        if before[name] != after[name]:
            yield f"{name}: {before[name]} before, {after[name]} after"
    if after["kb"] > before["kb"] + MAX_GROWTH_KB:
        yield f"memory grew from {before['kb']} KB to {after['kb']} KB"
    yield from (f"left over: {line}" for line in before["left over"] + after["left over"])


def main():
    mark = str(100_000_000 + random.randrange(800_000_000))
    print(f"seed {SEED}", flush=True)
    source = random.Random(SEED)
    seeds = [source.random() for _ in range(COUNT)]
    with tempfile.TemporaryDirectory(prefix="helve-soak-") as name:
        home = pathlib.Path(name)
        (home / "work").mkdir()
        environment = {"PATH": os.environ["PATH"], "HOME": name, "HELVE_EXEC_MIN_TIMEOUT_SECONDS": "0.1"}
        server = Server(sys.argv[1], str(home / "work"), environment)
        run_many(server, seeds[:COUNT // 4], mark)
        before = observe(server, mark)
        run_many(server, seeds[COUNT // 4:], mark)
        after = observe(server, mark)
        server.process.stdin.close()
        code = server.process.wait(timeout=60)
        problems = list(compare(before, after))
        if code != 0:
            problems.append(f"helve ended with {code}")
        problems += [f"outlives helve: {words}" for _, _, words in read_processes().values() if mark in words]
    print(f"{COUNT} commands; {before['kb']} KB after a quarter of them, {after['kb']} KB after all")
    print("\n".join(problems) or "nothing is left of them")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
