"""MCP servers side by side: start, round trips, calls per second, memory."""

import glob
import json
import statistics

from harness import BUILD, PEERS, Section, make_environment, run, say

METRICS = ("start_ms", "p50_us", "p99_us", "calls_per_s", "rss_kb")  # as bench_mcp prints them
NAMES = ("floor", "helve", "bare", "filesystem", "everything")
NEED_PEERS = ("filesystem", "everything")
CALLS, QUICK_CALLS = 20000, 2000  # the same for every server: warm-up and memory depend on it


def peer(package, *args):
    node = glob.glob(str(PEERS / "node_modules/node-linux-*/bin/node"))
    script = PEERS / "node_modules/@modelcontextprotocol" / package / "dist/index.js"
    return [(node or ["node"])[0], str(script), *args]


class Server:
    def __init__(self, command, tool, arguments, title):
        self.command, self.tool, self.arguments, self.title = command, tool, arguments, title
        self.rounds = []

    def measure(self, calls, environment):
        done = run(BUILD / "bench" / "bench_mcp", calls, json.dumps(self.arguments), self.tool, "--", *self.command, env=environment)
        self.rounds.append(dict(zip(METRICS, map(float, done.stdout.split()))))

    def medians(self):
        return {metric: statistics.median(one[metric] for one in self.rounds) for metric in METRICS}


def make_servers(workspace):
    """What is compared. Every server reads the same file of 1 KB, except `everything`, which only echoes 1 KB."""
    text = ("All work and no play makes a dull day. " * 30)[:1023] + "\n"
    file = workspace / "note.txt"
    file.write_text(text)
    helve = [BUILD / "helve", "mcp", "--root", workspace, "--tools", "all"]
    no_rules = workspace.parent / "no-rules.yaml"  # the bare profile refuses rules that it could not keep
    no_rules.write_text("{}\n")
    bare = [*helve, "--profile", "bare", "--config", no_rules]
    return {
        "floor": Server([BUILD / "bench" / "bench_floor"], "read", {"path": str(file)}, "floor"),
        "helve": Server(helve, "read", {"path": "note.txt"}, "helve"),
        "bare": Server(bare, "read", {"path": "note.txt"}, "helve --profile bare"),
        "filesystem": Server(peer("server-filesystem", str(workspace)), "read_text_file", {"path": str(file)}, "server-filesystem"),
        "everything": Server(peer("server-everything"), "echo", {"message": text}, "server-everything"),
    }


def ratio(seen, name, other, metric):
    return f"{seen[name][metric] / seen[other][metric]:.2f}" if other in seen else "–"


def server_table(servers, seen):
    yield "| server | start ms | p50 µs | p99 µs | calls/s | RSS MB | p50 / floor | calls/s / floor | start / Node | p50 / Node | calls/s / Node |"
    yield "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
    for name, numbers in seen.items():
        ratios = [ratio(seen, name, "floor", "p50_us"), ratio(seen, name, "floor", "calls_per_s"),
                  *(ratio(seen, name, "filesystem", metric) for metric in ("start_ms", "p50_us", "calls_per_s"))]
        yield (f"| {servers[name].title} | {numbers['start_ms']:.2f} | {numbers['p50_us']:.1f} | {numbers['p99_us']:.1f} "
               f"| {numbers['calls_per_s']:.0f} | {numbers['rss_kb'] / 1024:.1f} | {' | '.join(ratios)} |")


def make_goals(seen):
    """(goal, what was measured, reached) for the goals whose servers were measured."""
    goals = []

    def add(names, goal, shown, value, reached):
        if all(name in seen for name in names):
            measured = value()
            goals.append((goal, shown.format(measured), reached(measured)))

    add(["helve", "filesystem"], "start at least 100 times faster than server-filesystem", "{:.0f} times",
        lambda: seen["filesystem"]["start_ms"] / seen["helve"]["start_ms"], lambda x: x >= 100)
    add(["helve"], "start in at most 3 ms with every tool loaded", "{:.2f} ms", lambda: seen["helve"]["start_ms"], lambda x: x <= 3)
    add(["helve", "floor"], "p50 at most 1.3 times the floor", "{:.2f} times",
        lambda: seen["helve"]["p50_us"] / seen["floor"]["p50_us"], lambda x: x <= 1.3)
    add(["bare", "floor"], "pipelined at least 0.9 of the floor, bare profile", "{:.2f}",
        lambda: seen["bare"]["calls_per_s"] / seen["floor"]["calls_per_s"], lambda x: x >= 0.9)
    add(["helve", "floor"], "pipelined at least 0.6 of the floor, with recording and policy", "{:.2f}",
        lambda: seen["helve"]["calls_per_s"] / seen["floor"]["calls_per_s"], lambda x: x >= 0.6)
    add(["helve"], "at most 6 MB of memory", "{:.1f} MB", lambda: seen["helve"]["rss_kb"] / 1024, lambda x: x <= 6)
    return goals


def measure(names, setting):
    """The servers of these names, round by round."""
    workspace = setting.directory / "workspace"
    workspace.mkdir()
    servers = {name: server for name, server in make_servers(workspace).items() if name in names}
    # A rule, so that policy and recording are at work.
    environment = make_environment(setting.directory / "home", "tools:\n  deny: [write]\n")
    for number in range(setting.rounds):
        for name, server in servers.items():
            say(f"round {number + 1} of {setting.rounds}: {name}")
            server.measure(QUICK_CALLS if setting.quick else CALLS, environment)
    seen = {name: server.medians() for name, server in servers.items()}
    lines = [*server_table(servers, seen), ""]
    if "filesystem" in seen:
        lines += ["Node is server-filesystem.", ""]
    return Section(lines, make_goals(seen), {"servers": seen})
