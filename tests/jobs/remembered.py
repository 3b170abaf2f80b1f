"""What became of commands in the background is known to the session, also after helve was killed, and told once."""

import client


def a_job_of_a_killed_helve_is_lost_and_told_once(place):
    word = client.a_word()
    first = place.serve()
    job = first.start(f"sleep {word}")
    client.await_that(lambda: client.processes_with(word), "the command runs")
    first.kill()
    client.await_that(lambda: not client.processes_with(word), "its processes die with helve")

    second = place.serve()
    second.call("ls")
    assert [told for told, _ in second.told] == [job], second.told
    listed = second.call("process", action="list")["processes"]
    assert [(entry["process_id"], entry["state"]) for entry in listed] == [(job, "lost")], listed
    polled = second.call("process", action="poll", process_id=job)
    assert "lost with the process" in polled["notes"][0], polled
    assert len(second.told) == 1, second.told
    second.close()

    third = place.serve()
    third.call("ls")
    assert third.told == [], third.told


def an_end_that_nobody_was_told_of_is_told_by_the_next_helve(place):
    first = place.serve()
    job = first.start("until [ -e go ]; do sleep 0.01; done; echo done; exit 3")
    (place.root / "go").touch()  # no call is under way that could tell the end
    client.await_that(lambda: place.recorded(job) == "ended", "it ends")
    first.kill()

    second = place.serve()
    polled = second.call("process", action="poll", process_id=job)
    assert polled["output"] == "done\n" and polled["process"]["exit_code"] == 3, polled
    assert [told for told, _ in second.told] == [job] and second.told[0][1].startswith("exit code 3;"), second.told
    second.call("ls")
    assert len(second.told) == 1, second.told


def polling_takes_no_notice_away_and_it_comes_once(place):
    helve = place.serve()
    job = helve.start("true")
    while helve.call("process", action="poll", process_id=job)["process"]["state"] == "running":
        pass
    for _ in range(5):
        helve.call("process", action="status", process_id=job)
    assert [told for told, _ in helve.told] == [job], helve.told


def who_ends_a_job_is_told_by_the_answer(place):
    helve = place.serve()
    job = helve.start("sleep 1000")
    assert helve.call("process", action="kill", process_id=job)["process"]["signal"] == "SIGTERM"
    helve.call("ls")
    assert helve.told == [], helve.told
    helve.close()
    assert place.serve().call("ls") and not place.clients[-1].told, place.clients[-1].told


def an_orderly_end_of_helve_ends_its_jobs_and_is_told(place):
    first = place.serve()
    word = client.a_word()
    job = first.start(f"echo begun; sleep {word}")
    client.await_that(lambda: client.processes_with(word), "the command runs")
    first.close()
    client.await_that(lambda: not client.processes_with(word), "its processes end with helve")
    second = place.serve()
    polled = second.call("process", action="poll", process_id=job)
    assert polled["process"]["end"] == "killed by SIGTERM when helve ended", polled
    assert polled["output"] == "begun\n", polled
    assert [told for told, _ in second.told] == [job], second.told


def a_job_of_a_living_helve_is_not_lost(place):
    first, second = place.serve(), place.serve()
    job = first.start("sleep 1000")
    listed = second.call("process", action="list")["processes"]
    assert [(entry["process_id"], entry["state"]) for entry in listed] == [(job, "elsewhere")], listed
    refused = second.call("process", action="kill", process_id=job)
    assert refused["error"]["error_type"] == "runs_elsewhere", refused
    assert first.call("process", action="kill", process_id=job)["process"]["state"] == "ended"
    first.call("ls")  # the answer before this one has arrived
    assert second.call("process", action="status", process_id=job)["process"]["state"] == "ended"
    assert first.told == second.told == [], (first.told, second.told)


def the_command_line_tells_what_ended_in_its_session(place):
    helve = place.serve()
    job = helve.start("until [ -e go ]; do sleep 0.01; done; exit 5")
    (place.root / "go").touch()
    client.await_that(lambda: place.recorded(job) == "ended", "it ends")
    first, second = place.run("fs", "ls"), place.run("fs", "ls")
    assert f"background command {job} (until [ -e go ]; do sleep 0.01; done; exit 5) ended: exit code 5;" in first.stderr, first
    assert job not in second.stderr, second
    helve.call("ls")
    assert helve.told == [], helve.told


CASES = [a_job_of_a_killed_helve_is_lost_and_told_once, an_end_that_nobody_was_told_of_is_told_by_the_next_helve,
         polling_takes_no_notice_away_and_it_comes_once, who_ends_a_job_is_told_by_the_answer,
         an_orderly_end_of_helve_ends_its_jobs_and_is_told, a_job_of_a_living_helve_is_not_lost,
         the_command_line_tells_what_ended_in_its_session]

for case in CASES:
    with client.Place() as one:
        case(one)
    print("ok", case.__name__)
