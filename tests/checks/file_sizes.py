"""A source over 500 lines asks to be split; none is over 800."""

from source import ROOT, read, report, sources

ASKS = 500
FAILS = 800


def check(root):
    problems = []
    for below in ("src", "include", "tests", "bench", "examples"):
        for path in sources(root, below):
            lines = read(root, path).count("\n")
            if lines > FAILS:
                problems.append(f"{path}:{FAILS + 1}: {lines} lines; split it by what its parts are for")
            elif lines > ASKS:
                print(f"{path}: {lines} lines, over {ASKS}: consider splitting it")
    return problems


if __name__ == "__main__":
    report(check(ROOT))
