"""Codex's apply_patch scenarios through our tool: apply_patch.py HELVE CASES. Each is judged by the tree that is left."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
# Theirs leaves the first half of a patch whose second half fails; ours is all or nothing.
ALL_OR_NOTHING = "015_"


def tree(directory):
    """Every file below a directory and its content."""
    return {str(path.relative_to(directory)): path.read_bytes() for path in sorted(directory.rglob("*")) if path.is_file()}


def run(helve, case, scratch):
    work, home = scratch / "work", scratch / "home"
    home.mkdir()
    if (case / "input").is_dir():
        shutil.copytree(case / "input", work)
    else:
        work.mkdir()
    before = tree(work)
    environment = {"PATH": os.environ["PATH"], "HOME": str(home)}
    done = subprocess.run([helve, "fs", "apply-patch", "-"], cwd=work, env=environment, input=(case / "patch.txt").read_bytes(),
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60, check=False)
    wanted = before if case.name.startswith(ALL_OR_NOTHING) else tree(case / "expected")
    if tree(work) == wanted:
        return True
    print(f"FAIL {case.name}: wanted {wanted}, got {tree(work)}\n{done.stdout.decode(errors='replace')}")
    return False


def main():
    helve, cases = sys.argv[1], pathlib.Path(sys.argv[2])
    if not cases.is_dir():
        print(f"skipped: no cases at {cases}")
        return SKIPPED
    results = []
    for case in sorted(path for path in cases.iterdir() if (path / "patch.txt").is_file()):
        with tempfile.TemporaryDirectory() as scratch:
            results.append(run(helve, case, pathlib.Path(scratch)))
    print(f"{len(results)} cases, {results.count(False)} failures")
    return 0 if results and all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
