"""Killed at every system call of a change set: after the next start it is all there or not at all.

killed.py PROGRAM
"""

import os
import sys

from rig import CALLS, CHANGING, MOST, QUIET, TAKEN_BACK, Report, Rig, full, journal_places, require_strace


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


def attempt(rig, report, call, when):
    """Whether it got so far."""
    rig.reset()
    result = rig.run("apply", f"{call}:signal=SIGKILL:when={when}")
    where = f"killed at {call} number {when}"
    if result.returncode not in (0, -9, 137):
        report.check(False, f"{where}: {result.returncode} {result.stderr}")
    started = rig.run("start")
    state = rig.state()
    report.runs += 1
    report.check(started.returncode == 0 and started.stderr in ("", TAKEN_BACK), f"{where}: {started.stderr}")
    report.check(state in ("old", "new"), f"{where}: {state}")
    report.check(not rig.pending(), f"{where}: {rig.pending()} is pending")
    again = rig.run("apply") if state == "old" else None
    report.check(again is None or again.returncode == 0, f"{where}: the next change fails: {again and again.stderr}")
    if result.returncode == 0:
        report.check(state == "new", f"{where}: it was done, but is {state}")
    return result.returncode != 0


def main(program):
    require_strace()
    report = Report()
    for journal_in in journal_places():
        with Rig(program, journal_in) as rig:
            check_private(rig, report)
            for call in CALLS if full() or journal_in is None else CHANGING:
                step = 3 if call in QUIET and not full() else 1
                if not any(not attempt(rig, report, call, when) for when in range(1, MOST, step)):
                    report.check(False, f"{call} never ran out")
    report.end()


main(sys.argv[1])
