"""A workspace to harm, the program that changes it, and what both may look like afterwards."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

OLD = {"a": "old a\n", "sub/b": "old b\n", "sub/c": "old c\n", "gone": "old gone\n", "tree/x": "x\n",
       "tree/deep/y": "y\n", "from": "moved\n", "over": "upper\n", "under": "lower\n"}
NEW = {"a": "new a\n", "sub/b": "new b\n", "sub/c": "new c\n", "made/deep/d": "new d\n", "made/e": "new e\n",
       "made/to": "moved\n", "under": "upper\n"}
# Those that change something, or tell of a failure to; others end a change no differently.
CALLS = ["openat", "openat2", "write", "fchmod", "fdatasync", "fsync", "syncfs", "renameat", "renameat2", "unlinkat",
         "mkdirat", "linkat", "close", "newfstatat", "fstat", "statx", "fcntl", "pread64", "readlink", "getdents64"]
CHANGING = ["renameat2", "renameat", "unlinkat", "mkdirat"]
QUIET = ["close", "newfstatat", "fstat", "pread64"]  # so many that every third is enough for each day
TAKEN_BACK = re.compile(r"note: a change by test that was interrupted was taken back, all \d+ of its files\n")
MOST = 400  # calls of one kind: a change makes far fewer


def full():
    return bool(os.environ.get("HELVE_FULL_FAULTS"))


def require_strace():
    if shutil.which("strace") is None or subprocess.run(
            ["strace", "-o", "/dev/null", "true"], capture_output=True).returncode != 0:
        print("skipped: strace is missing or not permitted here")
        sys.exit(77)  # which the tests' runner shows as skipped


def journal_places():
    """Near the files, and on another file system if there is one."""
    shared = pathlib.Path("/dev/shm")
    is_other = os.access(shared, os.W_OK) and shared.stat().st_dev != os.stat(tempfile.gettempdir()).st_dev
    return [None, shared] if is_other else [None]


class Rig:
    """`journal_in`: the journal lies there instead of near the files, so that old files are copied into it."""

    def __init__(self, program, journal_in=None):
        self.program = program
        self.base = pathlib.Path(tempfile.mkdtemp(prefix="helve-faults-"))
        self.away = pathlib.Path(tempfile.mkdtemp(prefix="helve-faults-", dir=journal_in)) if journal_in else self.base
        self.root, self.journal = self.base / "root", self.away / "journal"
        self.is_near = journal_in is None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.base, ignore_errors=True)
        shutil.rmtree(self.away, ignore_errors=True)

    def reset(self):
        shutil.rmtree(self.base, ignore_errors=True)
        shutil.rmtree(self.journal, ignore_errors=True)
        for path, content in OLD.items():
            file = self.root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content)

    def run(self, what, *inject, synced=True, **options):
        command = [self.program, what, str(self.root), str(self.journal)] + (["synced"] if synced else [])
        if inject:
            command = ["strace", "-f", "-o", "/dev/null"] + [w for one in inject for w in ("-e", "inject=" + one)] + command
        return subprocess.run(command, capture_output=True, text=True, timeout=60, **options)

    def tree(self):
        return {str(file.relative_to(self.root)): file.read_text()
                for file in self.root.rglob("*") if file.is_file()}

    def empty_directories(self):
        return [str(d.relative_to(self.root)) for d in self.root.rglob("*")
                if d.is_dir() and not any(d.iterdir())]

    def state(self):
        """"old", "new", or what is wrong."""
        found, empty = self.tree(), self.empty_directories()
        if found == OLD and not empty:
            return "old"
        if found == NEW and not empty:
            return "new"
        wrong = {path: found.get(path) for path in set(found) | set(OLD) | set(NEW)
                 if found.get(path) not in (OLD.get(path), NEW.get(path))}
        return f"neither old nor new: {sorted(found)} wrong: {wrong} empty: {empty}"

    def pending(self):
        """Records of changes that were begun; one that was not written to its end stays for a day, and does no harm."""
        return [file.name for file in self.journal.glob("*/pending/*") if "\nend " in file.read_text()]


class Report:
    def __init__(self):
        self.failures, self.runs = [], 0

    def check(self, good, what):
        if not good:
            self.failures.append(what)
            print("FAILED:", what)

    def end(self):
        print(f"{self.runs} runs, {len(self.failures)} failures")
        sys.exit(1 if self.failures else 0)


def everywhere(body):
    """body(rig, report) for each place of the journal, with the program that the command line names."""
    require_strace()
    report = Report()
    for journal_in in journal_places():
        with Rig(sys.argv[1], journal_in) as rig:
            body(rig, report)
    report.end()


def one_after_another(report, what, attempt, step=1):
    """attempt(when) for the first, second, ... call, until there are no more: then it is false."""
    if not any(not attempt(when) for when in range(1, MOST, step)):
        report.check(False, f"{what} never ran out")


def whole_again(rig, report, where, killed):
    """Starts once more, after which the change is all there or not at all: "new" or "old"."""
    report.check(killed.returncode in (0, -9, 137), f"{where}: {killed.returncode} {killed.stderr}")
    started = rig.run("start", synced=full())
    state = rig.state()
    report.runs += 1
    told = started.stderr == "" or TAKEN_BACK.fullmatch(started.stderr)
    report.check(started.returncode == 0 and told, f"{where}: {started.stderr}")
    report.check(state in ("old", "new"), f"{where}: {state}")
    report.check(not rig.pending(), f"{where}: {rig.pending()} is pending")
    return state
