"""Every tool call goes through Dispatcher::call: only dispatch/ binds a tool's arguments and runs what comes of it.

A call needs Tool::bind, and nothing else makes a Bound; so no other module may use that member, hold a Bound or run
one. Deriving from Bound is allowed: that is how a tool from elsewhere becomes a Tool.

Every prompt goes through Runner::post: nothing else fills an inbox or starts the loop."""

import re

from source import ROOT, code_only, matches, read, report, sources

ALLOWED = {"dispatch", "tool", "schema"}  # schema has a Bound of its own and may not include tool/
ADVICE = "call tools through Dispatcher::call"
PATTERNS = [
    # A statement's bind(1, value) is no tool's: those files do not speak of tools at all.
    (r"(?:\.|->)\s*bind\b(?!\s*=[^=])", r"\b(?:Tool|Registry|Found)\b"),
    (r"(?<!public )(?<!schema::)\bBound\b(?=\s*[>&*]|\s+\w)", None),
    (r"\b\w*bound\w*(?:\.|->)\s*run\s*\(", None),
    (r"(?:\.|->)\s*run\s*\(\s*(?:ctx|context)\b", None),
]

PROMPT_PATTERNS = [r"\bstore\w*(?:\.|->)\s*post\s*\(", r"\bagent::run\s*\("]
PROMPTS_BY = {"src/agent/runner.cc"}


def check_prompts(root):
    problems = []
    for path in sources(root):
        if path.parts[1] == "store" or path.as_posix() in PROMPTS_BY:
            continue
        code = code_only(read(root, path))
        for pattern in PROMPT_PATTERNS:
            for line, match in matches(code, pattern):
                problems.append(f"{path}:{line}: '{match[0].strip()}' bypasses the runner; use Runner::post")
    return problems


def check(root):
    problems = []
    for path in sources(root):
        if path.parts[1] in ALLOWED:
            continue
        code = code_only(read(root, path))
        for pattern, where in PATTERNS:
            if where is None or re.search(where, code):
                for line, match in matches(code, pattern):
                    problems.append(f"{path}:{line}: '{match[0].strip()}' bypasses the dispatcher; {ADVICE}")
    return problems


if __name__ == "__main__":
    report(check(ROOT) + check_prompts(ROOT))
