"""Killed at every system call of an undo: after the next start it is all undone or not at all, and nothing is left.

undone.py PROGRAM
"""

import sys

from rig import CALLS, CHANGING, MOST, Report, Rig, full, journal_places, require_strace


OTHERS = ["openat2", "write", "fchmod", "openat"]  # enough of the rest for each day


def attempt(rig, report, call, when):
    """Whether it got so far."""
    rig.reset()
    made = rig.run("apply", synced=False)
    report.check(made.returncode == 0 and rig.state() == "new", f"the change was not made: {made.stderr}")
    result = rig.run("undo", f"{call}:signal=SIGKILL:when={when}", synced=full())
    where = f"undo killed at {call} number {when}"
    if result.returncode not in (0, -9, 137):
        report.check(False, f"{where}: {result.returncode} {result.stderr}")
    started = rig.run("start", synced=False)
    state = rig.state()
    report.runs += 1
    told = started.stderr == "" or "was taken back, all" in started.stderr
    report.check(started.returncode == 0 and told, f"{where}: {started.stderr}")
    report.check(state in ("old", "new"), f"{where}: {state}")
    report.check(not rig.pending(), f"{where}: {rig.pending()} is pending")
    if state == "new":
        again = rig.run("undo", synced=False)
        report.check(again.returncode == 0 and rig.state() == "old", f"{where}: undone again: {rig.state()} {again.stderr}")
    if result.returncode == 0:
        report.check(state == "old", f"{where}: it was done, but is {state}")
    return result.returncode != 0


def main(program):
    require_strace()
    report = Report()
    for journal_in in journal_places():
        with Rig(program, journal_in) as rig:
            for call in CALLS if full() else CHANGING + OTHERS:
                step = 1 if full() or call in CHANGING else 7
                if not any(not attempt(rig, report, call, when) for when in range(1, MOST, step)):
                    report.check(False, f"{call} never ran out")
    report.end()


main(sys.argv[1])
