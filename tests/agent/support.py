"""A workspace and a helve that knows nobody's files."""

import os
import pathlib
import subprocess
import sys
import tempfile

HELVE = sys.argv[1]


class Place:
    def __init__(self):
        self.directory = tempfile.TemporaryDirectory(prefix="helve-agent-")
        root = pathlib.Path(self.directory.name)
        self.workspace = root / "workspace"
        self.workspace.mkdir()
        self.environment = {"PATH": os.environ["PATH"], "HOME": str(root), "LANG": "C.UTF-8",
                            "XDG_STATE_HOME": str(root / "state"), "XDG_CONFIG_HOME": str(root / "config")}

    def command(self, *words):
        return [HELVE, "--root", str(self.workspace), *words]

    def start(self, *words, **more):
        return subprocess.Popen(self.command(*words), env=self.environment, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)

    def run(self, *words, **more):
        return subprocess.run(self.command(*words), env=self.environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=120, check=False, **more)

    def close(self):
        self.directory.cleanup()
