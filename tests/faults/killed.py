"""Killed at every system call of a change set: after the next start it is all there or not at all.

killed.py PROGRAM
"""

import os

from rig import CALLS, CHANGING, QUIET, everywhere, full, one_after_another, whole_again


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
    state = whole_again(rig, report, where, result)
    again = rig.run("apply") if state == "old" else None
    report.check(again is None or again.returncode == 0, f"{where}: the next change fails: {again and again.stderr}")
    if result.returncode == 0:
        report.check(state == "new", f"{where}: it was done, but is {state}")
    return result.returncode != 0


def body(rig, report):
    check_private(rig, report)
    for call in CALLS if full() or rig.is_near else CHANGING:
        step = 3 if call in QUIET and not full() else 1
        one_after_another(report, call, lambda when: attempt(rig, report, call, when), step)


everywhere(body)
