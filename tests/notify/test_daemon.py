"""Notices of a real daemon to a real HTTP service: what they say, and what a kill leaves of them."""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from sulla.core.clock import Clock
from sulla.terminal.exits import Exit
from tests.daemon.running import Place, Service, service
from tests.daemon.serving import beside
from tests.kits.in_turn import in_turn
from tests.servers.script import Failure, Reply, Rule, Script, ToolUse
from tests.servers.wire import WireRequest, WireResponse, WireServer
from tests.soon import until

pytestmark = in_turn(3)

WHY = "the model is too tired"
TEXT = "the tea is ready"
TOLD = ToolUse("notify_user", {"text": TEXT})


class Receiver:
    """What a channel was sent."""

    def __init__(self) -> None:
        self.got: list[str] = []
        """The text of each message that came whole."""
        self.holds = False
        """Whether it takes messages and does not say so."""

    async def take(self, request: WireRequest, response: WireResponse) -> None:
        self.got.append(json.loads(request.body)["message"])
        if self.holds:
            await asyncio.Event().wait()  # until its client is gone
        await response.whole(200, b"{}")


@pytest.fixture
def model() -> Iterator[Service]:
    rules = [
        Rule(Failure(400, message=WHY), text="(fail)"),
        Rule(Reply("The roof is mended.<AGENT_DONE/>", hold="beat"), text="This is your own time"),
        Rule(Reply(tools=(TOLD,)), text="(tell", results=0),
        Rule(Reply("Told.<AGENT_DONE/>", hold="slowly"), text="(tell, slowly)", results=1),
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


def test_a_turn_that_failed_is_told_in_words(place: Place, receiver: Receiver) -> None:
    with place.up():
        assert place.run("ask", "(fail)")[0] != Exit.OK
        until(lambda: receiver.got)
    (said,) = receiver.got
    assert WHY in said
    assert "sulla thread show" in said


def test_a_beat_at_work_asks_nobody_and_what_it_said_stays_in_its_log(
    place: Place, receiver: Receiver, model: Service
) -> None:
    with place.up():
        assert place.run("beat", "now")[0] == Exit.OK
        until(lambda: model.asked == 1)  # its cycle is at work, and it waits for that
        assert place.run("ask", "(fail)")[0] != Exit.OK
        until(lambda: receiver.got)
        model.release("beat")
        until(lambda: "The roof is mended." in place.run("beat", "log")[1])
        assert place.run("ask", "(fail)")[0] != Exit.OK
        until(lambda: len(receiver.got) == 2)
    assert all(WHY in said for said in receiver.got)


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


def test_a_kill_while_a_notice_is_sent_loses_none_and_what_comes_twice_says_so(
    place: Place, receiver: Receiver
) -> None:
    receiver.holds = True
    with place.up() as daemon:
        assert place.run("ask", "(tell)")[0] == Exit.OK
        until(lambda: receiver.got)  # it has arrived, and the daemon does not know it yet
        assert daemon.ended(signal.SIGKILL) == -signal.SIGKILL
    receiver.holds = False
    with place.up():
        until(lambda: len(receiver.got) == 2)
        first, second = receiver.got
        assert (TEXT in first, "may have been sent before" in first) == (True, False)
        assert (TEXT in second, "may have been sent before" in second) == (True, True)
        assert place.run("notify", "test", "hook")[0] == Exit.OK  # goes behind whatever else there were
        assert len(receiver.got) == 3
    with place.up():
        assert place.run("notify", "test", "hook")[0] == Exit.OK
    assert sum(TEXT in one for one in receiver.got) == 2


def test_a_kill_before_a_notice_is_sent_has_it_sent_once(place: Place, receiver: Receiver, model: Service) -> None:
    with place.up() as daemon, place.begin("ask", "(tell, slowly)") as asks:
        until(lambda: model.asked == 2)  # the notice is kept, and the turn goes on
        assert daemon.ended(signal.SIGKILL) == -signal.SIGKILL
        asks.process.kill()
    model.release("slowly")
    with place.up():
        until(lambda: any(TEXT in one for one in receiver.got))
        assert place.run("notify", "test", "hook")[0] == Exit.OK
    told = [one for one in receiver.got if TEXT in one]
    marked = ["may have been sent before" in one for one in told]
    assert marked in ([False], [True], [False, True])  # once, unless the kill came while it was under way: that is said
