"""Every header compiles alone: headers.py COMPILE_COMMANDS OUTPUT_DIRECTORY.

The flags are those of the build, without the precompiled header; ccache makes an unchanged header nearly free."""

import json
import os
import shlex
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from source import ROOT, files, report

TAKES_VALUE = {"-o", "-c", "-MT", "-MF", "-include", "-Xclang"}
DROPPED = {"-MD", "-Winvalid-pch"}


def build_flags(compile_commands):
    """How the build compiles a source of ours, up to the names of the files."""
    entries = json.loads(Path(compile_commands).read_text())
    command = next(shlex.split(e["command"]) for e in entries if e["file"].endswith("src/base/error.cc"))
    flags, words = [], iter(command)
    for word in words:
        if word in TAKES_VALUE:
            next(words)
        elif word not in DROPPED and not word.startswith(("-O", "-g")):
            flags.append(word)
    ccache = shutil.which("ccache")
    return ([ccache] if ccache else []) + flags + ["-O0"]


def compile_alone(flags, root, header, output):
    """What the compiler says about a source that includes this header only, twice."""
    top = header.parts[0]
    name = header.relative_to(top).as_posix()
    source = output / (header.as_posix().replace("/", "__") + ".cc")
    text = f'#include "{name}"\n#include "{name}"\n'
    if not source.exists() or source.read_text() != text:
        source.write_text(text)
    command = flags + ["-c", source.name, "-o", source.stem + ".o"]
    result = subprocess.run(command, cwd=output, capture_output=True, text=True)
    return None if result.returncode == 0 else f"{header}:1: does not compile alone; include what it uses\n{result.stderr}"


def check(root, compile_commands, output):
    output = Path(output)
    output.mkdir(parents=True, exist_ok=True)
    flags = build_flags(compile_commands)
    headers = [h for top in ("src", "include") for h in files(root, top, {".h"})]
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        results = pool.map(lambda header: compile_alone(flags, root, header, output), headers)
    return [problem for problem in results if problem]


if __name__ == "__main__":
    report(check(ROOT, *sys.argv[1:3]))
