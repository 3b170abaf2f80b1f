"""Standard output belongs to MCP frames and command-line results: few files may write to it."""

import re

from source import ROOT, code_only, matches, read, report, sources

# The command line's output, the stdio transport, and the program that connects them.
ALLOWED_FILES = {"src/cli/output.cc", "src/cli/output.h", "src/mcp/stdio.cc", "src/mcp/stdio.h"}
ALLOWED_MODULES = {"app"}
# A child's own standard output, set between fork and exec.
CHILD = r"dup[23]\s*\([^()]*\)"
WRITES = (
    r"\bcout\b|\bstdout\b|\bSTDOUT_FILENO\b"
    r"|(?<![\w.>])(?:std::)?v?printf\s*\(|(?<![\w.>:])(?:std::)?(?:puts|putchar)\s*\("
    r"|\bfmt::v?print\s*\((?!\s*(?:std::)?stderr)"
    r"|\bv?dprintf\s*\(\s*1\s*,|\bwritev?\s*\(\s*1\s*,"
)


def check(root):
    problems = []
    for path in sources(root):
        if path.parts[1] in ALLOWED_MODULES or path.as_posix() in ALLOWED_FILES:
            continue
        code = re.sub(CHILD, "", code_only(read(root, path)))
        for line, match in matches(code, WRITES):
            problems.append(f"{path}:{line}: '{match[0]}' may write to standard output; return the text, or log it")
    return problems


if __name__ == "__main__":
    report(check(ROOT))
