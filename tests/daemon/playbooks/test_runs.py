"""Playbooks on a real daemon: begun at a terminal and by webhooks, asked about, resumed, forked and steered."""

from __future__ import annotations

import json
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from sulla.access.audit import FILE
from sulla.gateway.rest.webhook import sign
from sulla.playbooks.definition import WebhookForm
from sulla.terminal.exits import Exit
from tests.cli.terminal import terminal
from tests.daemon.running import PATIENCE_S, Daemon, Place
from tests.kits.in_turn import in_turn
from tests.soon import pause

pytestmark = in_turn(3)

APPROVED = """
name: approved
inputs: {leaf: string}
outputs: {tea: "${{ steps.pour.output }}"}
steps:
  - id: known
    condition: ${{ inputs.leaf != '' }}
  - id: approve
    needs: [known.yes]
    human: Pour ${{ inputs.leaf }}?
  - id: pour
    respond: poured ${{ inputs.leaf }}
  - id: refused
    needs: [approve.no]
    respond: nothing
"""
HOOKED = """
name: hooked
on: [manual, {webhook: kettle, inputs: {leaf: mate}}]
inputs: {leaf: string}
secrets: [kettle]
outputs: {said: "${{ run.payload }}", leaf: "${{ inputs.leaf }}"}
steps:
  - id: say
    respond: ${{ run.payload.who }} wants ${{ inputs.leaf }}
"""
PICKS = """
name: picks
outputs: {leaf: "${{ steps.which.output }}"}
steps:
  - id: ways
    parallel:
      branches:
        slow:
          - id: rest
            wait: 1s
          - id: rested
            respond: rested
        ask:
          - id: which
            human: Which leaf?
            choices: [mate, oolong]
"""
FAILS = """
name: fails
inputs: {number: string}
outputs: {double: "${{ steps.double.output }}"}
steps:
  - id: first
    respond: counted
  - id: double
    respond: ${{ 2 * (inputs.number | int) }}
"""


def made_place(home: Path) -> Place:
    made = Place(
        home, SULLA_MODEL="offline", SULLA_SECRET_KETTLE="whistle whistle whistle", SULLA_MEMORY__ENABLED="false"
    )
    folder = home / "workflows"
    folder.mkdir(parents=True)
    for source in (APPROVED, HOOKED, FAILS, PICKS):
        name = source.splitlines()[1].removeprefix("name: ")
        (folder / f"{name}.yaml").write_text(source)
    return made


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    return made_place(tmp_path_factory.mktemp("plays") / "home")


@pytest.fixture(scope="module")
def daemon(place: Place) -> Iterator[Daemon]:
    with place.up() as running:
        yield running


def flow(place: Place, *words: str) -> tuple[int, str, str]:
    return place.run("flow", *words)


def shown(place: Place, run: str, *statuses: str) -> dict[str, Any]:
    """A run, once it stands as one of these."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        _, out, err = flow(place, "show", run, "--json")
        found: dict[str, Any] = json.loads(out or json.dumps({"about": {"status": err}}))
        if found["about"]["status"] in statuses:
            return found
        assert time.monotonic() < deadline, found
        pause()


def test_a_run_is_watched_and_its_question_is_answered_where_it_is_asked(place: Place, daemon: Daemon) -> None:
    words = [sys.executable, "-m", "sulla", "flow", "run", "approved", "--input", "leaf=mate"]
    with terminal(words, place.environ) as seen:
        seen.until("Pour mate?")
        seen.prompted("give up>")
        seen.type("yes\n")
        seen.until('"tea": "poured mate"')
        assert seen.process.wait(PATIENCE_S) == Exit.OK
    assert "known done" in seen.shown
    assert "refused skipped" in seen.shown


def test_a_choice_is_made_while_other_steps_go_on(place: Place, daemon: Daemon) -> None:
    with terminal([sys.executable, "-m", "sulla", "flow", "run", "picks"], place.environ) as seen:
        seen.until("Which leaf?")
        seen.prompted("give up>")
        seen.type("tea\n")  # none of them
        seen.prompted("give up>")
        seen.type("mate\n")
        seen.until('"leaf": "mate"')
        assert seen.process.wait(PATIENCE_S) == Exit.OK
    assert seen.shown.count("Which leaf?") == 1
    assert "rested done" in seen.shown


def test_ctrl_c_leaves_it_and_another_terminal_answers_and_comes_back(place: Place, daemon: Daemon) -> None:
    words = [sys.executable, "-m", "sulla", "flow", "run", "approved", "--input", "leaf=oolong"]
    with terminal(words, place.environ) as seen:
        seen.prompted("give up>")
        seen.process.send_signal(signal.SIGINT)
        seen.until("comes back to it")
        assert seen.process.wait(PATIENCE_S) == Exit.INTERRUPTED
    (run,) = [
        row["run"]
        for row in map(json.loads, flow(place, "runs", "--json", "--status", "waiting")[1].splitlines())
        if row["open"] == ["approve"]
    ]
    code, _, err = flow(place, "show", run, "--watch")
    assert (code, "sulla approvals answer human:" in err) == (Exit.BLOCKED, True), err
    question = json.loads(place.run("approvals", "--json")[1].splitlines()[0])
    assert question["thread_id"] == run
    assert place.run("approvals", "answer", question["id"], "reject")[0] == Exit.OK
    code, _, err = flow(place, "show", run, "--watch")
    assert code == Exit.OK, err
    states = {row["at"]: row["status"] for row in shown(place, run, "completed")["steps"]}
    assert (states["pour"], states["refused"]) == ("skipped", "completed")


def test_who_watches_sees_the_run_go_on_after_its_daemon_was_killed(tmp_path: Path) -> None:
    place = made_place(tmp_path / "home")
    words = [sys.executable, "-m", "sulla", "flow", "run", "picks"]
    with terminal(words, place.environ | {"SULLA_HOME": str(tmp_path / "nowhere")}) as seen:
        assert seen.process.wait(PATIENCE_S) == Exit.UNREACHABLE
    with place.up() as first:
        _, out, _ = flow(place, "run", "picks", "--detach")
        run = out.strip()
        with terminal([*words[:-2], "show", run, "--watch"], place.environ) as seen:
            seen.prompted("give up>")
            first.ended(signal.SIGKILL)
            seen.type("mate\n")
            seen.until("the daemon went away")
            with place.up():
                seen.until('"leaf": "mate"')
                assert seen.process.wait(PATIENCE_S) == Exit.OK
    assert seen.shown.count("which began") == seen.shown.count("which done") == seen.shown.count("Which leaf?") == 1


def test_a_run_that_failed_is_forked_with_better_inputs(place: Place, daemon: Daemon) -> None:
    code, out, err = flow(place, "run", "fails", "--input", "number=none")
    assert code in (Exit.OK, Exit.FAILED), err
    run = err.partition("[the run ")[2].partition("]")[0]
    code, out, err = flow(place, "fork", run, "--from", "double", "--input", "number=21")
    assert (code, json.loads(out)) == (Exit.OK, {"double": "42"}), err
    assert f"after what {run} has done" in err


def test_a_webhook_begins_one_run_however_often_and_however_late_it_comes(place: Place, daemon: Daemon) -> None:
    def post(id_: str, body: bytes, secret: str = "whistle whistle whistle") -> httpx.Response:
        at_s = round(time.time())
        said = {
            "webhook-id": id_,
            "webhook-timestamp": str(at_s),
            "webhook-signature": "v1," + sign(WebhookForm(), secret, f"{id_}.{at_s}.", body),
        }
        headers = said | {"content-type": "application/json"}
        return httpx.post(f"{daemon.url}/hooks/hooked", content=body, headers=headers, timeout=PATIENCE_S)

    first = post("m-1", b'{"who": "Ann"}')
    assert (first.status_code, first.json()["first"]) == (202, True), first.text
    run = first.json()["run"]
    found = shown(place, run, "completed", "failed")
    assert found["outputs"] == {"said": {"who": "Ann"}, "leaf": "mate"}
    assert found["about"]["trigger"] == "webhook"
    again = post("m-1", b'{"who": "Ann"}')
    assert (again.status_code, again.json()) == (202, {"run": run, "first": False}), again.text
    assert post("m-2", b'{"who": "Ann"}', "a guess of some length").status_code == 401
    assert post("m-2", b'{"who": "Bob"}').json()["run"] != run
    (log,) = place.home.rglob(FILE)
    audit = [json.loads(line) for line in log.read_text().splitlines()]
    assert {"webhook hooked"} <= {line.get("token") for line in audit}


def test_a_playbook_that_is_brought_along_is_run_and_one_with_faults_is_named(
    place: Place, daemon: Daemon, tmp_path: Path
) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("name: mine\noutputs: {x: '${{ steps.a.output }}'}\nsteps:\n  - id: a\n    respond: hello\n")
    code, out, err = flow(place, "run", str(file))
    assert (code, json.loads(out or "{}")) == (Exit.OK, {"x": "hello"}), err
    file.write_text("name: mine\nsteps:\n  - id: a\n    respnd: hello\n")
    code, out, err = flow(place, "run", str(file))
    assert (code, "respond" in err) == (Exit.REFUSED, True), err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("aproved", "--input", "leaf=x"), "approved"),
        (("approved",), "'leaf' is missing"),
        (("approved", "--input", "leaf=x", "--input", "cups=2"), "no input 'cups'"),
        (("approved", "--input", "leaf=x", "--thread", "nope"), "no thread 'nope'"),
        (("approved", "--input", "leaf=x", "--agent", "nobody"), "no agent 'nobody'"),
    ],
)
def test_what_is_refused_is_not_begun(place: Place, daemon: Daemon, words: tuple[str, ...], said: str) -> None:
    before = flow(place, "runs", "--json", "--limit", "1000")[1]
    code, _, err = flow(place, "run", *words)
    assert (code, said in err) == (Exit.REFUSED, True), err
    assert "Traceback" not in err
    after = flow(place, "runs", "--json", "--limit", "1000")[1]
    assert len(after.splitlines()) == len(before.splitlines())


def test_a_run_is_paused_stepped_resumed_and_ended(place: Place, daemon: Daemon) -> None:
    code, run, err = flow(place, "run", "approved", "--input", "leaf=mate", "--detach")
    assert code == Exit.OK, err
    run = run.strip()
    shown(place, run, "waiting")
    assert flow(place, "pause", run, "--why", "look")[0] == Exit.OK
    shown(place, run, "paused")
    assert flow(place, "step", run)[0] == Exit.OK
    assert flow(place, "resume", run)[0] == Exit.OK
    shown(place, run, "waiting", "running")
    assert flow(place, "cancel", run, "--why", "enough")[0] == Exit.OK
    found = shown(place, run, "cancelled")
    assert found["about"]["ended_at"] is not None
    code, _, err = flow(place, "step", run)
    assert (code, "Traceback" in err) == (Exit.REFUSED, False)
