"""The tool that README.md shows is the one that tests/dropin builds and calls."""

import re

from source import ROOT, read, report

SAMPLE = "tests/dropin/shout.cc"


def check(root):
    text = read(root, "README.md")
    block = re.search(r"(?ms)^```cpp\n(.*?)^```$", text)
    if not block:
        return [f"README.md:1: shows no tool; copy {SAMPLE} into a block of cpp"]
    if block[1] == read(root, SAMPLE):
        return []
    line = text.count("\n", 0, block.start(1)) + 1
    return [f"README.md:{line}: differs from {SAMPLE}; make them the same"]


if __name__ == "__main__":
    report(check(ROOT))
