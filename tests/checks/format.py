"""Every source is as clang-format leaves it; ACCEPT=1 formats what is not."""

import os
import re
import subprocess

from source import ROOT, report, sources

PROGRAM = "clang-format-14"  # other versions format otherwise
PLACES = ("src", "include", "tests", "bench", "examples")


def check(root):
    paths = [str(path) for place in PLACES for path in sources(root, place)]
    if os.environ.get("ACCEPT"):
        subprocess.run([PROGRAM, "-i", *paths], cwd=root, check=True)
    done = subprocess.run([PROGRAM, "--dry-run", *paths], cwd=root, capture_output=True, text=True)
    wrong = dict.fromkeys(re.findall(r"^(\S+:\d+):\d+: warning", done.stderr, re.MULTILINE))
    if done.returncode != 0:
        return [done.stderr]
    return [f"{place}: not as {PROGRAM} leaves it; ACCEPT=1 ./test format" for place in wrong]


if __name__ == "__main__":
    report(check(ROOT))
