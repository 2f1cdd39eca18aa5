"""`sulla pause` and `sulla resume`, with a daemon and without one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from sulla.terminal.exits import Exit
from tests.cli.one_daemon import SCRIPT
from tests.cli.typed import typed
from tests.daemon.running import Place, service

Capsys = pytest.CaptureFixture[str]


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    """A home of the test's own: what is paused here must not stand still elsewhere."""
    with service(SCRIPT) as model:
        yield Place(tmp_path / "home", **model.environ, SULLA_MEMORY__ENABLED="false", SULLA_HEARTBEAT__ENABLED="false")


def test_what_was_paused_without_a_daemon_is_paused_when_one_starts(place: Place) -> None:
    code, out, err = place.run("pause", "--reason", "before the holidays")
    assert (code, err) == (Exit.OK, "")
    assert out.startswith("paused by owner since 20")
    assert ": before the holidays\n" in out
    with place.up():
        status = place.run("status")[1]
        assert "paused by owner: before the holidays, since 20" in status
        assert "degraded: paused" not in status
        again = json.loads(place.run("pause", "--json", "--reason", "another")[1])
        assert (again["by"], again["reason"]) == ("owner", "before the holidays")
        with place.begin("ask", "hello") as asking:
            asking.complains("[paused by owner: before the holidays")
            assert place.run("resume")[:2] == (Exit.OK, "work goes on\n")
            assert asking.ended() == Exit.OK
        assert asking.said == "Hello.\n"
        assert json.loads(place.run("status", "--json")[1])["paused"] is None
    audit = [json.loads(line) for line in (place.home / "audit.jsonl").read_text().splitlines()]
    turned = [(one["method"], one["way"], one["about"]) for one in audit if one["method"].startswith("system.")]
    assert turned[0] == ("system.pause", "home", {"reason": "before the holidays"})
    assert [method for method, _, _ in turned] == ["system.pause", "system.pause", "system.resume"]


def test_whoever_waits_for_an_answer_is_told_of_the_pause(place: Place) -> None:
    with place.up(), place.begin("ask", "slow") as asking:
        asking.until("This takes")
        assert json.loads(place.run("pause", "--json")[1])["paused"] is True
        asking.complains("[paused by owner; it goes on when somebody says `sulla resume`]")
        assert asking.process.poll() is None


def test_a_home_without_anything_goes_on_as_it_is(place: Place) -> None:
    assert json.loads(place.run("resume", "--json")[1]) == {"paused": False, "since": None, "by": "", "reason": ""}


def test_a_reason_of_several_lines_is_refused(place: Place, capsys: Capsys) -> None:
    refused = typed(capsys, "pause", "--home", str(place.home), "--reason", "one\ntwo")
    assert refused.code == Exit.REFUSED
    assert "sulla: reason: expected one line of at most 200 characters" in refused.err


def test_a_store_in_memory_is_nobody_elses_to_pause(place: Place) -> None:
    place.environ["SULLA_STORE"] = "memory:"
    code, _, err = place.run("pause")
    assert (code, "ends with its daemon" in err) == (Exit.SETTINGS, True)
