"""A real daemon and the fake of Slack: an answer that is shown while it is written, and a button, over kills."""

from __future__ import annotations

import asyncio
import re
import signal
from collections.abc import Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest

from sulla.core.clock import Clock
from sulla.terminal.exits import Exit
from sulla.testing.channels.slack import APP_TOKEN, BOT_TOKEN, SlackWire
from sulla.testing.channels.wire import Seen
from tests.daemon.clients.asking import NOTE, written
from tests.daemon.running import PATIENCE_S, Place, Service, service
from tests.daemon.serving import beside
from tests.kits.in_turn import in_turn
from tests.servers.script import Reply, Rule, Script, ToolUse
from tests.soon import until

pytestmark = in_turn(2)

LONG = " ".join(f"word{number}" for number in range(40))


class Slack(SlackWire):
    """Slack beside the test, on a loop of its own."""

    async def __aenter__(self) -> Slack:
        self._loop = asyncio.get_running_loop()
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    def done(self, work: Coroutine[Any, Any, object]) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result(PATIENCE_S)

    def said(self, text: str) -> None:
        self.done(self.say(self.place(1), self.person(1), text))

    @property
    def shown(self) -> list[Seen]:
        return list(self.seen(self.place(1)))

    @property
    def texts(self) -> list[str]:
        return [one.text for one in self.shown]


@pytest.fixture
def slack() -> Iterator[Slack]:
    def made(clock: Clock) -> Slack:
        return Slack(clock)

    with beside(made) as found:
        yield found


@pytest.fixture
def model() -> Iterator[Service]:
    asking = ToolUse("bash", {"command": f"echo written >> {NOTE}", "timeout_s": 30})
    rules = [
        Rule(Reply(tools=(asking,)), text="(write)", results=0),
        Rule(Reply("That is that.<AGENT_DONE/>"), text="(write)", results=1),
        Rule(Reply(f"{LONG}<AGENT_DONE/>", pieces=20, hold="slowly", hold_after=10), text="(slowly)"),
        Rule(Reply("Well met.<AGENT_DONE/>"), text="(hello)"),
    ]
    with service(Script(rules)) as found:
        yield found


@pytest.fixture
def place(tmp_path: Path, model: Service, slack: Slack) -> Place:
    found = Place(tmp_path / "home", **model.environ, SULLA_MEMORY__ENABLED="false", SULLA_SHELL__SANDBOX="false")
    assert found.run("init")[0] == Exit.OK
    with (found.home / "sulla.toml").open("a") as file:
        file.write(f'\n[[channels.accounts]]\nname = "work"\nkind = "slack"\noptions = {{ api = "{slack.api}" }}\n')
        file.write(f'secrets = {{ bot_token = "{BOT_TOKEN}", app_token = "{APP_TOKEN}" }}\n')
        file.write(f'people = {{ {slack.person(1).id} = "ann" }}\n')
    return found


def test_an_answer_is_shown_while_it_is_written_and_is_one_over_a_kill(
    place: Place, slack: Slack, model: Service
) -> None:
    with place.up() as daemon:
        assert place.run("channel", "test", "work")[0] == Exit.OK
        slack.said("(slowly)")
        until(lambda: slack.texts)
        assert LONG.startswith(slack.texts[0])
        assert slack.texts[0] != LONG
        assert daemon.ended(signal.SIGKILL) == -signal.SIGKILL
        complaints = daemon.complaints
    slack.said("(hello)")
    model.release("slowly")
    with place.up() as daemon:
        until(lambda: "Well met." in slack.texts)
        assert slack.texts == [LONG, "Well met."]
        assert "channel: work" in place.run("doctor")[1]
        complaints += daemon.complaints
    written = [complaints, *(one.read_text("utf-8", "replace") for one in place.home.rglob("*.log"))]
    assert not [text for text in written if BOT_TOKEN in text or APP_TOKEN in text or "ticket=" in text]


def test_a_question_outlives_a_kill_and_is_answered_once_by_its_button(place: Place, slack: Slack) -> None:
    with place.up() as daemon:
        slack.said("(write)")
        until(lambda: slack.shown and slack.shown[-1].buttons)
        assert daemon.ended(signal.SIGKILL) == -signal.SIGKILL
    (asked,) = slack.shown
    token = next(token for label, token in asked.buttons.items() if re.match("Allow", label))
    with place.up():
        for who in (2, 1, 1):  # somebody else, the one who was asked, and he again
            slack.done(slack.press(slack.place(1), slack.person(who), asked.ref, token))
        until(lambda: "That is that." in slack.texts)
        until(lambda: len(slack.whispers) == 3)
        until(lambda: not slack.shown[0].buttons)
    assert [user for user, _ in slack.whispers] == [slack.person(2).id, slack.person(1).id, slack.person(1).id]
    assert slack.texts.count("That is that.") == 1
    assert len(slack.texts) == 2
    assert written(place) == ["written"]
