"""Commands of an ordinary user without a sandbox: no process namespace holds them, and yet none outlives helve."""

import os
import pathlib
import resource
import shutil
import signal
import subprocess

import client


def children_of(pid):
    return [int(child) for task in pathlib.Path(f"/proc/{pid}/task").iterdir()
            for child in (task / "children").read_text().split()]


def limit_processes(place, pid, count):
    """Only the limit that can be raised again."""
    count = "unlimited" if count == resource.RLIM_INFINITY else count
    subprocess.run(["prlimit", "--pid", str(pid), f"--nproc={count}:"], user=place.user, check=True)


def what_a_command_leaves_that_killed_its_keeper_is_ended(place):
    word = client.a_word()
    helve = place.serve()
    answer = helve.call("exec", command=f"setsid sh -c 'sleep {word} & sleep {word}' & kill -KILL $PPID; sleep {word}")
    assert answer["error"]["error_type"] == "lost", answer
    client.await_that(lambda: not client.processes_with(word), "what it left is ended")


def a_command_whose_helper_was_killed_ends_with_helve(place):
    word = client.a_word()
    helve = place.serve()
    helve.start(f"setsid sleep {word} & sleep {word}")
    client.await_that(lambda: len(client.processes_with(f"sleep\0{word}")) == 2, "it runs")
    for helper in children_of(helve.pid):
        os.kill(helper, signal.SIGKILL)
    assert helve.call("exec", command="echo again")["output"] == "again\n"
    assert len(client.processes_with(f"sleep\0{word}")) == 2
    helve.kill()
    client.await_that(lambda: not client.processes_with(word), "it ends with helve")


def a_refusal_is_not_repeated_when_there_is_room_again(place):
    helve = place.serve()
    helve.call("exec", command="true")
    [helper] = children_of(helve.pid)
    limit_processes(place, helper, 0)
    refused = None
    while not refused or "error" not in refused:  # a keeper that was made before may still wait
        refused = helve.call("exec", command="true")
    assert refused["error"]["error_type"] == "spawn_failed", refused
    limit_processes(place, helper, resource.getrlimit(resource.RLIMIT_NPROC)[0])
    assert helve.call("exec", command="echo again")["output"] == "again\n"


CASES = [what_a_command_leaves_that_killed_its_keeper_is_ended, a_command_whose_helper_was_killed_ends_with_helve,
         a_refusal_is_not_repeated_when_there_is_room_again]

for case in CASES:
    with client.Place() as one:
        (one.base / ".config" / "helve").mkdir(parents=True)
        (one.base / ".config" / "helve" / "config.yaml").write_text("sandbox: {level: full}\n")
        if os.geteuid() == 0:
            one.user = "nobody"
            for directory, _, files in os.walk(one.base):
                for path in [directory, *(os.path.join(directory, file) for file in files)]:
                    shutil.chown(path, one.user)
        case(one)
    print("ok", case.__name__)
