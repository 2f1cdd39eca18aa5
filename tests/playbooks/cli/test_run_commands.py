"""Runs of playbooks at the command line: begun, watched, asked about and steered."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sulla.core.errors import InvalidInput
from sulla.playbooks.rpc_forms import StepRow
from sulla.terminal.exits import Exit
from tests.cli.stage import Said, Stage, fact
from tests.cli.terminal import terminal
from tests.cli.typed import typed
from tests.daemon.running import PATIENCE_S
from tests.kits.in_turn import in_turn

pytestmark = in_turn(3)

Capsys = pytest.CaptureFixture[str]
BEGAN: list[Said] = [
    fact("RUN_STARTED", playbook="brew", inputs={"leaf": "mate"}),
    fact("STEP_STARTED", "boil", attempt=1),
    ("ANSWER", {"wait_id": "child:boil", "text": "Hot.", "report": {"status": "done", "tokens": 7}}),
    fact("STEP_COMPLETED", "boil", value={"degrees": 100}, spent={"tokens": 7, "cost_micro": 1}),
]
WAIT = {"wait_id": "human:taste:1", "call_id": "", "prompt": "Is it good?"}
ASKS: list[Said] = [
    fact("STEP_STARTED", "taste", attempt=1),
    ("SUSPENDED", {"waits": [WAIT], "resting": False}),
    ("SUSPENDED", {"waits": [WAIT, {"wait_id": "time:next", "call_id": ""}]}),
]
DONE = [
    fact("STEP_COMPLETED", "taste", value="yes", route="yes"),
    fact("RUN_ENDED", status="completed", outputs={"tea": "ready"}),
]


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    """A daemon's door."""
    made = Stage(tmp_path / "home")
    monkeypatch.setenv("SULLA_HOME", str(made.home))
    with made.open():
        yield made


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "sulla", "flow", *words]


# ------------------------------------------------------------------------------------------------------------- running


def test_a_run_is_shown_step_by_step_and_its_outputs_are_the_answer(stage: Stage, capsys: Capsys) -> None:
    stage.acts([*BEGAN, *DONE])
    done = typed(capsys, "flow", "run", "brew", "--input", "leaf=mate", "--thread", "thr_1")
    assert done.code == Exit.OK, done.err
    assert json.loads(done.out) == {"tea": "ready"}
    lines = [line[9:] for line in done.err.splitlines() if not line.startswith("[")]
    assert lines == [
        'brew began with {"leaf": "mate"}',
        "boil began",
        'boil done in 0.0s, 7 tokens: {"degrees": 100}',
        "taste done -> yes: yes",
        "completed: 2 steps, 7 tokens",
    ]
    (begin,) = stage.office.begun.values()
    assert (begin.playbook, begin.inputs, begin.thread) == ("brew", {"leaf": "mate"}, "thr_1")


@pytest.mark.parametrize(
    ("status", "code"),
    [
        ("completed", Exit.OK),
        ("failed", Exit.FAILED),
        ("cancelled", Exit.CANCELLED),
    ],
)
def test_the_exit_code_says_how_it_ended(stage: Stage, capsys: Capsys, status: str, code: Exit) -> None:
    failure = {"kind": "fatal", "reason": "cold", "message": "no gas"}
    stage.acts([*BEGAN, fact("RUN_ENDED", status=status, outputs={}, failure=failure if code else None)])
    done = typed(capsys, "flow", "run", "brew")
    assert (done.code, done.out) == (code, "")
    assert ("(cold): no gas" in done.err) is bool(code)


def test_quiet_tells_of_no_step_that_goes_well(stage: Stage, capsys: Capsys) -> None:
    failed = fact("STEP_FAILED", "sip", failure={"kind": "permanent", "reason": "tool", "message": "too hot"})
    stage.acts([*BEGAN, failed, *DONE])
    done = typed(capsys, "flow", "run", "brew", "--quiet")
    assert done.code == Exit.OK, done.err
    told = [line.split(" ", 1)[1] for line in done.err.splitlines() if not line.startswith("[")]
    assert [line.split(" ")[0] for line in told] == ["brew", "sip", "completed:"]
    assert json.loads(done.out) == {"tea": "ready"}


def test_a_run_that_takes_over_is_shown_to_its_end(stage: Stage, capsys: Capsys) -> None:
    for run, end in (("run_1", "transferred"), ("run_2", "completed")):
        stage.commands.make(run)
        outputs = {"n": 3} if end == "completed" else {"given": 1}
        for type_, data in [*BEGAN, fact("RUN_ENDED", status=end, outputs=outputs, to="other")]:
            stage.commands.add(run, type_, "run_x", **data)
        stage.commands.add(run, "RUN_FINISHED", "run_x", outcome={"status": "done"})
    stage.office.make("run_1", "transferred")
    stage.office.details["run_1"] = replace(stage.office.details["run_1"], successor="run_2")
    done = typed(capsys, "flow", "show", "run_1", "--watch")
    assert done.code == Exit.OK, done.err
    assert "[goes on as the run run_2]" in done.err
    assert json.loads(done.out) == {"n": 3}


def test_a_run_that_nobody_takes_over_from_has_failed(stage: Stage, capsys: Capsys) -> None:
    stage.commands.make("run_1")
    for type_, data in [*BEGAN, fact("RUN_ENDED", status="transferred", outputs={}, to="other")]:
        stage.commands.add("run_1", type_, "run_x", **data)
    stage.commands.add("run_1", "RUN_ERROR", "run_x", code="not_found", message="no playbook 'other'")
    done = typed(capsys, "flow", "show", "run_1", "--watch")
    assert done.code == Exit.FAILED, done.err
    assert "failed (not_found): no playbook 'other'" in done.err


@pytest.mark.parametrize(
    ("event", "code", "said"),
    [
        (("RUN_FINISHED", {"outcome": {"status": "cancelled"}}), Exit.CANCELLED, "the run was stopped"),
        (("RUN_ERROR", {"code": "limit_wall", "message": "too long"}), Exit.FAILED, "failed (limit_wall): too long"),
    ],
)
def test_a_run_that_is_cut_off_ends_with_its_thread(
    stage: Stage, capsys: Capsys, event: Said, code: Exit, said: str
) -> None:
    stage.acts([*BEGAN, event])
    done = typed(capsys, "flow", "run", "brew")
    assert done.code == code
    assert said in done.err


def test_detached_it_prints_the_run_alone_and_says_how_to_come_back(stage: Stage, capsys: Capsys) -> None:
    done = typed(capsys, "flow", "run", "brew", "--detach")
    run = done.out.strip()
    assert (done.code, list(stage.office.begun)) == (Exit.OK, [run])
    assert f"sulla flow show {run} --watch" in done.err
    told = typed(capsys, "flow", "run", "brew", "--detach", "--json")
    assert json.loads(told.out)["first"] is True


def test_json_has_every_event_a_line_and_nothing_else(stage: Stage, capsys: Capsys) -> None:
    stage.acts([*BEGAN, *DONE])
    done = typed(capsys, "flow", "run", "brew", "--json")
    events = [json.loads(line) for line in done.out.splitlines()]
    assert [(event["type"], event["data"]) for event in events] == [*BEGAN, *DONE]
    assert done.err == ""


def test_a_file_is_run_as_it_is(stage: Stage, capsys: Capsys, tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(
        "name: mine\ninputs: {leaf: string, cups: integer}\nsteps:\n  - id: say\n    respond: ${{ inputs.leaf }}\n"
    )
    stage.acts(DONE)
    done = typed(capsys, "flow", "run", str(file), "--input", "leaf=5", "--input", "cups=5")
    assert done.code == Exit.OK, done.err
    (begin,) = stage.office.begun.values()
    assert (begin.source, begin.inputs) == (file.read_text(), {"leaf": "5", "cups": 5})
    missing = typed(capsys, "flow", "run", "nowhere/mine.yaml")
    assert (missing.code, "cannot read 'nowhere/mine.yaml'" in missing.err) == (Exit.REFUSED, True)


def test_a_file_with_faults_is_told_by_its_name(
    stage: Stage, capsys: Capsys, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("name: mine\nsteps: [{id: a, tool: nosuch}]\n")

    async def refuse(begin: object, key: str) -> None:
        raise InvalidInput("the playbook cannot be run: playbook:2:22: error: there is no tool 'nosuch' [unknown-tool]")

    monkeypatch.setattr(stage.office, "start", refuse)
    done = typed(capsys, "flow", "run", str(file))
    assert done.code != Exit.OK
    assert f"cannot be run: {file}:2:22: error: there is no tool 'nosuch'" in done.err


def test_of_a_playbook_that_lies_beside_the_file_it_is_said_that_it_has_to_be_in_the_home(
    stage: Stage, capsys: Capsys, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, inner = tmp_path / "mine.yaml", tmp_path / "inner.yaml"
    file.write_text("name: mine\nsteps: [{id: a, playbook: inner}]\n")

    async def refuse(begin: object, key: str) -> None:
        raise InvalidInput("playbook:2:27: error: there is no playbook 'inner' [unknown-playbook]")

    monkeypatch.setattr(stage.office, "start", refuse)
    assert "beside" not in typed(capsys, "flow", "run", str(file)).err
    inner.write_text("name: inner\nsteps: [{id: a, set: {x: 1}}]\n")
    assert f"{inner} lies beside the file" in typed(capsys, "flow", "run", str(file)).err


def test_inputs_come_from_a_file_and_single_ones_go_before_it(stage: Stage, capsys: Capsys, tmp_path: Path) -> None:
    file = tmp_path / "inputs.json"
    file.write_text('{"leaf": "mate", "cups": 2}')
    typed(capsys, "flow", "run", "brew", "--detach", "--inputs", str(file), "--input", "leaf=3")
    (begin,) = stage.office.begun.values()
    assert begin.inputs == {"leaf": "3", "cups": 2}
    given = typed(capsys, "flow", "run", "brew", "--detach", "--inputs", "-", given=b"[1]")
    assert (given.code, "expected a JSON object" in given.err) == (Exit.REFUSED, True)


def test_agents_at_work_for_it_are_looked_at_too(stage: Stage, capsys: Capsys) -> None:
    stage.commands.make("thr_child")
    stage.commands.add(
        "thr_child", "TOOL_CALL_START", "run_2", call_id="c", message_id="m", name="bash", args={"command": "ls"}
    )
    ids = {"id": "sub_1", "thread_id": "thr_child", "run_id": "run_1"}
    child: Said = ("CHILD_STARTED", {**ids, "agent": "coder", "mode": "call"})
    asks: Said = ("SUSPENDED", {"waits": [{"wait_id": "child:thr_child", "call_id": "", "prompt": "works"}]})
    stage.acts([*BEGAN, child, asks])

    def end_when_both_are_followed() -> None:
        runs = [run for run in stage.office.begun if stage.commands.listeners(run)]
        if not runs or not stage.commands.listeners("thr_child"):
            stage.later(end_when_both_are_followed)
            return
        stage.acts(DONE)
        stage.commands.play(runs[0])

    stage.later(end_when_both_are_followed)
    done = typed(capsys, "flow", "run", "brew")
    assert done.code == Exit.OK, done.err
    assert "coder works in the thread thr_child" in done.err
    assert '  · bash {"command": "ls"}' in done.err


# ----------------------------------------------------------------------------------------------------------- questions


def test_without_a_terminal_it_ends_where_only_a_person_can_help_and_says_what_to_do(
    stage: Stage, capsys: Capsys
) -> None:
    stage.acts([*BEGAN, *ASKS])
    done = typed(capsys, "flow", "run", "brew")
    assert done.code == Exit.BLOCKED
    assert "│ Is it good?" in done.err
    assert "sulla approvals answer human:taste" in done.err
    (run,) = stage.office.begun
    assert f"sulla flow show {run} --watch" in done.err
    assert f"then see what came of it:\n   sulla flow show {run}]" in done.err
    assert "thread show" not in done.err


def works(id: str, *, resting: bool = True) -> list[Said]:
    waits = [{"wait_id": f"child:{id}", "call_id": "", "prompt": ""}]
    child: Said = ("CHILD_STARTED", {"id": id, "thread_id": f"thr_{id}", "agent": "x", "mode": "call"})
    return [child, ("SUSPENDED", {"waits": waits, "resting": resting})]


def test_without_a_terminal_it_ends_too_where_what_works_for_it_waits_for_a_person(
    stage: Stage, capsys: Capsys
) -> None:
    stage.commands.make("thr_one")
    for said in works("two"):
        stage.commands.add("thr_one", said[0], "run_1", **said[1])
    stage.commands.make("thr_two")
    stage.commands.add("thr_two", "SUSPENDED", "run_2", waits=[WAIT])
    stage.acts([*BEGAN, *works("one")])
    done = typed(capsys, "flow", "run", "brew")
    assert done.code == Exit.BLOCKED, done.err
    assert "sulla approvals answer human:taste" in done.err
    assert "│ Is it good?" in done.err


def test_without_a_terminal_it_goes_on_as_long_as_anything_else_is_at_work(stage: Stage, capsys: Capsys) -> None:
    stage.commands.make("thr_one")
    stage.commands.add("thr_one", "SUSPENDED", "run_1", waits=[WAIT])
    stage.acts([*BEGAN, *works("one", resting=False)])

    def end_when_asked() -> None:
        runs = [run for run in stage.office.begun if stage.commands.listeners(run)]
        if not runs or not stage.commands.listeners("thr_one"):
            stage.later(end_when_asked)
            return
        stage.acts(DONE)
        stage.commands.play(runs[0])

    stage.later(end_when_asked)
    assert typed(capsys, "flow", "run", "brew").code == Exit.OK


def test_at_a_terminal_the_question_is_asked_in_place_and_the_run_goes_on(stage: Stage) -> None:
    stage.acts([*BEGAN, *ASKS], DONE)
    with terminal(command("run", "brew"), stage.environ) as seen:
        for answer in ("fine\n", "yes\n"):
            seen.prompted("[y]es, [n]o, or give up>")
            seen.type(answer)
        seen.until("completed: 2 steps")
        assert seen.process.wait(PATIENCE_S) == Exit.OK
    shown = seen.shown
    assert shown.index("Is it good?") < shown.index("[y]es, [n]o, or give up>") < shown.index("completed: 2 steps")
    assert shown.count("Is it good?") == 1
    (run,) = stage.office.begun
    assert ("answer", run, "human:taste:1", "approve", "") in stage.commands.calls


def test_after_an_answer_that_is_not_taken_the_question_is_asked_again_at_once(stage: Stage) -> None:
    stage.commands.refuses = "no idea"
    wait = {"wait_id": "answer:taste:1", "call_id": "", "prompt": "How is it?"}
    stage.acts([*BEGAN, fact("STEP_STARTED", "taste", attempt=1), ("SUSPENDED", {"waits": [wait]})], DONE)
    with terminal(command("run", "brew"), stage.environ) as seen:
        for answer in ("no idea\n", "good\n"):
            seen.prompted("your answer, or give up>")
            seen.type(answer)
        seen.until("completed: 2 steps")
        assert seen.process.wait(PATIENCE_S) == Exit.OK
    assert "[not taken: text: 'no idea' does not fit]" in seen.shown


def test_a_question_that_somebody_else_answers_is_not_asked_any_longer(stage: Stage) -> None:
    answered: Said = ("ANSWER", {"wait_id": "human:taste:1", "verdict": "approve", "text": "", "by": "phone"})
    stage.acts([*BEGAN, *ASKS], [answered, *DONE])
    with terminal(command("run", "brew"), stage.environ) as seen:
        seen.prompted("[y]es, [n]o, or give up>")
        (run,) = stage.office.begun
        stage.later(lambda: stage.commands.play(run))
        seen.until("[answered elsewhere with the token phone: yes]")
        seen.until("completed: 2 steps")
        assert seen.process.wait(PATIENCE_S) == Exit.OK
    assert "answer" not in {name for name, *_ in stage.commands.calls}


def test_ctrl_c_at_a_question_leaves_the_run_at_work(stage: Stage) -> None:
    stage.acts([*BEGAN, *ASKS])
    with terminal(command("run", "brew"), stage.environ) as seen:
        seen.prompted("[y]es, [n]o, or give up>")
        seen.type("\x03")
        seen.until("comes back to it")
        assert seen.process.wait(PATIENCE_S) == Exit.INTERRUPTED
    assert stage.office.asked == []


def test_ctrl_c_leaves_the_run_at_work_and_says_how_to_come_back(stage: Stage) -> None:
    stage.acts(BEGAN)
    with terminal(command("run", "brew"), stage.environ) as shown:
        shown.until("boil done")
        shown.process.send_signal(signal.SIGINT)
        shown.until("comes back to it")
        assert shown.process.wait(PATIENCE_S) == Exit.INTERRUPTED
    (run,) = stage.office.begun
    assert f"the run goes on; `sulla flow show {run} --watch`" in shown.shown
    assert stage.office.asked == []


def test_a_daemon_that_goes_away_and_comes_back_costs_nothing(stage: Stage) -> None:
    stage.acts(BEGAN, DONE)
    with terminal(command("run", "brew"), stage.environ) as shown:
        shown.until("boil done")
        (run,) = stage.office.begun
        stage.restart()
        shown.until("the daemon went away")
        stage.later(lambda: stage.commands.play(run))
        shown.until('"tea": "ready"')
        assert shown.process.wait(PATIENCE_S) == Exit.OK
    assert list(stage.office.begun) == [run]
    assert shown.shown.count("boil done") == shown.shown.count("taste done") == 1


def test_who_comes_back_sees_all_of_it_and_an_end_that_was_no_end_is_passed_over(stage: Stage, capsys: Capsys) -> None:
    stage.commands.make("run_1")
    failed = fact("RUN_ENDED", status="failed", outputs={}, failure={"reason": "cold", "message": ""})
    again = fact("RUN_REOPENED", steps=["boil"])
    for type_, data in [*BEGAN, *ASKS, failed, again, *DONE]:
        stage.commands.add("run_1", type_, "run_1", **data)
    done = typed(capsys, "flow", "show", "run_1", "--watch")
    assert done.code == Exit.OK, done.err
    assert "goes on from boil" in done.err
    assert json.loads(done.out) == {"tea": "ready"}


# ------------------------------------------------------------------------------------------------- looking and steering


def test_runs_are_listed_the_newest_first(stage: Stage, capsys: Capsys) -> None:
    for name in ("run_2", "run_3"):
        stage.office.make(name, "failed")
    done = typed(capsys, "flow", "runs")
    assert [line.split()[0] for line in done.out.splitlines()] == ["RUN", "run_3", "run_2", "run_1"]
    assert "1/2" in done.out
    assert [json.loads(line)["run"] for line in typed(capsys, "flow", "runs", "--json").out.splitlines()] == [
        "run_3", "run_2", "run_1",
    ]  # fmt: skip
    few = typed(capsys, "flow", "runs", "--status", "failed", "--limit", "1")
    assert "run_3" in few.out
    assert "run_2" not in few.out
    assert "and 1 more" in few.err
    none = typed(capsys, "flow", "runs", "--status", "queued")
    assert (none.out, "sulla flow run NAME" in none.err) == ("", True)


def test_a_run_is_shown_with_its_steps_as_a_table(stage: Stage, capsys: Capsys) -> None:
    done = typed(capsys, "flow", "show", "run_1")
    assert done.code == Exit.OK
    lines = done.out.splitlines()
    assert lines[0] == "brew paused  run_1"
    assert lines[1] == "  began 2027-01-15 08:00:00 UTC by manual; at work: taste"
    rows = [line.split() for line in lines if line.startswith(("boil", "taste"))]
    assert rows == [
        ["boil", "tool", "completed", "1", "2.0s", '{"degrees":', "100}"],
        ["taste", "human", "waiting", "1", "12", "a", "person"],
    ]
    found = json.loads(typed(capsys, "flow", "show", "run_1", "--json").out)
    assert [row["at"] for row in found["steps"]] == ["boil", "taste"]


def test_a_long_run_is_shown_whole(stage: Stage, capsys: Capsys) -> None:
    steps = [StepRow(f"say@{i}", "respond", "completed", 1, 1, 2, "x" * 50, "", "", 0, 0, "") for i in range(450)]
    stage.office.make("run_1", "completed", steps)
    found = json.loads(typed(capsys, "flow", "show", "run_1", "--json").out)
    assert [row["at"] for row in found["steps"]] == [f"say@{i}" for i in range(450)]


def test_runs_are_steered(stage: Stage, capsys: Capsys) -> None:
    for words in (
        ("step", "run_1"),
        ("resume", "run_1", "--from", "boil", "--from", "taste"),
        ("pause", "run_1", "--why", "look"),
        ("cancel", "run_1"),
    ):
        done = typed(capsys, "flow", *words)
        assert (done.code, "run_1" in done.out) == (Exit.OK, True), done.err
    assert stage.office.asked == [
        ("step", "run_1"),
        ("resume", "run_1", ("boil", "taste")),
        ("pause", "run_1", "look"),
        ("cancel", "run_1", ""),
    ]
    assert json.loads(typed(capsys, "flow", "pause", "run_1", "--json").out) == {"run": "run_1"}


def test_what_steps_came_to_is_json_where_it_reads_as_that(stage: Stage, capsys: Capsys) -> None:
    said = ("--output", "boil=1.50", "--output", 'kettle={"degrees": 100}')
    typed(capsys, "flow", "run", "brew", "--detach", "--input", "leaf=x", "--step", "taste", *said)
    (begin,) = stage.office.begun.values()
    outputs = {"boil": "1.50", "kettle": {"degrees": 100}}
    assert (begin.step, begin.outputs) == ("taste", outputs)
    typed(capsys, "flow", "resume", "run_1", *said)
    assert stage.office.asked == [("resume", "run_1", (), outputs)]
    done = typed(capsys, "flow", "resume", "run_1", "--output", "boil")
    assert (done.code, "expected step=value, found 'boil'" in done.err) == (Exit.REFUSED, True)


def test_a_fork_takes_the_old_inputs_but_for_those_that_are_given(stage: Stage, capsys: Capsys) -> None:
    done = typed(capsys, "flow", "fork", "run_1", "--from", "taste", "--detach")
    assert done.code == Exit.OK, done.err
    assert stage.office.asked == [("fork", "run_1", ("taste",), None)]
    typed(capsys, "flow", "fork", "run_1", "--from", "taste", "--input", "leaf=7", "--input", "cups=2", "--detach")
    assert stage.office.asked[1] == ("fork", "run_1", ("taste",), {"leaf": "7", "cups": 2})


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("run", "tea"), Exit.REFUSED, "no playbook 'tea'"),
        (("show", "run_9"), Exit.REFUSED, "no run 'run_9'"),
        (("show", "run_9", "--watch"), Exit.REFUSED, "no thread 'run_9'"),
        (("run", "brew", "--input", "leaf"), Exit.REFUSED, "expected name=value, found 'leaf'"),
        (("resume", "run_1", "--from", "no step!"), Exit.REFUSED, "expected a step's address"),
        (("fork", "run_1"), Exit.USAGE, "--from"),
        (("runs", "--status", "nice"), Exit.USAGE, "invalid choice"),
    ],
)
def test_what_cannot_be_is_refused_in_words(
    stage: Stage, capsys: Capsys, words: tuple[str, ...], code: Exit, said: str
) -> None:
    done = typed(capsys, "flow", *words)
    assert (done.code, said in done.err) == (code, True), done.err
    assert "Traceback" not in done.err


def test_where_no_daemon_runs_it_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capsys) -> None:
    monkeypatch.setenv("SULLA_HOME", str(tmp_path / "nowhere"))
    for words in (("run", "brew"), ("runs",), ("show", "run_1")):
        assert typed(capsys, "flow", *words).code == Exit.UNREACHABLE


def test_nothing_that_a_run_says_moves_the_cursor(stage: Stage, capsys: Capsys) -> None:
    evil: dict[str, Any] = {"value": "\x1b]52;c;c3RvbGVu\x07text"}
    end = fact("RUN_ENDED", status="completed", outputs={"tea": "\x9b2Jready"})
    stage.acts([fact("STEP_COMPLETED", "boil", **evil), end])
    done = typed(capsys, "flow", "run", "brew")
    assert not set(done.err + done.out) & {"\x1b", "\x07", "\x9b"}
