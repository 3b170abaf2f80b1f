"""What the checks share: the files of the tree, code without comments and literals, and how problems are reported."""

import os
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SKIPPED_DIRECTORIES = {".git", "build", "node_modules", "results", "__pycache__"}

# Numbers come first, because of the quote in 10'000.
LITERAL_OR_COMMENT = re.compile(
    r"""
    (?P<number>\b\d[\w.']*)
    | //[^\n]* | /\*.*?\*/
    | R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)"
    | "(?:\\.|[^"\\\n])*"
    | '(?:\\.|[^'\\\n])+'
    """,
    re.DOTALL | re.VERBOSE,
)


def files(root, below="", suffixes=None):
    """The files below a directory of the tree, sorted, as paths relative to the tree."""
    found = []
    for directory, names, entries in os.walk(root / below):
        names[:] = sorted(n for n in names if n not in SKIPPED_DIRECTORIES)
        for entry in sorted(entries):
            path = Path(directory, entry)
            if entry in SKIPPED_DIRECTORIES:  # in a worktree .git is a file
                continue
            if (suffixes is None or path.suffix in suffixes) and not path.is_symlink():
                found.append(path.relative_to(root))
    return found


def sources(root, below="src"):
    return files(root, below, {".h", ".cc"})


def read(root, path):
    return (root / path).read_text(encoding="utf-8", errors="replace")


def blank(text):
    """The text as spaces, with its line breaks."""
    return re.sub(r"[^\n]", " ", text)


def code_only(text):
    """The code with comments and the insides of literals blanked, line for line."""
    return LITERAL_OR_COMMENT.sub(lambda match: match[0] if match["number"] else blank(match[0]), text)


def matches(text, pattern):
    """Every match of a pattern, with its line number."""
    for match in re.finditer(pattern, text):
        yield text.count("\n", 0, match.start()) + 1, match


def report(problems):
    """Prints the problems and ends the check."""
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)
