"""One new file is a new tool on every surface: run.py SOURCE_TREE.

Copies the tree, adds shout.cc and nothing else, builds the program (nearly all of it out of ccache) and asks every
surface for the tool."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

COPIED = ["src", "include", "cmake", "CMakeLists.txt", "CMakePresets.json"]
DESCRIPTION = "Say a text louder."


def say_shout(tool, key):
    """A listed tool's parameters, after its name and description were found right."""
    assert tool["name"] == "shout" and DESCRIPTION in tool["description"], tool
    schema = tool[key]
    assert schema["type"].lower() == "object" and set(schema["properties"]) >= {"text", "marks"}, tool
    return schema


def by_name(tools):
    found = [tool for tool in tools if tool.get("name") == "shout"]
    assert len(found) == 1, [tool.get("name") for tool in tools]
    return found[0]


class Helve:
    """The program with the new tool, in a workspace and a home of its own."""

    def __init__(self, program, workspace, home):
        self.program = program
        self.workspace = workspace
        self.environment = {"PATH": os.environ["PATH"], "HOME": str(home), "NO_COLOR": "1"}

    def run(self, *words, stdin="", code=0):
        result = subprocess.run([self.program, *words], cwd=self.workspace, env=self.environment, input=stdin,
                                capture_output=True, text=True, timeout=60)
        assert result.returncode == code, f"helve {' '.join(words)}: {result}"
        return result.stdout

    def check_command_line(self):
        assert self.run("fs", "shout", "hello") == "HELLO\n"
        assert json.loads(self.run("fs", "shout", "hello", "--marks", "2", "--json")) == {"shouted": "HELLO!!"}
        assert json.loads(self.run("fs", "shout", "--json", "--input", "-", stdin='{"text":"a"}')) == {"shouted": "A"}
        assert self.run("call", "shout", '{"text":"hello"}') == "HELLO\n"
        self.run("fs", "shout", "hello", "--marks", "10", code=2)

    def check_help(self):
        assert "shout" in self.run("help", "fs")
        for page in (self.run("help", "fs", "shout"), self.run("fs", "shout", "--help")):
            assert DESCRIPTION in page and "--marks" in page, page
        for shell in ("bash", "zsh", "fish"):
            assert "shout" in self.run("completion", shell), shell
        assert "shout" in self.run("man")

    def check_listings(self):
        assert "shout" in self.run("tools", "--format", "text")
        assert "shout" in self.run("tools", "--format", "markdown")
        assert DESCRIPTION in self.run("tools", "--format", "json-tags")
        for name in ("json", "mcp", "anthropic", "openai", "openai-strict", "gemini"):
            listing = json.loads(self.run("tools", "--format", name))
            assert '"shout"' in json.dumps(listing), name
            self.check_format(name, listing)

    def check_format(self, name, listing):
        if name == "anthropic":
            say_shout(by_name(listing), "input_schema")
        elif name in ("openai", "openai-strict"):
            say_shout(by_name([tool.get("function", tool) for tool in listing]), "parameters")
        elif name == "gemini":
            declarations = listing.get("functionDeclarations") if isinstance(listing, dict) else listing
            say_shout(by_name(declarations), "parameters")
        elif name == "mcp":
            say_shout(by_name(listing["tools"] if isinstance(listing, dict) else listing), "inputSchema")

    def check_mcp(self):
        requests = [
            {"id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {},
                                                         "clientInfo": {"name": "test", "version": "1"}}},
            {"method": "notifications/initialized"},
            {"id": 2, "method": "tools/list"},
            {"id": 3, "method": "tools/call", "params": {"name": "shout", "arguments": {"text": "hello"}}},
        ]
        frames = "".join(json.dumps({"jsonrpc": "2.0", **request}) + "\n" for request in requests)
        answers = [json.loads(line) for line in self.run("mcp", "--tools", "all", stdin=frames).splitlines()]
        results = {answer["id"]: answer["result"] for answer in answers if "id" in answer}
        tool = by_name(results[2]["tools"])
        say_shout(tool, "inputSchema")
        assert tool["annotations"]["readOnlyHint"] is True and "outputSchema" in tool, tool
        assert results[3]["structuredContent"] == {"shouted": "HELLO"}, results[3]
        assert results[3]["content"][0]["text"].strip() == "HELLO", results[3]


def build(tree):
    """The program of the tree, and how long it took."""
    started = time.monotonic()
    for command in (["cmake", "--preset", "dev", "-DHELVE_TESTS=OFF"], ["ninja", "-C", "build/dev", "helve"]):
        result = subprocess.run(command, cwd=tree, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if result.returncode != 0:
            sys.exit("\n".join(result.stdout.splitlines()[-40:]))
    return tree / "build" / "dev" / "helve", time.monotonic() - started


def main(source):
    with tempfile.TemporaryDirectory() as name:
        tree, workspace, home = Path(name, "tree"), Path(name, "workspace"), Path(name, "home")
        for directory in (tree, workspace, home):
            directory.mkdir()
        for entry in COPIED:
            copy = shutil.copytree if (source / entry).is_dir() else shutil.copy2
            copy(source / entry, tree / entry)
        shutil.copy2(Path(__file__).parent / "shout.cc", tree / "src" / "tools" / "fs" / "shout.cc")
        program, seconds = build(tree)
        print(f"built in {seconds:.0f} s")
        helve = Helve(program, workspace, home)
        for check in (helve.check_command_line, helve.check_help, helve.check_listings, helve.check_mcp):
            check()
            print(check.__name__, "passed")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
