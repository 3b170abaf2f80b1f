"""Where no sandbox can be built, no command runs: the program says why and names the setting, as root and as an ordinary user.
Where helve itself cannot work, because it is inside of one, it says that.

refused.py HELVE: runs it under filters of system calls as containers have them.
"""

import ctypes
import errno
import os
import pathlib
import platform
import struct
import subprocess
import sys
import tempfile

HELVE = os.path.abspath(sys.argv[1])
NOBODY = 65534
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
LOAD, EQUAL, RETURN, ALLOW, ERROR = 0x20, 0x15, 0x06, 0x7FFF0000, 0x00050000
CLONE3 = 435  # everywhere the same, as all that came later
NUMBERS = {"x86_64": {"unshare": 272, "mount": 165, "pivot_root": 155, "setns": 308},
           "aarch64": {"unshare": 97, "mount": 40, "pivot_root": 41, "setns": 268}}.get(platform.machine())
NEW_MOUNTS = range(428, 434)  # open_tree, move_mount, fsopen, fsconfig, fsmount, fspick
OPENAT2 = 437  # what helve's own sandbox refuses, too
INSIDE = "no openat2"
FILTERS = {"no namespaces": ["unshare", "setns"], "no mounts": ["mount", "pivot_root"], INSIDE: []}
COMMANDS = [["exec", "touch hit"], ["shell", "bash", "touch hit"], ["sandbox", "--", "touch", "hit"], ["sandbox", "explain"],
            ["exec", "touch hit", "--dry-run"]]


def confine(numbers):
    """This process and all it starts get EPERM for these calls."""
    refused = ERROR | errno.EPERM
    steps = [(LOAD, 0, 0, 0), (EQUAL, 0, 1, CLONE3), (RETURN, 0, 0, ERROR | errno.ENOSYS)]
    for number in numbers:
        steps += [(EQUAL, 0, 1, number), (RETURN, 0, 0, refused)]
    steps.append((RETURN, 0, 0, ALLOW))
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
    program = ctypes.create_string_buffer(struct.pack("H6xP", len(steps), ctypes.addressof(code)))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program, 0, 0):
        raise OSError(ctypes.get_errno(), "no filter")


def check(user, kind, words):
    with tempfile.TemporaryDirectory(prefix="helve-refused-") as name:
        home = pathlib.Path(name)
        (home / "work").mkdir()
        for each in (home, home / "work"):
            os.chown(each, user, user)
        numbers = [NUMBERS[each] for each in FILTERS[kind]] + (list(NEW_MOUNTS) if kind == "no mounts" else [])
        numbers += [OPENAT2] if kind == INSIDE else []

        def become():
            if user != os.geteuid():
                os.setgroups([])
                os.setresgid(user, user, user)
                os.setresuid(user, user, user)
            confine(numbers)

        done = subprocess.run([HELVE, *words], cwd=home / "work", env={"HOME": name, "PATH": os.environ["PATH"]},
                              preexec_fn=become, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60)
        said = " ".join((done.stdout + done.stderr).split())  # lines are broken for the screen
        if done.returncode == 0:
            yield "it succeeds"
        if (home / "work/hit").exists():
            yield "the command ran"
        if "sandbox.level" not in said:
            yield "the setting is not named"
        if kind == INSIDE:
            if "sandbox that forbids openat2" not in said or "route" not in said or "Linux 5" in said:
                yield f"the sandbox is not named: {said}"
        elif "cannot be confined" not in said or os.strerror(errno.EPERM).lower() not in said:
            yield f"the reason is not named: {said}"


def main():
    if NUMBERS is None:
        print("skipped: the numbers of this machine's calls are not known here")
        return 0
    users = [0, NOBODY] if os.geteuid() == 0 else [os.geteuid()]
    problems = [f"user {user}, {kind}, helve {' '.join(words)}: {problem}"
                for user in users for kind in FILTERS for words in COMMANDS for problem in check(user, kind, words)]
    print("\n".join(problems) or "no command ran, and each refusal says why")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
