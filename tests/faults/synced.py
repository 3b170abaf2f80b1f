"""What was acknowledged is on the disk: the order of writing, syncing, renaming and answering.

synced.py HELVE: traces calls that change files and looks at the order of their system calls.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

from rig import require_strace

PATCH = "*** Begin Patch\n" + "".join(f"*** Add File: new/{name}\n+{name}\n" for name in "abcdef") + "*** End Patch\n"
CASES = {
    "one new file": (["fs", "write", "new/a", "a\n"], ["new"]),
    "a replaced file": (["fs", "write", "old", "new\n"], ["."]),
    "a moved file": (["fs", "move", "old", "new/b"], [".", "new"]),
    "a deleted file": (["fs", "delete", "old"], ["."]),
    "many files": (["fs", "apply-patch", PATCH], ["new"]),
}
CALLS = "write,fsync,fdatasync,syncfs,renameat,renameat2,unlinkat,exit_group"


def traced(helve, base, command, sync):
    """The calls that matter, in order: (name, the paths it names)."""
    root, trace = base / "root", base / "trace"
    root.mkdir()
    (root / "old").write_text("old\n")
    environment = {**os.environ, "HOME": str(base), "XDG_STATE_HOME": str(base / "state"),
                   "XDG_CONFIG_HOME": str(base / "config"), "HELVE_SYNC": "true" if sync else "false"}
    subprocess.run(["strace", "-f", "-y", "-qq", "-s", "0", "-e", "trace=" + CALLS, "-o", trace, helve, *command],
                   cwd=root, env=environment, check=True, capture_output=True)
    for line in trace.read_text().splitlines():
        found = re.match(r"\d+ +(\w+)\((.*)\) += 0|\d+ +(write)\((.*)\) += [1-9]", line)
        if found:
            yield found[1] or found[3], re.findall(r"<([^>]*)>", found[2] or found[4])


def problems_of(calls, root, directories):
    names = [name for name, _ in calls]
    renames = [i for i, (name, paths) in enumerate(calls) if name.startswith("rename") and any(p.startswith(root) for p in paths)]
    writes = [i for i, (name, paths) in enumerate(calls) if name == "write" and ("/kept/" in paths[0] or paths[0].startswith(root))]
    answer = max(i for i, (name, paths) in enumerate(calls) if name == "write" and not paths[0].startswith("/proc") and i > renames[-1])
    if writes:
        synced = {paths[0] for name, paths in calls[writes[0]:renames[0]] if name == "fdatasync"}
        if "syncfs" not in names[writes[-1]:renames[0]] and not {calls[i][1][0] for i in writes} <= synced:
            yield "the content is not synced before it gets its name"
    for directory in directories:
        path = os.path.normpath(os.path.join(root, directory))
        last = max(i for i in renames if path in calls[i][1])
        if not any(name in ("fsync", "fdatasync") and paths == [path] or name == "syncfs"
                   for name, paths in calls[last:answer]):
            yield f"the names in '{directory}' are not synced before the answer"


def main(helve):
    require_strace()
    failures = []
    for name, (command, directories) in CASES.items():
        for sync in (True, False):
            with tempfile.TemporaryDirectory(prefix="helve-synced-") as base:
                base = pathlib.Path(base)
                calls = list(traced(helve, base, command, sync))
                root = str(base / "root")
                if sync:
                    failures += [f"{name}: {problem}" for problem in problems_of(calls, root, directories)]
                elif any(call == "syncfs" or call in ("fsync", "fdatasync") and paths[0].startswith(root) for call, paths in calls):
                    failures.append(f"{name}: it waits for the disk although sync is off")
    print("\n".join(failures) or f"{len(CASES)} changes, synced and not: in order")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
