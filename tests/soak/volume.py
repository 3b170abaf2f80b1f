"""Very many commands and very much output, through one server: no zombie, no descriptor more than before, and memory stays.

volume.py HELVE
"""

import os
import pathlib
import sys
import tempfile

import commands

COUNT = 10_000
FLOOD = 3 << 30  # bytes
MAX_GROWTH_KB = 8192


def peak_kb(pid):
    return int(pathlib.Path(f"/proc/{pid}/status").read_text().split("VmHWM:")[1].split()[0])


def peaks(server):
    return {pid: peak_kb(pid) for pid in [server.process.pid, *commands.helpers(server)]}


def run_trivial(server, count):
    for _ in range(count):
        result = server.call("exec", command="true")
        assert result["exit_code"] == 0, result


def grown(before, after):
    return [f"the peak of {pid} grew from {kb} KB to {after[pid]} KB" for pid, kb in before.items() if after[pid] > kb + MAX_GROWTH_KB]


def check_many(server):
    """Zombies are looked for while the server lives: whoever ends leaves none."""
    mark = "no-command-bears-this-mark"
    run_trivial(server, COUNT // 10)  # until the writer of the log has come, too
    before, peak = commands.observe(server, mark), peaks(server)
    run_trivial(server, COUNT)
    yield from commands.compare(before, commands.observe(server, mark))
    yield from grown(peak, peaks(server))


def check_flood(server):
    command = "head -c {} /dev/zero"
    server.call("exec", command=command.format(64 << 20))  # what is made once, and kept
    peak = peaks(server)
    result = server.call("exec", command=command.format(FLOOD))
    if result["output_bytes"] != FLOOD:
        yield f"{result['output_bytes']} bytes were counted of {FLOOD}"
    yield from grown(peak, peaks(server))


def main():
    with tempfile.TemporaryDirectory(prefix="helve-soak-") as name:
        home = pathlib.Path(name)
        (home / "work").mkdir()
        server = commands.Server(sys.argv[1], str(home / "work"), {"PATH": os.environ["PATH"], "HOME": name})
        problems = [*check_many(server), *check_flood(server)]
        server.process.stdin.close()
        if server.process.wait(timeout=60) != 0:
            problems.append(f"helve ended with {server.process.returncode}")
    print("\n".join(problems) or f"{COUNT} commands and {FLOOD >> 30} GB leave nothing behind")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
