"""Killed at every system call of an undo: after the next start it is all undone or not at all, and nothing is left.

undone.py PROGRAM
"""

from rig import CALLS, CHANGING, everywhere, full, one_after_another, whole_again

OTHERS = ["openat2", "write", "fchmod", "openat"]  # enough of the rest for each day


def attempt(rig, report, call, when):
    """Whether it got so far."""
    rig.reset()
    made = rig.run("apply", synced=False)
    report.check(made.returncode == 0 and rig.state() == "new", f"the change was not made: {made.stderr}")
    result = rig.run("undo", f"{call}:signal=SIGKILL:when={when}", synced=full())
    where = f"undo killed at {call} number {when}"
    state = whole_again(rig, report, where, result)
    if state == "new":
        again = rig.run("undo", synced=False)
        report.check(again.returncode == 0 and rig.state() == "old", f"{where}: undone again: {rig.state()} {again.stderr}")
    if result.returncode == 0:
        report.check(state == "old", f"{where}: it was done, but is {state}")
    return result.returncode != 0


def body(rig, report):
    for call in CALLS if full() else CHANGING + OTHERS:
        step = 1 if full() or call in CHANGING else 7
        one_after_another(report, call, lambda when: attempt(rig, report, call, when), step)


everywhere(body)
