"""Documents are whole or not there: kills during kb_add, kb_refresh and kb_import, two that add at once, and more than
memory should hold.
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

    def kill_after(self, steps, *words):
        """Kills it when it tells of a step for that time."""
        process = self.start("--verbose", "kb", *words)
        for line in process.stderr:
            steps -= "/" in line
            if steps < 0:
                os.kill(process.pid, signal.SIGKILL)
                break
        process.communicate()
        assert process.returncode == -signal.SIGKILL, (words, steps, process.returncode)

    def archive(self):
        """Of each document the lines of its versions."""
        self.call("kb", "export", "all.jsonl", "--on-conflict", "overwrite")
        lines = {}
        for line in (self.root / "all.jsonl").read_text().splitlines()[1:]:
            version = json.loads(line)
            if "path" in version:
                lines.setdefault(version["path"], []).append(version)
        return lines

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
        latest = {path: lines[-1] for path, lines in self.archive().items()}
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
        store.kill_after(files, "add", "docs")
        now = len(store.check())
        assert now >= before, (files, now, before)
        before = now
    assert 0 < before < FILES, "the kills came in the middle"
    answer = store.call("kb", "add", "docs")
    assert answer["total"] + answer["unchanged"] == FILES, answer
    assert len(store.check()) == FILES


def refreshed(helve, base):
    """A kill leaves each document as it was, or as its file is now."""
    store = Store(helve, base)
    store.call("kb", "add", "docs")
    for number in range(FILES):
        (store.root / "docs" / f"{number:05}.md").write_text(content_of(number) + "more\n")
    before = 0
    for files in (1, 300, 700, 1499):
        store.kill_after(files, "refresh")
        documents = store.archive()
        assert len(documents) == FILES
        new = 0
        for path, versions in documents.items():
            wanted = (store.root / path).read_text()
            contents = [wanted.removesuffix("more\n"), wanted][:len(versions)]
            assert [each["content"] for each in versions] == contents, path
            new += len(versions) - 1
        assert before <= new < FILES, (files, before, new)
        before = new
    assert before > 0, "the kills came in the middle"
    answer = store.call("kb", "refresh")
    assert answer["total"] + before == FILES, (answer["total"], before)
    store.check()


def imported(helve, base):
    """A kill leaves each document with all its versions, or without any."""
    source = Store(helve, base / "one")
    source.call("kb", "add", "docs")
    for number in range(FILES):
        (source.root / "docs" / f"{number:05}.md").write_text("another text\n" + content_of(number))
    source.call("kb", "refresh")
    wanted = source.archive()
    store = Store(helve, base / "two")
    archive = store.root / "archive.jsonl"
    archive.write_bytes((source.root / "all.jsonl").read_bytes())
    before = 0
    for lines in (1, 511, 700, 1500, 2999):
        store.kill_after(lines, "import", "archive.jsonl")
        found = store.archive()
        assert before <= len(found) < FILES, (lines, before, len(found))
        assert all(versions == wanted[path] for path, versions in found.items())
        before = len(found)
    assert before > 0, "the kills came in the middle"
    answer = store.call("kb", "import", "archive.jsonl")
    assert answer["imported"] + answer["unchanged"] == FILES, answer
    assert store.archive() == wanted


def two_at_once(helve, base):
    store = Store(helve, base)
    writers = [store.start("kb", "add", "docs") for _ in range(2)]
    for writer in writers:
        _, err = writer.communicate()
        assert writer.returncode == 0, err
    found = store.check()
    assert len(found) == FILES
    assert {each["version"] for each in found} == {1}


def sha256_of_repeated(line, size):
    """In pieces: what this process has held counts as the memory of those it starts."""
    block, digest = line * 10_000, hashlib.sha256()
    for _ in range(size // len(block)):
        digest.update(block)
    digest.update(block[: size % len(block)])
    return digest.hexdigest()


def piped(helve, base):
    """100 MB of a command's output become a document, and nobody holds them."""
    store = Store(helve, base)
    size, most = 100_000_000, 64 << 20
    command = f"yes 0123456789abcdef | head -c {size}"
    process = store.start("kb", "pipe", "exec", json.dumps({"command": command}), "log", "--json")
    answer = json.loads(process.stdout.read())
    _, status, usage = os.wait4(process.pid, 0)
    assert status == 0 and answer["bytes_written"] == size, (status, answer)
    assert store.call("kb", "info", "log")["sha256"] == sha256_of_repeated(b"0123456789abcdef\n", size)
    assert usage.ru_maxrss * 1024 < most, usage.ru_maxrss


def paged(helve, base):
    """Nobody holds a document to read a page of it."""
    store = Store(helve, base)
    size, most = 60_000_000, 64 << 20
    with (store.root / "newlines.txt").open("w") as file:  # what is held here would count as the child's
        for _ in range(60):
            file.write("\n" * (size // 60))
    store.call("kb", "add", "newlines.txt")
    for offset in (0, size // 2, size - 1):
        process = store.start("kb", "read", "newlines.txt", "--offset", str(offset), "--limit", "1", "--json")
        answer = json.loads(process.stdout.read())
        _, status, usage = os.wait4(process.pid, 0)
        assert status == 0 and answer["content"] == "\n" and answer["start_line"] == offset + 1, (status, answer)
        assert usage.ru_maxrss * 1024 < most, usage.ru_maxrss


for part in (killed, refreshed, imported, two_at_once, piped, paged):
    with tempfile.TemporaryDirectory(prefix="helve-documents-") as base:
        part(sys.argv[1], pathlib.Path(base).resolve())
    print(f"{part.__name__}: good")
