"""Killed at every change that a recovery makes: whatever start comes after, the change is all there or not at all.

recovering.py PROGRAM
"""

import sys

from rig import CHANGING, MOST, Report, Rig, full, journal_places, require_strace


def attempt(rig, report, first, call, when):
    """Whether the recovery got so far."""
    rig.reset()
    rig.run("apply", f"{first}:signal=SIGKILL", synced=False)
    result = rig.run("start", f"{call}:signal=SIGKILL:when={when}", synced=False)
    where = f"killed at {first}, then recovery at {call} number {when}"
    report.check(result.returncode in (0, -9, 137), f"{where}: {result.returncode} {result.stderr}")
    started = rig.run("start", synced=False)
    state = rig.state()
    report.runs += 1
    report.check(started.returncode == 0, f"{where}: {started.stderr}")
    report.check(started.stderr == "" or "was taken back, all" in started.stderr, f"{where}: {started.stderr}")
    report.check(state in ("old", "new"), f"{where}: {state}")
    report.check(not rig.pending(), f"{where}: {rig.pending()} is pending")
    return result.returncode != 0


def last_exchange(rig):
    for when in range(1, MOST):
        rig.reset()
        if rig.run("apply", f"renameat2:signal=SIGKILL:when={when}", synced=False).returncode == 0:
            return when - 1
    return MOST


def main(program):
    require_strace()
    report = Report()
    for journal_in in journal_places():
        with Rig(program, journal_in) as rig:
            most = last_exchange(rig)
            points = range(1, most + 1) if full() else sorted({1, most // 2, most})
            for first in [f"renameat2:when={when}" for when in points] + ["fchmod:when=3"]:
                for call in CHANGING:
                    if not any(not attempt(rig, report, first, call, when) for when in range(1, MOST)):
                        report.check(False, f"{call} never ran out")
    report.end()


main(sys.argv[1])
