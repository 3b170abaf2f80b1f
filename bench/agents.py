"""Agents as processes against a mock model: start, what a tool turn costs, memory, the whole run."""

import json
import pathlib
import statistics
import subprocess

import agent_peers
from harness import BUILD, HELVE, Section, make_environment, say

TURNS, QUICK_TURNS = 30, 5
SHORT_RUNS = 2  # more per round, of one turn, for the start
TIMEOUT_MS = 120_000
SAMPLE_MS = 10
ANSWER = "All notes are read."
SESSIONS, QUICK_SESSIONS, SESSION_DELAY_MS = 1000, 50, 2000
METRICS = ("start_ms", "turn_ms", "peak_mb", "total_ms", "first_request_kb")


class Failed(Exception):
    """An agent did not do what the model asked of it."""


class Mock:
    """A model for one run. Its log is read when it has ended."""

    def __init__(self, agent, workspace, turns, log, delay_ms=0):
        self.log = log
        self.process = subprocess.Popen(
            [str(BUILD / "bench" / "bench_mock_model"), "--log", str(log), "--turns", str(turns), "--tool", agent.tool,
             "--arguments", json.dumps(agent.arguments(workspace)), "--expect", "note {turn}.", "--delay-ms", str(delay_ms)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline())

    def requests(self):
        self.process.stdin.close()
        if self.process.wait(timeout=30) != 0:
            raise SystemExit("bench: the mock model failed")
        self.process.stdout.close()
        return [json.loads(line) for line in self.log.read_text().splitlines()]


class Bench:
    """Runs agents in one workspace, each with a home of its own that it keeps from run to run."""

    def __init__(self, directory):
        self.directory = directory
        self.workspace = directory / "workspace"
        self.workspace.mkdir()
        for turn in range(1, TURNS + 1):
            (self.workspace / f"notes-{turn}.txt").write_text(f"note {turn}.\n" + "A line that says little.\n" * 40)
        self.homes = {}

    def environment(self, agent):
        if agent.name not in self.homes:
            home = self.directory / agent.name
            self.homes[agent.name] = {**make_environment(home), "TMPDIR": str(home / "tmp")}
            (home / "tmp").mkdir()
        return self.homes[agent.name]

    def run(self, agent, turns, sample_ms=0):
        """The requests of the main conversation, and (started_ns, ended_ns, peak_kb)."""
        environment = self.environment(agent)
        output = self.directory / f"{agent.name}.txt"
        output.write_text("")
        mock = Mock(agent, self.workspace, turns, self.directory / "requests.jsonl")
        command, more = agent.start(pathlib.Path(environment["HOME"]), mock.port, f"read notes-1.txt to notes-{turns}.txt")
        done = subprocess.run([str(word) for word in (BUILD / "bench" / "bench_launch", output, TIMEOUT_MS, sample_ms, *command)],
                              env={**environment, **more}, cwd=self.workspace, capture_output=True, text=True)
        requests = [request for request in mock.requests() if request["main"]]
        text = output.read_text(errors="replace")
        if done.returncode != 0:
            raise Failed(f"it did not start\n{done.stderr}")
        started, ended, code, peak_kb = map(int, done.stdout.split())
        self.check(requests, turns, code, text)
        return requests, (started, ended, peak_kb)

    @staticmethod
    def check(requests, turns, code, text):
        problem = None
        if code != 0:
            problem = f"exit code {code}" if code != 124 else "it did not end in time"
        elif [request["results"] for request in requests] != list(range(turns + 1)):
            problem = f"{len(requests)} requests instead of {turns + 1}"
        elif not all(request["expected"] for request in requests):
            problem = "a result without the text of the file"
        elif ANSWER not in text:
            problem = "the answer was not printed"
        if problem:
            raise Failed(f"{problem}\n{text[-1500:]}")

    def measure(self, agent, turns):
        """One round: {metric: value}."""
        requests, (started, ended, _) = self.run(agent, turns)
        starts = [requests[0]["read_ns"] - started]
        for _ in range(SHORT_RUNS):
            first, (again, _, _) = self.run(agent, 1)
            starts.append(first[0]["read_ns"] - again)
        gaps = [after["read_ns"] - before["finished_ns"] for before, after in zip(requests, requests[1:])]
        peak_kb = self.run(agent, turns, SAMPLE_MS)[1][2]
        return dict(zip(METRICS, (statistics.median(starts) / 1e6, statistics.median(gaps) / 1e6, peak_kb / 1024,
                                  (ended - started) / 1e6, requests[0]["bytes"] / 1000)))


def has_run():
    """Whether this helve can run an agent."""
    return subprocess.run([str(HELVE), "run", "--help"], capture_output=True).returncode == 0


def measure_all(setting, agents):
    """({name: {metric: the median of its rounds}}, {name: what went wrong})."""
    bench, turns = Bench(setting.directory), QUICK_TURNS if setting.quick else TURNS
    rounds, failures = {}, {}

    def attempt(agent, what, once):
        if agent.name in failures:
            return
        say(f"{what}: {agent.name}")
        try:
            once()
        except Failed as failure:
            failures[agent.name] = str(failure)

    for agent in agents:  # what is made only at the first start is not measured
        attempt(agent, "warm-up", lambda: bench.run(agent, 2))
    for number in range(setting.rounds):
        for agent in agents:
            attempt(agent, f"round {number + 1} of {setting.rounds}",
                    lambda: rounds.setdefault(agent.name, []).append(bench.measure(agent, turns)))
    seen = {name: {metric: statistics.median(one[metric] for one in each) for metric in METRICS}
            for name, each in rounds.items() if name not in failures}
    return seen, failures


def table(agents, seen):
    yield "| agent | start ms | a tool turn ms | peak memory MB | total ms | first request KB |"
    yield "|---|---:|---:|---:|---:|---:|"
    for agent in agents:
        if numbers := seen.get(agent.name):
            yield (f"| {agent.title} | {numbers['start_ms']:.1f} | {numbers['turn_ms']:.2f} | {numbers['peak_mb']:.1f} "
                   f"| {numbers['total_ms']:.0f} | {numbers['first_request_kb']:.1f} |")
    yield ""


def make_goals(seen):
    peers = [name for name in seen if name not in ("floor", "helve")]
    if not peers or "helve" not in seen:
        return
    for metric, times, what in (("start_ms", 15, "first request of an agent {} times sooner after its start"),
                                ("turn_ms", 10, "a tool turn of an agent {} times faster"),
                                ("peak_mb", 12, "an agent with {} times less memory")):
        best = min(peers, key=lambda name: seen[name][metric])
        ratio = seen[best][metric] / seen["helve"][metric]
        yield f"{what.format(times)} than the best peer", f"{ratio:.1f} times ({best})", ratio >= times


def many_sessions(setting):
    """(seconds, MB) of sessions that all wait for a slow model at once, in one process."""
    count = QUICK_SESSIONS if setting.quick else SESSIONS
    say(f"{count} sessions at once")
    helve = next(agent for agent in agent_peers.all_agents() if agent.name == "helve")
    mock = Mock(helve, setting.directory, 2, setting.directory / "sessions.jsonl", SESSION_DELAY_MS)
    done = subprocess.run([str(BUILD / "bench" / "bench_sessions"), str(mock.port), str(count)], capture_output=True, text=True)
    mock.requests()
    taken, peak_kb, answered = done.stdout.split() if done.returncode == 0 else (0, 0, 0)
    if int(answered) != count:
        raise SystemExit(f"bench: {answered} of {count} sessions answered\n{done.stderr[-2000:]}")
    return count, float(taken), int(peak_kb) / 1024


def measure(setting):
    agents = agent_peers.all_agents()
    lines = []
    if not has_run():
        agents = [agent for agent in agents if agent.name != "helve"]
        lines += ["helve: skipped: `helve run` is not there", ""]
    seen, failures = measure_all(setting, agents)
    for name, failure in failures.items():
        reason, _, tail = failure.partition("\n")
        lines += [f"**{name} failed: {reason}.** The end of its output:", "", "```", tail, "```", ""]
    count, taken, peak_mb = many_sessions(setting)
    lines += [f"{count} sessions at once in one process, three answers each of a model that takes {SESSION_DELAY_MS / 1000:.0f} s for one: "
              f"{taken:.1f} s, {peak_mb:.0f} MB.", ""]
    goals = [*make_goals(seen), (f"{count} sessions at once in less than 500 MB", f"{peak_mb:.0f} MB", peak_mb < 500)]
    return Section([*table(agents, seen), *lines], goals,
                   {"agents": seen, "agents_failed": failures, "sessions": {"count": count, "seconds": taken, "peak_mb": peak_mb}})
