"""Killed at every system call of a change set: after the next start it is all there or not at all.

killed.py PROGRAM
"""

import os
import sys

from rig import CALLS, MOST, Report, Rig, full, require_strace


def check_private(rig, report):
    """What is staged can be read by nobody else, even without a umask."""
    rig.reset()
    old = os.umask(0)
    rig.run("apply", "fchmod:signal=SIGKILL:when=1")
    os.umask(old)
    staged = [file for file in rig.journal.glob("*/kept/*")] + list(rig.root.rglob(".helve-*"))
    report.check(staged, "nothing was staged before the mode was set")
    for file in staged:
        report.check(file.stat().st_mode & 0o777 == 0o600, f"{file.name} has mode {file.stat().st_mode:o}")


def main(program):
    require_strace()
    report = Report()
    with Rig(program) as rig:
        check_private(rig, report)
        for call in CALLS:
            step = 1 if full() or call not in ("close", "newfstatat", "fstat", "pread64") else 3
            for when in range(1, MOST, step):
                rig.reset()
                result = rig.run("apply", f"{call}:signal=SIGKILL:when={when}")
                where = f"killed at {call} number {when}"
                if result.returncode not in (0, -9, 137):
                    report.check(False, f"{where}: {result.returncode} {result.stderr}")
                started = rig.run("start")
                state = rig.state()
                report.runs += 1
                told = started.stderr in ("", "note: a change by test that was interrupted was taken back, all 10 of its files\n")
                report.check(started.returncode == 0 and told, f"{where}: {started.stderr}")
                report.check(state in ("old", "new"), f"{where}: {state}")
                again = rig.run("apply") if state == "old" else None
                report.check(again is None or again.returncode == 0, f"{where}: the next change fails: {again and again.stderr}")
                if result.returncode == 0:
                    report.check(state == "new", f"{where}: it was done, but is {state}")
                    break
            else:
                report.check(False, f"{call} never ran out")
    report.end()


main(sys.argv[1])
