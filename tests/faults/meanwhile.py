"""Killed in the middle of a change, then somebody works on: the next start loses nothing that anybody wrote, and makes
no half of a change look like a whole.

meanwhile.py PROGRAM
"""

import os
import resource
import shutil
import subprocess

from rig import NEW, OLD, everywhere, full, one_after_another

THEIRS = "somebody's\n"
NOBODY = 65534


# What somebody may do to a path. Each returns whether it could be done.

def edit(root, path):
    file = root / path
    if file.is_file():
        with file.open("a") as out:
            out.write(THEIRS)
        return True


def save(root, path):
    """As an editor does it: under another name, then renamed."""
    file = root / path
    if file.is_file():
        new = file.with_name("saved~")
        new.write_text(THEIRS)
        new.rename(file)
        return True


def create(root, path):
    file = root / path
    if not file.exists() and file.parent.is_dir():
        file.write_text(THEIRS)
        return True


def repeat(root, path):
    """Makes by hand what the change would have made."""
    file = root / path
    if not file.exists() and path in NEW:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(NEW[path])
        return True


def delete(root, path):
    file = root / path
    if file.is_file():
        file.unlink()
        return True


def clean(root, path):
    """As git clean does it: what is not known goes."""
    found = list((root / path).glob(".helve-change-*"))
    for one in found:
        shutil.rmtree(one) if one.is_dir() else one.unlink()
    return bool(found)


# A move concerns two paths, and what was staged in a directory all that was to be made there.
ACTIONS = ([(act, path, {path}) for act in (edit, save, create, delete, repeat)
            for path in ("a", "sub/c", "made/deep/d", "made/e", "gone")] +
           [(act, path, {"over", "under"}) for act in (edit, save, create, delete, repeat) for path in ("over", "under")] +
           [(act, path, {"from", "made/to"}) for act in (edit, save, create, delete, repeat) for path in ("from", "made/to")] +
           [(clean, "made", {"made/e", "made/to"}), (clean, ".", None), (clean, "sub", {"sub/b", "sub/c"})])


def contents(*places):
    found = []
    for place in places:
        for file in place.rglob("*"):
            if file.is_file() and not file.is_symlink():
                found.append(file.read_bytes().decode(errors="replace"))
    return found


def check_untouched(rig, report, where, touched, notices):
    """The rest is as before, or as after."""
    tree = rig.tree()
    def rest(state):
        return {path: content for path, content in state.items() if path not in touched}
    now = {path: content for path, content in tree.items() if path not in touched and ".helve-kept-" not in path}
    report.check(now in (rest(OLD), rest(NEW)), f"{where}: neither old nor new: {now}; {notices}")


def attempt(rig, report, when, act, path, touched):
    rig.reset()
    result = rig.run("apply", f"renameat2:signal=SIGKILL:when={when}", synced=False)
    if result.returncode == 0 or not act(rig.root, path):
        return
    where = f"killed at exchange {when}, then {act.__name__} {path}"
    before = contents(rig.root, rig.journal)
    started = rig.run("start", synced=False)
    after = contents(rig.root, rig.journal)
    report.runs += 1
    report.check(started.returncode == 0, f"{where}: {started.stderr}")
    for content in set(OLD.values()) | {THEIRS}:
        if any(content in one for one in before):
            report.check(any(content in one for one in after), f"{where}: '{content}' is lost; {started.stderr}")
    if act in (edit, save, create) and (rig.root / path).exists():
        # Where it was, unless a move took it back to where it came from.
        text = (rig.root / path).read_text()
        report.check(THEIRS in text or act is edit, f"{where}: theirs was replaced by '{text}'; {started.stderr}")
    if act in (save, create):
        report.check((rig.root / path).exists(), f"{where}: theirs is gone; {started.stderr}")
    if act is repeat:
        report.check(NEW[path] in rig.tree().values(), f"{where}: theirs is gone; {started.stderr}")
    if touched is not None:
        check_untouched(rig, report, where, touched, started.stderr)
    report.check(not rig.pending(), f"{where}: {rig.pending()} is pending; {started.stderr}")
    left = [str(file) for file in rig.root.rglob(".helve-change-*")]
    report.check(not left, f"{where}: {left} is left; {started.stderr}")
    report.check(rig.run("start", synced=False).stderr == "", f"{where}: it is told twice")


def attempt_hindered(rig, report, when, where, hinder, relieve, **options):
    """What cannot be looked at stays as it is, and the first start that can look at it restores it."""
    rig.reset()
    for place in [rig.base, rig.away] if os.geteuid() == 0 else []:
        for one in [place, *place.rglob("*")]:
            os.chown(one, NOBODY, NOBODY)
    if os.geteuid() == 0:
        options |= {"user": NOBODY, "group": NOBODY, "extra_groups": []}
    hindering = {key: options.pop(key) for key in ("preexec_fn",) if key in options}
    rig.run("apply", f"renameat2:signal=SIGKILL:when={when}", synced=False, **options)
    where = f"killed at exchange {when}, then {where}"
    hinder(rig)
    started = rig.run("start", synced=False, **options, **hindering)
    is_pending = bool(rig.pending())
    relieve(rig)
    report.runs += 1
    report.check(not is_pending or started.returncode != 0 or started.stderr, f"{where}: it is pending, and not told")
    last = rig.run("start", synced=False, **options)
    report.check(last.returncode == 0 and rig.state() in ("old", "new"), f"{where}: {rig.state()}; {started.stderr}{last.stderr}")
    report.check(not rig.pending(), f"{where}: {rig.pending()} is pending; {last.stderr}")


def few_descriptors(most):
    def limit():
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    return limit


def can_be_hindered(program):
    """The superuser is not, and gives his rights away, if others may run the program at all."""
    try:
        return os.geteuid() != 0 or subprocess.run([program], user=NOBODY, group=NOBODY).returncode == 64
    except PermissionError:
        print("nothing was hindered: only its owner may run the program")
        return False


def hindered(rig, report, when):
    def forbid(mode, path):
        return lambda rig: (rig.root / path).exists() and os.chmod(rig.root / path, mode)
    for path in ("sub", "made", "tree"):
        for mode in (0, 0o555):
            attempt_hindered(rig, report, when, f"{path} has mode {mode:o}", forbid(mode, path), forbid(0o755, path))
    for most in range(8, 20, 1 if full() else 4):
        attempt_hindered(rig, report, when, f"there are {most} descriptors", lambda _: None, lambda _: None,
                         preexec_fn=few_descriptors(most))
    def away(rig):
        (rig.root / "sub").rename(rig.base / "elsewhere")
    def back(rig):
        (rig.base / "elsewhere").rename(rig.root / "sub")
    attempt_hindered(rig, report, when, "sub is elsewhere", away, back)


def body(rig, report):
    hinder = can_be_hindered(rig.program)
    def at_exchange(when):
        rig.reset()
        if rig.run("apply", f"renameat2:signal=SIGKILL:when={when}", synced=False).returncode == 0:
            return False
        if hinder and (full() or when % 3 == 1):
            hindered(rig, report, when)
        for number, (act, path, touched) in enumerate(ACTIONS):
            if full() or (number + when) % 5 == 0:
                attempt(rig, report, when, act, path, touched)
        return True
    one_after_another(report, "renameat2", at_exchange)


everywhere(body)
