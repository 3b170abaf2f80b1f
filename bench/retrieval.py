"""Retrieval: how well memory_search finds what was remembered, over the notes and questions in bench/retrieval.

Every question goes through a real helve that serves MCP. A result hits when it is from the file of an answer and its lines include the
line with the answer's text.
"""

import json
import os
import pathlib
import shutil

from harness import ROOT, Section, Serving, make_environment, say

SET = ROOT / "bench" / "retrieval"
RESULTS = 10  # of each question; the reciprocal rank of what is not among them is 0
NO_EMBEDDER = "embeddings:\n  provider: none\n"
# name: (mode, with an embedder, the kind of score that shows that it was used)
WAYS = {"keyword": ("keyword", False, "keyword_count"), "BM25": ("hybrid", False, "bm25"),
        "semantic": ("semantic", True, "semantic"), "hybrid": ("hybrid", True, "hybrid")}


def read_questions():
    lines = (SET / "questions.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines if line.strip()]


def answer_lines(question):
    """[(path, number of the line)]."""
    found = []
    for answer in question["answers"]:
        lines = (SET / "notes" / answer["path"]).read_text().splitlines()
        found += [(answer["path"], number) for number, line in enumerate(lines, 1) if answer["contains"] in line]
    return found


def search(server, question, mode):
    _, line = server.call("memory_search", {"query": question["question"], "mode": mode, "max_results": RESULTS, "min_score": 0})
    return json.loads(line)["result"]["structuredContent"]


def is_complete(server):
    """Whether every note has its vector."""
    return not any("no vector yet" in note for note in search(server, {"question": "anything"}, "hybrid").get("notes", []))


def rank_of(results, answers):
    for rank, result in enumerate(results, 1):
        if any(path == result["path"] and result["start_line"] <= line <= result["end_line"] for path, line in answers):
            return rank
    return None


def measure_way(server, questions, mode, kind):
    """{kind of question: [ranks]}, or nothing when this helve cannot search that way."""
    ranks = {}
    for question in questions:
        results = search(server, question, mode)["results"]
        if results and results[0]["score_kind"] != kind:
            return {}
        rank = rank_of(results, answer_lines(question))
        ranks.setdefault(question["kind"], []).append(rank)
    return ranks


def figures(ranks):
    return {"hit@1": sum(rank == 1 for rank in ranks) / len(ranks),
            "hit@5": sum(rank is not None and rank <= 5 for rank in ranks) / len(ranks),
            "MRR": sum(1 / rank for rank in ranks if rank) / len(ranks)}


def environment_of(setting, name, config):
    """A home with the builtin embedder of whoever runs this, if it is installed."""
    environment = make_environment(setting.directory / name, config)
    installed = pathlib.Path(os.environ.get("XDG_STATE_HOME", pathlib.Path.home() / ".local" / "state")) / "helve" / "embedder"
    if installed.is_dir() and not config:
        shutil.copytree(installed, pathlib.Path(environment["XDG_STATE_HOME"]) / "helve" / "embedder")
    return environment


def make_goals(seen):
    for kind in seen.get("hybrid", {}):
        for name in ("hit@1", "hit@5", "MRR"):
            best = max(seen[way][kind][name] for way in seen if way != "hybrid")
            value = seen["hybrid"][kind][name]
            yield f"hybrid better than each alone, {kind} questions, {name}", f"{value:.3f} against {best:.3f}", value > best


def measure(setting):
    questions = read_questions()
    notes = setting.directory / "notes"
    shutil.copytree(SET / "notes", notes)
    servers = {False: Serving(notes, environment_of(setting, "words", NO_EMBEDDER)),
               True: Serving(notes, environment_of(setting, "meaning", ""))}
    while not is_complete(servers[True]):
        say("making vectors")
    seen = {}
    for name, (mode, by_meaning, kind) in WAYS.items():
        say(f"{len(questions)} questions: {name}")
        if ranks := measure_way(servers[by_meaning], questions, mode, kind):
            seen[name] = {each: figures(ranks[each]) for each in sorted(ranks)}
    for server in servers.values():
        server.close()
    kinds = sorted({question["kind"] for question in questions})
    lines = ["| retrieval | " + " | ".join(f"{kind}: hit@1 | hit@5 | MRR" for kind in kinds) + " |", "|---|" + "---:|" * 3 * len(kinds)]
    for name, by_kind in seen.items():
        lines.append(f"| {name} | " + " | ".join(f"{value:.3f}" for kind in kinds for value in by_kind[kind].values()) + " |")
    if "hybrid" not in seen:
        lines += ["", "No embedder is installed, so nothing was searched by meaning: `helve embedder install` fetches one."]
    return Section([*lines, ""], list(make_goals(seen)), {"retrieval": seen})
