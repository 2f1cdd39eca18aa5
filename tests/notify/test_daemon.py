"""Notices of a real daemon to a real HTTP service: what they say, and what a kill leaves of them."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sulla.core.clock import Clock
from sulla.terminal.exits import Exit
from tests.daemon.running import PATIENCE_S, Place, Service, service
from tests.daemon.serving import beside
from tests.servers.script import Failure, Reply, Rule, Script, ToolUse
from tests.servers.wire import WireRequest, WireResponse, WireServer
from tests.soon import pause

WHY = "the model is too tired"
TOLD = ToolUse("notify_user", {"text": "the tea is ready"})


class Receiver:
    """What a channel was sent."""

    def __init__(self) -> None:
        self.got: list[str] = []
        """The text of each message that came whole."""
        self.silent = False
        """Whether it takes messages and says nothing."""

    async def take(self, request: WireRequest, response: WireResponse) -> None:
        self.got.append(json.loads(request.body)["message"])
        if self.silent:
            return response.cut()
        return await response.whole(200, b"{}")


@pytest.fixture
def model() -> Iterator[Service]:
    rules = [
        Rule(Failure(400, message=WHY), text="(fail)"),
        Rule(Reply(tools=(TOLD,)), text="(tell)", results=0),
        Rule(Reply("Told.<AGENT_DONE/>"), text="(tell)", results=1),
    ]
    with service(Script(rules)) as found:
        yield found


@pytest.fixture
def receiver() -> Receiver:
    return Receiver()


@pytest.fixture
def place(tmp_path: Path, model: Service, receiver: Receiver) -> Iterator[Place]:
    def served(_: Clock) -> WireServer:
        return WireServer(receiver.take)

    with beside(served) as server:
        found = Place(tmp_path / "home", **model.environ, SULLA_MEMORY__ENABLED="false", SULLA_NOTIFY__JOIN_MIN="0")
        assert found.run("init")[0] == Exit.OK
        channel(found, "hook", f"json://{server.url.removeprefix('http://')}/")
        yield found


def channel(place: Place, name: str, address: str) -> None:
    with (place.home / "sulla.toml").open("a") as file:
        file.write(f'\n[[notify.channels]]\nname = "{name}"\naddress = "{address}"\n')


def soon(look: Callable[[], Any]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not look():
        assert time.monotonic() < deadline, "this did not come about"
        pause()


def test_a_turn_that_failed_is_told_in_words(place: Place, receiver: Receiver) -> None:
    with place.up():
        assert place.run("ask", "(fail)")[0] != Exit.OK
        soon(lambda: receiver.got)
    (said,) = receiver.got
    assert WHY in said
    assert "sulla thread show" in said


def test_an_address_that_cannot_be_is_told_at_the_start_and_by_the_doctor_and_nothing_is_sent(
    place: Place, receiver: Receiver
) -> None:
    channel(place, "odd", "nonsense://key-of-mine-1234")
    doctor = place.run("doctor")
    assert "odd: Apprise cannot send to this 'nonsense' address" in doctor[1]
    assert "hook:" not in doctor[1]
    with place.up() as daemon:
        daemon.complains("the channel odd can take no messages: Apprise cannot send to this 'nonsense' address")
        assert "the channel odd takes no messages" in place.run("status")[1]
        assert "key-of-mine" not in "".join((*doctor[1:], daemon.complaints, *place.run("notify", "list")[1:]))
    assert receiver.got == []
