"""A home, a workspace and an sshd of their own for tests of routes, all below one temporary directory."""

import json
import os
import pathlib
import pwd
import shutil
import socket
import subprocess
import sys
import tempfile
import time

USER = pwd.getpwuid(os.getuid()).pw_name
PATH = "/usr/local/bin:/usr/bin:/bin"


def make_key(file):
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(file)], check=True)
    return file.with_suffix(".pub").read_text()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Sshd:
    """Lets `open` in with anything, and `forced` with one program only."""

    def __init__(self, base):
        self.base = base
        self.port = free_port()
        host = make_key(base / "host")
        opened, forced = make_key(base / "open"), make_key(base / "forced")
        make_key(base / "stranger")
        (base / "wrapper").write_text('#!/bin/sh\necho "forced: $SSH_ORIGINAL_COMMAND"\nexit 3\n')
        (base / "wrapper").chmod(0o755)
        (base / "authorized").write_text(opened + f'command="{base}/wrapper",restrict {forced}')
        self.known(base / "known_hosts", host)
        (base / "sshd_config").write_text(
            f"ListenAddress 127.0.0.1:{self.port}\nHostKey {base}/host\nAuthorizedKeysFile {base}/authorized\n"
            "PidFile none\nUsePAM no\nStrictModes no\nPasswordAuthentication no\nPermitRootLogin prohibit-password\n"
            "AcceptEnv *\nLogLevel ERROR\n")
        if os.getuid() == 0:
            os.makedirs("/run/sshd", exist_ok=True)  # where it would lock a part of itself in
        program = shutil.which("sshd", path=PATH + ":/usr/sbin:/sbin")
        if not program:
            sys.exit("there is no sshd: install openssh-server")
        self.log = open(base / "sshd.log", "w")
        self.process = subprocess.Popen([program, "-D", "-e", "-f", str(base / "sshd_config")], stdin=subprocess.DEVNULL,
                                        stderr=self.log)
        self.wait()

    def known(self, file, key):
        file.write_text(f"[127.0.0.1]:{self.port} {key}")

    def wait(self):
        end = time.monotonic() + 20
        while time.monotonic() < end and self.process.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError:
                time.sleep(0.02)
        self.close()
        sys.exit("sshd does not serve: " + (self.base / "sshd.log").read_text())

    def close(self):
        self.process.terminate()
        self.process.wait()
        self.log.close()


class Result:
    def __init__(self, process):
        self.code, self.out, self.err = process.returncode, process.stdout, process.stderr

    def __getitem__(self, key):
        return json.loads(self.out).get(key)

    def __repr__(self):
        return f"exit {self.code}\n{self.out}\n{self.err}"


class Machine:
    def __init__(self, helve, base):
        self.helve, self.base = helve, base
        self.work, self.home = base / "work", base / "home"
        for directory in (self.work / "sub", self.home, base / "config/helve"):
            directory.mkdir(parents=True)
        self.environment = {"HOME": str(self.home), "XDG_CONFIG_HOME": str(base / "config"), "PATH": PATH,
                            "XDG_STATE_HOME": str(base / "state"), "SECRET": "canary", "LANG": "C.UTF-8"}

    def configure(self, *routes, **more):
        settings = {"routes": list(routes), "exec": {"min_timeout_seconds": 0.1}, **more}
        (self.base / "config/helve/config.yaml").write_text(json.dumps(settings))

    def run(self, *words, **more):
        return Result(subprocess.run([self.helve, *words], cwd=self.work, env={**self.environment, **more},
                                     stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60))

    def exec(self, command, *flags, **more):
        return self.run("exec", command, *flags, "--json", **more)


def temporary():
    return tempfile.TemporaryDirectory(prefix="helve-routes-")


def real(path):
    return pathlib.Path(os.path.realpath(path))
