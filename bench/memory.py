"""Memory: the index of memory_search against SQLite's FTS5, and hybrid searches with given vectors."""

import json
import statistics

from harness import BUILD, Section, run, say

SIZES = {10_000: 500, 100_000: 200}  # paragraphs: questions
QUICK_QUESTIONS = 20


def measure_all(setting):
    """{paragraphs: {what: milliseconds}}."""
    medians = {}
    for paragraphs, questions in SIZES.items():
        rounds = []
        for number in range(setting.rounds):
            say(f"round {number + 1} of {setting.rounds}: {paragraphs} paragraphs")
            count = QUICK_QUESTIONS if setting.quick else questions
            rounds.append(json.loads(run(BUILD / "bench" / "bench_memory", paragraphs, count).stdout))
        medians[paragraphs] = {name: statistics.median(each[name] for each in rounds) for name in rounds[0]}
    return medians


def make_goals(seen):
    for paragraphs, times in seen.items():
        ratio = times["fts5"] / times["words"]
        yield f"words on {paragraphs} paragraphs at least 20 times faster than FTS5", f"{ratio:.0f} times", ratio >= 20
    hybrid = seen[100_000]["hybrid"]
    yield "hybrid on 100000 paragraphs in at most 15 ms, the question's vector given", f"{hybrid:.2f} ms", hybrid <= 15


def measure(setting):
    seen = measure_all(setting)
    lines = ["| memory, ms | FTS5 | words | hybrid | making the index | opening it, and a first hybrid search |",
             "|---|---:|---:|---:|---:|---:|"]
    lines += [f"| {paragraphs} paragraphs | {times['fts5']:.2f} | {times['words']:.3f} | {times['hybrid']:.2f} | {times['build']:.0f}"
              f" | {times['open']:.0f} |"
              for paragraphs, times in seen.items()]
    return Section([*lines, ""], list(make_goals(seen)), {"memory_ms": seen})
