"""Documents are whole or not there: kills during kb_add, two that add at once, and more than memory should hold.
documents.py HELVE"""

import hashlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

FILES = 1500
KILLS = (1, 2, 200, 300, 513, 700, 900, 1100, 1300, 1499)  # after so many files


def content_of(number):
    return f"# Note {number}\n\n" + f"line of {number}\n" * (number % 40)


class Store:
    def __init__(self, helve, base):
        self.helve, self.root = helve, base / "root"
        (self.root / "docs").mkdir(parents=True)
        for number in range(FILES):
            (self.root / "docs" / f"{number:05}.md").write_text(content_of(number))
        self.environment = {"PATH": os.environ["PATH"], "HOME": str(base)}

    def start(self, *words, **options):
        return subprocess.Popen([self.helve, *words], cwd=self.root, env=self.environment, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, **options)

    def call(self, *words):
        process = self.start(*words, "--json")
        out, err = process.communicate()
        assert process.returncode == 0, (words, out, err)
        return json.loads(out)

    def add_until(self, files):
        """Kills it when it tells that it is so far."""
        process = self.start("--verbose", "kb", "add", "docs")
        for line in process.stderr:
            if f" {files}/{FILES} " in line:
                os.kill(process.pid, signal.SIGKILL)
                break
        process.communicate()
        assert process.returncode == -signal.SIGKILL, (files, process.returncode)

    def documents(self):
        found, after = [], []
        while True:
            page = self.call("kb", "list", "--limit", "1000", *after)
            found += page["documents"]
            if "next_after" not in page:
                return found
            after = ["--after", page["next_after"]]

    def check(self):
        """Every document that is there is its file, and reads like it."""
        found = self.documents()
        self.call("kb", "export", "all.jsonl", "--on-conflict", "overwrite")
        lines = [json.loads(line) for line in (self.root / "all.jsonl").read_text().splitlines()][1:]
        latest = {line["path"]: line for line in lines if "path" in line}  # the last one counts
        assert len(latest) == len(found), (len(latest), len(found))
        for path, line in latest.items():
            wanted = (self.root / path).read_text()
            assert line["content"] == wanted, path
            assert line["sha256"] == hashlib.sha256(wanted.encode()).hexdigest(), path
        return found


def killed(helve, base):
    store = Store(helve, base)
    before = 0
    for files in KILLS:
        store.add_until(files)
        now = len(store.check())
        assert now >= before, (files, now, before)
        before = now
    assert 0 < before < FILES, "the kills came in the middle"
    answer = store.call("kb", "add", "docs")
    assert answer["total"] + answer["unchanged"] == FILES, answer
    assert len(store.check()) == FILES


def two_at_once(helve, base):
    store = Store(helve, base)
    writers = [store.start("kb", "add", "docs") for _ in range(2)]
    for writer in writers:
        _, err = writer.communicate()
        assert writer.returncode == 0, err
    found = store.check()
    assert len(found) == FILES
    assert {each["version"] for each in found} == {1}


def piped(helve, base):
    """100 MB of a command's output become a document, and nobody holds them."""
    store = Store(helve, base)
    size, most = 100_000_000, 64 << 20
    command = f"yes 0123456789abcdef | head -c {size}"
    process = store.start("kb", "pipe", "exec", json.dumps({"command": command}), "log", "--json")
    answer = json.loads(process.stdout.read())
    _, status, usage = os.wait4(process.pid, 0)
    assert status == 0 and answer["bytes_written"] == size, (status, answer)
    wanted = hashlib.sha256((b"0123456789abcdef\n" * (size // 17 + 1))[:size]).hexdigest()
    assert store.call("kb", "info", "log")["sha256"] == wanted
    assert usage.ru_maxrss * 1024 < most, usage.ru_maxrss


for part in (killed, two_at_once, piped):
    with tempfile.TemporaryDirectory(prefix="helve-documents-") as base:
        part(sys.argv[1], pathlib.Path(base).resolve())
    print(f"{part.__name__}: good")
