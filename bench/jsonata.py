"""JSONata on a large document: helve against the JavaScript implementation and jq, as whole processes."""

import json
import math
import os
import random
import shutil
import statistics
import subprocess
import time

from harness import HELVE, PEERS, Section, make_environment, say

RECORDS, QUICK_RECORDS = 300_000, 20_000
# What is asked: the expression for JSONata, the same for jq.
TASKS = {
    "filter": ("$[price > 900].id", "[.[] | select(.price > 900) | .id]"),
    "count by one key": ("${country: $count($)}", "reduce .[] as $r ({}; .[$r.country] += 1)"),
    "count by two keys": ('${country & "/" & category: $count($)}', 'reduce .[] as $r ({}; .[$r.country + "/" + $r.category] += 1)'),
    "sort and slice": ("$^(>price, id)[[0..9]].id", "[sort_by(-.price, .id)[0:10][] | .id]"),
    "distinct": ("$sort($distinct(country))", "[.[].country] | unique"),
    "sum": ("$sum(quantity)", "[.[].quantity] | add"),
    "projection": ('$.{"id": id, "total": price * quantity}', "[.[] | {id, total: (.price * .quantity)}]"),
}
REFERENCE = """
const fs = require("fs"), jsonata = require(process.argv[1]);
(async () => {
  const result = await jsonata(process.argv[2]).evaluate(JSON.parse(fs.readFileSync(process.argv[3], "utf8")));
  fs.writeFileSync(1, JSON.stringify(result));
})();
"""
LEAST_EACH, LEAST_MEAN = 8, 15


def make_document(path, count):
    source = random.Random(7)
    countries, kinds = ["DE", "FR", "US", "GB", "JP", "IT", "ES", "NL", "PL", "SE"], ["book", "toy", "food", "tool", "game"]
    with open(path, "w") as out:
        out.write("[")
        for i in range(count):
            out.write("," if i else "")
            json.dump({"id": i, "name": f"Item number {i}", "country": source.choice(countries), "category": source.choice(kinds),
                       "price": round(source.uniform(1, 1000), 2), "quantity": source.randint(1, 20), "active": source.random() < 0.5,
                       "note": f"some words about it, and number {source.randint(0, 999)}"}, out)
        out.write("]")


def contenders(document):
    node = next(PEERS.glob("node_modules/node-linux-*/bin/node"), None) or shutil.which("node")
    found = {"helve": lambda task: [HELVE, "jsonata", "--json", TASKS[task][0], document],
             "jsonata": lambda task: [node, "-e", REFERENCE, str(PEERS / "node_modules" / "jsonata"), TASKS[task][0], document]}
    if shutil.which("jq"):
        found["jq"] = lambda task: ["jq", "-c", TASKS[task][1], document]
    return found


def measure_once(command, environment):
    """Milliseconds, megabytes at most, and the answer."""
    before = time.perf_counter()
    process = subprocess.Popen([str(word) for word in command], env=environment, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    taken = (time.perf_counter() - before) * 1000
    if process.returncode != 0:
        raise SystemExit(f"bench: {command[0]} failed")
    return taken, usage.ru_maxrss / 1024, json.loads(output)


def same(one, other):
    if isinstance(one, float) or isinstance(other, float):
        return math.isclose(one, other, rel_tol=1e-9)
    if isinstance(one, list):
        return isinstance(other, list) and len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return isinstance(other, dict) and one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    return one == other


def measure_task(task, all_contenders, environment, rounds):
    """{contender: (median milliseconds, most megabytes)}. All must give the same answer."""
    times, memory, answers = {}, {}, {}
    for _ in range(rounds):
        for name, command in all_contenders.items():
            taken, peak, answers[name] = measure_once(command(task), environment)
            times.setdefault(name, []).append(taken)
            memory[name] = max(memory.get(name, 0), peak)
    for name, answer in answers.items():
        if not same(answers["helve"], answer):
            raise SystemExit(f"bench: {name} answers {task} otherwise")
    return {name: (statistics.median(times[name]), memory[name]) for name in times}


def make_goals(seen):
    for peer in [name for name in next(iter(seen.values())) if name != "helve"]:
        ratios = {task: found[peer][0] / found["helve"][0] for task, found in seen.items()}
        mean = statistics.geometric_mean(ratios.values())
        yield f"JSONata, {LEAST_MEAN} times faster than {peer} on average", f"{mean:.1f} times", mean >= LEAST_MEAN
        slowest = min(ratios, key=ratios.get)
        yield (f"JSONata, {LEAST_EACH} times faster than {peer} at each", f"{ratios[slowest]:.1f} times ({slowest})",
               ratios[slowest] >= LEAST_EACH)
        more = max(found["helve"][1] / found[peer][1] for found in seen.values())
        yield f"JSONata, no more memory than {peer}", f"{more:.2f} of it at most", more <= 1


def table(seen):
    names = next(iter(seen.values()))
    yield "| query, ms (MB) | " + " | ".join(names) + " |"
    yield "|---|" + "---:|" * len(names)
    for task, found in seen.items():
        yield f"| {task} | " + " | ".join(f"{found[name][0]:.0f} ({found[name][1]:.0f})" for name in names) + " |"


def measure(setting):
    document = setting.directory / "records.json"
    make_document(document, QUICK_RECORDS if setting.quick else RECORDS)
    environment = make_environment(setting.directory / "home")
    seen = {}
    for task in TASKS:
        say(f"jsonata: {task}")
        seen[task] = measure_task(task, contenders(document), environment, setting.rounds)
    lines = [*table(seen), "", f"Whole processes, reading a document of {document.stat().st_size / 1e6:.0f} MB and writing the result.", ""]
    return Section(lines, list(make_goals(seen)), {"jsonata": seen})
