"""Commands that mean harm, through the real program with nothing that reads them first: no rules, nobody asked. What holds
is the sandbox alone. Each is also run without the sandbox, where it must do its harm: otherwise it would prove nothing.

commands.py HELVE [TEST…]
"""

import json
import os
import pathlib
import shlex
import socket
import stat
import subprocess
import sys
import tempfile
import unittest

HELVE = os.path.abspath(sys.argv[1])
CANARY = "canary-71c2e0d4"
ALL_ALLOWED = {"approvals": {"mode": "off", "allow": [{"tool": "*"}]}}

# What a reader of commands would stop, or might take for something else; {out} is a directory outside.
WRITES = {
    "plain": "echo x > {out}/hit",
    "behind another command": "true && echo x > {out}/hit",
    "far behind": "true; " * 80 + "echo x > {out}/hit",
    "by a link": "ln -s {out} link && echo x > link/hit",
    "by a hard link": "ln {out}/file linked && echo x > linked",
    "by moving": "echo x > made && mv made {out}/hit",
    "by eval": 'eval "$(printf \'%s\' \'echo x > {out}/hit\')"',
    "by a variable": "a=touch; $a {out}/hit",
    "with IFS": "IFS=,; a=touch,{out}/hit; $a",
    "after a carriage return": "true\r\ntouch {out}/hit",
    "by another shell": "printf 'touch {out}/hit' | sh",
    "by base64": "echo dG91Y2ggJE9VVC9oaXQK | base64 -d | OUT={out} sh",
    "by an option": "sort --output={out}/hit /dev/null",
    "by find": "find . -maxdepth 0 -exec touch {out}/hit \\;",
    "by python": "python3 -c \"open('{out}/hit', 'w')\"",
    "from the background": "setsid sh -c 'touch {out}/hit' & wait",
    "by a script in the workspace": "printf '#!/bin/sh\\ntouch {out}/hit\\n' > run.sh; chmod +x run.sh; ./run.sh",
}
# What would run code outside of the sandbox later. They must fail whether or not the file was there before.
TRAPS = {
    "a hook of git": "mkdir -p .git/hooks && echo '#!/bin/sh' > .git/hooks/pre-commit",
    "a setting of git": "git config core.fsmonitor {out}/run",
    "a setting of git by hand": "echo '[core]' >> .git/config",
    "attributes of git": "mkdir -p .git/info && echo '* filter=x' > .git/info/attributes",
    "helve's configuration": "mkdir -p .helve && echo 'hooks: {{}}' > .helve/config.yaml",
    "helve's configuration by moving": "mkdir made && echo x > made/config.yaml && mv made .helve",
    "helve's configuration by a link": "ln -s {out} .helve",
    "the user's configuration": "mkdir -p $HOME/.config/helve && echo 'profile: bare' > $HOME/.config/helve/config.yaml",
    "the user's hooks": "mkdir -p $HOME/.config/helve/hooks && touch $HOME/.config/helve/hooks/before_tool.sh",
    "the shell's start": "echo x >> $HOME/.bashrc",
}
READS = {
    "plain": "cat $HOME/.ssh/id_ed25519",
    "by a link": "ln -s $HOME/.ssh link && cat link/id_ed25519",
    "by tar": "tar cf - -C $HOME .ssh | tr -d '\\0'",
    "by python": "python3 -c \"print(open('$HOME/.ssh/id_ed25519').read())\"",
    "the environment": "env",
    "the environment of helve": "cat /proc/*/environ 2>/dev/null | tr '\\0' '\\n'",
}
CONNECTIONS = {
    "by bash": "exec 3<>/dev/tcp/127.0.0.1/{port} && echo connected",
    "by python": "python3 -c \"import socket; socket.create_connection(('127.0.0.1', {port}), 5); print('connected')\"",
    "by a Unix socket": "python3 -c \"import socket; socket.socket(socket.AF_UNIX).connect('{out}/socket'); print('connected')\"",
}


class Fixture(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="helve-hostile-")
        self.addCleanup(directory.cleanup)
        self.base = pathlib.Path(os.path.realpath(directory.name))
        self.work, self.home, self.out = self.base / "work", self.base / "home", self.base / "out"
        self.environment = {"HOME": str(self.home), "PATH": os.environ["PATH"], "XDG_STATE_HOME": str(self.base / "state"),
                            "XDG_CONFIG_HOME": str(self.base / "config"), "API_TOKEN": CANARY}
        for each in (self.work, self.home / ".ssh", self.out, self.base / "config/helve"):
            each.mkdir(parents=True)
        (self.home / ".ssh/id_ed25519").write_text(CANARY)
        (self.out / "file").write_text("before")
        subprocess.run(["git", "init", "-q", self.work], check=True, env=self.environment)
        self.configure()

    def configure(self, **more):
        (self.base / "config/helve/config.yaml").write_text(json.dumps({**ALL_ALLOWED, **more}))

    def helve(self, *words, **more):
        return subprocess.run([HELVE, *words], cwd=self.work, env={**self.environment, **more}, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=60, errors="replace")

    def exec(self, command, *flags, **more):
        return self.helve("exec", command, "--shell", "bash", *flags, **more)

    def shells(self, command):
        """Both tools that run commands, and one with a profile that has nothing but the sandbox."""
        return [self.exec(command), self.helve("shell", "bash", command), self.exec(command, "--profile", "bare")]

    def nothing_outside(self):
        return not (self.out / "hit").exists() and (self.out / "file").read_text() == "before"

    def anew(self):
        self.doCleanups()
        self.setUp()

    def each(self, commands, is_blocked):
        for name, template in commands.items():
            for level in ("workspace_write", "full"):
                with self.subTest(name, level=level):
                    self.anew()
                    self.configure(sandbox={"level": level})
                    command = template.format(out=self.out, port=getattr(self, "port", 0))
                    done = [self.exec(command)] if level == "full" else self.shells(command)
                    self.assertEqual(is_blocked(done), level != "full", [(each.stdout, each.stderr) for each in done])


class SandboxAlone(Fixture):
    def test_nothing_is_written_outside(self):
        self.each(WRITES, lambda done: self.nothing_outside())

    def test_no_trap_is_laid_for_later(self):
        self.each(TRAPS, lambda done: all(each.returncode != 0 for each in done))

    def test_no_secret_is_read(self):
        for name, command in READS.items():
            if name.startswith("the environment"):
                continue
            self.each({name: command}, lambda done: CANARY not in "".join(each.stdout for each in done))

    def test_a_closed_stream_gives_the_command_nothing_of_ours(self):
        for closed in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
            with self.subTest(closed):
                look = "seen=$(for n in 0 1 2; do readlink /proc/$$/fd/$n; done); echo \"$seen\" > seen"
                line = f"exec {shlex.quote(HELVE)} sandbox -- sh -c {shlex.quote(look)} {closed}"
                subprocess.run(["sh", "-c", line], cwd=self.work, env=self.environment, stdin=subprocess.DEVNULL,
                               capture_output=True, timeout=60)
                seen = (self.work / "seen").read_text().split()
                self.assertGreaterEqual(len(seen), 1)
                self.assertEqual([name for name in seen if name != "/dev/null" and not name.startswith("pipe:")], [])

    def test_no_secret_is_inherited(self):
        for name in ("the environment", "the environment of helve"):
            for done in self.shells(READS[name]):
                self.assertIn("PATH=", done.stdout)
                self.assertNotIn(CANARY, done.stdout + done.stderr)
        self.configure(exec={"environment": ["API_*"]})
        self.assertIn(CANARY, self.exec("env").stdout, "otherwise this would prove nothing")

    def test_nothing_is_connected_to(self):
        listener = socket.create_server(("127.0.0.1", 0), backlog=50)
        self.addClassCleanup(listener.close)
        self.port = listener.getsockname()[1]
        for name, command in CONNECTIONS.items():
            for level in ("workspace_write", "full"):
                with self.subTest(name, level=level):
                    self.anew()
                    self.configure(sandbox={"level": level})
                    with socket.socket(socket.AF_UNIX) as local:
                        local.bind(str(self.out / "socket"))
                        local.listen(5)
                        done = self.exec(command.format(out=self.out, port=self.port))
                    self.assertEqual("connected" in done.stdout, level == "full", (done.stdout, done.stderr))


class AfterIncidents(Fixture):
    """What happened to others, tool by tool."""

    def test_no_file_tool_follows_a_link_that_a_command_made(self):
        self.assertEqual(self.exec(f"ln -s {self.out} link; ln -s {self.out}/file leaf").returncode, 0)
        (self.out / "secret").write_text(CANARY)
        patch = "*** Begin Patch\n*** Add File: link/hit\n+x\n*** End Patch\n"
        for words in (["fs", "write", "link/hit", "x"], ["fs", "write", "leaf", "x"], ["fs", "edit", "leaf", "before", "x"],
                      ["fs", "edit", "link/file", "before", "x"], ["fs", "delete", "link/file"], ["fs", "apply-patch", patch],
                      ["fs", "move", "link/file", "taken"], ["fs", "read", "link/secret"],
                      ["exec", "true", "--workdir", "link"]):
            with self.subTest(words):
                done = self.helve(*words)
                self.assertNotEqual(done.returncode, 0, done.stdout)
                self.assertNotIn(CANARY, done.stdout + done.stderr)
                self.assertTrue(self.nothing_outside())
        self.assertNotIn(CANARY, self.helve("fs", "grep", "canary", "--hidden", "--no-ignore").stdout)

    def test_nothing_that_a_command_left_runs_at_the_next_start(self):
        hook = f"#!/bin/sh\ntouch {self.out}/hit\n"
        self.exec(f"mkdir -p .helve/hooks; printf {shlex.quote(hook)} | tee .helve/hooks/before_tool.sh; chmod +x .helve/hooks/*; "
                  f"printf {shlex.quote(hook)} | tee helve git rg; chmod +x helve git rg")
        for words in ([], ["doctor"], ["fs", "ls"], ["exec", "true"]):
            self.helve(*words, PATH=f"{self.work}:{self.environment['PATH']}")
        self.assertTrue(self.nothing_outside())

    def test_settings_of_git_that_run_programs_stay_in_the_sandbox(self):
        trap = self.base / "trap"
        trap.write_text(f"#!/bin/sh\ntouch {self.out}/hit\n")
        trap.chmod(0o755)
        for name in ("core.fsmonitor", "core.pager", "core.sshCommand", "core.editor", "diff.external", "filter.x.smudge",
                     "filter.x.clean"):
            subprocess.run(["git", "-C", self.work, "config", name, trap], check=True, env=self.environment)
        (self.work / "a").write_text("one\n")
        (self.work / ".gitattributes").write_text("* filter=x\n")
        for command in ("git status", "git diff", "git add -A", "git stash", "git log", "git checkout ."):
            self.shells(command)
            self.assertTrue(self.nothing_outside(), command)
        self.configure(sandbox={"level": "full"})
        self.exec("git status")
        self.assertFalse(self.nothing_outside(), "otherwise this would prove nothing")

    def test_a_trial_makes_nothing_real_that_a_command_must_not_write(self):
        done = self.exec(f"mkdir .helve; echo x > .helve/config.yaml; ln -s {self.out} link; echo x > link/hit; "
                         "echo x > .git/hooks/pre-commit; echo fine > made", "--dry-run", "--json")
        self.assertTrue(self.nothing_outside())
        self.helve("exec", "--apply", json.loads(done.stdout)["trial"])
        self.assertEqual((self.work / "made").read_text(), "fine\n")
        self.assertFalse((self.work / ".helve/config.yaml").exists())
        self.assertFalse((self.work / ".git/hooks/pre-commit").exists())
        self.assertNotEqual(self.helve("fs", "write", "link/hit", "x").returncode, 0)
        self.assertTrue(self.nothing_outside())

    def test_all_that_is_kept_is_private_whatever_the_umask(self):
        before = os.umask(0)
        self.addCleanup(os.umask, before)
        self.exec("seq 100000", "--cap")
        self.exec("echo x > made", "--dry-run")
        self.helve("fs", "write", "made", "x")
        kept = [path for path in (self.base / "state").rglob("*") if not path.is_symlink()]
        self.assertGreater(len(kept), 3)
        # What a trial changed has the modes that it will have; nobody gets there.
        open_to_others = [str(path) for path in kept if path.stat().st_mode & 0o077 and "/upper" not in str(path)]
        self.assertEqual(open_to_others, [])
        self.assertEqual(stat.S_IMODE((self.base / "state/helve").stat().st_mode), 0o700)

    def allow_always(self):
        """What a person allows for ever is written to the configuration, under a lock."""
        (self.base / "config/helve/config.yaml").write_text('{"approvals": {"mode": "smart"}}')
        server = subprocess.Popen([HELVE, "mcp", "--tools", "all"], cwd=self.work, env=self.environment, stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE)

        def send(message):
            server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
            server.stdin.flush()

        send({"id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {"elicitation": {}},
                                                          "clientInfo": {"name": "t", "version": "1"}}})
        send({"method": "notifications/initialized"})
        send({"id": 2, "method": "tools/call", "params": {"name": "exec", "arguments": {"command": "touch made"}}})
        while (message := json.loads(server.stdout.readline())).get("id") != 2 or "method" in message:
            if message.get("method") == "elicitation/create":
                send({"id": message["id"], "result": {"action": "accept", "content": {"decision": "always"}}})
        server.stdin.close()
        server.wait(60)
        server.stdout.close()

    def trust(self):
        (self.work / ".helve").mkdir()
        (self.work / ".helve/config.yaml").write_text("record: true\n")
        self.helve("trust")

    KEPT = {  # below the directory of the state, and what makes it
        "helve.db": lambda self: self.exec("true"),
        "journal": lambda self: self.helve("fs", "write", "made", "x"),
        "index": lambda self: self.helve("index", "build"),
        "trials": lambda self: self.exec("echo x > made", "--dry-run"),
        "trust": trust,
        "trust.lock": trust,
        "config.lock": allow_always,
    }

    def test_a_link_in_the_place_of_what_is_kept_is_not_followed(self):
        before = os.umask(0)
        self.addCleanup(os.umask, before)
        for name, make in self.KEPT.items():
            for target in ("hit", "directory", "file"):
                with self.subTest(name, target=target):
                    self.anew()
                    (self.out / "directory").mkdir()
                    state = self.base / "state/helve"
                    state.mkdir(parents=True, mode=0o700)
                    (state / name).symlink_to(self.out / target)
                    make(self)
                    self.assertTrue(self.nothing_outside())
                    led = list((self.out / "directory").rglob("*"))
                    if "." in name or name == "trust":
                        self.assertEqual(led, [])
                    # Only this user can put a link to a directory there, as to a larger disk: what is in it is private all the same.
                    kept = [path for path in [*state.rglob("*"), *led] if not path.is_symlink() and "/upper" not in str(path)]
                    self.assertEqual([str(path) for path in kept if path.stat().st_mode & 0o077], [])

    def test_what_is_kept_is_reached_by_what_makes_it(self):
        for name, make in self.KEPT.items():
            with self.subTest(name):
                self.anew()
                make(self)
                self.assertTrue((self.base / "state/helve" / name).exists())

    def test_output_cannot_reach_the_terminal_of_whoever_looks(self):
        done = self.exec("printf '\\033]52;c;aGk=\\007\\033[2Jvisible\\342\\200\\256'")
        self.assertIn("visible", done.stdout)
        for bad in ("\x1b", "\x07", "\u202e"):
            self.assertNotIn(bad, done.stdout)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
