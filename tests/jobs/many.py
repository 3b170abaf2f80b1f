"""500 commands in the background at once: each is there, each end is told once, and nothing is left of them."""

import os
import pathlib
import time

import client

MANY = 500


def descriptors(pid):
    """Without those of the store, which is opened by each of its users when they first need it."""
    links = [os.readlink(entry) for entry in pathlib.Path(f"/proc/{pid}/fd").iterdir()]
    return len([link for link in links if "/helve.db" not in link])


def descendants(pid):
    children = pathlib.Path(f"/proc/{pid}/task/{pid}/children")
    found = [int(word) for task in pathlib.Path(f"/proc/{pid}/task").iterdir()
             for word in (task / "children").read_text().split()] if children.exists() else []
    return found + [each for child in found for each in descendants(child)]


with client.Place() as place:
    helve = place.serve()
    helve.call("process", action="kill", process_id=helve.start("sleep 1000"))  # what is started and opened once
    before, helpers = descriptors(helve.pid), len(descendants(helve.pid))

    began = time.monotonic()
    jobs = [helve.start("read line; echo got $line") for _ in range(MANY)]
    assert len(set(jobs)) == MANY
    states = [helve.call("process", action="status", process_id=job)["process"]["state"] for job in jobs]
    assert states == ["running"] * MANY, states
    started = time.monotonic()

    for job in jobs:
        assert helve.call("process", action="input", process_id=job, input=job + "\n")["written"] == len(job) + 1
    client.await_that(lambda: all(place.recorded(job) == "ended" for job in jobs), "all of them end")
    for job in jobs[-60:]:  # more than that are not kept in memory
        assert helve.call("process", action="poll", process_id=job)["output"] == f"got {job}\n"
    assert helve.call("process", action="poll", process_id=jobs[0])["output"] == f"got {jobs[0]}\n"
    ended = time.monotonic()

    assert sorted(told for told, _ in helve.told) == sorted(jobs), f"{len(helve.told)} were told"
    helve.call("ls")
    assert len(helve.told) == MANY
    client.await_that(lambda: len(descendants(helve.pid)) <= helpers, "no process is left")
    assert descriptors(helve.pid) <= before, (descriptors(helve.pid), before)
    helve.close()
    print(f"{MANY} started in {started - began:.2f} s, fed, ended and polled in {ended - started:.2f} s; "
          f"{before} descriptors before, none more after")
