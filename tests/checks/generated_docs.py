"""docs/tools.md is what the program says of its tools: generated_docs.py HELVE. ACCEPT=1 rewrites it."""

import difflib
import os
import subprocess
import sys
import tempfile

from source import ROOT, report


def generate(helve):
    """The page, written in an empty home so that nobody's configuration shows in it."""
    with tempfile.TemporaryDirectory() as home:
        environment = {"PATH": os.environ["PATH"], "HOME": home}
        return subprocess.run([helve, "tools", "--format", "markdown"], cwd=home, env=environment, check=True,
                              stdout=subprocess.PIPE, text=True).stdout


def check(root, helve):
    page = root / "docs" / "tools.md"
    wanted = generate(helve)
    if os.environ.get("ACCEPT") == "1":
        page.write_text(wanted)
    present = page.read_text() if page.exists() else ""
    difference = difflib.unified_diff(present.splitlines(), wanted.splitlines(), "docs/tools.md", "helve tools", lineterm="")
    lines = list(difference)
    return ["docs/tools.md:1: differs from the tools; ACCEPT=1 ./test generated_docs rewrites it", *lines] if lines else []


if __name__ == "__main__":
    report(check(ROOT, sys.argv[1]))
