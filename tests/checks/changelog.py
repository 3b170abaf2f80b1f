"""CHANGELOG.md begins with what is not released yet."""

import re

from source import ROOT, read, report


def check(root):
    if not (root / "CHANGELOG.md").is_file():
        return ["CHANGELOG.md:1: write it, with a section '## Unreleased'"]
    headings = re.findall(r"(?m)^## +\[?([\w.]+)", read(root, "CHANGELOG.md"))
    if headings[:1] != ["Unreleased"]:
        return ["CHANGELOG.md:1: the first section must be '## Unreleased'"]
    return []


if __name__ == "__main__":
    report(check(ROOT))
