"""Models that fail, through the program: faults.py HELVE.

A raw server sends what it was told to, byte by byte; nothing repairs it. No tool runs of an answer that is not whole, the
session stays valid and goes on, and the key is nowhere.
"""

import json
import pathlib
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import unittest

from mock_model import Turn, chat
from support import Place

MANY = 1_000_000
KEY = "sk-canary-0123456789abcdef"
CALL = Turn("I write.", [("write", {"path": "made.txt", "content": "x"})])
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"


def plain(status, body, *headers):
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", "Connection: close", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body.encode()


class RawServer:
    """Answers the requests in turn with these bytes. `None`: says nothing more and keeps the connection; an event is
    waited for."""

    def __init__(self, *answers):
        self.answers, self.requests, self.waiting = list(answers), [], threading.Event()
        self.held = []
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}/v1"
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            threading.Thread(target=self.answer, args=(connection,), daemon=True).start()

    def answer(self, connection):
        data = b""
        while b"\r\n\r\n" not in data:
            data += connection.recv(65536)
        head, _, body = data.partition(b"\r\n\r\n")
        length = next(int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length"))
        while len(body) < length:
            body += connection.recv(65536)
        self.requests.append(json.loads(body))
        for piece in self.answers.pop(0) if self.answers else [plain("503 No", "no more answers")]:
            if piece is None:
                self.held.append(connection)
                self.waiting.set()
                return
            if isinstance(piece, threading.Event):
                piece.wait()
                continue
            connection.sendall(piece)
        connection.close()


class Faults(unittest.TestCase):
    def setUp(self):
        self.place = Place()
        self.addCleanup(self.place.close)
        self.place.environment["OPENAI_API_KEY"] = KEY

    def tearDown(self):
        for path in pathlib.Path(self.place.directory.name).rglob("*"):
            if path.is_file():
                self.assertNotIn(KEY.encode(), path.read_bytes(), path)

    def configure(self, text):
        path = pathlib.Path(self.place.environment["XDG_CONFIG_HOME"]) / "helve" / "config.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def words(self, server, *prompt, session="s_1"):
        return ["--approvals", "off", "--session", session, "run", "--provider", "openai", "--base-url", server.url,
                "--model", "mock", *prompt]

    def run_helve(self, server, *prompt, retries=0, more=""):
        self.configure(f"model:\n  retries: {retries}\n{more}")
        done = self.place.run(*self.words(server, *prompt))
        self.assertNotIn(KEY, done.stdout + done.stderr)
        return done

    def made(self):
        return (self.place.workspace / "made.txt").exists()

    def test_no_tool_runs_of_an_answer_that_broke_off(self):
        whole = chat(CALL).encode()
        for cut in (whole[:whole.index(b"finish_reason")], whole[:len(whole) // 2], whole[:whole.index(b"made.txt") + 3]):
            server = RawServer([HEAD, cut])
            done = self.run_helve(server, "go")
            self.assertNotEqual(done.returncode, 0)
            self.assertFalse(self.made())
        # And then it goes on as if nothing had happened.
        server = RawServer([HEAD, whole], [HEAD, chat(Turn("done")).encode()])
        done = self.run_helve(server)
        self.assertEqual((done.returncode, done.stdout), (0, "done\n"), done.stderr)
        self.assertTrue(self.made())

    def test_a_call_is_made_once_however_often_the_model_was_asked(self):
        whole = chat(CALL).encode()
        server = RawServer([HEAD, whole[:-200]], [plain("429 Slow", "{}", "Retry-After: 0")], [HEAD, whole],
                           [HEAD, chat(Turn("done")).encode()])
        done = self.run_helve(server, "go", retries=3)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(server.requests), 4)
        results = [message for message in server.requests[-1]["messages"] if message["role"] == "tool"]
        self.assertEqual(len(results), 1)

    def test_a_refused_key_is_not_tried_again_or_shown(self):
        server = RawServer([plain("401 No", json.dumps({"error": {"message": f"Incorrect API key provided: {KEY}"}}))])
        done = self.run_helve(server, "go", retries=3)
        self.assertEqual(done.returncode, 5)
        self.assertEqual(len(server.requests), 1)

    def test_a_form_that_no_answer_can_have_is_told_before_the_model_is_asked(self):
        for schema in ('{"type": "array"}', '[]', '{"type": "object", "properties": 3}', '{'):
            path = self.place.workspace / "form.json"
            path.write_text(schema)
            server = RawServer([HEAD, chat(CALL).encode()])
            done = self.run_helve(server, "go", "--output-schema", str(path))
            self.assertEqual((done.returncode, server.requests), (2, []), done.stderr)
            self.assertIn("form.json' is no JSON Schema", done.stderr)

    def test_what_is_no_stream_is_told(self):
        for answer in ([HEAD, b"<!DOCTYPE html><html><h1>Welcome</h1></html>"], [plain("200 OK", "<html>proxy</html>")],
                       [HEAD, b"data: {not json}\n\n"], [HEAD], [b"SSH-2.0-OpenSSH\r\n"], [HEAD, b"\xff\xfe\x00" * 1000]):
            done = self.run_helve(RawServer(answer), "go")
            self.assertNotEqual(done.returncode, 0, answer)
            self.assertIn("helve: ", done.stderr)

    def test_a_web_page_is_told_at_once(self):
        server = RawServer([plain("200 OK", "<html>Welcome</html>", "Content-Type: text/html")])
        done = self.run_helve(server, "go", retries=3)
        self.assertEqual((done.returncode, len(server.requests)), (6, 1), done.stderr)
        self.assertIn("did not answer with a stream", done.stderr)
        self.assertIn("base URL", done.stderr)

    def test_a_quota_of_a_minute_is_waited_for_and_one_of_a_day_is_not(self):
        def exhausted(quota):
            details = [{"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [{"quotaId": quota}]},
                       {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "0s"}]
            return plain("429 Slow", json.dumps({"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "details": details,
                                                           "message": "You exceeded your current quota."}}))
        server = RawServer([exhausted("RequestsPerMinute")], [HEAD, chat(Turn("done")).encode()])
        self.assertEqual(self.run_helve(server, "go", retries=3).stdout, "done\n")
        server = RawServer([exhausted("RequestsPerDay")])
        done = self.run_helve(server, "go", retries=3)
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(len(server.requests), 1)

    def test_silence_in_the_middle_is_given_up(self):
        server = RawServer([HEAD, chat(CALL).encode()[:200], None])
        done = self.run_helve(server, "go", more="  idle_seconds: 0.3\n")
        self.assertEqual(done.returncode, 124, done.stderr)

    def test_the_time_limit_is_no_stop(self):
        for flags, place in (([], "stderr"), (["--json"], "stdout")):
            server = RawServer([HEAD, chat(CALL).encode()[:250], None])
            self.configure("model:\n  retries: 0\n")
            done = self.place.run(*flags, *self.words(server, "go", "--time", "1"))
            self.assertEqual(done.returncode, 124, done.stderr)
            self.assertIn("time_limit", getattr(done, place))
            self.assertNotIn("cancelled", done.stdout + done.stderr)
            self.assertFalse(self.made())

    def test_a_reader_that_goes_ends_the_run(self):
        self.configure("model:\n  retries: 0\n")
        closed = threading.Event()
        server = RawServer(*[[closed, HEAD, chat(Turn("I look.", [("ls", {})])).encode()] for _ in range(9)])
        process = self.place.start(*self.words(server, "go"), "--json")
        process.stdout.readline()
        process.stdout.close()
        closed.set()
        errors = process.stderr.read()
        process.stderr.close()
        self.assertEqual(process.wait(60), 130)
        self.assertIn("standard output was closed, so the work was stopped; go on with: helve --session s_1 run", errors)
        self.assertLessEqual(len(server.requests), 1)

    def test_a_limit_that_is_too_large_is_told(self):
        for flag, limit in (("--time", "31536000"), ("--cost", "1000000"), ("--tokens", "1000000000000")):
            done = self.run_helve(RawServer(), "go", flag, limit + "0")
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(f" to {limit}, got", done.stderr)

    def test_nobody_listens(self):
        server = RawServer()
        free = socket.create_server(("127.0.0.1", 0))
        server.url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
        free.close()
        done = self.run_helve(server, "go")
        self.assertEqual(done.returncode, 6, done.stderr)

    def test_a_host_that_nobody_knows_is_not_asked_twice(self):
        server = RawServer()
        server.url = "http://no..such.host/v1"  # refused before any server of names is asked
        done = self.run_helve(server, "go", retries=3)
        self.assertEqual(done.returncode, 6, done.stderr)
        self.assertIn("cannot find no..such.host", done.stderr)
        self.assertNotIn("tried", done.stderr)

    def test_a_large_event(self):
        text = "x" * (10 << 20)
        done = self.run_helve(RawServer([HEAD, chat(Turn(text)).encode()]), "go")
        self.assertEqual((done.returncode, len(done.stdout)), (0, len(text) + 1), done.stderr[-300:])

    def test_a_stop_in_the_middle_leaves_a_valid_session(self):
        server = RawServer([HEAD, chat(CALL).encode()[:250], None], [HEAD, chat(Turn("again")).encode()])
        self.configure("")
        process = self.place.start(*self.words(server, "go"))
        self.assertTrue(server.waiting.wait(60))
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.assertFalse(self.made())
        done = self.run_helve(server, "and now")
        self.assertEqual(done.stdout, "again\n")
        self.assertEqual([message["content"] for message in server.requests[-1]["messages"] if message["role"] == "user"],
                         ["go", "and now"])

    def test_an_endless_loop_ends(self):
        class Endless(RawServer):
            def answer(self, connection):
                number = len(self.requests)
                self.answers = [[HEAD, chat(Turn("", [("ls", {"path": ".", "limit": number % 50 + 1})])).encode()]]
                super().answer(connection)
        done = self.run_helve(Endless(), "go", more="agent:\n  turns: 7\n")
        self.assertEqual(done.returncode, 8, done.stderr)
        self.assertIn("turn_limit", done.stderr)

    def test_a_session_of_a_million_messages_goes_on(self):
        server = RawServer([HEAD, chat(Turn("first")).encode()], [HEAD, chat(Turn("what was before")).encode()],
                           [HEAD, chat(Turn("second")).encode()])
        self.run_helve(server, "one")
        database = sqlite3.connect(self.place.environment["XDG_STATE_HOME"] + "/helve/helve.db")
        said = [json.dumps({"sender": "user", "message": {"role": role, "parts": [{"type": "text", "text": "blah " * 4}]}})
                for role in ("user", "assistant")]
        database.executemany("INSERT INTO entries (session, number, kind, created_ms, body) VALUES ('s_1', ?, ?, 1, ?)",
                             ((number, ("prompt", "answer")[number % 2], said[number % 2].encode())
                              for number in range(3, MANY + 3)))
        database.execute("UPDATE conversations SET entries = ?", [MANY + 2])
        database.commit()
        database.close()
        done = self.run_helve(server, "two")
        self.assertEqual((done.returncode, done.stdout), (0, "second\n"), done.stderr)
        self.assertIn("what was before", json.dumps(server.requests[-1]))

    def test_a_prompt_that_is_too_long_is_refused(self):
        (self.place.workspace / "large").write_text("x" * (100 << 20))
        with open(self.place.workspace / "large") as large:
            done = subprocess.run(self.place.command(*self.words(RawServer(), "-")), env=self.place.environment, stdin=large,
                                  capture_output=True, text=True, timeout=120, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("standard input is longer than 64.0 MB", done.stderr)

    def test_a_full_window_is_made_room_in(self):
        overflow = plain("400 Bad", json.dumps({"error": {"message": "maximum context length exceeded",
                                                          "code": "context_length_exceeded"}}))
        server = RawServer([HEAD, chat(Turn("first")).encode()], [overflow], [HEAD, chat(Turn("what was before")).encode()],
                           [HEAD, chat(Turn("second")).encode()])
        self.assertEqual(self.run_helve(server, "one " * 2000).stdout, "first\n")
        self.assertEqual(self.run_helve(server, "two " * 2000).stdout, "second\n")
        self.assertIn("what was before", json.dumps(server.requests[-1]))
        database = sqlite3.connect(self.place.environment["XDG_STATE_HOME"] + "/helve/helve.db")
        kept = database.execute("SELECT count(*) FROM entries WHERE instr(body, 'one one one')").fetchone()
        database.close()
        self.assertEqual(kept, (1,), "the original stays")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
