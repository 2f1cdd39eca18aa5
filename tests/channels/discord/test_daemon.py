"""A real daemon and the fake of Discord: a code, an answer, a question that is answered by a button, and a kill."""

from __future__ import annotations

import asyncio
import re
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from sulla.core.clock import Clock
from sulla.terminal.exits import Exit
from sulla.testing.channels.discord import TOKEN, DiscordWire
from sulla.testing.channels.wire import Seen
from tests.daemon.clients.asking import NOTE, written
from tests.daemon.running import PATIENCE_S, Place, Service, service
from tests.daemon.serving import beside
from tests.kits.in_turn import in_turn
from tests.servers.script import Reply, Rule, Script, ToolUse
from tests.soon import until

pytestmark = in_turn(2)


class Discord(DiscordWire):
    """Discord beside the test, on a loop of its own."""

    async def __aenter__(self) -> Discord:
        self._loop = asyncio.get_running_loop()
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    def said(self, text: str) -> str:
        work = self.say(self.place(1), self.person(1), text)
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(PATIENCE_S)

    def pressed(self, number: int, ref: str, token: str) -> None:
        work = self.press(self.place(1), self.person(number), ref, token)
        asyncio.run_coroutine_threadsafe(work, self._loop).result(PATIENCE_S)

    def shown(self) -> list[Seen]:
        return list(self.seen(self.place(1)))

    def texts(self) -> list[str]:
        return [one.text for one in self.shown()]


def _made(clock: Clock) -> Discord:
    return Discord(clock)


@pytest.fixture
def discord() -> Iterator[Discord]:
    with beside(_made) as found:
        yield found


@pytest.fixture
def model() -> Iterator[Service]:
    asking = ToolUse("bash", {"command": f"echo written >> {NOTE}", "timeout_s": 30})
    rules = [
        Rule(Reply(tools=(asking,)), text="(write)", results=0),
        Rule(Reply("That is that.<AGENT_DONE/>"), text="(write)", results=1),
        Rule(Reply("Slowly answered.<AGENT_DONE/>", hold="slowly"), text="(slowly)"),
        Rule(Reply("Well met.<AGENT_DONE/>"), text="(hello)"),
    ]
    with service(Script(rules)) as found:
        yield found


@pytest.fixture
def place(tmp_path: Path, model: Service, discord: Discord) -> Place:
    found = Place(tmp_path / "home", **model.environ, SULLA_MEMORY__ENABLED="false", SULLA_SHELL__SANDBOX="false")
    assert found.run("init")[0] == Exit.OK
    with (found.home / "sulla.toml").open("a") as file:
        file.write(f'\n[[channels.accounts]]\nname = "dc"\nkind = "discord"\nsecrets = {{ token = "{TOKEN}" }}\n')
        file.write(f'options = {{ api = "{discord.api}" }}\n')
    return found


def let_in(place: Place, discord: Discord) -> None:
    discord.said("let me in")
    until(discord.texts)
    code = re.search(r"pair (\w{8})", discord.texts()[0])
    assert code is not None
    done = place.run("channel", "pair", code.group(1), "ann")
    assert done[0] == Exit.OK, done
    until(lambda: len(discord.texts()) == 2)


def test_over_a_kill_each_message_is_answered_once_and_a_button_counts_once(
    place: Place, discord: Discord, model: Service
) -> None:
    with place.up() as daemon:
        assert place.run("channel", "test", "dc")[0] == Exit.OK
        let_in(place, discord)
        assert "channel: dc" in place.run("doctor")[1]
        discord.said("(hello)")
        until(lambda: "Well met." in discord.texts())
        discord.said("(slowly)")
        until(lambda: model.asked == 2)
        assert daemon.ended(signal.SIGKILL) == -signal.SIGKILL
    discord.said("(write)")  # nobody is there
    model.release("slowly")
    with place.up() as daemon:
        until(lambda: any(one.buttons for one in discord.shown()))
        asked = next(one for one in discord.shown() if one.buttons)
        allow = next(iter(asked.buttons.values()))
        discord.pressed(2, asked.ref, allow)
        discord.pressed(1, asked.ref, "forged")
        assert daemon.ended(signal.SIGKILL) == -signal.SIGKILL
    discord.pressed(1, asked.ref, allow)  # nobody is there again
    discord.pressed(1, asked.ref, allow)
    with place.up() as daemon:
        until(lambda: "That is that." in discord.texts())
        assert TOKEN not in daemon.complaints
    assert written(place) == ["written"]
    texts = discord.texts()
    assert [texts.count(one) for one in ("Well met.", "Slowly answered.", "That is that.")] == [1, 1, 1]
    assert texts[2:4] == ["Well met.", "Slowly answered."]
    assert not any(one.buttons for one in discord.shown())
    assert model.asked == 5  # the one that was killed is asked again
    logs = [one.read_text("utf-8", "replace") for one in place.home.rglob("*.log")]
    assert not [text for text in logs if TOKEN in text]
