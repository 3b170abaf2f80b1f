"""Killed at every change that a recovery makes: whatever start comes after, the change is all there or not at all.

recovering.py PROGRAM
"""

from rig import CHANGING, MOST, everywhere, full, one_after_another, whole_again


def attempt(rig, report, first, call, when):
    """Whether the recovery got so far."""
    rig.reset()
    rig.run("apply", f"{first}:signal=SIGKILL", synced=False)
    result = rig.run("start", f"{call}:signal=SIGKILL:when={when}", synced=False)
    whole_again(rig, report, f"killed at {first}, then recovery at {call} number {when}", result)
    return result.returncode != 0


def last_exchange(rig):
    for when in range(1, MOST):
        rig.reset()
        if rig.run("apply", f"renameat2:signal=SIGKILL:when={when}", synced=False).returncode == 0:
            return when - 1
    return MOST


def body(rig, report):
    most = last_exchange(rig)
    points = range(1, most + 1) if full() else sorted({1, most // 2, most})
    for first in [f"renameat2:when={when}" for when in points] + ["fchmod:when=3"]:
        for call in CHANGING:
            one_after_another(report, call, lambda when: attempt(rig, report, first, call, when))


everywhere(body)
