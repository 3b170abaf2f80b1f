"""A list that allows `echo` allows nothing else, through the real server: smart approvals, and a client that can ask nobody.

Each string tries to make the file `hit`. It must be refused and make nothing; without approvals it makes the file: otherwise it
would prove nothing.

allowed.py HELVE
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HELVE = os.path.abspath(sys.argv[1])
BYPASSES = r"""
echo a; touch hit
echo a;touch hit
echo a && touch hit
false || touch hit
echo a || true && touch hit
echo a | touch hit
echo a |& touch hit
echo a & touch hit
echo "a"; touch hit; echo "b"
echo "\\"; touch hit; echo ""
echo 'a'; touch hit; echo 'b'
echo $(touch hit)
echo "$(touch hit)"
echo `touch hit`
echo "`touch hit`"
echo $(echo $(touch hit))
echo ${x:-$(touch hit)}
echo "${x:-`touch hit`}"
echo $(cat <(touch hit))
echo <(touch hit); wait $!
echo >(touch hit); wait $!
echo $((a[$(touch hit)0]))
echo ${a[$(touch hit)0]}
echo a > hit
echo a >> hit
echo a >| hit
echo a &> hit
echo a >& hit
echo a 1<> hit
echo a {f}> hit
> hit echo a
echo a>hit
touch${IFS}hit
$'\x74ouch' hit
t"ou"ch hit
{touch,hit}
$(echo touch) hit
${x:-touch} hit
a=touch; $a hit
/b?n/to*ch hit
(touch hit)
{ touch hit; }
! touch hit
time touch hit
if echo; then touch hit; fi
for i in a; do touch hit; done
until touch hit; do echo; done
case a in a) touch hit;; esac
f() { touch hit; }; f
echo() { touch hit; }; echo a
coproc touch hit; wait
env touch hit
env -S 'touch hit'
nice touch hit
timeout 5 touch hit
echo hit | xargs touch
bash -c 'touch hit'
echo 'touch hit' | bash
bash <<< 'touch hit'
eval touch hit
eval 'echo; touch hit'
exec touch hit
command touch hit
builtin eval touch hit
trap 'touch hit' EXIT
find . -maxdepth 0 -exec touch hit \;
find kept -execdir touch hit \;
find . -maxdepth 0 -fprint hit
sort -o hit /dev/null
sort --output=hit /dev/null
git diff --no-index --output=hit /dev/null /dev/null
awk 'BEGIN { system("touch hit") }'
awk 'BEGIN { print > "hit" }'
""".strip().splitlines()
BYPASSES += ["echo a\ntouch hit", "echo a #\ntouch hit", "echo a \\\n; touch hit", "cat <<E > hit\na\nE", "cat <<E\n$(touch hit)\nE",
             "echo a\r\ntouch hit"]
DENIED = "true; " * 60 + "rm kept"


class Server:
    def __init__(self, home, root, settings):
        (home / "config.yaml").write_text(json.dumps(settings))
        environment = {"PATH": os.environ["PATH"], "HOME": str(home), "HELVE_CONFIG": str(home / "config.yaml")}
        self.process = subprocess.Popen([HELVE, "mcp", "--root", str(root), "--tools", "all"], env=environment,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}})
        self.send({"method": "notifications/initialized"})

    def send(self, message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, method, params):
        self.send({"id": 1, "method": method, "params": params})
        while (message := json.loads(self.process.stdout.readline())).get("id") != 1:
            pass
        return message["result"]

    def error_of(self, tool, command, **more):
        result = self.ask("tools/call", {"name": tool, "arguments": {"command": command, **more}})
        return result.get("_meta", {}).get("helve/error", {}).get("error_type")

    def close(self):
        self.process.stdin.close()
        self.process.wait(60)
        self.process.stdout.close()


class AllowList(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="helve-allowed-")
        self.addCleanup(directory.cleanup)
        self.home = pathlib.Path(directory.name)
        self.root = self.home / "work"
        self.root.mkdir()
        (self.root / "kept").touch()

    def serve(self, **settings):
        server = Server(self.home, self.root, settings)
        self.addCleanup(server.close)
        return server

    def has_hit(self):
        """Whether it is there; it is gone then."""
        there = (self.root / "hit").exists()
        (self.root / "hit").unlink(missing_ok=True)
        return there

    def test_nothing_walks_around_it(self):
        self.assertGreaterEqual(len(BYPASSES), 60)
        server = self.serve(approvals={"mode": "smart"}, commands=[{"pattern": "echo *", "verdict": "allow"}])
        self.assertIsNone(server.error_of("exec", "echo a"))
        for command in BYPASSES:
            with self.subTest(command):
                self.assertEqual(server.error_of("exec", command, shell="bash"), "approval_required")
                self.assertEqual(server.error_of("bash", command), "approval_required")
                self.assertFalse(self.has_hit())

    def test_each_would_do_its_harm_were_it_not_refused(self):
        server = self.serve(approvals={"mode": "off"})
        harmless = [command for command in BYPASSES
                    if server.error_of("exec", command, shell="bash") is not None or not self.has_hit()]
        self.assertEqual(harmless, [])

    def test_a_denied_command_is_found_behind_sixty_others(self):
        server = self.serve(approvals={"mode": "off"}, commands=[{"pattern": "true", "verdict": "allow"},
                                                                 {"pattern": "rm *", "verdict": "deny"}])
        self.assertEqual(server.error_of("exec", DENIED), "forbidden_command")
        self.assertEqual(server.error_of("bash", DENIED), "forbidden_command")
        self.assertTrue((self.root / "kept").exists())


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
