"""Searching: grep and glob of helve against ripgrep, fd and git, on the Linux source tree and on a small repository.

Every program answers the same query in the same tree, and all answers must be the same lines. Stateless helve and the peers are
processes of their own, started for each query; "serving" is a call over a pipe to a `helve mcp` that runs already.
"""

import json
import math
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import tarfile
import time

from harness import HELVE, PEERS, ROOT, Section, Serving, make_environment, run, say

TREES = ROOT / "build" / "bench-trees"
ARCHIVE = pathlib.Path("/usr/src/linux-source-6.1.tar.xz")  # Debian's linux-source-6.1
SMALL = "kernel"  # a part of it, of about 500 files
EVERYTHING = 1_000_000

# title: (arguments of helve's grep, arguments of rg, path)
QUERIES = {
    "rare literal": ({"pattern": "rcu_nocb_bypass_lock"}, ["rcu_nocb_bypass_lock"], "."),
    "common literal": ({"pattern": "EXPORT_SYMBOL_GPL"}, ["EXPORT_SYMBOL_GPL"], "."),
    "no match": ({"pattern": "zqxjkvbw"}, ["zqxjkvbw"], "."),
    "regex": ({"pattern": r"^static int __init \w+_init\(void\)"}, [r"^static int __init \w+_init\(void\)"], "."),
    "ignore case": ({"pattern": "recursive locking", "case": "insensitive"}, ["-i", "recursive locking"], "."),
    "glob filter": ({"pattern": "module_param", "include": ["*.h"]}, ["-g", "*.h", "module_param"], "."),
    "context": ({"pattern": "copy_from_user_nofault", "context": 2}, ["-C", "2", "copy_from_user_nofault"], "."),
    "files with matches": ({"pattern": "mutex_lock_interruptible", "output_mode": "files_with_matches"},
                           ["-l", "mutex_lock_interruptible"], "."),
    "count": ({"pattern": r"kmalloc\(", "output_mode": "count"}, ["-c", r"kmalloc\("], "."),
    "word in a subtree": ({"pattern": "mutex", "word": True}, ["-w", "mutex"], "kernel/trace"),
    "alternation": ({"pattern": "kzalloc_node|vmalloc_node|alloc_pages_node"}, ["kzalloc_node|vmalloc_node|alloc_pages_node"], "."),
    "regex without literal": ({"pattern": r"[A-Z]{6}[0-9]{3}[a-z]\b"}, [r"[A-Z]{6}[0-9]{3}[a-z]\b"], "."),
}
LITERALS = ("rare literal", "common literal", "no match")
RARE = "rare literal"


def linux_tree():
    """The Linux sources; HELVE_BENCH_TREE names a directory that has them already."""
    if given := os.environ.get("HELVE_BENCH_TREE"):
        return pathlib.Path(given)
    tree = TREES / "linux-source-6.1"
    if not (TREES / "complete").exists():
        say("unpacking the Linux sources")
        shutil.rmtree(TREES, ignore_errors=True)
        TREES.mkdir(parents=True)
        with tarfile.open(ARCHIVE) as archive:
            archive.extractall(TREES, filter="data") if hasattr(tarfile, "data_filter") else archive.extractall(TREES)
        (TREES / "complete").touch()
    return tree


def as_repository(tree):
    """What makes git take the tree for a repository, which git ls-files needs. Beside it: a repository would be searched by other
    rules, and Debian's .gitignore rules out everything."""
    directory = tree.parent / f"{tree.name}.git"
    environment = {"GIT_DIR": str(directory), "GIT_WORK_TREE": str(tree)}
    if not (directory / "complete").exists():
        say(f"making a repository of {tree}")
        shutil.rmtree(directory, ignore_errors=True)
        run("git", "init", "-q", env={**os.environ, **environment})
        run("git", "-c", "core.safecrlf=false", "add", "-A", "-f", cwd=tree, env={**os.environ, **environment})
        (directory / "complete").touch()
    return environment


def ripgreps():
    newest = next(PEERS.glob("node_modules/@vscode/ripgrep-linux-*/bin/rg"), None)
    if not newest:
        raise SystemExit("bench: ripgrep 15 is not there; remove build/bench-peers and try again")
    plain = ["--no-config", "--color", "never", "--no-heading", "-n"]
    return {"ripgrep 13": ["/usr/bin/rg", *plain], "ripgrep 15": [newest, *plain]}


def arguments_of(query, path):
    return {**query, "path": path, "max_results": EVERYTHING}


class Process:
    """A program that is started for each query; its output goes to a file."""

    def __init__(self, command, environment, tree, directory):
        self.command, self.environment, self.tree = command, environment, tree
        self.output = directory / "output"

    def ask(self, title, query):
        words = [str(word) for word in self.command(query)]
        with open(self.output, "wb") as output:
            before = time.perf_counter()
            code = subprocess.call(words, cwd=self.tree, env=self.environment, stdout=output)
            elapsed = (time.perf_counter() - before) * 1000
        if code > 1:
            raise SystemExit(f"bench: {' '.join(words)} failed")
        return elapsed

    def answer(self):
        return self.output.read_bytes()


def wait_for_index(serving, state):
    """The index is built behind the scenes; a search that needs no walk tells that it is there."""
    serving.call("grep", {"pattern": "zqxjkvbw"})
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and not list(state.glob("helve/index/*/*.segment")):
        time.sleep(0.05)
    for _ in range(200):
        first, _ = serving.call("grep", {"pattern": "zqxjkvbw"})
        if first < 5:
            return
        time.sleep(0.05)
    raise SystemExit("bench: helve did not build an index")


def comparable(answer):
    """The lines of an answer, in one order, without what only says something about the search."""
    lines = set()
    for line in answer.decode("utf-8", "replace").splitlines():
        if line == "--" or line.startswith("note: ") or line == "no matches":
            continue
        found = re.match(r"(?:\./)?([^:]*?)([:-])(\d+)(?:[:-]|$)", line)
        lines.add((found[1], found[3]) if found else (line.removeprefix("./"), ""))
    return lines


def measure_grep(tree, contenders, serving, rounds):
    """{query: {contender: median milliseconds}}, and how many lines each query has."""
    times, sizes = {}, {}
    for title, (query, words, path) in QUERIES.items():
        say(f"grep: {title}")
        times[title] = {name: [] for name in contenders}
        for _ in range(rounds):
            answers = {}
            for name, contender in contenders.items():
                times[title][name].append(contender.ask(title, (query, words, path)))
                answers[name] = comparable(contender.answer())
            reference = answers["ripgrep 13"]
            for name, lines in answers.items():
                if lines != reference:
                    example = next(iter(lines ^ reference))
                    raise SystemExit(f"bench: {name} and ripgrep 13 differ on '{title}': {example}")
            sizes[title] = len(reference)
        if serving:
            times[title]["serving"] = [serving.call("grep", arguments_of(query, path))[0] for _ in range(rounds * 3)]
    return {title: {name: statistics.median(each) for name, each in row.items()} for title, row in times.items()}, sizes


def measure_lists(tree, environment, serving, directory, rounds):
    """Listing files by name: {contender: median milliseconds}."""
    repository = as_repository(tree)
    say("glob")
    pattern = "**/Kconfig"
    contenders = {
        "helve": [HELVE, "fs", "glob", pattern, "--sort", "path", "--max-results", "10000"],
        "rg --files": ["/usr/bin/rg", "--no-config", "--files", "-g", "Kconfig"],
        "fd": ["fdfind", "--glob", "Kconfig", "--type", "f"],
        "git ls-files": ["git", "ls-files", "--", ":(glob)**/Kconfig"],
    }
    times, reference = {}, None
    for _ in range(rounds):
        for name, command in contenders.items():
            process = Process(lambda _: command, {**environment, **repository, "HELVE_INDEX": "false"}, tree, directory)
            times.setdefault(name, []).append(process.ask(name, None))
            lines = {line.removeprefix(b"./") for line in process.answer().splitlines() if not line.startswith(b"note:")}
            reference = reference or lines
            if lines != reference:
                raise SystemExit(f"bench: {name} lists other files: {next(iter(lines ^ reference))}")
    times["helve serving"] = [serving.call("glob", {"pattern": pattern, "sort": "path", "max_results": 10_000})[0] for _ in range(rounds * 3)]
    return {name: statistics.median(each) for name, each in times.items()}


def build_index(tree, environment):
    """Seconds to build it, and what it takes. As for all that is measured here, the files are in memory: disks differ."""
    run("rg", "--files-with-matches", "include", tree, env=environment)
    before = time.perf_counter()
    done = run(HELVE, "index", "build", "--json", "--root", tree, env=environment)
    seconds = time.perf_counter() - before
    return {"seconds": seconds, **json.loads(done.stdout)["roots"][0]}


def measure_update(tree, serving):
    """Milliseconds of the first search after 100 files changed, which it must take in."""
    files = sorted(path for path in (tree / "drivers").rglob("*.c"))[:100]
    kept = {path: path.read_bytes() for path in files}
    try:
        for path in files:
            path.write_bytes(kept[path] + b"/* a line more: zqxjkvbv */\n")
        elapsed, line = serving.call("grep", {"pattern": "zqxjkvbv", "max_results": 1000})
    finally:
        for path, content in kept.items():
            path.write_bytes(content)
    if line.count(b"a line more") < len(files):
        raise SystemExit("bench: the index missed a change")
    return elapsed


def geometric_mean(values):
    values = list(values)
    return math.exp(sum(math.log(value) for value in values) / len(values))


def grep_table(times, sizes):
    names = list(next(iter(times.values())))
    yield "| grep, ms | lines | " + " | ".join(names) + " | stateless / rg 15 | serving / rg 15 |"
    yield "|---|---:|" + "---:|" * (len(names) + 2)
    for title, row in times.items():
        cells = " | ".join(f"{row[name]:.2f}" if row[name] < 10 else f"{row[name]:.0f}" for name in names)
        yield (f"| {title} | {sizes[title]} | {cells} | {row['ripgrep 15'] / row['helve']:.2f} times "
               f"| {row['ripgrep 15'] / row['serving']:.0f} times |")


def make_goals(linux, small, lists, index, update):
    def fastest(row):
        return min(row["ripgrep 13"], row["ripgrep 15"])

    stateless = {title: fastest(row) / row["helve"] for title, row in linux.items()}
    worst = min(stateless, key=stateless.get)
    yield "grep without index: never slower than ripgrep", f"{stateless[worst]:.2f} times ({worst})", stateless[worst] >= 1
    slowest = min(stateless[title] for title in LITERALS)
    yield "grep without index: at least 1.2 times faster on literals", f"{slowest:.2f} times", slowest >= 1.2
    served = [row["ripgrep 15"] / row["serving"] for row in linux.values()]
    mean = geometric_mean(served)
    yield "grep with index: at least 20 times faster, geometric mean", f"{mean:.0f} times", mean >= 20
    rare = linux[RARE]["ripgrep 15"] / linux[RARE]["serving"]
    yield "grep with index: at least 500 times faster on a rare symbol", f"{rare:.0f} times", rare >= 500
    slower = max(row["serving"] / row["helve"] for row in linux.values())
    yield "grep with index: no query slower than without", f"{1 / slower:.2f} times", slower <= 1
    least = min(fastest(row) / row["serving"] for row in small.values())
    yield "small repository: at least 5 times faster than starting rg", f"{least:.1f} times", least >= 5
    listed = lists["git ls-files"] / lists["helve serving"]
    yield "glob with index: at least 15 times faster than git ls-files", f"{listed:.0f} times", listed >= 15
    walked = lists["rg --files"] / lists["helve"]
    yield "glob without index: no slower than rg --files", f"{walked:.2f} times", walked >= 1
    yield "index of the Linux tree, its files in memory: built in at most 10 s", f"{index['seconds']:.1f} s", index["seconds"] <= 10
    share = index["bytes"] / index["text_bytes"]
    yield "index: at most 12 % of the text", f"{share:.1%}", share <= 0.12
    yield "index: takes in 100 changed files in at most 100 ms", f"{update:.0f} ms", update <= 100


def compare(tree, setting, environment, state, rounds, on_disk):
    """What all contenders take on one tree."""
    def helve(query):
        return [HELVE, "call", "grep", json.dumps(arguments_of(query[0], query[2]))]

    directory = setting.directory
    contenders = {name: Process(lambda query, command=command: [*command, *query[1], query[2]], environment, tree, directory)
                  for name, command in ripgreps().items()}
    contenders["helve"] = Process(helve, {**environment, "HELVE_INDEX": "false"}, tree, directory)
    if on_disk:
        contenders["index on disk"] = Process(helve, environment, tree, directory)
    serving = Serving(tree, environment)
    wait_for_index(serving, state)
    times, sizes = measure_grep(tree, contenders, serving, rounds)
    return times, sizes, serving


def measure(setting):
    linux = linux_tree()
    small = setting.directory / "small"
    shutil.copytree(linux / SMALL, small / SMALL, symlinks=True)
    time.sleep(2.2)  # files that changed a moment ago are not trusted to the index
    environment = make_environment(setting.directory / "home")
    state = pathlib.Path(environment["XDG_STATE_HOME"])
    rounds = 1 if setting.quick else 5

    say("building the index")
    index = build_index(linux, environment)
    times, sizes, serving = compare(linux, setting, environment, state, rounds, True)
    lists = measure_lists(linux, environment, serving, setting.directory, rounds)
    update = measure_update(linux, serving)
    serving.close()
    shutil.rmtree(state / "helve" / "index")
    small_times, small_sizes, small_serving = compare(small, setting, environment, state, rounds, False)
    small_serving.close()

    lines = [f"Linux {index['files']} files, {index['text_bytes'] / 1e9:.2f} GB", "", *grep_table(times, sizes), "",
             f"A repository of {sum(1 for path in small.rglob('*') if path.is_file())} files", "", *grep_table(small_times, small_sizes), "",
             "| find Kconfig, ms | " + " | ".join(lists) + " |", "|---|" + "---:|" * len(lists),
             "| Linux | " + " | ".join(f"{value:.2f}" for value in lists.values()) + " |", ""]
    return Section(lines, list(make_goals(times, small_times, lists, index, update)),
                   {"grep_ms": times, "grep_small_ms": small_times, "glob_ms": lists, "index": index, "index_update_ms": update})
