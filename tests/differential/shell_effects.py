"""What our table says about programs, against the programs themselves: shell_effects.py PROGRAM [all].

Every option that a program names in its help, and every letter, is tried in several forms, with a value that is the name of
a script. Whatever is said to read is run in a directory of its own: no file may appear or change there, and the script,
which leaves a mark, may not run. Without `all` a part of the commands is tried, another one for each program.
"""

import json
import random
import re
import shutil
import string
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

TRIED_OF_EACH = 15
SEED = 4
PROGRAMS = ["arch", "b2sum", "base32", "base64", "basename", "cat", "cksum", "cmp", "column", "comm", "cut", "date", "df", "diff",
            "dirname", "du", "expand", "expr", "file", "find", "fmt", "fold", "free", "grep", "head", "hexdump", "hostname", "id",
            "join", "jq", "locale", "ls", "md5sum", "nl", "nproc", "numfmt", "od", "paste", "pgrep", "printenv", "ps", "readlink",
            "realpath", "rev", "rg", "seq", "sha256sum", "shuf", "sort", "stat", "strings", "sum", "tac", "tail", "tr", "tree",
            "tsort", "uname", "unexpand", "uniq", "uptime", "vmstat", "w", "wc", "whereis", "which", "who", "xxd", "zcat", "zipinfo",
            "sed p", "awk 1", "git log", "git diff", "git show", "git status", "git blame", "git rev-parse", "git ls-files",
            "git ls-tree HEAD", "git cat-file", "git describe", "git grep", "git branch", "git tag", "git config", "git reflog",
            "git remote", "git rev-list HEAD", "git shortlog HEAD", "git merge-base HEAD", "git name-rev", "git for-each-ref",
            "git show-ref", "command", "type", "test", "printf", "echo"]
# They wait for something that does not come.
ENDLESS = re.compile(r" (-[fF]|-\w*[fF]\b|--follow\S*|-F\S*|--watch|-[dsnl] ?\d*|--seconds\S*|--retry)\b")
VALUE = "./mark.sh"


def options_of(program):
    """Letters, and the long names that the program's help has."""
    words = program.split()
    asked = [words[0], *words[1:2], "-h"] if words[0] == "git" else [words[0], "--help"]
    try:
        text = subprocess.run(asked, capture_output=True, stdin=subprocess.DEVNULL, timeout=10)
        names = set(re.findall(rb"--?[a-z][a-z0-9-]+", text.stdout + text.stderr))
    except (OSError, subprocess.TimeoutExpired):
        names = set()
    names = sorted(name.decode() for name in names if len(name) > 2 and len(name) < 30)
    return ["-" + letter for letter in string.ascii_letters + string.digits] + names


def commands_of(program):
    for option in options_of(program):
        for form in ("{p} {o} a.txt", "{p} {o} {v} a.txt", "{p} {o}={v} a.txt b.txt", "{p} {o}{v} a.txt", "{p} a.txt {o} {v}",
                     "{p} {o}"):
            yield form.format(p=program, o=option, v=VALUE)
    for operands in ("a.txt", "a.txt b.txt", "a.txt new.txt", "", f"{VALUE} a.txt"):
        yield f"{program} {operands}".strip()


def make_world(directory):
    (directory / "a.txt").write_text("one\ntwo\nthree\n")
    (directory / "b.txt").write_text("one\n2\nthree\n")
    (directory / "mark.sh").write_text("#!/bin/sh\necho ran > " + str(directory / "MARK") + "\ncat\n")
    (directory / "mark.sh").chmod(0o755)
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", str(directory)]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "-qm", "first"], check=True)


def state(directory):
    """All files with their contents; the index of git may be refreshed by whoever looks."""
    return {str(path.relative_to(directory)): path.read_bytes() for path in sorted(directory.rglob("*"))
            if path.is_file() and path.name not in ("index", "index.lock")}


def run(directory, command):
    environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(directory / "home"), "LC_ALL": "C.UTF-8", "GIT_PAGER": "cat",
                   "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["/usr/bin/timeout", "-s", "KILL", "2", "/bin/bash", "--norc", "-c", command], cwd=directory, env=environment,
                   input=b"x\ny\n", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def try_all(commands):
    """The commands after which the world is another one. It is looked at after every few, then after each."""
    wrong = []
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        make_world(directory)
        before = state(directory)

        def changed(part):
            for command in part:
                run(directory, command)
            after = state(directory)
            if after == before:
                return
            for path in set(after) - set(before):
                (directory / path).unlink()
            for path, content in before.items():
                (directory / path).parent.mkdir(parents=True, exist_ok=True)
                (directory / path).write_bytes(content)
            if len(part) == 1:
                differing = sorted(path for path in set(after) | set(before) if after.get(path) != before.get(path))
                wrong.append((part[0], differing))
                return
            for command in part:
                changed([command])

        for start in range(0, len(commands), 20):
            changed(commands[start:start + 20])
    return wrong


def effects(program, commands):
    data = b"".join(command.encode() + b"\0" for command in commands)
    lines = subprocess.run([program], input=data, capture_output=True, check=True).stdout.splitlines()
    return [json.loads(line)["effect"] for line in lines]


def main(program, everything):
    rng = random.Random(SEED)
    chosen = []
    for each in PROGRAMS:
        if not shutil.which(each.split()[0]) and each.split()[0] not in ("type", "command"):
            continue
        commands = [command for command in commands_of(each) if not ENDLESS.search(command + " ")]
        reading = [command for command, effect in zip(commands, effects(program, commands)) if effect == "read"]
        chosen.append(reading if everything else rng.sample(reading, min(len(reading), TRIED_OF_EACH)))
    with ThreadPoolExecutor(max_workers=2) as pool:
        wrong = [problem for found in pool.map(try_all, chosen) for problem in found]
    for command, differing in wrong:
        print(f"'{command}' is said to read, but changed {differing}")
    tried = sum(len(commands) for commands in chosen)
    print(f"{tried} commands that are said to read, {len(wrong)} that do more")
    assert tried > 5 * len(PROGRAMS), "hardly anything is said to read: the comparison is worth nothing"
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:] == ["all"]))
