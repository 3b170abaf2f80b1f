"""What our parser sees in a script, against what bash takes and runs: shell_test.py PROGRAM [SEED…].

No program can run: PATH is empty, and bash hands each command that it does not find, with its expanded words, to a
function that notes it. (Dash is asked about the scripts of the corpus, as other shells take some of them differently.) Each of those must be a command that our parser saw; a word that varies stands for any words.
A script that bash refuses is malformed or unknown to us, and none that bash takes is malformed. Scripts come from shell_corpus.txt and from a seeded generator, so that a
failure names the seed that repeats it.
"""

import json
import random
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

SEEDS = range(1, 41)
SCRIPTS_OF_A_SEED = 12
ALONE_OF_A_SEED = 8
CORPUS = Path(__file__).with_name("shell_corpus.txt")
# `no` fails, so that loops end; everything else that bash does not know succeeds.
PROLOGUE = """command_not_found_handle() { printf '%s\\0' "$@" >"$SHELL_LOG/$BASHPID"; [ "$1" != no ]; }
trap wait EXIT
"""

MARKS = " ;&|()<>{}\"'`$#\\\n!=[]*?-\t\r"
MUTANTS_OF_A_SEED = 12
# Bash 5.2 loses separators there, so it does not run what it took; we say that we are not sure.
BEHIND = "commands behind a here-document in a substitution"


def corpus():
    """Each script with its kind: '' must be taken and known, '!' refused, '?' taken but perhaps unknown."""
    kind, lines, found = None, [], []
    for line in CORPUS.read_text().splitlines(keepends=True) + ["----"]:
        if not line.startswith("----"):
            lines.append(line)
            continue
        if kind is not None:
            found.append((kind, "".join(lines).removesuffix("\n")))
        kind, lines = line[4:5].strip(), []
    return found


class Generator:
    """Scripts in which bash runs every command, so that none may be missing and none invented."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.count = 0

    def pick(self, *choices):
        return self.rng.choice(choices)

    def name(self):
        self.count += 1
        return f"c{self.count}"

    def piece(self, depth):
        words = ["a", "b-c", "--x=y", "a.b", "'q r'", '"s t"', "\\;", "''", "a'b'\"c\"", "$'x\\ty'", "a\\\nb", "é", "%", "#x"[1:],
                 '"a\nb"', "'#'", "a#b", "=", "a=b", "@", "'$(x)'", '"\\$(x)"', "{}", "x]", "\\'", '"\'"', "'\"'", "\r", "a\rb"]
        if depth <= 0 or self.rng.random() < 0.7:
            return self.pick(*words)
        inner = self.script(depth - 1) + self.pick("\n", "\n# )\n")
        return self.pick(f"$( {inner})", f'"$( {inner})"', f'"x$( {inner})y"', f"${{u-$( {inner})}}", f'"${{u:-$( {inner})}}"',
                         f"<( {inner})", f"$( ( {inner}) )", "$u", '"$u"', "$((1+2))", "`" + self.name() + " a`")

    def simple(self, depth):
        words = [self.name()] + [self.piece(depth) for _ in range(self.rng.randint(0, 4))]
        if self.rng.random() < 0.2:
            words.insert(self.rng.randrange(len(words) + 1), self.pick(">out", "2>&1", "</dev/null", "&>out", "2>out", "<<<x", ">>out"))
        if self.rng.random() < 0.15:
            words.insert(0, self.pick("A=1", "B='x y'", "C=$(" + self.name() + ")", "D+=x"))
        return self.pick(" ", " ", "  ", "\t", " \\\n").join(words)

    def command(self, depth):
        if depth <= 0 or self.rng.random() < 0.5:
            return self.simple(depth)
        inner, other = self.script(depth - 1), self.script(depth - 1)
        return self.pick(f"( {inner}\n)", f"{{ {inner}\n}}", f"if {inner}\nthen {other}\nfi", f"if no; then :\nelse {inner}\nfi",
                         f"for i in a; do {inner}\ndone", f"case x in x) {inner}\n;; esac", f"while {inner}\nno; do :; done",
                         f"until {inner}\ndo :; done", f"case $({self.name()}) in *) {inner}\n;; esac",
                         f"[[ -n x ]] && {{ {inner}\n}}", f"f{self.count}() {{ {inner}\n}}; f{self.count}",
                         f"[[ $({self.name()}) == @(a|b) ]] || {self.simple(depth - 1)}",
                         f"{self.name()} <<E\n$({self.name()}) x\nE", f"{self.name()} <<-'E' x\n\t$(z) `z`\n\tE",
                         f"{self.name()} <<E | {self.name()} y\nx `{self.name()}`\nE", f"! {self.name()} | no")

    def script(self, depth):
        parts = [self.command(depth) for _ in range(self.rng.randint(1, 3))]
        text = parts[0]
        for part in parts[1:]:
            text += self.pick("\n", "\n# it's \\\n", "\n\n") if "<<" in text or text.endswith("no") else self.pick(
                "; ", "\n", " && ", "\n", " ;\\\n", " # ; c\n")
            text += part
        return text


def mutant(rng, scripts):
    """A script in which some of the characters that mean something are gone, doubled or new."""
    text = rng.choice(scripts)
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(text) + 1)
        marks = [i for i, c in enumerate(text) if c in MARKS]
        if marks and rng.random() < 0.4:
            at = rng.choice(marks)
            text = text[:at] + text[at + 1:]
        else:
            text = text[:at] + rng.choice(MARKS) + text[at:]
    return text


def run_bash(arguments, directory, environment):
    # `timeout` ends what hangs; it is named by its path because no program can be found by name.
    return subprocess.run(["/usr/bin/timeout", "10", "/bin/bash", "--norc", *arguments], cwd=directory, env=environment,
                          stdin=subprocess.DEVNULL, capture_output=True)


def run_dash(script):
    """What another shell runs of it, which has no function for commands that are not found: the names c1 to c9 are there."""
    with tempfile.TemporaryDirectory() as directory:
        log, programs, work = (Path(directory, name) for name in ("log", "programs", "work"))
        for each in (log, programs, work):
            each.mkdir()
        for name in [f"c{number}" for number in range(1, 10)]:
            program = programs / name
            program.write_text(f"#!/bin/bash\nprintf '%s\\0' {name} \"$@\" > {log}/$$\n")
            program.chmod(0o755)
        subprocess.run(["/usr/bin/timeout", "5", "/bin/dash", "-c", "--", script], cwd=work, stdin=subprocess.DEVNULL,
                       env={"PATH": str(programs), "HOME": "/nonexistent/home", "LC_ALL": "C.UTF-8"}, capture_output=True)
        notes = [note for note in (file.read_bytes() for file in log.iterdir()) if note]
    return [[word.decode(errors="surrogateescape") for word in note.split(b"\0")[:-1]] for note in notes]


def alone_problems(shell, noted, words, ran):
    """What is one command with known words runs exactly so, if its name is one that is noted."""
    words = words and [unescaped(word) for word in words]
    if words and re.fullmatch(noted, words[0]) and ran != [words]:
        yield f"alone it is {words}, but {shell} ran {ran}"


def dash_problems(script, ours, ran):
    yield from alone_problems("dash", "c[1-9]", ours["sh_alone"], ran)
    if ours["sh_doubted"]:
        return
    for command in ran:
        if not any(fits(pattern, command) for pattern in ours["commands"]):
            yield f"dash ran {command}, which we do not see"


def run_script(script):
    """Whether bash takes it, and the commands that it ran."""
    with tempfile.TemporaryDirectory() as directory:
        log = Path(directory, "log")  # a file for each: two commands of a pipe run at the same time
        log.mkdir()
        environment = {"PATH": "/nonexistent", "HOME": "/nonexistent/home", "SHELL_LOG": str(log), "LC_ALL": "C.UTF-8"}
        taken = run_bash(["-n", "-c", "--", script], directory, environment).returncode == 0
        if not taken:
            return False, []
        run_bash(["-c", "--", PROLOGUE + script], directory, environment)
        # A note that somebody was still about to write is empty.
        notes = [note for note in (file.read_bytes() for file in log.iterdir()) if note]
    return True, [[word.decode(errors="surrogateescape") for word in note.split(b"\0")[:-1]] for note in notes]


def fits(pattern, words):
    """Whether these words are what `pattern` stands for; None in it is any words."""
    if not pattern:
        return not words
    if pattern[0] is None:
        return any(fits(pattern[1:], words[skip:]) for skip in range(len(words) + 1))
    return bool(words) and unescaped(pattern[0]) == words[0] and fits(pattern[1:], words[1:])


def unescaped(text):
    return text.replace("\\\\", "\\")


def problems_of(kind, script, ours, bash):
    taken, ran = bash
    yield from alone_problems("bash", r"c\d+", ours["alone"], ran)
    if kind == "!" and taken:
        yield "bash takes it: it stands in the wrong place of the corpus"
    # Of what is wrong in [[ ]] and for (( )) bash says nothing until it runs, and we do not look for it.
    odd = kind == "mutant" and ("[[" in script or "for ((" in script)
    if taken and ours["malformed"] and not odd:
        yield f"bash takes it, we do not: {ours['unknowns']}"
    if not taken and not ours["malformed"] and not ours["unknowns"] and not odd:
        yield "bash does not take it, we do"
    if not taken:
        return
    if kind not in ("?", "mutant") and set(ours["unknowns"]) - {BEHIND}:
        yield f"unknown to us: {ours['unknowns']}"
    if ours["unknowns"]:
        return
    for command in ran:
        if not any(fits(pattern, command) for pattern in ours["commands"]):
            yield f"bash ran {command}, which we do not see"
    if kind == "all":
        names = {command[0] for command in ran}
        for pattern in ours["commands"]:
            if pattern[0] is not None and pattern[0].startswith("c") and pattern[0] not in names:
                yield f"we see {pattern}, which bash did not run"


def our_view(program, scripts):
    data = b"".join(script.encode(errors="surrogateescape") + b"\0" for script in scripts)
    lines = subprocess.run([program], input=data, capture_output=True, check=True).stdout.splitlines()
    return [json.loads(line) for line in lines]


def main(program, seeds):
    cases = [(kind, script, f"corpus: {script!r}") for kind, script in corpus()] if not seeds else []
    for seed in seeds or SEEDS:
        generator = Generator(seed)
        for depth in [3] * SCRIPTS_OF_A_SEED + [0] * ALONE_OF_A_SEED:
            script = generator.script(depth) if depth else generator.simple(depth)
            cases.append(("all", script, f"seed {seed}: {script!r}"))
        # Without functions: one that calls itself twice would never end.
        kept = [text for text in [each[1] for each in cases] if "()" not in text and "function" not in text and len(text) < 200]
        cases += [("mutant", text, f"seed {seed}, mutant: {text!r}")
                  for text in (mutant(generator.rng, kept) for _ in range(MUTANTS_OF_A_SEED)) if "()" not in text]
    views = our_view(program, [script for _, script, _ in cases])
    assert len(views) == len(cases), "one answer for each script"
    with ThreadPoolExecutor(max_workers=2) as pool:
        runs = list(pool.map(run_script, [script for _, script, _ in cases]))
    wrong = 0
    for (kind, script, name), ours, bash in zip(cases, views, runs):
        for problem in problems_of(kind, script, ours, bash):
            wrong += 1
            print(f"{name}\n  {problem}\n  we see {ours['commands']}")
    # Scripts with names that dash finds, which those of the corpus and their mutants have.
    dash = [(name, script, ours) for (kind, script, name), ours in zip(cases, views) if kind != "all" and "c10" not in script]
    with ThreadPoolExecutor(max_workers=2) as pool:
        dash_runs = list(pool.map(run_dash, [script for _, script, _ in dash]))
    for (name, script, ours), commands in zip(dash, dash_runs):
        for problem in dash_problems(script, ours, commands):
            wrong += 1
            print(f"{name}\n  {problem}\n  we see {ours['commands']}")
    ran = sum(len(commands) for _, commands in runs)
    assert seeds or sum(ours["alone"] is not None for ours in views) > 100, "hardly any command stood alone"
    print(f"{len(cases)} scripts, {ran} commands that bash ran, {sum(map(len, dash_runs))} that dash ran, {wrong} problems")
    assert ran > len(cases), "hardly anything ran: the comparison is worth nothing"
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], [int(seed) for seed in sys.argv[2:]]))
