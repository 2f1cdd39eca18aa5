"""A real daemon over a fake of a channel's service: what it keeps over kills, the same for every kind."""

from __future__ import annotations

import asyncio
import json
import signal
from abc import abstractmethod
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Final, Generic, TypeVar

import pytest

from sulla.core.clock import Clock
from sulla.terminal.exits import Exit
from sulla.testing.channels.kill_kit import MARK
from sulla.testing.channels.wire import Seen, Wire
from tests.daemon.clients.asking import NOTE, written
from tests.daemon.running import PATIENCE_S, Daemon, Place, Service, service
from tests.daemon.serving import beside
from tests.servers.script import Reply, Rule, Script, ToolUse
from tests.soon import until

W = TypeVar("W", bound=Wire)
T = TypeVar("T")
SLOWLY: Final = "Slowly, and slowly, it was answered."
RULES: Final = (
    Rule(Reply(tools=(ToolUse("bash", {"command": f"echo written >> {NOTE}"}),)), text="(write)", results=0),
    Rule(Reply("That is that.<AGENT_DONE/>"), text="(write)", results=1),
    Rule(Reply(f"{SLOWLY}<AGENT_DONE/>", hold="slowly", hold_after=2), text="(slowly)"),
    Rule(Reply("Well met.<AGENT_DONE/>"), text="(hello)"),
)
"""What the model says; it asks before it writes."""


class Beside(Generic[W]):
    """A fake beside the test, on a loop of its own; one person talks at one place.

    Args:
        wire: the fake.
    """

    def __init__(self, wire: W) -> None:
        self.wire = wire

    async def __aenter__(self) -> Beside[W]:
        self._loop = asyncio.get_running_loop()
        await self.wire.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.wire.stop()

    def done(self, work: Coroutine[Any, Any, T]) -> T:
        """What comes of some work on its loop."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(PATIENCE_S)

    def said(self, text: str, reply_to: str = "") -> str:
        """Somebody says something; its id."""
        wire = self.wire
        return self.done(wire.say(wire.place(1), wire.person(1), text, reply_to=reply_to))

    def pressed(self, one: Seen, token: str, number: int = 1) -> None:
        """Somebody presses a button, or forges that."""
        wire = self.wire
        assert self.done(wire.press(wire.place(1), wire.person(number), one.ref, token))

    def shown(self) -> Sequence[Seen]:
        """What the daemon's messages look like now."""

        async def look() -> Sequence[Seen]:
            return list(self.wire.seen(self.wire.place(1)))

        return self.done(look())

    def texts(self) -> list[str]:
        """What they say."""
        return [one.text for one in self.shown()]


class DaemonKit(Generic[W]):
    """What a daemon keeps over a channel of one kind, through kills of its process."""

    kind: ClassVar[str]
    secrets: ClassVar[Mapping[str, str]]
    account: ClassVar[str]
    """As whom the daemon is there."""
    shows: ClassVar[bool] = True
    """Whether an answer is shown while it is written and may be killed there: it is found again."""
    hidden: ClassVar[Sequence[str]] = ()
    """What must stand in no log beside the secrets."""
    tells_sent: ClassVar[bool] = True
    """Whether the service can be asked what it has; where it cannot, a kill right behind a send leaves that open."""
    order: ClassVar[str] = "(write)"
    """What has the model write; said while nobody is there."""

    @abstractmethod
    def make(self, clock: Clock) -> W:
        """The fake; not started."""

    @abstractmethod
    def options(self, wire: W) -> Mapping[str, str | int]:
        """Of the channel, in the settings."""

    def asked(self, fake: Beside[W]) -> Seen | None:
        """The question, once there is one."""
        return next((one for one in fake.shown() if one.buttons), None)

    def meddle(self, fake: Beside[W], question: Seen) -> None:
        """What does not answer it, while the daemon is there."""
        fake.pressed(question, _allow(question), 2)
        fake.pressed(question, "forged")

    def answer(self, fake: Beside[W], question: Seen) -> None:
        """What allows it, twice; nobody is there."""
        for _ in range(2):
            fake.pressed(question, _allow(question))

    def answer_there(self, fake: Beside[W], question: Seen) -> None:
        """The same while the daemon is there, where the service keeps no presses."""

    # ------------------------------------------------------------------------------------------------------ fixtures

    @pytest.fixture
    def fake(self) -> Iterator[Beside[W]]:
        """The service."""
        with beside(lambda clock: Beside(self.make(clock))) as found:
            yield found

    @pytest.fixture
    def model(self) -> Iterator[Service]:
        """Plays the model."""
        with service(Script(RULES)) as found:
            yield found

    @pytest.fixture
    def place(self, tmp_path: Path, model: Service, fake: Beside[W]) -> Place:
        """A home with the channel, in which the person may write."""
        found = Place(tmp_path / "home", **model.environ, SULLA_MEMORY__ENABLED="false", SULLA_SHELL__SANDBOX="false")
        assert found.run("init")[0] == Exit.OK
        people = {fake.wire.person(1).id: "ann"}
        with (found.home / "sulla.toml").open("a") as file:
            file.write(f'\n[[channels.accounts]]\nname = "chat"\nkind = "{self.kind}"\n')
            for name, table in (("secrets", self.secrets), ("options", self.options(fake.wire)), ("people", people)):
                rows = (f"{json.dumps(key)} = {json.dumps(one)}" for key, one in table.items())
                file.write(f"{name} = {{ {', '.join(rows)} }}\n")
        return found

    # --------------------------------------------------------------------------------------------------------- tests

    def test_a_conversation_goes_on_over_kills(self, place: Place, fake: Beside[W], model: Service) -> None:
        with place.up() as daemon:
            assert place.run("channel", "test", "chat")[0] == Exit.OK
            fake.said("(hello)")
            until(lambda: "Well met." in fake.texts())
            self._is_well(place)
            fake.said("(slowly)")
            if self.shows:
                until(lambda: len(fake.texts()) == 2, "its beginning")
                assert SLOWLY.startswith(fake.texts()[1])
            until(lambda: model.asked == 2)
            complaints = self._killed(place, daemon)
        fake.said(self.order)  # nobody is there
        model.release("slowly")
        with place.up() as daemon:
            until(lambda: self.asked(fake) is not None, "a question")
            question = self.asked(fake)
            assert question is not None
            self.meddle(fake, question)
            complaints += self._killed(place, daemon)
        self.answer(fake, question)
        with place.up() as daemon:
            self.answer_there(fake, question)
            until(lambda: "That is that." in fake.texts())
            assert "channel: chat" in place.run("doctor")[1]
            complaints += daemon.complaints
        self._each_once(place, fake.shown())
        assert model.asked == 5  # the one that was killed is asked again
        logs = [complaints, *(one.read_text("utf-8", "replace") for one in place.home.rglob("*.log"))]
        assert not [text for text in logs for secret in (*self.secrets.values(), *self.hidden) if secret in text]

    # ------------------------------------------------------------------------------------------------------- private

    def _is_well(self, place: Place) -> None:
        row = json.loads(place.run("channel", "list", "--json")[1])
        found = (row["state"], row["account"], row["last_given_up"])
        assert found == ("well", self.account, None)

    def _killed(self, place: Place, daemon: Daemon) -> str:
        """What it has complained of."""
        if not self.tells_sent:
            until(lambda: json.loads(place.run("channel", "list", "--json")[1])["waiting"] == 0)
        assert daemon.ended(signal.SIGKILL) == -signal.SIGKILL
        return daemon.complaints

    def _each_once(self, place: Place, shown: Sequence[Seen]) -> None:
        texts = [one.text for one in shown]
        assert len(set(texts)) == len(texts)
        assert not [text for text in texts if MARK in text]
        assert [texts.count(one) for one in ("Well met.", SLOWLY, "That is that.")] == [1, 1, 1]
        assert texts[:2] == ["Well met.", SLOWLY]
        assert texts[-1] == "That is that."
        assert not any(one.buttons for one in shown)
        assert written(place) == ["written"]


def _allow(question: Seen) -> str:
    return next(token for label, token in question.buttons.items() if label.startswith("Allow"))
