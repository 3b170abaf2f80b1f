"""The retrieval set is sound: enough of it, every answer in exactly one place, and paraphrases that really are paraphrases.

Exits non-zero with a line for each fault. `--overlap` also lists the paraphrases by the share of words they have in common with their note.
"""

import collections
import json
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
NOTES = HERE / "notes"
QUESTIONS = HERE / "questions.jsonl"

LEAST_NOTES = 300
LEAST_QUESTIONS = 300
LEAST_ABOUT_CODE = 80
LEAST_SHARE_OF_A_KIND = 0.45
MOST_MEAN_OVERLAP = 0.2  # of a paraphrase's content words with its note
MOST_OVERLAP = 0.5
MOST_RARE_WORDS = 1  # that a paraphrase shares with its note
RARE = 5  # a word is rare when at most so many notes have it
KINDS = ("literal", "paraphrase")

STOP_WORDS = set(
    """a about above after again all also am an and any are as at be because been before being below between both but by can could
    did do does doing done down during each few for from further get gets got had has have having he her here hers him his how i if
    in into is it its itself just like many may me might more most much must my need no nor not of off on once one only or other our
    out over own per same she should so some still such than that the their them then there these they this those thing things
    through to too under until up us use used uses using very was we were what when where which while who whom whose why will with
    would you your s t d ll m re ve don doesn didn isn wasn won""".split()
)


def stem(word):
    """A rough stem: good enough to see that "migrations" and "migrated" are one word."""
    if len(word) <= 3:
        return word
    for ending, instead in (("ies", "y"), ("sses", "ss"), ("ations", "ate"), ("ation", "ate"), ("ingly", ""), ("edly", "")):
        if word.endswith(ending) and len(word) - len(ending) >= 2:
            word = word[: -len(ending)] + instead
            break
    else:
        if word.endswith("s") and not word.endswith(("ss", "us", "is")):
            word = word[:-1]
        for ending in ("ing", "ed", "er", "ly", "ment", "ness"):
            if word.endswith(ending) and len(word) - len(ending) >= 3:
                word = word[: -len(ending)]
                break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeiouls":
        word = word[:-1]
    return word[:-1] if len(word) > 3 and word[-1] in "ey" else word


def content_words(text):
    text = re.sub(r"(?<=[a-z]{2})(?=[A-Z])", " ", text)  # an identifier's words
    words = (word.lower() for word in re.findall(r"[^\W_]+", text))
    return {stem(word) for word in words if word not in STOP_WORDS}


def sections(path):
    """The notes of a file as (first line, text). A note begins at a heading of level two or deeper outside of code blocks."""
    found, begin, fenced = [], None, False
    lines = path.read_text(encoding="utf-8").split("\n")
    for number, line in enumerate(lines):
        if line.startswith("```"):
            fenced = not fenced
        if not fenced and re.match(r"#{2,} ", line):
            if begin is not None:
                found.append((begin, "\n".join(lines[begin:number])))
            begin = number
    if begin is not None:
        found.append((begin, "\n".join(lines[begin:])))
    return found


def check_answer(answer, notes, place, problems):
    """The text of the note that the answer points to, or None."""
    path, contains = answer.get("path", ""), answer.get("contains", "")
    if path not in notes:
        problems.append(f"{place}: no file notes/{path}")
        return None
    if not contains.strip() or "\n" in contains:
        problems.append(f"{place}: 'contains' must be text of one line")
        return None
    count = (NOTES / path).read_text(encoding="utf-8").count(contains)
    if count != 1:
        problems.append(f"{place}: '{contains}' is {count} times in notes/{path}; choose text that is there once")
        return None
    holding = [text for _, text in notes[path] if contains in text]
    if len(holding) != 1:
        problems.append(f"{place}: '{contains}' is outside of the notes of notes/{path}")
        return None
    return holding[0]


def main():
    problems = []
    notes = {path.relative_to(NOTES).as_posix(): sections(path) for path in sorted(NOTES.rglob("*.md"))}
    texts = [text for found in notes.values() for _, text in found]
    word_count = collections.Counter(word for text in texts for word in content_words(text))
    questions = []
    for number, line in enumerate(QUESTIONS.read_text(encoding="utf-8").splitlines(), 1):
        try:
            questions.append((f"questions.jsonl:{number}", json.loads(line)))
        except ValueError as error:
            problems.append(f"questions.jsonl:{number}: not JSON: {error}")

    overlaps = {kind: [] for kind in KINDS}
    seen = {}
    for place, entry in questions:
        if set(entry) != {"question", "kind", "topic", "answers"} or entry["kind"] not in KINDS or not entry["answers"]:
            problems.append(f"{place}: wants question, kind (literal or paraphrase), topic and at least one answer, nothing else")
            continue
        key = " ".join(re.findall(r"\w+", entry["question"].lower()))
        if key in seen:
            problems.append(f"{place}: asks the same as {seen[key]}")
        seen[key] = place
        wanted = content_words(entry["question"])
        answers = [check_answer(answer, notes, place, problems) for answer in entry["answers"]]
        # With several notes that answer, the one with the most words in common is the easiest to find.
        shared = max((wanted & content_words(note) for note in answers if note is not None), key=len, default=set())
        overlap = len(shared) / max(len(wanted), 1)
        overlaps[entry["kind"]].append((overlap, place, entry["question"], sorted(shared)))
        if entry["kind"] == "paraphrase":
            rare = sorted(word for word in shared if word_count[word] <= RARE)
            if overlap > MOST_OVERLAP:
                problems.append(f"{place}: shares {overlap:.2f} of its words with the note ({', '.join(sorted(shared))})")
            if len(rare) > MOST_RARE_WORDS:
                problems.append(f"{place}: shares the rare words {', '.join(rare)} with the note")

    about_code = sum(entry.get("topic") == "code" for _, entry in questions)
    for what, count, least in (
        ("notes", len(texts), LEAST_NOTES),
        ("questions", len(questions), LEAST_QUESTIONS),
        ("questions about code", about_code, LEAST_ABOUT_CODE),
    ):
        if count < least:
            problems.append(f"only {count} {what}, of at least {least}")
    for kind in KINDS:
        if len(overlaps[kind]) < LEAST_SHARE_OF_A_KIND * len(questions):
            problems.append(f"only {len(overlaps[kind])} of {len(questions)} questions are of kind {kind}")

    words = sum(len(text.split()) for text in texts)
    print(f"{len(texts)} notes in {len(notes)} files, {words / max(len(texts), 1):.0f} words each; "
          f"{len(questions)} questions, {about_code} about code")
    for kind in KINDS:
        shares = [row[0] for row in overlaps[kind]]
        mean = sum(shares) / max(len(shares), 1)
        print(f"{kind}: {len(shares)}, overlap mean {mean:.3f}, most {max(shares, default=0):.2f}")
        if kind == "paraphrase" and mean > MOST_MEAN_OVERLAP:
            problems.append(f"paraphrases share {mean:.3f} of their words with their notes on average, at most {MOST_MEAN_OVERLAP}")
    if "--overlap" in sys.argv[1:]:
        for overlap, place, question, shared in sorted(overlaps["paraphrase"], reverse=True):
            print(f"{overlap:.2f} {place}: {question} [{', '.join(shared)}]")
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
