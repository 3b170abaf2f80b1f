"""Retrieval: how well memory_search finds what was remembered, over the notes and questions in bench/retrieval.

Every question goes through a real helve that serves MCP. A result hits when it is from the file of an answer and its lines include the
line with the answer's text. The constants of the ranking were chosen on one half of the questions; the other half is what counts.
"""

import hashlib
import json
import os
import pathlib
import shutil

from harness import ROOT, Section, Serving, make_environment, say

SET = ROOT / "bench" / "retrieval"
# What is asked for besides the question; the reciprocal rank of what is not among the results is 0.
ALL, DEFAULT = {"max_results": 10, "min_score": 0}, {}
NO_EMBEDDER = "embeddings:\n  provider: none\n"
# name: (mode, with an embedder, the kind of score that shows that it was used)
WAYS = {"keyword": ("keyword", False, "keyword_count"), "BM25": ("hybrid", False, "bm25"),
        "semantic": ("semantic", True, "semantic"), "hybrid": ("hybrid", True, "hybrid")}


def read_lines(name):
    return [json.loads(line) for line in (SET / name).read_text().splitlines() if line.strip()]


def half_of(question):
    """The half on which constants are chosen, or the one that was held back. By the text alone: neither order nor number matters."""
    return "held out" if int(hashlib.sha256(question["question"].encode()).hexdigest()[:8], 16) % 2 else "tuning"


def answer_lines(question):
    """[(path, number of the line)]."""
    found = []
    for answer in question["answers"]:
        lines = (SET / "notes" / answer["path"]).read_text().splitlines()
        found += [(answer["path"], number) for number, line in enumerate(lines, 1) if answer["contains"] in line]
    return found


def search(server, question, mode, options):
    _, line = server.call("memory_search", {"query": question["question"], "mode": mode, **options})
    return json.loads(line)["result"]["structuredContent"]


def is_complete(server):
    """Whether every note has its vector."""
    return not any("no vector yet" in note for note in search(server, {"question": "anything"}, "hybrid", DEFAULT).get("notes", []))


def rank_of(results, answers):
    for rank, result in enumerate(results, 1):
        if any(path == result["path"] and result["start_line"] <= line <= result["end_line"] for path, line in answers):
            return rank
    return None


def measure_way(server, questions, mode, kind, options):
    """{(half, kind of question): [ranks]}, or nothing when this helve cannot search that way."""
    ranks = {}
    for question in questions:
        results = search(server, question, mode, options)["results"]
        if results and results[0]["score_kind"] != kind:
            return {}
        ranks.setdefault((half_of(question), question["kind"]), []).append(rank_of(results, answer_lines(question)))
    return ranks


def share_answered(server, questions, mode):
    """Of questions that no note answers, by kind, how many get results all the same."""
    answered = {}
    for question in questions:
        answered.setdefault(question["kind"], []).append(bool(search(server, question, mode, DEFAULT)["results"]))
    return {kind: sum(each) / len(each) for kind, each in sorted(answered.items())}


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
    for options, by_way in seen.items():
        for kind, values in by_way.get("hybrid", {}).get("held out", {}).items():
            for name, value in values.items():
                best = max(by_way[way]["held out"][kind][name] for way in by_way if way != "hybrid")
                yield f"hybrid better than each alone, {options}, {kind} questions held out, {name}", f"{value:.3f} against {best:.3f}", value > best


def make_table(title, by_way, half, kinds):
    yield f"| {title}, {half} | " + " | ".join(f"{kind}: hit@1 | hit@5 | MRR" for kind in kinds) + " |"
    yield "|---|" + "---:|" * 3 * len(kinds)
    for name, by_half in by_way.items():
        yield f"| {name} | " + " | ".join(f"{value:.3f}" for kind in kinds for value in by_half[half][kind].values()) + " |"
    yield ""


def measure(setting):
    questions, unrelated = read_lines("questions.jsonl"), read_lines("unrelated.jsonl")
    notes = setting.directory / "notes"
    shutil.copytree(SET / "notes", notes)
    servers = {False: Serving(notes, environment_of(setting, "words", NO_EMBEDDER)),
               True: Serving(notes, environment_of(setting, "meaning", ""))}
    while not is_complete(servers[True]):
        say("making vectors")
    kinds = sorted({question["kind"] for question in questions})
    seen, answered = {"ten results": {}, "as by default": {}}, {}
    for name, (mode, by_meaning, kind) in WAYS.items():
        server = servers[by_meaning]
        for title, options in zip(seen, (ALL, DEFAULT)):
            say(f"{len(questions)} questions: {name}, {title}")
            if ranks := measure_way(server, questions, mode, kind, options):
                seen[title][name] = {half: {each: figures(ranks[half, each]) for each in kinds} for half in ("tuning", "held out")}
        answered[name] = share_answered(server, unrelated, mode)
    for server in servers.values():
        server.close()
    lines = [line for title, by_way in seen.items() for half in ("held out", "tuning") for line in make_table(title, by_way, half, kinds)]
    shares = {name: each for name, each in answered.items() if name in seen["ten results"]}
    lines += ["| unrelated questions that get results | " + " | ".join(next(iter(shares.values()))) + " |", "|---|---:|---:|"]
    lines += [f"| {name} | " + " | ".join(f"{share:.0%}" for share in each.values()) + " |" for name, each in shares.items()]
    if "hybrid" not in seen["ten results"]:
        lines += ["", "No embedder is installed, so nothing was searched by meaning: `helve embedder install` fetches one."]
    return Section([*lines, ""], list(make_goals(seen)), {"retrieval": seen, "unrelated": answered})
