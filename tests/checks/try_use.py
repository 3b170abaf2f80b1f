"""TRY stands in no braced list: when it returns, what the list had built before it is never destroyed."""

from source import ROOT, code_only, matches, read, report, sources

# The brace of a list (not of a block), then a comma, then TRY, without a statement's end between them.
PATTERN = r"(?:[\w>(]|return |= )\{[^;{}]*(?:\{[^;{}]*\}[^;{}]*)*,\s*(?:\{[^;{}]*)?TRY\("


def check(root):
    return [
        f"{path}:{line}: TRY inside a braced list leaks; give its value a name first"
        for path in sources(root)
        for line, _ in matches(code_only(read(root, path)), PATTERN)
    ]


if __name__ == "__main__":
    report(check(ROOT))
