"""The pages of docs/ that the program writes are as it writes them: generated_docs.py HELVE. ACCEPT=1 rewrites them."""

import difflib
import os
import subprocess
import sys
import tempfile

from source import ROOT, report

PAGES = {"docs/tools.md": ["tools", "--format", "markdown"], "docs/config.md": ["doctor", "--settings"]}
COMMENT = "<!-- `ACCEPT=1 ./test generated_docs` writes this page. Do not edit it by hand. -->\n\n"


def generate(helve, words):
    """A page, written in an empty home so that nobody's configuration shows in it."""
    with tempfile.TemporaryDirectory() as home:
        environment = {"PATH": os.environ["PATH"], "HOME": home}
        return COMMENT + subprocess.run([helve, *words], cwd=home, env=environment, check=True, stdout=subprocess.PIPE,
                                        text=True).stdout


def check(root, helve):
    problems = []
    for name, words in PAGES.items():
        page, wanted = root / name, generate(helve, words)
        if os.environ.get("ACCEPT") == "1":
            page.write_text(wanted)
        present = page.read_text() if page.exists() else ""
        lines = list(difflib.unified_diff(present.splitlines(), wanted.splitlines(), name, "helve " + " ".join(words),
                                          lineterm=""))
        if lines:
            problems += [f"{name}:1: is not what helve says; ACCEPT=1 ./test generated_docs rewrites it", *lines]
    return problems


if __name__ == "__main__":
    report(check(ROOT, sys.argv[1]))
