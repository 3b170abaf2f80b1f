"""JSONata's own test suite through `helve jsonata`: jsonata.py HELVE CASES. HELVE_JSONATA_CASES names another folder."""

import concurrent.futures
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

SKIPPED = 77
DEFAULT_TIMEOUT_MS, DEFAULT_DEPTH = 10000, 1000
# The suite's own name for both; the language has one for each.
LIMIT_CODES = {"U1001": ("D1011", "D1012")}


def same(got, wanted):
    """Numbers need to be the same only as closely as JSON text of the suite tells them."""
    if isinstance(got, bool) or isinstance(wanted, bool):
        return got is wanted
    if isinstance(got, (int, float)) and isinstance(wanted, (int, float)):
        return got == wanted or math.isclose(got, wanted, rel_tol=1e-13)
    if isinstance(got, list) and isinstance(wanted, list):
        return len(got) == len(wanted) and all(map(same, got, wanted))
    if isinstance(got, dict) and isinstance(wanted, dict):
        return got.keys() == wanted.keys() and all(same(got[key], wanted[key]) for key in got)
    return got == wanted


def check(case, done):
    """What is wrong with the answer; None when nothing is."""
    out, err = done.stdout.decode(), done.stderr.decode()
    code = case.get("code", case.get("error", {}).get("code"))
    if code:
        if done.returncode == 0:
            return f"wanted {code}, got {out.strip()}"
        if not any(err.startswith(f"helve: {one}") for one in LIMIT_CODES.get(code, (code,))):
            return f"wanted {code}, got {err.strip()}"
        message = case.get("error", {}).get("message")
        return f"wanted the message '{message}', got {err.strip()}" if message and message not in err else None
    if done.returncode != 0:
        return err.strip() or f"exit code {done.returncode}"
    if case.get("undefinedResult") or "result" not in case:
        return f"wanted nothing, got {out.strip()}" if out else None
    if not out:
        return f"wanted {json.dumps(case['result'])}, got nothing"
    got, wanted = json.loads(out), case["result"]
    if case.get("unordered"):
        got, wanted = (sorted(value, key=json.dumps) for value in (got, wanted))
    return None if same(got, wanted) else f"wanted {json.dumps(wanted)}, got {out.strip()}"


def run(helve, root, name, case, scratch):
    if "expr-file" in case:
        expression = (root / "groups" / name).parent.joinpath(case["expr-file"]).read_text()
    else:
        expression = case["expr"]
    document = scratch / "document.json"
    if case.get("dataset"):
        document = root / "datasets" / (case["dataset"] + ".json")
    elif "data" in case:
        document.write_text(json.dumps(case["data"]))
    else:
        document.write_text("")
    command = [helve, "jsonata", "--json", "--bindings", json.dumps(case.get("bindings", {})),
               "--timeout-ms", str(case.get("timelimit", DEFAULT_TIMEOUT_MS)),
               "--max-depth", str(case.get("depth", DEFAULT_DEPTH)), "--", expression, str(document)]
    environment = {"PATH": os.environ["PATH"], "HOME": str(scratch)}
    done = subprocess.run(command, env=environment, capture_output=True, timeout=120, check=False, stdin=subprocess.DEVNULL)
    wrong = check(case, done)
    if wrong:
        print(f"FAIL {name}: {expression}\n     {wrong}")
    return not wrong


def cases_of(root):
    for path in sorted((root / "groups").rglob("*.json")):
        found = json.loads(path.read_text())
        for case in found if isinstance(found, list) else [found]:
            yield str(path.relative_to(root / "groups")), case


def main():
    helve, root = sys.argv[1], pathlib.Path(os.environ.get("HELVE_JSONATA_CASES", sys.argv[2]))
    if not root.is_dir():
        print(f"skipped: no cases at {root}")
        return SKIPPED

    def one(item):
        with tempfile.TemporaryDirectory() as scratch:
            return run(helve, root, *item, pathlib.Path(scratch))

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(one, cases_of(root)))
    print(f"{len(results)} cases, {results.count(False)} failures")
    return 0 if results and all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
