"""Scripts that do more than they show, run for real: shell_escapes.py PROGRAM.

Each script of shell_escapes.txt leaves a file behind when bash runs it, or dash where it begins so, by a way that is easily
overlooked. None of them may be said to read. A script that leaves nothing here (another version of a program, or none) is
named, and only few may be.
"""

import json
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

CORPUS = Path(__file__).with_name("shell_escapes.txt")


def scripts():
    """Each with the shell that runs it."""
    parts = ("\n" + CORPUS.read_text()).split("\n----")[1:]
    for part in parts:
        text = part.split("\n", 1)[1].removesuffix("\n")
        yield ("dash", text.removeprefix("dash: ")) if text.startswith("dash: ") else ("bash", text)


def make_world(directory):
    (directory / "a.txt").write_text("one\ntwo\nthree\n")
    (directory / "b.txt").write_text("one\n2\n")
    (directory / "hex").write_text("6162\n")
    (directory / "+").write_text("")
    (directory / "payload").write_text("x; touch pwned\n")
    (directory / "tested").write_text("-v a[$(touch${IFS}pwned)] -o b\n")
    # What a name is found as that PATH=. or PATH=10 decides, and a program that somebody names.
    for path in ("mark.sh", "ls", "10/ls", "0/ls"):
        program = directory / path
        program.parent.mkdir(exist_ok=True)
        program.write_text("#!/bin/bash\n/usr/bin/touch pwned\n")
        program.chmod(0o755)
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", str(directory)]
    subprocess.run([*git, "init", "-q", "--template="], check=True)
    subprocess.run([*git, "add", "a.txt"], check=True)
    subprocess.run([*git, "commit", "-qm", "first"], check=True)
    subprocess.run([*git, "commit", "-qm", "second", "--allow-empty"], check=True)
    subprocess.run([*git, "init", "-q", "--template=", "--bare", str(directory / "up.git")], check=True)


def leaves_a_mark(world, directory, shell, script):
    """In a copy of the world that stays until all are done: somebody may still be writing there."""
    shutil.copytree(world, directory)
    environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(directory / "home"), "LC_ALL": "C.UTF-8",
                   "GIT_CONFIG_NOSYSTEM": "1", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}
    options = ["--norc"] if shell == "bash" else []
    subprocess.run(["/usr/bin/timeout", "-s", "KILL", "10", f"/bin/{shell}", *options, "-c", script], cwd=directory,
                   env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return (directory / "pwned").exists()


def main(program):
    cases = list(scripts())
    data = b"".join(script.encode() + b"\0" for _, script in cases)
    lines = subprocess.run([program], input=data, capture_output=True, check=True).stdout.splitlines()
    views = [json.loads(line) for line in lines]
    assert len(views) == len(cases), "one answer for each script"
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(max_workers=2) as pool:
        world = Path(name, "world")
        world.mkdir()
        make_world(world)
        marks = list(pool.map(lambda each: leaves_a_mark(world, Path(name, str(each[0])), *each[1]), enumerate(cases)))
    wrong = 0
    for (shell, script), view, marked in zip(cases, views, marks):
        if not marked:
            print(f"{shell} leaves nothing here: {script!r}")
        if view["effect" if shell == "bash" else "sh_effect"] == "read":
            wrong += 1
            print(f"said to read as {shell} runs it: {script!r}")
    print(f"{len(cases)} scripts, {sum(marks)} that left a mark, {wrong} that are said to read")
    assert sum(marks) > 0.8 * len(cases), "hardly anything left a mark: the comparison is worth nothing"
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
