"""Every built-in tool has its test as data: src/tools/<group>/<id>.cc and tests/tools/<id>.txt."""

from source import ROOT, files, report


def check(root):
    return [f"{path}:1: write tests/tools/{path.stem}.txt, the cases of this tool"
            for path in files(root, "src/tools", {".cc"})
            if len(path.parts) == 4 and not (root / "tests" / "tools" / f"{path.stem}.txt").is_file()]


if __name__ == "__main__":
    report(check(ROOT))
