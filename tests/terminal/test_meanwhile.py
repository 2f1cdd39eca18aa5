"""Whoever talks to an agent reads what came of a playbook between two of their messages."""

from __future__ import annotations

from typing import Any, cast

import pytest

from sulla.terminal.client import Client
from sulla.terminal.screen import Screen
from sulla.terminal.turn import tell_meanwhile

Event = dict[str, Any]


def event(seq: int, run: str, type_: str, **data: object) -> Event:
    return {"seq": seq, "run_id": run, "type": type_, "data": data}


LOG = [
    event(5, "run_a", "INPUT", text="[The playbook brew asks.]", origin="playbook"),
    event(6, "run_a", "TEXT_MESSAGE_END", message_id="a", text="I say yes.", hidden=True),
    event(7, "run_b", "INPUT", text="[The playbook brew has ended.]", origin="playbook"),
    event(8, "run_x", "TEXT_MESSAGE_END", message_id="x", text="Somebody else's answer."),
    event(9, "run_b", "TEXT_MESSAGE_END", message_id="b", text="Tea is made.\x1b[2J"),
    event(10, "run_c", "INPUT", text="[The playbook brew has failed.]", origin="playbook"),
    event(11, "run_me", "INPUT", text="hi"),
    event(12, "run_c", "TEXT_MESSAGE_END", message_id="c", text="The kettle is broken."),
]


class Daemon:
    """Gives a thread's history, three events at a time."""

    def __init__(self) -> None:
        self.asked: list[int] = []

    async def call(self, method: str, **params: Any) -> dict[str, Any]:
        assert method == "thread.history"
        self.asked.append(params["after"])
        found = [one for one in LOG if one["seq"] > params["after"]]
        return {"events": found[:3], "more": len(found) > 3}


async def told(after: int) -> tuple[Screen, list[int]]:
    daemon, screen = Daemon(), Screen("run_me")
    await tell_meanwhile(cast(Client, daemon), "thr_1", screen.aside, after, 11)
    return screen, daemon.asked


async def test_what_the_agent_told_is_printed_once_and_nothing_else(capsys: pytest.CaptureFixture[str]) -> None:
    screen, asked = await told(4)
    said = capsys.readouterr()
    assert (said.out, said.err) == ("", "[of a playbook]\nTea is made.[2J\n")
    assert asked == [4, 7]
    # What it has not said yet is shown as it comes, beside the answer.
    assert [screen.show(one) for one in LOG[6:]] == [("", ""), ("", "[of a playbook]\nThe kettle is broken.\n")]


async def test_nothing_is_asked_where_nothing_has_happened(capsys: pytest.CaptureFixture[str]) -> None:
    _, asked = await told(10)
    assert (asked, capsys.readouterr().err) == ([], "")


def test_anothers_answer_is_not_shown() -> None:
    screen = Screen("run_me")
    assert [screen.show(one) for one in LOG if one["run_id"] in ("run_a", "run_x")] == [("", "")] * 3
