"""What we find behind wrappers, against what they run: shell_wrappers.py PROGRAM [SEED…].

Wrappers are put around each other at random and run for real, around commands c1, c2, … that note how they were called. Each
such call must be among what we found, or the script must be doubted; no plain wrapper may be doubted by itself.
"""

import json
import random
import shlex
import stat
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from shell_test import fits

SEEDS = range(1, 26)
SCRIPTS_OF_A_SEED = 12
# {} is the command, {q} the command as one quoted word.
PLAIN = ["env {}", "env A=1 B='x y' {}", "env -u X {}", "env -C . A=1 {}", "env -- {}", "env --unset=X {}", "nice {}", "nice -n 3 {}",
         "nice -3 {}", "nice --adjustment=2 {}", "nice -n3 -- {}", "nohup {}", "timeout 5 {}", "timeout -k 1 5 {}",
         "timeout -k1 -s KILL 5s {}", "timeout --signal=TERM --foreground 5 {}", "timeout -v 5 {}", "stdbuf -oL {}",
         "stdbuf -o L -e0 {}", "setsid -w {}", "setsid --wait {}", "ionice -c 3 {}", "ionice -c2 -n7 {}", "taskset -c 0 {}",
         "chrt -o 0 {}", "prlimit --nofile=100 {}", "linux64 {}", "echo a | xargs -0rI% {} %", "git --no-pager version; {}",
         "command {}", "command -- {}", "builtin command {}", "(exec {})", "eval {}", "eval {q}", "bash -c {q}", "sh -c {q}",
         "bash -ec {q} name a b", "bash -euo pipefail -c {q}", "bash --norc --noprofile -c {q}", "sh -e -u -c {q}",
         "/bin/bash -c {q}", "echo a | xargs {}", "echo a b | xargs -n1 {}", "echo a | xargs -n 1 -P 2 {}", "echo a | xargs -I% {} %",
         "echo a | xargs -I % {} x%", "echo a | xargs -r -t {}", "echo a | xargs -d '\\n' {}", "echo a | xargs --max-args=1 {}",
         "find . -maxdepth 0 -exec {} \\;", "find . -maxdepth 0 -exec {} {{}} \\;", "find . -maxdepth 0 -exec {} {{}} +",
         "find . -maxdepth 0 -type d -exec {} \\; -print", "trap {q} EXIT", "time {}", "time -p {}", "command time -f %e {}",
         "X=1 {}", "! {}", "{{ {}; }}", "echo $({})", "if {}; then :; fi", "cat <({})"]
# Doubted or seen through, but never seen wrongly.
ODD = ["env -S {q}", "env -iS {q}", "env - PATH=\"$PATH\" {}", "env -i PATH=\"$PATH\" {}", "timeout --bogus 5 {}", "nice -c {}",
       "echo {q} | bash", "bash <<< {q}", "echo {q} | xargs -I% bash -c %", "bash -ic {q}", "bash +e -c {q}", "bash -c -- {q}",
       "bash -o errexit -c {q}", "bash -O extglob -c {q}", "sh -c -e {q}", "xargs -a /dev/null {}", "echo a | xargs -i {} {{}}",
       "echo a | xargs -e {}", "echo a | xargs -l {}", "exec -a x {}", "exec -c {}", "command -p {}", "time -o /dev/null {}",
       "alias x={q}; x", "f() {{ {}; }}; f", "x={q}; $x", "x={q}; eval \"$x\"", "echo {q} > s.sh; . ./s.sh",
       "setarch x86_64 {}", "/lib64/ld-linux-x86-64.so.2 /bin/nice {}", "echo a | xargs -I% -n1 {}", "setpriv --no-new-privs {}",
       "find . -maxdepth 0 -exec nice + {} \\;", "setsid -fw {}", "nohup -- {}", "taskset 1 {}", "ionice -t -c 3 {}", "stdbuf --output=L {}",
       "find . -maxdepth 0 -execdir {} \\;", "find . -maxdepth 0 -exec sh -c {q} \\;", "busybox {}", "coproc {}; wait",
       "jobs -x {}", "trap -- {q} EXIT", "trap {q} 0 INT", "eval -- {q}", "declare -a 'x=($({}))'", "mapfile -C {q} -c 1 y <<< x",
       "bash -c '\"$@\"' x {}", "bash -c '$0 $1' {}", "watch -n 9 -g {}", "builtin eval {q}", "timeout 5 bash -c {q}"]


def script(rng, odd):
    text = " ".join([f"c{rng.randint(1, 9)}", *rng.sample(["a", "-b", "--c=d", "'e f'", "g.h"], rng.randint(0, 3))])
    for _ in range(rng.randint(1, 3)):
        wrapper = rng.choice(ODD if odd and rng.random() < 0.6 else PLAIN)
        needs_words = "{}" in wrapper and not wrapper.startswith(("(", "{{", "!", "echo $(", "if", "cat <(", "time ", "X=1", "eval"))
        if needs_words and not text.startswith(("c", "env", "nice", "timeout", "bash", "sh ", "find", "stdbuf", "nohup")):
            wrapper = "bash -c {q}"
        text = wrapper.format(text, q=shlex.quote(text))
    return text


def make_commands(directory, log):
    for number in range(1, 10):
        path = directory / f"c{number}"
        path.write_text(f"#!/bin/bash\nprintf '%s\\0' c{number} \"$@\" > {log}/$$\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)


def run(text):
    """The calls of c1, c2, … that really happen."""
    with tempfile.TemporaryDirectory() as name:
        work, log, programs = (Path(name, part) for part in ("work", "log", "programs"))
        for each in (work, log, programs):
            each.mkdir()
        make_commands(programs, log)
        environment = {"PATH": f"{programs}:/usr/bin:/bin", "HOME": name, "LC_ALL": "C.UTF-8"}
        subprocess.run(["/usr/bin/timeout", "-s", "KILL", "10", "/bin/bash", "--norc", "-c", text], cwd=work, env=environment,
                       stdin=subprocess.DEVNULL, capture_output=True)
        notes = [file.read_bytes() for file in log.iterdir()]
    return [[word.decode() for word in note.split(b"\0")[:-1]] for note in notes]


def main(program, seeds):
    cases = [(True, wrapper.format("c1 a", q="'c1 a'")) for wrapper in PLAIN]
    cases += [(False, wrapper.format("c1 a", q="'c1 a'")) for wrapper in ODD]
    for seed in seeds or SEEDS:
        rng = random.Random(seed)
        cases += [(False, script(rng, odd)) for odd in (False, True) for _ in range(SCRIPTS_OF_A_SEED)]
    data = b"".join(text.encode() + b"\0" for _, text in cases)
    views = [json.loads(line) for line in subprocess.run([program], input=data, capture_output=True, check=True).stdout.splitlines()]
    with ThreadPoolExecutor(max_workers=2) as pool:
        runs = list(pool.map(run, [text for _, text in cases]))
    wrong = ran = doubted = 0
    for (plain, text), view, calls in zip(cases, views, runs):
        ran += len(calls)
        doubted += view["doubted"]
        problems = [f"runs {call}" for call in calls
                    if not view["doubted"] and not any(fits(segment, call) for segment in view["segments"])]
        if plain and view["doubted"]:
            problems.append("is plain, but doubted")
        for problem in problems:
            wrong += 1
            print(f"{text}\n  {problem}\n  we see {view['segments']}")
    print(f"{len(cases)} scripts, {ran} calls, {doubted} scripts that are doubted, {wrong} problems")
    assert ran > len(cases) / 2, "hardly anything ran: the comparison is worth nothing"
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], [int(seed) for seed in sys.argv[2:]]))
