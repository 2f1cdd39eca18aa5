"""`sulla beat`, over a daemon whose agent works by itself, without a language model and with one that stands still."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sulla.terminal.exits import Exit
from tests.cli.terminal import at_a_terminal
from tests.cli.typed import typed
from tests.daemon.running import Place, service
from tests.kits.in_turn import in_turn
from tests.servers.script import Reply, Rule, Script, ToolUse
from tests.soon import pause

pytestmark = in_turn(3)

Capsys = pytest.CaptureFixture[str]
BLOCKED = (
    "I stop here.<AGENT_BLOCKED><BLOCKER_REASON>no key</BLOCKER_REASON>"
    "<UNBLOCK_REQUIREMENTS>the key</UNBLOCK_REQUIREMENTS></AGENT_BLOCKED>"
)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    place = Place(tmp_path / "home", SULLA_MODEL="offline", SULLA_HEARTBEAT__ENABLED="true")
    monkeypatch.setenv("SULLA_HOME", str(place.home))
    return place


@pytest.fixture
def up(place: Place) -> Iterator[Place]:
    with place.up():
        yield place


def test_a_beat_is_begun_watched_and_shown_in_the_log(up: Place, capsys: Capsys) -> None:
    begun = typed(capsys, "beat", "now", "--watch")
    assert begun.code == Exit.OK
    lines = [line.partition(" ")[2] for line in begun.out.splitlines()]
    assert begun.out.startswith("begun: run_")
    assert "focus: tour (3 open tasks, never touched)" in lines
    assert any(line.startswith("beat 1, cycle 1: thr_") for line in lines)
    tools = [line.split()[1] for line in lines if line.lstrip().startswith("· ")]
    assert tools == ["set_focus", "read_project", "write_file", "comment_project_task", "complete_project_task"]
    assert lines[-1].startswith("done: 1 cycle, ")
    assert lines[-1].endswith("changed: tour: +1 done, -1 open; 1 file written")

    for _ in range(2):
        assert typed(capsys, "beat", "now", "--watch").code == Exit.OK
    idle = typed(capsys, "beat", "now", "--watch", "--project", "tour")
    assert (idle.code, idle.out.splitlines()[-1].partition(" ")[2]) == (
        Exit.OK,
        "no beat (idle): there is no open task in the project 'tour', and nobody wrote",
    )
    log = typed(capsys, "beat", "log", "--limit", "2").out.splitlines()
    assert len(log) == 5
    assert log[0].endswith("UTC skipped (idle): there is no open task in the project 'tour', and nobody wrote")
    assert " UTC done: 1 cycle, " in log[1]
    assert log[2].startswith("    worked on tour: 1 open task, untouched since ")
    rows = [json.loads(line) for line in typed(capsys, "beat", "log", "--json").out.splitlines()]
    assert [(row["fired"], row["status"]) for row in rows] == [(False, "skipped"), *[(True, "done")] * 3]


def test_its_status_says_when_it_beats_next_and_what_came_of_the_last_one(up: Place, capsys: Capsys) -> None:
    first = typed(capsys, "beat").out
    assert first.startswith("sulla: next ")
    assert "  when: Every 30m, up to 30s later (heartbeat_sulla)\n" in first
    assert "  this day: 0 of 1000000 tokens\n  this month: 0 of 20000000 tokens\n" in first
    assert "last" not in first
    assert typed(capsys, "beat", "log").out == "it was never woken; `sulla beat now` begins a beat\n"
    typed(capsys, "beat", "now", "--watch")
    shown = typed(capsys, "beat", "status", "--agent", "sulla").out
    assert " UTC done: 1 cycle, " in shown
    assert "      changed: tour: +1 done, -1 open; 1 file written\n" in shown
    row = json.loads(typed(capsys, "beat", "--json").out)
    assert (row["agent"], row["enabled"], row["beats"], row["beat"]["status"]) == ("sulla", True, 1, "done")
    assert row["budgets"][0]["tokens"] == row["beat"]["tokens"] == 0, "the stand-in uses nothing"


def test_a_terminal_gets_lines_that_fit(up: Place, capsys: Capsys) -> None:
    typed(capsys, "beat", "now", "--watch")
    environ = up.environ | {"COLUMNS": "80", "NO_COLOR": "1"}
    for words in (("beat",), ("beat", "log")):
        code, shown = at_a_terminal((sys.executable, "-m", "sulla", *words), "", environ)
        assert code == Exit.OK
        assert "\x1b" not in shown
        assert 70 < max(map(len, shown.splitlines())) <= 80


def test_a_message_to_its_thread_begins_a_beat_that_answers(up: Place, capsys: Capsys) -> None:
    typed(capsys, "beat", "now", "--watch")
    thread = typed(capsys, "beat").out.partition("  thread: ")[2].partition("\n")[0]
    asked = typed(capsys, "ask", "--thread", thread, "read tour/hello.md")
    assert asked.code == Exit.OK
    assert "Hello from Sulla." in asked.out
    (row, _) = (json.loads(line) for line in typed(capsys, "beat", "log", "--json").out.splitlines())
    assert (row["by"], row["status"], row["why"]) == ("message", "done", "a person wrote to the heartbeat")


def test_what_is_paused_is_woken_no_more_until_it_is_resumed_also_after_a_restart(place: Place, capsys: Capsys) -> None:
    with place.up() as daemon:
        assert "sulla: paused; `sulla beat resume` has it woken again\n" in typed(capsys, "beat", "pause").out
        daemon.ended(signal.SIGKILL)
    with place.up():
        assert json.loads(typed(capsys, "beat", "--json").out)["enabled"] is False
        assert typed(capsys, "beat", "resume", "--agent", "sulla").out.startswith("sulla: next ")
        assert json.loads(typed(capsys, "beat", "--json").out)["enabled"] is True


def test_what_cannot_be_is_refused_with_what_there_is(up: Place, capsys: Capsys) -> None:
    strange = typed(capsys, "beat", "now", "--agent", "sula")
    assert (strange.code, strange.err) == (Exit.REFUSED, "sulla: no agent 'sula'; did you mean 'sulla'?\n")
    missing = typed(capsys, "beat", "now", "--project", "turo")
    assert (missing.code, missing.err) == (Exit.REFUSED, "sulla: no project 'turo'. Did you mean 'tour'?\n")


def test_without_a_schedule_there_is_nothing_to_pause(
    tmp_path: Path, capsys: Capsys, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = Place(tmp_path / "home", SULLA_MODEL="offline")
    monkeypatch.setenv("SULLA_HOME", str(place.home))
    with place.up():
        said = "sulla: nothing wakes it by itself; set heartbeat.enabled = true in sulla.toml\n"
        assert typed(capsys, "beat").out.startswith(said)
        refused = typed(capsys, "beat", "pause")
        assert (refused.code, refused.out) == (Exit.REFUSED, "")
        assert "no schedule wakes any agent: set heartbeat.enabled = true in sulla.toml" in refused.err


def test_ctrl_c_leaves_a_beat_at_work_and_says_so_and_it_can_be_watched_again(tmp_path: Path) -> None:
    script = Script([Rule(Reply("Slowly.<AGENT_DONE>all done</AGENT_DONE>", pieces=4, hold="go", hold_after=1))])
    with service(script) as model:
        place = Place(tmp_path / "home", **model.environ | {"SULLA_MEMORY__ENABLED": "false"})
        with place.up(), place.begin("beat", "now", "--watch") as first:
            first.until("cycle 1: thr_")
            assert first.ended(signal.SIGINT) == Exit.INTERRUPTED
            assert "[the beat goes on; `sulla beat log` says what becomes of it]" in first.complaints
            refused = place.run("beat", "now")
            assert refused[0] == Exit.REFUSED
            assert "a beat of 'sulla' is at work already: " in refused[2]
            with place.begin("beat", "now", "--watch") as again:
                again.until("cycle 1: thr_")
                model.release("go")
                assert again.ended() == Exit.OK
                assert "[a beat is at work already: run_" in again.complaints
                assert again.said.splitlines()[-1].endswith("changed: nothing")


def test_a_beat_that_is_blocked_ends_with_the_code_for_it(tmp_path: Path) -> None:
    with service(Script([Rule(Reply(BLOCKED))])) as model:
        place = Place(tmp_path / "home", **model.environ)
        with place.up():
            code, out, _ = place.run("beat", "now", "--watch")
            assert code == Exit.BLOCKED
            assert "cycle 1 blocked: " in out
            assert "blocked: 1 cycle, " in out.splitlines()[-1]
            assert "said: no key" in place.run("beat")[1]


def test_a_watch_goes_on_over_a_kill_and_a_restart_and_nothing_is_begun_twice(tmp_path: Path) -> None:
    script = Script(
        [
            Rule(Reply("I look.", tools=(ToolUse("list_dir", {"path": "."}),)), results=0),
            Rule(Reply("Slowly.<AGENT_DONE>all done</AGENT_DONE>", pieces=4, hold="go", hold_after=1), results=1),
        ]
    )
    with service(script) as model:
        place = Place(tmp_path / "home", **model.environ | {"SULLA_MEMORY__ENABLED": "false"})
        with place.up() as daemon, place.begin("beat", "now", "--watch") as watch:
            watch.until("· list_dir")
            while model.asked < 2:
                pause()
                assert watch.process.poll() is None
            daemon.ended(signal.SIGKILL)
            watch.complains("[the daemon went away; waiting for it to come back]")
            with place.up():
                model.release("go")
                assert watch.ended() == Exit.OK
            lines = [line.partition(" ")[2] for line in watch.said.splitlines()]
            assert [line.split(":")[0] for line in lines if not line.startswith(" ")][-2:] == ["cycle 1 done", "done"]
            assert sum("list_dir" in line for line in lines) == 1
            assert sum(line.startswith("focus: ") for line in lines) == 1


def test_what_a_beat_may_not_do_alone_is_asked_and_ends_it_as_blocked(tmp_path: Path) -> None:
    calls = Rule(Reply("I do.", tools=(ToolUse("bash", {"command": "touch made-by-it"}),)), results=0)
    with service(Script([calls, Rule(Reply("That was it.<AGENT_DONE>made it</AGENT_DONE>"))])) as model:
        place = Place(tmp_path / "home", **model.environ | {"SULLA_SHELL__SANDBOX": "false"})
        with place.up():
            code, out, _ = place.run("beat", "now", "--watch")
            assert code == Exit.BLOCKED
            assert "  ? bash: touch made-by-it" in out
            assert "(sulla approvals)" in out
            (question,) = (json.loads(line) for line in place.run("approvals", "--json")[1].splitlines())
            assert question["prompt"].startswith("May bash be called with")
            assert json.loads(place.run("beat", "--json")[1])["beat"]["reason"] == "blocked"


def test_while_all_work_is_paused_a_beat_waits_and_says_so(up: Place, capsys: Capsys) -> None:
    assert typed(capsys, "pause", "--reason", "lunch").code == Exit.OK
    begun = typed(capsys, "beat", "now")
    assert (begun.code, begun.err) == (Exit.OK, "[paused by owner: lunch; the beat waits for `sulla resume`]\n")
    assert json.loads(typed(capsys, "beat", "--json").out)["beats"] == 0
    assert typed(capsys, "resume").code == Exit.OK
    with up.begin("beat", "now", "--watch") as watch:
        watch.ended()
    assert json.loads(typed(capsys, "beat", "--json").out)["beats"] >= 1
