"""Kill -9 at random moments: kill.py HELVE [KILLS [SEED]].

A run of 20 turns that append to a file through commands, read, and let sub-agents append to it, is killed again and again
and resumed. Whatever was told is there afterwards, every call has exactly one result, and no command ran twice: one whose
fate nobody can know is marked so. The end of each sub-agent in the background is told once, whatever became of it, and what it spent counts once.
"""

import json
import os
import random
import re
import sqlite3
import sys
import threading
import time

from mock_model import MockModel, Turn, results_of, text_of
from support import Place

TURNS = 20
KILLS = int(sys.argv[2]) if len(sys.argv) > 2 else 200
SEED = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(1 << 30)
KILLS_PER_SESSION = 10


def decide(path, body):
    done = len(results_of(path, body))
    task = re.match(r"append (\d+)", next(text_of(each["content"]) for each in body["messages"] if each["role"] == "user"))
    if task:
        return Turn("appended") if done else Turn("", [("exec", {"command": f"echo {task[1]} >> log.txt"})])
    if done >= TURNS:
        return Turn("finished")
    if done % 5 == 4:
        return Turn(f"turn {done}", [("agent", {"prompt": f"append {done}", "background": done % 10 == 4})])
    if done % 2:
        return Turn(f"turn {done}", [("read", {"path": "notes.txt"})])
    return Turn(f"turn {done}", [("exec", {"command": f"echo {done} >> log.txt"})])


class Session:
    def __init__(self, server, number):
        self.place, self.name, self.told, self.background = Place(), f"s_kill_{number}", [], []
        (self.place.workspace / "notes.txt").write_text("notes\n")
        (self.place.workspace / "log.txt").write_text("")
        self.words = ["--approvals", "off", "--session", self.name, "run", "--json", "--provider", "openai", "--base-url",
                      server.url + "/v1", "--model", "mock"]

    def go(self, prompt, seconds=None):
        """Runs until it ends, or is killed after so long. Returns whether it ended by itself."""
        process = self.place.start(*self.words, *prompt)
        timer = threading.Timer(seconds, process.kill) if seconds is not None else None
        if timer:
            timer.start()
        for line in process.stdout:
            if line.endswith("\n"):
                self.told.append(json.loads(line))
        errors = process.stderr.read()
        status = process.wait()
        if timer:
            timer.cancel()
        if status not in (0, -9):
            raise SystemExit(f"kill: seed {SEED}: helve ended with {status}: {errors}")
        return status == 0

    def select(self, what, by="session"):
        return self.query(f"{what} WHERE {by} = ?", self.name)

    def query(self, what, *values):
        path = self.place.environment["XDG_STATE_HOME"] + "/helve/helve.db"
        if not os.path.exists(path):  # killed before there was a database, or a directory for it
            return []
        database = sqlite3.connect(path)
        try:
            return database.execute(f"SELECT {what}", values).fetchall()
        except sqlite3.OperationalError:  # killed before there was a table
            return []
        finally:
            database.close()

    def has_prompt(self):
        return bool(self.select("1 FROM posts"))

    def check_subagents(self):
        """Every one has come to an end, and what was to be told of it was, once."""
        senders = [json.loads(body).get("sender") for kind, body in self.select("kind, body FROM entries") if kind == "prompt"]
        for child, process in self.select("session, process FROM conversations", "parent"):
            assert process == "", f"{child} is still worked on"
            assert senders.count(child) <= 1, f"{child} was told of {senders.count(child)} times"
        of_it = "session = ? OR session IN (SELECT session FROM conversations WHERE parent = ?)"
        answers = self.query(f"count(*) FROM entries WHERE kind = 'answer' AND ({of_it})", self.name, self.name)[0][0]
        spent = self.select("input, output FROM conversations")[0]
        assert spent == (10 * answers, 5 * answers), f"{answers} answers, its own and those below it, were paid for as {spent}"
        for call, text in self.background:
            started = re.search(r"s_[0-9a-f-]+", text) if '"error_type"' not in text else None
            assert not started or senders.count(started[0]) == 1, f"the end of {started[0]} was not told: {call}"

    def check(self):
        calls, results, texts = [], {}, []
        for kind, body in self.select("kind, body FROM (SELECT * FROM entries ORDER BY number)"):
            for part in json.loads(body).get("message", {"parts": []})["parts"]:
                if part["type"] == "call":
                    calls.append(part)
                elif part["type"] == "result":
                    assert part["call_id"] not in results, f"two results of {part['call_id']}"
                    results[part["call_id"]] = part["content"][0]["text"]
                elif kind == "answer":
                    texts.append(part["text"])
        assert len(calls) == TURNS, f"{len(calls)} calls"
        assert sorted(results) == sorted(call["id"] for call in calls), "not every call has a result"
        assert texts[-1] == "finished", texts[-3:]
        # What was told before a kill was not taken back.
        for event in self.told:
            if event["session"] != self.name:
                continue
            if event["type"] == "answer":
                assert event["text"] in texts, f"lost: {event}"
            if event["type"] == "result":
                assert event["id"] in results, f"lost: {event}"
        ran = (self.place.workspace / "log.txt").read_text().split()
        fates = {}
        for call in calls:
            match = re.search(r"(?:echo|append) (\d+)", call["arguments"])
            if not match:
                continue
            is_background = json.loads(call["arguments"]).get("background", False)
            if is_background:
                self.background.append((call["arguments"], results[call["id"]]))
            times, text = ran.count(match[1]), results[call["id"]]
            fate = next((word for word in ("not_run", "lost_answer", "lost") if f'"error_type":"{word}"' in text), "known")
            fates[fate] = fates.get(fate, 0) + 1
            allowed = {"not_run": [0], "lost_answer": [1], "lost": [0, 1], "known": [1]}[fate]
            if is_background and fate != "not_run":
                allowed = [0, 1]  # it may have been lost since
            assert times in allowed, f"command {match[1]} ran {times} times, and its result says {fate}: {text}"
        self.check_subagents()
        return fates


def main():
    random.seed(SEED)
    server, kills, number, fates = MockModel(decide), 0, 0, {}
    whole = None
    while kills < KILLS:
        session = Session(server, number)
        number += 1
        prompt = ["Do it."]
        if whole is None:  # how long it takes undisturbed
            begun = time.monotonic()
            session.go(prompt)
            whole = time.monotonic() - begun
        else:
            for _ in range(KILLS_PER_SESSION):
                if session.go(prompt, random.uniform(0, whole * 0.4)):
                    break
                kills += 1
                if session.has_prompt():
                    prompt = []
            session.go(prompt)
        for fate, count in session.check().items():
            fates[fate] = fates.get(fate, 0) + count
        session.place.close()
    print(f"seed {SEED}: {kills} kills in {number - 1} sessions; commands: {fates}")


if __name__ == "__main__":
    main()
