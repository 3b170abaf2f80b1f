"""Changing files: helve's apply_patch and edit against Codex's apply_patch, git apply and GNU patch.

Every program makes the same change to a fresh copy of the same files; the copies must be equal afterwards.
"""

import os
import random
import statistics
import subprocess
import time

from harness import BUILD, HELVE, PEERS, Section, Serving, make_environment, run, say

FILES = 100
FILE_BYTES = 13_000
LARGE_BYTES = 4_500_000
WORDS = "int return static struct buffer length error index value pointer lock unlock state device page table".split()


def make_text(size, seed):
    source = random.Random(seed)
    lines, total = [], 0
    while total < size:
        line = f"{' ' * 4 * source.randrange(4)}{' '.join(source.choices(WORDS, k=source.randrange(1, 9)))} {len(lines)};"
        lines.append(line)
        total += len(line) + 1
    return lines


def change(lines, at, to):
    """An envelope hunk and a unified hunk that replace one line, with three lines of context."""
    body = [f" {line}" for line in lines[at - 3:at]] + [f"-{lines[at]}", f"+{to}"] + [f" {line}" for line in lines[at + 1:at + 4]]
    return ["@@", *body], [f"@@ -{at - 2},7 +{at - 2},7 @@", *body]


class Task:
    """Files, and one change to them in every form."""

    def __init__(self, title, texts):
        self.title, self.texts, self.hunks, self.expected = title, texts, {}, {}
        for name, lines in texts.items():
            new = list(lines)
            for at in sorted({len(lines) // 4, len(lines) * 3 // 4}):
                new[at] = f"changed {lines[at]}"
                self.hunks.setdefault(name, []).append(change(lines, at, new[at]))
            self.expected[name] = "\n".join(new) + "\n"

    def envelope(self, place):
        lines = ["*** Begin Patch"]
        for name, hunks in self.hunks.items():
            lines += [f"*** Update File: {place}/{name}", *(line for hunk, _ in hunks for line in hunk)]
        return "\n".join([*lines, "*** End Patch", ""])

    def unified(self, place):
        lines = []
        for name, hunks in self.hunks.items():
            lines += [f"--- a/{place}/{name}", f"+++ b/{place}/{name}", *(line for _, hunk in hunks for line in hunk)]
        return "\n".join([*lines, ""])

    def fresh(self, directory):
        directory.mkdir()
        for name, lines in self.texts.items():
            (directory / name).write_text("\n".join(lines) + "\n")
        os.sync()  # so that nobody pays for the copy

    def check(self, directory, who):
        for name, text in self.expected.items():
            if (directory / name).read_text() != text:
                raise SystemExit(f"bench: {who} left '{name}' with another content than the others")
        extra = {path.name for path in directory.iterdir()} - set(self.expected)
        if extra:
            raise SystemExit(f"bench: {who} left {sorted(extra)} behind")


def codex():
    """Codex is one program; under this name it applies a patch."""
    found = next(PEERS.glob("node_modules/@openai/codex-linux-*/vendor/*/bin/codex"), None)
    if not found:
        raise SystemExit("bench: Codex's apply_patch is not there; remove build/bench-peers and try again")
    link = PEERS / "apply_patch"
    link.unlink(missing_ok=True)
    link.symlink_to(found)
    return link


def contenders(workspace, environment):
    """(command, the form of the patch it reads, environment) of each. In place of a command: a helve that runs already."""
    unsynced = {**environment, "HELVE_SYNC": "false"}
    tool = [HELVE, "fs", "apply-patch", "-"]
    return {
        "helve": (tool, Task.envelope, environment),
        "helve, sync off": (tool, Task.envelope, unsynced),
        "running helve": (Serving(workspace, environment), Task.envelope, environment),
        "running helve, sync off": (Serving(workspace, unsynced), Task.envelope, unsynced),
        "Codex apply_patch": ([codex()], Task.envelope, environment),
        "git apply": (["git", "apply", "-p1", "-"], Task.unified, environment),
        "GNU patch": (["patch", "-p1", "-s", "--no-backup-if-mismatch"], Task.unified, environment),
        "plain exchange": (BUILD / "bench" / "bench_exchange", None, environment),
    }


def spread(directory):
    """Lets ext4 put the subdirectories far apart: it is slow to make a file where others were just deleted, as git and GNU patch
    and compilers do, and nobody shall pay for another's."""
    subprocess.run(["chattr", "+T", directory], check=False, capture_output=True)  # not every file system knows it


def measure_once(task, contender, workspace, place):
    command, form, environment = contender
    task.fresh(workspace / place)
    if isinstance(command, Serving):
        elapsed, line = command.call("apply_patch", {"patch": form(task, place)})
        if b'"isError":true' in line:
            raise SystemExit(f"bench: apply_patch failed: {line[:1000]!r}")
        return elapsed
    if form is None:
        before = time.perf_counter()
        run(command, workspace / place, *task.texts, env=environment)
        return (time.perf_counter() - before) * 1000
    patch = workspace / f"{place}.patch"
    patch.write_text(form(task, place))
    with open(patch, "rb") as source:
        before = time.perf_counter()
        run(*command, cwd=workspace, env=environment, stdin=source)
        return (time.perf_counter() - before) * 1000


def measure_task(task, workspace, environment, rounds):
    """{contender: median milliseconds}. The first round, which makes what each keeps about a workspace, does not count."""
    workspace.mkdir()
    spread(workspace)
    times, all_contenders = {}, contenders(workspace, environment)
    for number in range(rounds + 1):
        say(f"round {number} of {rounds}: {task.title}" if number else f"warming up: {task.title}")
        for who, (name, contender) in enumerate(all_contenders.items()):
            place = f"{number}-{who}"
            taken = measure_once(task, contender, workspace, place)
            task.check(workspace / place, name)
            if number:
                times.setdefault(name, []).append(taken)
    for command, _, _ in all_contenders.values():
        if isinstance(command, Serving):
            command.close()
    return {name: statistics.median(each) for name, each in times.items()}


def measure_tasks(directory, environment, rounds):
    tasks = [Task(f"{FILES} files of {FILE_BYTES // 1000} KB", {f"f{i:03}.c": make_text(FILE_BYTES, i) for i in range(FILES)}),
             Task(f"a file of {LARGE_BYTES / 1e6:.1f} MB", {"large.c": make_text(LARGE_BYTES, 1)})]
    return {task.title: measure_task(task, directory / f"workspace-{number}", environment, rounds)
            for number, task in enumerate(tasks)}


def make_goals(seen):
    for title, times in seen.items():
        unsynced, peer = times["helve, sync off"], times["Codex apply_patch"]
        for name, factor in ("helve", 5), ("helve, sync off", 10), ("running helve", 5), ("running helve, sync off", 10):
            ratio = peer / times[name]
            yield f"{title}: {name}, at least {factor} times faster than Codex", f"{ratio:.1f} times", ratio >= factor
        yield f"{title}: faster than git apply, sync off", f"{times['git apply'] / unsynced:.1f} times", unsynced < times["git apply"]


def table(seen):
    names = next(iter(seen.values()))
    yield "| change, ms | " + " | ".join(names) + " |"
    yield "|---|" + "---:|" * len(names)
    for title, times in seen.items():
        yield f"| {title} | " + " | ".join(f"{times[name]:.1f}" for name in names) + " |"


def measure(setting):
    spread(setting.directory)
    environment = make_environment(setting.directory / "home")
    seen = measure_tasks(setting.directory, environment, 1 if setting.quick else 9)
    lines = [*table(seen), "",
             "Whole processes; \"running\" is a call to a server that runs already, as an agent makes it. Codex, git and GNU patch change one file after the other and sync nothing: after a failure or a power cut some "
             "files are new, some old, some perhaps empty. helve changes all files or none. Synced, the change is on disk when the "
             "call returns; with sync off a power cut within the next half minute may take it back, as with the others, but "
             "a crash of the program may not. The plain exchange is told the change: it reads each file, writes the new one beside it, lets "
             "them change places and removes the old one; it keeps nothing, syncs nothing and takes nothing back. It is no lower bound.", ""]
    return Section(lines, list(make_goals(seen)), {"changes_ms": seen})
