"""What a person looks at is told over a real socket and over REST, and strictly."""

from __future__ import annotations

import pytest

from sulla.agent.environment_rpc import EnvironmentEvent
from tests.doubles.commands import MemoryCommands
from tests.gateway.conftest import Connect
from tests.gateway.peer import Frame

PAGE = {"kind": "page", "title": "Trains", "url": "https://trains.example/", "text": "59 €", "ago_s": 4}


async def test_what_is_told_reaches_the_daemon_whole_with_the_name_of_its_token(
    connect: Connect, commands: MemoryCommands
) -> None:
    commands.make("thr_1")
    peer = await connect()
    told: list[Frame] = [PAGE, {"kind": "selection", "text": "59 €"}]
    assert await peer.call("environment.report", thread_id="thr_1", events=told) == {"known": 2}
    seen = (
        EnvironmentEvent(kind="page", title="Trains", url="https://trains.example/", text="59 €", ago_s=4),
        EnvironmentEvent(kind="selection", text="59 €"),
    )
    assert commands.calls[-1] == ("report_environment", "thr_1", seen, "owner")


async def test_who_may_only_read_may_not_tell(connect: Connect, commands: MemoryCommands) -> None:
    commands.make("thr_1")
    peer = await connect(token="reader")
    error = await peer.fail("environment.report", thread_id="thr_1", events=[PAGE])
    assert error["data"]["code"] == "forbidden"
    assert commands.calls == []


@pytest.mark.parametrize(
    ("events", "said"),
    [
        ([], "params.events: got 0 items, expected at least 1"),
        ([PAGE] * 9, "params.events: got 9 items, expected at most 8"),
        ([{**PAGE, "kind": "smell"}], "params.events.0.kind: got 'smell', expected 'page', 'navigation'"),
        ([{**PAGE, "text": "x" * 401}], "params.events.0.text: got 401 characters, expected at most 400"),
        ([{**PAGE, "ago_s": 301}], "params.events.0.ago_s: got 301, expected less than or equal to 300"),
        ([{**PAGE, "ago_s": True}], "params.events.0.ago_s: got True"),
        ([{**PAGE, "html": "<p>"}], "params.events.0.html: no such field"),
    ],
)
async def test_what_is_wrong_in_it_is_named(
    connect: Connect, commands: MemoryCommands, events: list[Frame], said: str
) -> None:
    commands.make("thr_1")
    peer = await connect()
    error = await peer.fail("environment.report", thread_id="thr_1", events=events)
    assert said in error["message"]
    assert commands.calls == []
