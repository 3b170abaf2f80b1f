"""What helve itself costs: instructions of a call, processor time of compiling a tool."""

import json
import os
import re
import shlex
import shutil
import sys

from harness import BUILD, ROOT, Section, run, say

DISPATCH_MODES = {"direct": "the tool's function alone", "bare": "dispatched, no stages", "full": "dispatched, all stages on"}


def count_instructions(mode, calls, directory):
    file = directory / f"callgrind.{mode}.{calls}"
    run("valgrind", "--tool=callgrind", f"--callgrind-out-file={file}", BUILD / "bench" / "bench_dispatch", mode, calls)
    return int(re.search(r"^(?:summary|totals): (\d+)", file.read_text(), re.MULTILINE)[1])


def count_dispatch(quick, directory):
    """Instructions of one call: what more calls cost, so that start and end do not count."""
    if not shutil.which("valgrind"):
        sys.exit("bench: instruction counts need valgrind; scripts/packages names the Debian package (bench)")
    few, many = (200, 1200) if quick else (1000, 6000)
    counts = {}
    for mode in DISPATCH_MODES:
        say(f"callgrind: {mode}")
        counts[mode] = (count_instructions(mode, many, directory) - count_instructions(mode, few, directory)) / (many - few)
    return counts


def compile_seconds(source, directory):
    """The processor time of compiling a source as the tools are compiled, without the cache: the least of five."""
    commands = json.loads((BUILD / "compile_commands.json").read_text())
    entry = next(entry for entry in commands if entry["file"].endswith("src/tools/fs/read.cc"))
    words = [word for word in shlex.split(entry["command"]) if not word.endswith("ccache")]
    words = words[next(i for i, word in enumerate(words) if word.endswith(("c++", "g++"))):]  # past what wraps the compiler
    words = words[:words.index("-o")] + ["-o", str(directory / "tool.o"), "-c", str(source)]
    times = []
    for _ in range(5):
        before = os.times()
        run(*words, cwd=BUILD)
        after = os.times()
        times.append(after.children_user + after.children_system - before.children_user - before.children_system)
    return min(times)


def measure_dispatch(setting):
    counts = count_dispatch(setting.quick, setting.directory)
    lines = ["| one small call | instructions |", "|---|---:|"]
    lines += [f"| {DISPATCH_MODES[mode]} | {count:.0f} |" for mode, count in counts.items()]
    return Section([*lines, ""], [], {"instructions": counts})


def compile_cost(directory):
    """What a tool costs beyond the headers that it includes."""
    say("compiling a tool")
    tool = ROOT / "tests/dropin/shout.cc"
    headers = directory / "headers.cc"
    headers.write_text("".join(line for line in tool.read_text().splitlines(keepends=True) if line.startswith("#include")))
    return compile_seconds(tool, directory) - compile_seconds(headers, directory)


def measure_compile(setting):
    seconds = compile_cost(setting.directory)
    goal = ("a tool's definition compiles in at most 0.3 s", f"{seconds:.2f} s", seconds <= 0.3)
    return Section([], [goal], {"compile_s": seconds})
