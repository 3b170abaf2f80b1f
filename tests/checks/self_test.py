"""The checks find what they are there to find, and let good code pass."""

import io
import json
import tempfile
import unittest
from contextlib import redirect_stdout
from pathlib import Path

import changelog
import file_sizes
import format as formatting
import generated_docs
import headers
import layers
import readme
import residue
import source
import stdout
import tool_tests
import try_use
import waists

GOOD_LAYERS = "# comment\nbase:\ntool: base\napp: base tool\n"
GOOD_TREE = {
    "src/LAYERS": GOOD_LAYERS,
    "src/base/error.h": "#pragma once\n",
    "src/tool/tool.h": '#include "base/error.h"\n',
    "src/app/main.cc": '#include "base/error.h"\n#include "tool/tool.h"\n',
}


class Checks(unittest.TestCase):
    def found(self, check, files):
        """What a check says about a tree of these files, its prints aside."""
        with tempfile.TemporaryDirectory() as name, redirect_stdout(io.StringIO()):
            for path, text in files.items():
                file = Path(name, path)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text)
            return check.check(Path(name))

    def expect(self, check, files, *starts):
        problems = self.found(check, files)
        self.assertEqual(len(problems), len(starts), problems)
        for problem, start in zip(problems, starts):
            self.assertTrue(problem.startswith(start), problem)

    def test_layers_pass_when_includes_follow_them(self):
        self.expect(layers, GOOD_TREE)

    def test_layers_refuse_an_include_upwards(self):
        self.expect(layers, GOOD_TREE | {"src/base/error.h": '\n#include "tool/tool.h"\n'}, "src/base/error.h:2: 'base'")

    def test_layers_refuse_an_include_that_is_not_written_from_src(self):
        self.expect(layers, GOOD_TREE | {"src/base/text.cc": '#include "error.h"\n'}, "src/base/text.cc:1: no file")

    def test_layers_refuse_a_dependency_nobody_uses(self):
        self.expect(layers, GOOD_TREE | {"src/tool/tool.h": "\n"}, "src/LAYERS: 'tool' no longer includes 'base'")

    def test_layers_refuse_a_cycle_and_an_unknown_folder(self):
        tree = GOOD_TREE | {"src/LAYERS": "base: tool\ntool: base\napp: base tool\n", "src/new/a.h": "\n",
                            "src/base/error.h": '#include "tool/tool.h"\n'}
        self.expect(layers, tree, "src/LAYERS:1: 'base' names 'tool'", "src/new: has no line")

    def test_headers_must_compile_alone(self):
        with tempfile.TemporaryDirectory() as name:
            root = Path(name)
            (root / "src").mkdir()
            (root / "src/good.h").write_text("#pragma once\ninline int good() { return 1; }\n")
            (root / "src/bad.h").write_text("#pragma once\nint bad(std::string text);\n")
            commands = root / "compile_commands.json"
            commands.write_text(json.dumps([{"file": "src/base/error.cc", "command": f"c++ -I{root}/src -c error.cc"}]))
            problems = headers.check(root, commands, root / "output")
        self.assertEqual([problem.split(":")[0] for problem in problems], ["src/bad.h"], problems)

    def test_format_refuses_what_clang_format_would_change(self):
        style = {".clang-format": "BasedOnStyle: Google\n", "src/a.cc": "int a = 1;\n"}
        self.expect(formatting, style)
        self.expect(formatting, style | {"src/b.cc": "int a;\nint  b;\n"}, "src/b.cc:2: not as clang-format")

    def test_waists_refuse_binding_and_running_outside_dispatch(self):
        code = "Tool t;\nauto b = t.bind(json);\n(*b)->run(context);\nstd::unique_ptr<Bound> kept;\nbound->run(x);\n"
        self.expect(waists, {"src/cli/a.cc": code}, "src/cli/a.cc:2", "src/cli/a.cc:4", "src/cli/a.cc:5", "src/cli/a.cc:3")

    def test_waists_let_dispatch_statements_and_derived_classes_be(self):
        self.expect(waists, {
            "src/dispatch/a.cc": "Tool t; t.bind(json);",
            "src/store/a.cc": "statement.bind(1, text); loop.run();",
            "src/mcp/a.cc": "class Remote final : public Bound {}; Tool t; t.bind = f;  // tool.bind(x)",
        })

    def test_stdout_is_refused_in_every_spelling(self):
        code = 'std::cout << 1;\nprintf("x");\nputs("x");\nwrite(1, p, n);\nfmt::print("x");\nuse(STDOUT_FILENO);\n'
        self.expect(stdout, {"src/base/a.cc": code}, *[f"src/base/a.cc:{line}" for line in range(1, 7)])

    def test_stdout_is_allowed_where_it_belongs_and_in_words(self):
        self.expect(stdout, {
            "src/app/main.cc": "std::cout << 1;",
            "src/cli/output.cc": "fwrite(p, 1, n, stdout);",
            "src/base/a.cc": 'snprintf(b, n, "x"); fprintf(stderr, "stdout"); fmt::print(stderr, "x"); log("printf(");'
                             "dup2(fd, STDOUT_FILENO);",
        })

    def test_residue_is_found(self):
        mark = "TO" + "DO"
        self.expect(residue, {
            "src/a.cc": f"int x;  // {mark} later\n",
            "docs/a.md": "see /wor" + "k/main\n",
            "package-lock.json": '"resolved": "http://mirror.local/x.tgz"',
        }, "package-lock.json:1", "docs/a.md:1", "src/a.cc:1")

    def test_residue_lets_words_be(self):
        self.expect(residue, {"README.md": "helve fs grep TO" + "DO src\n/home/me/notes\n${x}/root/y\n"})

    def test_sizes_fail_over_the_limit_only(self):
        self.expect(file_sizes, {"src/a.cc": "\n" * 801, "src/b.cc": "\n" * 800}, "src/a.cc:801")

    def test_tools_need_their_cases(self):
        self.expect(tool_tests, {"src/tools/fs/ls.cc": "", "src/tools/fs/read.cc": "", "tests/tools/ls.txt": ""},
                    "src/tools/fs/read.cc:1")

    def test_try_is_refused_in_a_braced_list(self):
        self.expect(try_use, {"src/a.cc": "auto a = TRY(f());\nreturn Pair{a, b};\n"})
        self.expect(try_use, {"src/a.cc": "auto a = f();\nreturn Pair{a, TRY(g())};\n"}, "src/a.cc:2")

    def test_pages_differ_from_what_the_program_says(self):
        with tempfile.TemporaryDirectory() as name:
            root = Path(name)
            (root / "docs").mkdir()
            for page, words in generated_docs.PAGES.items():
                (root / page).write_text(generated_docs.COMMENT + " ".join(words) + "\n")
            self.assertEqual(generated_docs.check(root, "echo"), [])
            (root / "docs/tools.md").write_text("old\n")
            self.assertTrue(generated_docs.check(root, "echo")[0].startswith("docs/tools.md:1"))

    def test_readme_shows_a_tool_that_is_built(self):
        tree = {"README.md": "text\n```cpp\nint shout;\n```\n", "tests/dropin/shout.cc": "int shout;\n"}
        self.expect(readme, tree)
        self.expect(readme, tree | {"tests/dropin/shout.cc": "int whisper;\n"}, "README.md:3")

    def test_changelog_begins_with_unreleased(self):
        self.expect(changelog, {"CHANGELOG.md": "# Changelog\n\n## [Unreleased]\n\n## 0.1.0\n"})
        self.expect(changelog, {"CHANGELOG.md": "# Changelog\n\n## 0.1.0\n"}, "CHANGELOG.md:1")

    def test_literals_and_comments_are_blanked_line_for_line(self):
        text = "a 10'000 'c' \"s\\\"\" /* x\ny */ b // z\nR\"x(raw\n)x\" c\n"
        self.assertEqual(source.code_only(text).split(), ["a", "10'000", "b", "c"])
        self.assertEqual(source.code_only(text).count("\n"), text.count("\n"))


if __name__ == "__main__":
    unittest.main()
