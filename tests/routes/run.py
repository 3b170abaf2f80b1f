"""Commands that run elsewhere: through a real sshd on loopback, here outside of the sandbox, and through a program that
stands in for docker and tells how it was called.

run.py HELVE [TEST…]
"""

import json
import os
import subprocess
import sys
import time
import unittest

import machine

HELVE = os.path.abspath(sys.argv[1])
HOSTILE = ["a; touch HIT", "$(touch HIT)", "`touch HIT`", "*", "~", "it's", '"', "a\nb", "a\\", "&& touch HIT", "", "-x",
           "$HOME", "> HIT", "{a,b}", "#", "!!", "é\t|"]


def quoted(word):
    return "'" + word.replace("'", "'\\''") + "'"


class RouteTest(unittest.TestCase):
    def setUp(self):
        directory = machine.temporary()
        self.addCleanup(directory.cleanup)
        self.machine = machine.Machine(HELVE, machine.real(directory.name))
        self.work = self.machine.work

    def configure(self, *routes, **more):
        self.machine.configure(*routes, **more)

    def exec(self, command, *flags, **more):
        return self.machine.exec(command, *flags, **more)

    def assert_refused(self, result, kind, *parts):
        error = json.loads(result.out).get("error", {})
        self.assertEqual(error.get("error_type"), kind, result)
        for part in parts:
            self.assertIn(part, error["message"] + " / " + error.get("hint", ""))


class Ssh(RouteTest):
    @classmethod
    def setUpClass(cls):
        directory = machine.temporary()
        cls.addClassCleanup(directory.cleanup)
        cls.there = machine.real(directory.name)
        cls.sshd = machine.Sshd(cls.there)
        cls.addClassCleanup(cls.sshd.close)

    def route(self, *commands, **more):
        return {"name": "builder", "commands": list(commands), "via": "ssh", "host": "127.0.0.1", "user": machine.USER,
                "port": self.sshd.port, "key": str(self.there / "open"),
                "known_hosts": str(self.there / "known_hosts"), **more}

    def test_output_and_exit_code_are_those_of_the_other_side(self):
        self.configure(self.route("sh"))
        result = self.exec(r"""sh -c 'echo "on $SSH_CONNECTION"; echo err >&2; exit 7'""")
        self.assertEqual(result.code, 7, result)
        self.assertEqual(result["exit_code"], 7)
        self.assertIn("on 127.0.0.1 ", result["output"])
        self.assertIn("err\n", result["output"])

    def test_other_commands_stay_in_the_sandbox(self):
        self.configure(self.route("sh"))
        self.assertEqual(self.exec('printf "<%s>" "$SSH_CONNECTION"')["output"], "<>")

    def test_it_runs_outside_of_the_sandbox_that_is_here(self):
        self.configure(self.route("touch"))
        made = self.there / "made"
        self.assertEqual(self.exec(f"touch {made}").code, 0)
        self.assertTrue(made.exists())

    def test_standard_input_gets_there(self):
        self.configure(self.route("cat"))
        self.assertEqual(self.exec("cat", "--input", "some\ntext")["output"], "some\ntext")
        self.assertEqual(self.exec("cat")["output"], "")

    def test_arguments_get_there_as_they_are(self):
        self.configure(self.route("printf"))
        result = self.exec("printf '<%s>' " + " ".join(map(quoted, HOSTILE)))
        self.assertEqual(result.code, 0, result)
        self.assertEqual(result["output"], "".join(f"<{word}>" for word in HOSTILE))
        self.assertFalse(list(self.work.glob("*HIT*")))
        self.assertFalse(os.path.exists(os.path.expanduser("~/HIT")))

    def test_a_timeout_ends_the_client(self):
        self.configure(self.route("sh"))
        # It writes, so that it notices over there that nobody listens any more.
        result = self.exec("sh -c 'while sleep 0.1; do echo here; done'", "--timeout", "0.5")
        self.assertTrue(result["timed_out"], result)
        clients = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
        self.assertNotIn(f"-p {self.sshd.port}", clients)

    def test_a_forced_command_is_told_what_was_asked_for(self):
        self.configure(self.route("deploy", key=str(self.there / "forced")))
        result = self.exec("deploy web 'a b' --fast")
        self.assertEqual(result["output"], "forced: deploy web 'a b' --fast\n", result)
        self.assertEqual(result["exit_code"], 3)

    def test_a_command_of_the_route_is_told_the_same_way(self):
        self.configure(self.route("deploy", command=f"{self.there}/wrapper"))
        result = self.exec("deploy web \"it's\"")
        self.assertEqual(result["output"], "forced: deploy web 'it'\\''s'\n", result)

    def test_a_command_of_the_route_does_not_run_in_another_directory(self):
        self.configure(self.route("deploy", command=f"true; {self.there}/wrapper", directory=f"{self.there}/none"))
        result = self.exec("deploy web")
        self.assertNotEqual(result["exit_code"], 0, result)
        self.assertNotIn("forced:", result["output"])

    def test_the_user_s_own_file_does_not_change_what_holds(self):
        tell_key = self.there / "tell_key"
        tell_key.write_text(f"#!/bin/sh\nprintf '%s ' \"$1\"; cat {self.there}/host.pub\n")
        tell_key.chmod(0o755)
        (self.there / "ssh_config").write_text(
            "IgnoreUnknown Unheard*\nUnheardOf yes\nStdinNull yes\nSessionType none\nForkAfterAuthentication yes\n"
            f"NoHostAuthenticationForLocalhost yes\nKnownHostsCommand {tell_key} %H\nVerifyHostKeyDNS yes\n")
        programs = self.there / "programs"
        programs.mkdir()
        (programs / "ssh").write_text(f'#!/bin/sh\nexec /usr/bin/ssh -F {self.there}/ssh_config "$@"\n')
        (programs / "ssh").chmod(0o755)
        path = f"{programs}:{machine.PATH}"
        self.configure(self.route("cat"))
        self.assertEqual(self.exec("cat", "--input", "text", PATH=path)["output"], "text")
        (self.there / "none_known").write_text("")
        self.configure(self.route("cat", known_hosts=str(self.there / "none_known")))
        self.assert_refused(self.exec("cat", PATH=path), "route_failed", "Host key verification failed")

    def test_its_key_cannot_be_read_in_the_sandbox(self):
        self.configure(self.route("git"))
        # A root that is above the key: elsewhere below /tmp it is not there at all.
        result = self.machine.run("--root", str(self.there), "sandbox", "--", "cat", str(self.there / "open"))
        self.assertNotEqual(result.code, 0, result)
        self.assertIn("Permission denied", result.err)

    def test_a_host_that_is_not_known_is_refused(self):
        (self.there / "nobody").write_text("")
        self.configure(self.route("true", known_hosts=str(self.there / "nobody")))
        self.assert_refused(self.exec("true"), "route_failed", "'builder'", "Host key verification", "ssh-keyscan -p")

    def test_a_host_with_another_key_is_refused(self):
        self.sshd.known(self.there / "changed", (self.there / "stranger.pub").read_text())
        self.configure(self.route("true", known_hosts=str(self.there / "changed")))
        self.assert_refused(self.exec("true"), "route_failed", "Host key verification failed")
        self.assertEqual(len((self.there / "changed").read_text().splitlines()), 1)

    def test_a_key_that_is_missing_or_not_let_in_is_named(self):
        self.configure(self.route("true", key=str(self.there / "none")))
        self.assert_refused(self.exec("true"), "route_failed", "'builder'", f"{self.there}/none", "does not exist")
        self.configure(self.route("true", key=str(self.there / "stranger")))
        self.assert_refused(self.exec("true"), "route_failed", "Permission denied", "authorized_keys")

    def test_a_machine_that_does_not_answer_is_named(self):
        self.configure(self.route("true", port=machine.free_port()))
        self.assert_refused(self.exec("true"), "route_failed", "'builder'", "Connection refused")

    def test_a_program_that_fails_like_ssh_is_not_taken_for_it(self):
        self.configure(self.route("sh"))
        result = self.exec("sh -c 'echo all is well; exit 255'")
        self.assertEqual(result["exit_code"], 255, result)

    def test_only_variables_that_the_route_names_get_there(self):
        self.configure(self.route("env", environment=["TOKEN"]))
        output = self.exec("env", TOKEN="t1")["output"]
        self.assertIn("TOKEN=t1\n", output)
        self.assertNotIn("canary", output)
        self.assertNotIn(str(self.machine.home), output)
        self.assertIn("TOKEN=t2\n", self.exec("env", "--env", "TOKEN=t2", TOKEN="t1")["output"])
        self.assert_refused(self.exec("env", "--env", "OTHER=x"), "route_failed", "'OTHER'", "environment")

    def test_directories_are_those_of_the_other_side(self):
        self.configure(self.route("pwd"))
        self.assertEqual(self.exec("pwd")["output"].strip(), os.path.expanduser(f"~{machine.USER}"))
        self.assert_refused(self.exec("pwd", "--workdir", "sub"), "runs_elsewhere", "workdir")
        (self.there / "copy's/sub").mkdir(parents=True)
        self.configure(self.route("pwd", directory=f"{self.there}/copy's"))
        self.assertEqual(self.exec("pwd")["output"], f"{self.there}/copy's\n")
        self.assertEqual(self.exec("pwd", "--workdir", "sub")["output"], f"{self.there}/copy's/sub\n")

    def test_a_terminal_reaches_the_other_side(self):
        self.configure(self.route("sh"))
        result = self.exec("sh -c 'test -t 0 && stty size'", "--terminal", "--rows", "30", "--columns", "90")
        self.assertIn("30 90", result["output"], result)

    def test_it_goes_on_in_the_background(self):
        self.configure(self.route("sh"))
        client = McpClient(self.machine)
        self.addCleanup(client.close)
        begun = client.call("exec", command="sh -c 'echo begun; read line; echo got $line'", yield_ms=0)
        job = begun["process_id"]
        client.call("process", action="input", process_id=job, input="hello\n")
        ended = client.call("process", action="wait", process_id=job)
        self.assertEqual(ended["process"].get("exit_code"), 0, ended)
        self.assertIn("got hello", client.call("process", action="poll", process_id=job)["output"])


class McpClient:
    def __init__(self, where):
        self.process = subprocess.Popen([HELVE, "mcp"], cwd=where.work, env=where.environment, text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.count = 0
        self.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {},
                                "clientInfo": {"name": "test", "version": "1"}})

    def ask(self, method, params):
        self.count += 1
        message = {"jsonrpc": "2.0", "id": self.count, "method": method, "params": params}
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()
        while True:
            answer = json.loads(self.process.stdout.readline())
            if answer.get("id") == self.count:
                return answer["result"]

    def call(self, tool, **arguments):
        result = self.ask("tools/call", {"name": tool, "arguments": arguments})
        if result.get("isError"):
            raise AssertionError(result)
        return result["structuredContent"]

    def close(self):
        self.process.stdin.close()
        self.process.wait(20)
        self.process.stdout.close()


class Local(RouteTest):
    def route(self, *commands, **more):
        return {"name": "here", "commands": list(commands), "via": "local", **more}

    def program(self, file, text):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("#!/bin/sh\n" + text)
        file.chmod(0o755)
        return file

    def test_it_writes_outside_and_runs_in_the_workspace(self):
        self.configure(self.route("touch", "pwd"))
        made = self.machine.home / "made"
        self.assertEqual(self.exec(f"touch {made}").code, 0)
        self.assertTrue(made.exists())
        self.assertEqual(self.exec("pwd", "--workdir", "sub")["output"], f"{self.work}/sub\n")

    def test_without_a_route_nothing_is_written_outside(self):
        self.configure()
        self.assertNotEqual(self.exec(f"touch {self.machine.home}/made").code, 0)
        self.assertFalse((self.machine.home / "made").exists())

    def test_a_program_can_be_named(self):
        tool = self.program(self.machine.base / "tools/mine", 'echo "mine: $*"\n')
        self.configure(self.route("deploy", program=str(tool)))
        self.assertEqual(self.exec("deploy 'a b' c")["output"], "mine: a b c\n")

    def test_a_program_that_commands_could_change_is_not_run(self):
        own = self.program(self.work / "bin/deploy", "touch HIT\n")
        path = f"{self.work}/bin:bin:{machine.PATH}"
        self.configure(self.route("deploy"))
        self.assert_refused(self.exec("deploy", PATH=path), "route_failed", "found only in the workspace")
        self.configure(self.route("deploy", program=str(own)))
        self.assert_refused(self.exec("deploy"), "route_failed", "commands can change it")
        (self.machine.base / "tools").mkdir()
        (self.machine.base / "tools/deploy").symlink_to(own)
        self.configure(self.route("deploy"))
        self.assert_refused(self.exec("deploy", PATH=f"{self.machine.base}/tools"), "route_failed", "workspace")
        self.assertFalse((self.work / "HIT").exists())

    def test_a_call_cannot_bring_variables_that_decide_what_runs(self):
        self.configure(self.route("true"))
        for command, flags in (("true", ["--env", "LD_PRELOAD=./x.so"]), ("LD_PRELOAD=./x.so true", [])):
            self.assertIn(json.loads(self.exec(command, *flags).out)["error"]["error_type"], ("route_failed", "runs_elsewhere"))

    def test_secrets_are_not_inherited(self):
        self.configure(self.route("env"))
        self.assertNotIn("canary", self.exec("env")["output"])

    def test_a_command_that_is_not_alone_is_refused_and_runs_nothing(self):
        self.configure(self.route("touch"))
        hit = self.machine.home / "hit"
        for command in (f"touch {hit}; true", f"true && touch {hit}", f"echo x | touch {hit}", f"touch $(echo {hit})",
                        f"touch {hit} > out", f"env touch {hit}", f"sudo touch {hit}", f"timeout 5 touch {hit}",
                        f"bash -c 'touch {hit}'", f"! touch {hit}", f"touch {hit} &", f"( touch {hit} )",
                        f"echo {hit} | xargs touch", f"A=b touch {hit}", f"touch {hit}*", f"f() {{ touch {hit}; }}; f",
                        f"eval touch {hit}", f"touch ~/hit", f"for i in 1; do touch {hit}; done"):
            with self.subTest(command):
                self.assert_refused(self.exec(command), "runs_elsewhere", "'touch' runs elsewhere", "alone")
        self.assertFalse(hit.exists())

    def test_bash_refuses_it_and_names_exec(self):
        self.configure(self.route("touch"))
        result = self.machine.run("shell", "bash", "touch x", "--json")
        self.assert_refused(result, "runs_elsewhere", "'touch' runs elsewhere", "exec")

    def test_it_cannot_be_tried_out(self):
        self.configure(self.route("touch"))
        self.assert_refused(self.exec("touch x", "--dry-run"), "runs_elsewhere", "cannot be tried out")

    def test_a_route_that_asks_needs_a_rule_or_a_person(self):
        self.configure(self.route("true", ask=True))
        self.assert_refused(self.exec("true"), "approval_required", "the host route 'here'", 'beyond: ["host:here"]')
        self.configure(self.route("true", ask=True),
                       commands=[{"pattern": "true", "verdict": "allow", "beyond": ["host:here"]}])
        self.assertEqual(self.exec("true").code, 0)

    def test_rules_and_modes_hold_for_it_and_the_question_names_it(self):
        self.configure(self.route("touch"), commands=[{"pattern": "touch *", "verdict": "deny"}])
        self.assert_refused(self.exec("touch x"), "forbidden_command")
        self.configure(self.route("touch"), approvals={"mode": "always"})
        self.assert_refused(self.exec("touch x"), "approval_required", "the host route 'here'")

    def test_the_log_names_the_route(self):
        self.configure(self.route("true"))
        self.exec("true")
        self.assertEqual(json.loads(self.machine.run("log", "--json").out)[0].get("decided"), "host:here")

    def test_doctor_and_explain_tell_it(self):
        self.configure(self.route("true"), self.route("no-such-program", name="other"))
        found = json.loads(self.machine.run("doctor", "--json").out)["checks"]
        told = [(each["status"], each["message"]) for each in found if each["topic"] == "routes"]
        self.assertEqual(told[0], ("ok", "here (true): this machine, outside of the sandbox"))
        self.assertEqual([status for status, _ in told], ["ok", "warn", "warn"])
        self.assertIn("no-such-program", told[2][1])
        self.assertIn("here (true): this machine", self.machine.run("sandbox", "explain").out)
        self.assertIn("here (true)", self.machine.run("--json", "sandbox", "explain")["routes"][0])

    def test_a_stranger_s_workspace_adds_none(self):
        (self.work / ".helve").mkdir()
        (self.work / ".helve/config.yaml").write_text(json.dumps({"routes": [self.route("touch")]}))
        result = self.exec(f"touch {self.machine.home}/made")
        self.assertNotEqual(result.code, 0)
        self.assertIn("'routes' is ignored", result.err)
        self.assertFalse((self.machine.home / "made").exists())

    def test_tools_are_described_as_without_routes(self):
        self.configure()
        plain = self.machine.run("tools", "exec", "--format", "mcp").out
        self.configure(self.route("deploy"))
        self.assertEqual(self.machine.run("tools", "exec", "--format", "mcp").out, plain)


class Docker(RouteTest):
    """Docker itself is not asked for here: a program in its place tells its arguments."""

    def setUp(self):
        super().setUp()
        self.tools = self.machine.base / "tools"
        self.tools.mkdir()
        self.stand_in('for word; do printf "<%s>" "$word"; done; printf " TOKEN=%s SECRET=%s" "$TOKEN" "$SECRET"\n')

    def stand_in(self, text):
        (self.tools / "docker").write_text("#!/bin/sh\n" + text)
        (self.tools / "docker").chmod(0o755)

    def run_in(self, command, *flags, **more):
        return self.exec(command, *flags, PATH=f"{self.tools}:{machine.PATH}", **more)

    def route(self, **more):
        return {"name": "box", "commands": ["make"], "via": "docker", "container": "web-1", **more}

    def test_words_are_arguments_and_no_shell_sees_them(self):
        self.configure(self.route())
        self.assertEqual(self.run_in("make 'a b' '$(x)'")["output"],
                         "<exec><--interactive><web-1><make><a b><$(x)> TOKEN= SECRET=")

    def test_user_directory_and_variables_are_options(self):
        self.configure(self.route(user="app", directory="/srv", environment=["TOKEN"]))
        self.assertEqual(self.run_in("make", "--workdir", "sub", TOKEN="t")["output"],
                         "<exec><--interactive><--user><app><--workdir></srv/sub><--env><TOKEN><web-1><make> "
                         "TOKEN=t SECRET=")

    def test_a_container_that_is_not_there_is_named(self):
        self.configure(self.route())
        self.stand_in("echo 'Error response from daemon: No such container: web-1' >&2; exit 1\n")
        self.assert_refused(self.run_in("make"), "route_failed", "'box'", "No such container", "start the container")

    def test_a_missing_docker_is_named(self):
        self.configure(self.route())
        self.assert_refused(self.exec("make", PATH="/nowhere"), "route_failed", "'docker' is not found", "install")


class Settings(RouteTest):
    def test_what_means_nothing_is_an_error_with_its_place(self):
        good = {"name": "a", "commands": ["x"], "via": "ssh", "host": "h"}
        for change, part in (({"host": "-oProxyCommand=x"}, "routes[0].host"), ({"host": None}, "'host' is missing"),
                             ({"commands": []}, "commands"), ({"commands": ["a b"]}, "commands[0]"),
                             ({"commands": ["/bin/x"]}, "commands[0]"), ({"key": "rel"}, "is relative"),
                             ({"container": "c"}, "means nothing"), ({"name": "a b"}, "is no name"),
                             ({"environment": ["A=b"]}, "environment[0]"), ({"commands": ["x", "x"]}, "is taken"),
                             ({"directory": "rel"}, "is relative"), ({"port": 99999}, "port"),
                             ({"user": "-x"}, "routes[0].user"), ({"via": "local"}, "means nothing"),
                             ({"via": "docker", "host": None}, "'container' is missing")):
            with self.subTest(part=part, change=change):
                self.configure({key: value for key, value in {**good, **change}.items() if value is not None})
                result = self.exec("true")
                self.assertEqual(result.code, 2, result)
                self.assertIn(part, result.out + result.err)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
