"""Installs a build and builds examples/embed against it: run.py BUILD_DIRECTORY EXAMPLE_DIRECTORY."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

CALLS = """\
Hello, world!
Hello, world!
{"greetings":["Hello, world!","Hello, world!"]}
"""
# Below share/.
PAGES = ["man/man1/helve.1", "bash-completion/completions/helve", "zsh/site-functions/_helve",
         "fish/vendor_completions.d/helve.fish"]
# What the second, wrong call must be told about.
COMPLAINTS = ["nmae", "name", "times"]
REQUESTS = [
    {"jsonrpc": "2.0", "id": 1, "method": "initialize",
     "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}},
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "greet", "arguments": {"name": "you"}}},
]


def run(*command, **options):
    """The command's standard output; a failure shows all it said."""
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=600, **options)
    if result.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit code {result.returncode}\n{result.stdout}{result.stderr}")
    return result.stdout


def main(build, example):
    with tempfile.TemporaryDirectory() as name:
        prefix, tree = Path(name, "prefix"), Path(name, "build")
        run("cmake", "--install", build, "--prefix", prefix)
        assert run(prefix / "bin" / "helve", "--version").startswith("helve ")
        for page in PAGES:
            assert "helve" in (prefix / "share" / page).read_text(), page
        run("cmake", "-S", example, "-B", tree, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug",
            f"-DCMAKE_PREFIX_PATH={prefix}")
        run("cmake", "--build", tree)

        said = run(tree / "embed")
        assert said.startswith(CALLS), said
        for complaint in COMPLAINTS:
            assert complaint in said.removeprefix(CALLS), said

        frames = "".join(json.dumps(request) + "\n" for request in REQUESTS)
        answers = [json.loads(line) for line in run(tree / "embed", "mcp", input=frames).splitlines()]
        called = next(answer for answer in answers if answer.get("id") == 2)
        assert called["result"]["structuredContent"] == {"greetings": ["Hello, you!"]}, called
    print("the example builds against the installed library and runs")


if __name__ == "__main__":
    main(*sys.argv[1:3])
