"""Nothing stays behind: no paths of one machine, no private package hosts, no marks of unfinished work."""

from source import ROOT, files, matches, read, report

CODE = {".h", ".cc", ".py", ".sh", ".cmake", ".js", ".mjs", ".ts"}
MARKS = r"(?:(?:TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b\s*[:(])|place" r"holder for now"
COMMENT_MARKS = r"(?://|#|/\*)\s*(?:TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b"
MACHINE = r"(?<![\w.$}])/(?:wor" r"k|roo" r"t)/"
LOCK_HOST = r'"resolved":\s*"[^"]*"'


def check(root):
    problems = []
    for path in files(root):
        text = read(root, path)
        if "\0" in text:
            continue
        for line, match in matches(text, MACHINE):
            problems.append(f"{path}:{line}: '{match[0]}' is a path of one machine; write it relative or make it up")
        for line, match in matches(text, MARKS if path.suffix not in CODE else MARKS + "|" + COMMENT_MARKS):
            problems.append(f"{path}:{line}: '{match[0]}' marks unfinished work; finish it or leave it out")
        if path.name in ("package-lock.json", "npm-shrinkwrap.json"):
            for line, match in matches(text, LOCK_HOST):
                problems.append(f"{path}:{line}: {match[0]} names a registry; npm install --omit-lockfile-registry-resolved leaves it out")
        if path.name == ".npmrc":
            for line, match in matches(text, r"(?m)^.*(?:registry|_auth\w*)\s*=.*"):
                problems.append(f"{path}:{line}: which registry is asked is each machine's own matter")
        if path.stem == "placeholder":
            problems.append(f"{path}:1: leave this file out")
    return problems


if __name__ == "__main__":
    report(check(ROOT))
