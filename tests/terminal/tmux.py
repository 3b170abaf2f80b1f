"""A program in a real terminal of its own: tmux types, and shows what is on the screen."""

import os
import pathlib
import shlex
import shutil
import subprocess
import tempfile
import time

PATIENCE = 30  # seconds; nothing here takes so long unless it fails


class Terminal:
    def __init__(self, program, columns=80, rows=24, term="screen-256color", state=None, words=()):
        """Runs the program with these words, or its state, below a shell that tells afterwards how it ended and how it left the terminal."""
        self.base = pathlib.Path(tempfile.mkdtemp(prefix="helve-terminal-"))
        self.state = state or self.base
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.base), "LC_ALL": "C.UTF-8", "TERM": "xterm-256color"}
        self.environment = environment
        arguments = shlex.join([str(program), *(words or [str(self.state)])])
        script = f'TERM={term} {arguments}; echo "left with $?"; stty -a | tr " " "\\n" | grep -x -e "-*icanon" -e "-*echo"; exec cat'
        self.tmux("new-session", "-d", "-x", str(columns), "-y", str(rows), "sh", "-c", script)
        self.tmux("set-option", "-g", "status", "off")
        self.tmux("set-option", "-s", "escape-time", "0")
        # The window had a row less as long as there was a status.
        self.tmux("resize-window", "-x", str(columns), "-y", str(rows))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.tmux("kill-server", check=False)
        shutil.rmtree(self.base, ignore_errors=True)

    def tmux(self, *words, check=True, text=None):
        done = subprocess.run(["tmux", "-u", "-S", str(self.base / "socket"), "-f", "/dev/null", *words],
                              env=self.environment, capture_output=True, text=True, timeout=PATIENCE, input=text)
        assert not check or done.returncode == 0, f"tmux {' '.join(words)}: {done.stderr}"
        return done.stdout

    def type(self, text):
        self.tmux("send-keys", "-l", "--", text)

    def press(self, *keys):
        self.tmux("send-keys", *keys)

    def paste(self, text):
        self.tmux("load-buffer", "-", text=text)
        self.tmux("paste-buffer", "-p")

    def resize(self, columns, rows=24):
        self.tmux("resize-window", "-x", str(columns), "-y", str(rows))

    def screen(self):
        rows = [row.rstrip() for row in self.tmux("capture-pane", "-p").split("\n")]
        while rows and not rows[-1]:
            rows.pop()
        return rows

    def cursor(self):
        """(column, row)"""
        return tuple(map(int, self.tmux("display-message", "-p", "#{cursor_x} #{cursor_y}").split()))

    def child(self):
        """The process id of the program; of the shell when it has ended."""
        shell = self.tmux("display-message", "-p", "#{pane_pid}").strip()
        return int([*pathlib.Path(f"/proc/{shell}/task/{shell}/children").read_text().split(), shell][0])

    def wait(self, what, holds):
        end = time.monotonic() + PATIENCE
        while not holds():
            if time.monotonic() > end:
                raise AssertionError(f"{what}; but there is:\n" + "\n".join(self.screen()))
            time.sleep(0.01)  # between two looks

    def expect(self, *rows):
        """The screen ends with these rows, sooner or later."""
        wanted = list(rows)
        self.wait(f"expected {wanted}", lambda: self.screen()[-len(wanted):] == wanted)

    def expect_all(self, *rows):
        wanted = list(rows)
        self.wait(f"expected exactly {wanted}", lambda: self.screen() == wanted)

    def expect_cursor(self, column, row):
        self.wait(f"expected the cursor at {column}, {row}", lambda: self.cursor() == (column, row))

    def expect_somewhere(self, text):
        self.wait(f"expected '{text}'", lambda: any(text in row for row in self.screen()))
