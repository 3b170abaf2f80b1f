"""With an index and without: a server that has one answers every search as a command that walks the tree.

index_test.py HELVE
"""

import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

FILES = 260  # more than it takes for a server to make an index
WORDS = ["alpha", "beta", "gamma_ray", "Delta", "needle", "éclair", "x1"]
ROUNDS = 12


class Server:
    def __init__(self, helve, tree, environment):
        self.process = subprocess.Popen([helve, "mcp", "--root", str(tree), "--tools", "all"], env=environment,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.number = 0
        self.request("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}})

    def request(self, method, params):
        self.number += 1
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}) + "\n")
        self.process.stdin.flush()
        while True:
            answer = json.loads(self.process.stdout.readline())
            if answer.get("id") == self.number:
                return answer["result"]

    def call(self, tool, arguments):
        return self.request("tools/call", {"name": tool, "arguments": arguments}).get("structuredContent")

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=30)


def text(source, lines):
    return "".join(" ".join(source.choices(WORDS, k=source.randrange(1, 6))) + source.choice(["\n", "\n", "\r\n"]) for _ in range(lines))


def name(source):
    return f"{source.choice(['', 'src/', 'src/deep/', '.github/', 'out/', 'docs/'])}f{source.randrange(FILES)}.{source.choice(['c', 'py', 'txt'])}"


def write(tree, path, content):
    target = tree / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(content)


def mutate(source, tree):
    for _ in range(source.randrange(1, 6)):
        what = source.randrange(8)
        path = name(source)
        if what < 4:
            write(tree, path, text(source, source.randrange(1, 30)))
        elif what == 4:
            (tree / path).unlink(missing_ok=True)
        elif what == 5:
            write(tree, source.choice([".ignore", "src/.ignore", ".gitignore"]), source.choice(["out/\n", "*.py\n!f1*.py\n", "deep/\n", "\n"]))
        elif what == 6:
            write(tree, f"new{source.randrange(5)}/sub/a.c", text(source, 5))
        elif (tree / "docs").exists():
            (tree / "docs").rename(tree / f"docs{source.randrange(1000)}")


def query(source):
    word = source.choice(WORDS)
    arguments = {"pattern": source.choice([word, f"{word}.*{source.choice(WORDS)}", f"{word}|{source.choice(WORDS)}", r"[a-z]\d", f"{word}\\s"]),
                 "max_results": 100_000}
    for key, values in {"path": [".", "src", ".github", "out", "src/deep"], "type": ["c", "py"], "include": [["*.c"], ["src/**"]],
                        "exclude": [["deep"], ["*.py"]], "output_mode": ["count", "files_with_matches"], "context": [1, 3],
                        "case": ["insensitive", "smart"], "multiline": [True], "word": [True], "hidden": [True], "no_ignore": [True]}.items():
        if source.random() < 0.25:
            arguments[key] = source.choice(values)
    return arguments


def difference(one, other):
    """What the index left out or added, or which part of the answer differs."""
    if not one or not other:
        return f"with the index {one}, without {other}"
    seen, expected = ({file["path"]: file for file in answer.get("files", [])} for answer in (one, other))
    for path in sorted(seen.keys() | expected.keys()):
        if seen.get(path) != expected.get(path):
            return f"'{path}': with the index {seen.get(path)}, without {expected.get(path)}"
    return str({key: (one.get(key), other.get(key)) for key in one.keys() | other.keys() if one.get(key) != other.get(key)})


def main():
    helve = sys.argv[1]
    problems, asked = 0, 0
    with tempfile.TemporaryDirectory() as directory:
        base = pathlib.Path(directory)
        tree = base / "tree"
        environment = {"PATH": os.environ["PATH"], "HOME": str(base / "home"), "XDG_STATE_HOME": str(base / "state"),
                       "HELVE_LIMITS_INLINE_CHARS": "10000000"}
        source = random.Random(5)
        for number in range(FILES):
            write(tree, f"src/g{number}.c", text(source, 40))
        for _ in range(FILES):
            write(tree, name(source), text(source, 20))
        server = Server(helve, tree, environment)
        server.call("grep", {"pattern": "needle"})
        deadline = time.monotonic() + 60
        while not list((base / "state").glob("helve/index/*/*.segment")) and time.monotonic() < deadline:
            server.call("grep", {"pattern": "needle", "path": "src/deep"})
        if not list((base / "state").glob("helve/index/*/*.segment")):
            sys.exit("the server made no index")
        for _ in range(ROUNDS):
            mutate(source, tree)
            for _ in range(8):
                arguments = query(source)
                asked += 1
                with_index = server.call("grep", arguments)
                plain = subprocess.run([helve, "--json", "--root", str(tree), "call", "grep", json.dumps(arguments)],
                                       env={**environment, "HELVE_INDEX": "false"}, capture_output=True, text=True, check=False)
                without = json.loads(plain.stdout)
                if with_index is None and not without.get("ok", True):
                    continue
                if with_index != without:
                    problems += 1
                    print(f"{json.dumps(arguments)}: {difference(with_index, without)}")
        server.close()
    print(f"{asked} searches, {problems} differ")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
