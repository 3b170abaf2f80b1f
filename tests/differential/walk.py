"""Our walk against `rg --files`, `git check-ignore` and bash's globs, on generated trees: walk.py PROGRAM [SEED…].

Trees, ignore files and patterns come from a seeded generator, so a failure names the seed that repeats it. The
generators leave out what the others do differently on purpose:

- ripgrep takes braces in ignore files for alternatives, drops any white space at the end of a line there, lets a class
  match a slash and knows no [:digit:]; we do as git does. (GIT_WORDS are for git alone.)
- git takes the ** of `a**/b`, but not of `?**/b`, for any directories, against its own manual; ripgrep and we do not.
- ripgrep's global excludes begin at the current directory, git's and ours at the root of the repository.
- ripgrep 13 refuses nested braces and drops empty alternatives; `?` is a byte there. Ours nest, may be empty, and `?`
  is a character, as in bash.
- bash takes `**` without a slash for all paths below, `{a}` for itself, and lists what no glob character names even
  if it does not exist.
- With a glob that includes, ripgrep also shows what is hidden or ignored (`GlobUse::overriding`); the tools filter.
"""

import os
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

NAMES = ["a", "b", "ab", "foo", "bar", "foo.c", "bar.c", "a.o", "b.tar.gz", "x y", "build", "src", "doc", "Foo", "f-o",
         "f#o", "#x", "!x", "a.b.c", "lib", "test", "[x]", "x*", "foo~", ".hid", ".git-like", "trail ", "1", "12", "é.c"]
WORDS = ["a", "b", "foo", "bar", "build", "src", "doc", "lib", "test", "x y", "a.o", "*.c", "*.o", "*", "?", "f*", "*o",
         "[ab]", "[!a]", "[^b]*", "[a-f]*", "*.tar.gz", "*.b.c", "f?o", "\\#x", "\\!x", "*~", "a*b", "**",
         "*a*", "[x", "a**", "[]x]*", "\\[x\\]", ".*", "foo.*"]
GIT_WORDS = WORDS + ["[[:digit:]]*", "[[:alpha:][:digit:]]", "*.{c,o}", "{a,b}", "[z-a]*", "[b-]", "x\\ y", "***", "foo\t",
                     "a\\", "[[:nope:]]*", "[a/b]*", "é*", "?.c", "??.c", "[é].c", "[\\]x]"]
SEEDS = range(1, 31)


def words(rng, vocabulary):
    return [rng.choice(vocabulary) for _ in range(rng.choice([1, 1, 1, 2, 2, 3]))]


def ignore_line(rng, vocabulary):
    """A line as people write them, and as they do not."""
    line = "/".join(words(rng, vocabulary)).replace("a**/", "a*/")
    if rng.random() < 0.2:
        line = "/" + line
    if rng.random() < 0.2:
        line = "**/" + line
    if rng.random() < 0.15:
        line += rng.choice(["/**", "/*"])
    if rng.random() < 0.25:
        line += "/"
    if rng.random() < 0.25:
        line = "!" + line
    return line


def ignore_file(rng, vocabulary):
    lines = [ignore_line(rng, vocabulary) for _ in range(rng.randint(1, 5))]
    if rng.random() < 0.3:
        lines.insert(rng.randrange(len(lines)), rng.choice(["# note", "", "foo   ", "trail\\ "]))
    return rng.choice(["\n", "\n", "\r\n"]).join(lines) + rng.choice(["\n", ""])


def fill(rng, directory, depth, ignore_names, vocabulary):
    for name in rng.sample(NAMES, rng.randint(1, 7)):
        path = directory / name
        if depth > 0 and rng.random() < 0.4:
            path.mkdir()
            fill(rng, path, depth - 1, ignore_names, vocabulary)
        elif rng.random() < 0.05:
            path.symlink_to(rng.choice(["a", "..", "nowhere"]))
        else:
            path.write_text("x\n")
    for name in ignore_names:
        if rng.random() < 0.3:
            (directory / name).write_text(ignore_file(rng, vocabulary))


def run(command, cwd, stdin=None):
    return subprocess.run(command, cwd=cwd, input=stdin, capture_output=True, timeout=60)


def names(output):
    return sorted(name for name in output.split(b"\0") if name)


class Comparison:
    def __init__(self, program, home):
        self.program, self.failures, self.count = program, [], 0
        self.environment = dict(os.environ, HOME=str(home), XDG_CONFIG_HOME=str(home / "config"), LC_ALL="C.UTF-8",
                                GIT_CONFIG_NOSYSTEM="1")
        os.environ.update(self.environment)

    def ours(self, tree, *options):
        result = run([self.program, ".", *options], tree)
        if result.returncode != 0:
            return [f"exit {result.returncode}: {result.stderr.decode()}".encode()]
        return names(result.stdout)

    def expect(self, what, expected, found):
        self.count += 1
        if expected == found:
            return
        missing, extra = sorted(set(expected) - set(found)), sorted(set(found) - set(expected))
        self.failures.append(f"{what}\n  missing: {missing[:8]}\n  too many: {extra[:8]}")

    def ripgrep(self, seed, tree, start, *options):
        command = ["rg", "--files", "--no-messages", "--null", *options]
        expected = names(run(command, tree / start).stdout)
        self.expect(f"seed {seed}: {' '.join(command)} in {start or '.'}", expected, self.ours(tree / start, *options))

    def git(self, seed, tree):
        """A file is in our walk unless git ignores it or a directory above it."""
        files = []
        for directory, directories, here in os.walk(tree):
            if ".git" in directories:
                directories.remove(".git")
            files += [os.path.relpath(os.path.join(directory, f), tree) for f in here
                      if not os.path.islink(os.path.join(directory, f))]
        stdin = "\0".join(files).encode() + b"\0"
        result = run(["git", "check-ignore", "--no-index", "--stdin", "-z"], tree, stdin)
        ignored = set(names(result.stdout))
        expected = sorted(f.encode() for f in files if f.encode() not in ignored)
        ours = [f for f in self.ours(tree, "--hidden") if not f.startswith(b".git/")]
        self.expect(f"seed {seed}: git check-ignore", expected, ours)

    def bash(self, seed, tree, pattern):
        """Everything that is not a link, hidden names too."""
        script = 'shopt -s globstar dotglob nullglob; printf "%s\\0" ' + pattern
        found = [f.rstrip(b"/") for f in names(run(["bash", "-c", script], tree).stdout)]
        expected = sorted({f for f in found if self.is_there(os.fsencode(tree), f)})
        ours = self.ours(tree, "--hidden", "--no-ignore", "--any", "--filter", "-g", "./" + pattern)
        self.expect(f"seed {seed}: bash {pattern}", expected, ours)

    @staticmethod
    def is_there(tree, path):
        """Bash follows a link that a pattern names; we do not."""
        parts = path.split(b"/")
        above = [os.path.join(tree, *parts[:i]) for i in range(1, len(parts))]
        return os.path.lexists(os.path.join(tree, path)) and not any(os.path.islink(a) for a in above)


def glob(rng):
    """Without what a shell would take for something else."""
    segments = [w for w in words(rng, WORDS + ["[[:digit:]]*", "é*", "?.c"]) if not set(w) & set(" #!~\\") and w not in ("[x", "**")] or ["*"]
    if rng.random() < 0.3:
        segments.insert(rng.randrange(len(segments)), "**")
    if rng.random() < 0.3:
        segments[-1] += rng.choice(["{.c,.o}", "{a,b}*", "{,.c}"])
    return "/".join(segments)


def ripgrep_glob(rng):
    pattern = "/".join(words(rng, WORDS))
    if rng.random() < 0.3:
        pattern = rng.choice(["*.{c,o}", "{src,doc}/**", "**/*.{gz,c}", "/*", "src/**/*.c", "{foo,bar}*"])
    return ("!" if rng.random() < 0.3 else "") + pattern + ("/" if rng.random() < 0.1 else "")


def compare_with_ripgrep(comparison, rng, seed, tree, excludes):
    below = next((d.name for d in sorted(tree.iterdir()) if d.is_dir() and not d.is_symlink() and d.name != ".git"), "")
    for start in {"", "" if "/" in excludes else below}:
        for options in [], ["--hidden"], ["--no-ignore"], ["--no-ignore", "--hidden"]:
            comparison.ripgrep(seed, tree, start, *options)
    for _ in range(3):
        patterns = [p for p in (ripgrep_glob(rng), ripgrep_glob(rng)) if "[x" not in p.replace("\\[x\\]", "")]
        for pattern in patterns:
            comparison.ripgrep(seed, tree, "", "-g", pattern)
        comparison.ripgrep(seed, tree, "", "--hidden", *[word for p in patterns for word in ("-g", p)])


def compare(comparison, seed, tree, home):
    """Every fourth tree is no repository; every third is written for git alone; half of the rest have all ignore files."""
    rng = random.Random(seed)
    in_git, only_git = seed % 4 != 0, seed % 3 == 0 and seed % 4 != 0
    vocabulary = GIT_WORDS if only_git else WORDS
    ignore_names = [".gitignore"] if only_git or seed % 2 else [".gitignore", ".ignore", ".rgignore"]
    excludes = home / "config" / "git" / "ignore"
    excludes.parent.mkdir(parents=True, exist_ok=True)
    excludes.write_text(ignore_file(rng, vocabulary) if rng.random() < 0.3 else "")
    fill(rng, tree, 3, ignore_names, vocabulary)
    if in_git:
        run(["git", "init", "-q"], tree)
        (tree / ".git/info/exclude").write_text(ignore_file(rng, vocabulary) if rng.random() < 0.3 else "")
    if not only_git:
        compare_with_ripgrep(comparison, rng, seed, tree, excludes.read_text())
    if in_git and ignore_names == [".gitignore"]:
        comparison.git(seed, tree)
    for _ in range(6):
        comparison.bash(seed, tree, glob(rng))


def main():
    program, seeds = sys.argv[1], [int(s) for s in sys.argv[2:]] or SEEDS
    top = Path(tempfile.mkdtemp(prefix="helve-differential-"))
    try:
        comparison = Comparison(program, top / "home")
        for seed in seeds:
            tree = top / str(seed)
            tree.mkdir()
            compare(comparison, seed, tree, top / "home")
            if len(sys.argv) == 2:
                shutil.rmtree(tree)
    finally:
        if len(sys.argv) == 2:
            shutil.rmtree(top)
        else:
            print(f"the trees are kept in {top}")
    for failure in comparison.failures[:20]:
        print(failure)
    print(f"{comparison.count} comparisons, {len(comparison.failures)} differ")
    sys.exit(1 if comparison.failures else 0)


if __name__ == "__main__":
    main()
