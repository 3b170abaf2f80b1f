"""Commands: exec and bash through MCP against mcp-server-commands and against what starting a process costs at least."""

import glob
import json
import pathlib
import statistics

from harness import BUILD, HELVE, PEERS, Section, Serving, make_environment, run, say

CALLS, QUICK_CALLS = 1000, 50
SHELL_CALLS = 20_000
FLOOD_BYTES = 1_000_000_000
FULL = "sandbox:\n  level: full\n"
KEPT_MB = 16  # of an output, as the settings have it


def peer():
    node = glob.glob(str(PEERS / "node_modules/node-linux-*/bin/node"))
    return [(node or ["node"])[0], str(PEERS / "node_modules/mcp-server-commands/build/index.js")]


def floor(what, number):
    return float(run(BUILD / "bench" / "bench_commands", what, number).stdout)


def round_trip(calls, tool, arguments, command, environment):
    """Microseconds: the median."""
    done = run(BUILD / "bench" / "bench_mcp", "--round-trips", calls, json.dumps(arguments), tool, "--", *command, env=environment)
    return float(done.stdout.split()[0])


def contenders(workspace, sandboxed, full, calls):
    """{name: a function that measures it once}."""
    helve = [HELVE, "mcp", "--root", workspace, "--tools", "all"]
    true, shell_calls = {"command": "true"}, calls * SHELL_CALLS // CALLS
    return {
        "posix_spawn": lambda: floor("spawn", calls),
        "exec, full": lambda: round_trip(calls, "exec", true, helve, full),
        "exec, sandboxed": lambda: round_trip(calls, "exec", true, helve, sandboxed),
        "mcp-server-commands": lambda: round_trip(calls, "run_command", true, peer(), full),
        "bash on a pipe": lambda: floor("shell", shell_calls),
        "bash": lambda: round_trip(shell_calls, "bash", true, helve, sandboxed),
    }


def peak_kb(process):
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0])


def flood(workspace, environment):
    """GB per second of a command that writes much, and how much more memory the server needed for it."""
    server = Serving(workspace, environment)
    server.call("exec", {"command": f"yes | head -c {(KEPT_MB + 1) << 20}"})  # what is kept of a long output
    before = peak_kb(server.process)
    taken, line = server.call("exec", {"command": f"head -c {FLOOD_BYTES} /dev/zero"})
    grown = peak_kb(server.process) - before
    server.close()
    if str(FLOOD_BYTES).encode() not in line:
        raise SystemExit(f"bench: exec lost output: {line[-1000:]!r}")
    return FLOOD_BYTES / taken / 1e6, grown


def measure_all(setting, workspace, sandboxed, full):
    calls = QUICK_CALLS if setting.quick else CALLS
    seen, speeds = {}, {}
    for number in range(setting.rounds):
        for name, once in contenders(workspace, sandboxed, full, calls).items():
            say(f"round {number + 1} of {setting.rounds}: {name}")
            seen.setdefault(name, []).append(once())
        say(f"round {number + 1} of {setting.rounds}: a flood")
        speeds.setdefault("pipe", []).append(floor("drain", FLOOD_BYTES) / 1e9)
        speed, grown = flood(workspace, sandboxed)
        speeds.setdefault("exec", []).append(speed)
        speeds.setdefault("grown_mb", []).append(grown / 1024)
    medians = {name: statistics.median(each) for name, each in seen.items()}
    return medians, {name: statistics.median(each) for name, each in speeds.items()}


def make_goals(seen, speeds):
    full = seen["exec, full"] / seen["posix_spawn"]
    yield "exec without a sandbox at most 1.3 times posix_spawn of `sh -c true`", f"{full:.2f} times", full <= 1.3
    more = (seen["exec, sandboxed"] - seen["exec, full"]) / 1000
    yield "at most 3 ms more for the sandbox", f"{more:.2f} ms", more <= 3
    peer_ratio = seen["mcp-server-commands"] / seen["exec, sandboxed"]
    yield "exec, sandboxed, faster than mcp-server-commands", f"{peer_ratio:.1f} times", peer_ratio > 1
    shell = seen["bash"] / seen["bash on a pipe"]
    yield "bash at most 3 times a bash on a pipe", f"{shell:.2f} times", shell <= 3
    yield "1 GB of output at 1 GB/s or more", f"{speeds['exec']:.2f} GB/s", speeds["exec"] >= 1
    yield "with at most 4 MB of memory more than 17 MB of output need", f"{speeds['grown_mb']:.1f} MB", speeds["grown_mb"] <= 4


def measure(setting):
    workspace = setting.directory / "workspace"
    workspace.mkdir()
    sandboxed = make_environment(setting.directory / "home")
    full = make_environment(setting.directory / "home-full", FULL)
    seen, speeds = measure_all(setting, workspace, sandboxed, full)
    lines = ["| command, µs | " + " | ".join(seen) + " |", "|---|" + "---:|" * len(seen),
             "| `true` | " + " | ".join(f"{value:.0f}" for value in seen.values()) + " |", "",
             f"1 GB of output: {speeds['exec']:.2f} GB/s through exec, {speeds['pipe']:.2f} GB/s through a pipe alone.", ""]
    return Section(lines, list(make_goals(seen, speeds)), {"commands_us": seen, "flood": speeds})
