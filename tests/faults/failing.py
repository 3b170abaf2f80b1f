"""Every system call of a change set fails once, or from then on: nothing is half done, or the error says where
the rest is and the next start restores it.

failing.py PROGRAM
"""

import sys

from rig import CALLS, MOST, OLD, Report, Rig, full, require_strace


def attempt(rig, report, call, error, when, persistent):
    rig.reset()
    result = rig.run("apply", f"{call}:error={error}:when={when}" + ("+" if persistent else ""))
    where = f"{error} at {call} number {when}{' and after' if persistent else ''}"
    state = rig.state()
    report.runs += 1
    if result.returncode == 127:
        return False  # the loader failed, before the program began
    if result.returncode == 0:
        report.check(state == "new", f"{where}: said to be done, but {state}")
        unknown = [name for name in rig.pending() if not name.endswith(".done")]
        report.check(result.stderr or not unknown, f"{where}: {unknown} cannot be undone yet, and that is not told")
    else:
        told = "is kept" in result.stderr or "could not be" in result.stderr
        report.check(result.returncode in (2, 3), f"{where}: ended with {result.returncode}: {result.stderr}")
        # What cannot be removed stays under its temporary name, and its directory.
        known = {path: content for path, content in rig.tree().items() if ".helve-" not in path}
        report.check(state == "old" or told or (call == "unlinkat" and known == OLD), f"{where}: {state}; it said: {result.stderr}")
    started = rig.run("start")
    after = rig.state()
    report.check(started.returncode == 0, f"{where}: the next start fails: {started.stderr}")
    report.check(after in ("old", "new"), f"{where}: after the next start {after}; {result.stderr}{started.stderr}")
    return result.returncode == 0


def main(program):
    require_strace()
    report = Report()
    with Rig(program) as rig:
        for call in CALLS:
            if call == "close":
                continue  # its descriptor is closed all the same; the unit tests have it
            step = 1 if full() or call not in ("newfstatat", "fstat", "pread64", "openat") else 3
            for error, persistent in (("EIO", False), ("EIO", True), ("ENOSPC", False)):
                if error == "ENOSPC" and call not in ("write", "openat", "mkdirat", "renameat2"):
                    continue
                succeeded = 0
                for when in range(1, MOST, step if not persistent else 2 * step):
                    # Some failures do no harm, such as of a removal; a few in a row are the end.
                    succeeded = succeeded + 1 if attempt(rig, report, call, error, when, persistent) else 0
                    if succeeded == 4:
                        break
    report.end()


main(sys.argv[1])
