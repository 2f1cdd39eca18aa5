"""A real daemon, its command line, and the fake of Telegram's Bot API: from the code to the answer, over a kill."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sulla.core.clock import Clock
from sulla.terminal.exits import Exit
from sulla.testing.channels.telegram import TOKEN, TelegramWire
from tests.daemon.running import PATIENCE_S, Place, Service, service
from tests.daemon.serving import beside
from tests.kits.in_turn import in_turn
from tests.servers.script import Reply, Rule, Script, ToolUse
from tests.soon import pause

pytestmark = in_turn(2)


class Telegram(TelegramWire):
    """Telegram beside the test, on a loop of its own."""

    async def __aenter__(self) -> Telegram:
        self._loop = asyncio.get_running_loop()
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    def said(self, number: int, text: str) -> str:
        work = self.say(self.place(number), self.person(number), text)
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(PATIENCE_S)

    def texts(self, number: int) -> list[str]:
        return [one.text for one in self.seen(self.place(number))]


def _made(clock: Clock) -> Telegram:
    return Telegram(clock)


@pytest.fixture
def telegram() -> Iterator[Telegram]:
    with beside(_made) as found:
        yield found


@pytest.fixture
def model() -> Iterator[Service]:
    asking = ToolUse("http_request", {"url": "http://127.0.0.1:9/", "method": "POST"})
    rules = [
        Rule(Reply(tools=(asking,)), text="(post)", results=0),
        Rule(Reply("That is that.<AGENT_DONE/>"), text="(post)", results=1),
        Rule(Reply("Slowly answered.<AGENT_DONE/>", hold="slowly"), text="(slowly)"),
        Rule(Reply("Well met.<AGENT_DONE/>"), text="(hello)"),
    ]
    with service(Script(rules)) as found:
        yield found


@pytest.fixture
def place(tmp_path: Path, model: Service, telegram: Telegram) -> Place:
    found = Place(tmp_path / "home", **model.environ, SULLA_MEMORY__ENABLED="false")
    assert found.run("init")[0] == Exit.OK
    with (found.home / "sulla.toml").open("a") as file:
        file.write(f'\n[[channels.accounts]]\nname = "tg"\nkind = "telegram"\nsecrets = {{ token = "{TOKEN}" }}\n')
        file.write(f'options = {{ api = "{telegram.api}", poll_s = 1 }}\n')
    return found


def soon(look: Callable[[], Any]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not look():
        assert time.monotonic() < deadline, "this did not come about"
        pause()


def test_a_stranger_is_refused_by_his_code(place: Place, telegram: Telegram) -> None:
    with place.up():
        telegram.said(1, "let me in")
        soon(lambda: telegram.texts(1))
        row = json.loads(place.run("channel", "codes", "--json")[1])
        assert (row["channel"], row["called"]) == ("tg", "Person 1")
        assert row["code"] in place.run("channel", "codes")[1]
        assert place.run("channel", "refuse", row["code"])[0] == Exit.OK
        assert place.run("channel", "pair", row["code"], "eve")[0] != Exit.OK
        assert place.run("channel", "codes", "--json")[1] == ""


def let_in(place: Place, telegram: Telegram, number: int, name: str) -> None:
    telegram.said(number, "let me in")
    soon(lambda: telegram.texts(number))
    code = re.search(r"pair (\w{8})", telegram.texts(number)[0])
    assert code is not None
    done = place.run("channel", "pair", code.group(1), name)
    assert done[0] == Exit.OK, done
    soon(lambda: len(telegram.texts(number)) == 2)


def test_somebody_is_let_in_and_answered(place: Place, telegram: Telegram) -> None:
    with place.up() as daemon:
        assert place.run("channel", "test", "tg")[0] == Exit.OK
        let_in(place, telegram, 1, "ann")
        telegram.said(1, "(hello)")
        soon(lambda: "Well met." in telegram.texts(1))
        (row,) = [json.loads(line) for line in place.run("channel", "list", "--json")[1].splitlines()]
        assert (row["account"], row["state"], row["waiting"]) == ("sulla_bot", "well", 0)
        assert json.loads(place.run("channel", "people", "--json")[1])["person"] == "ann"
        assert "channel: tg" in place.run("doctor")[1]
        assert place.run("channel", "forget", "ann")[0] == Exit.OK
        telegram.said(1, "(hello)")
        soon(lambda: len(telegram.texts(1)) == 4)
        assert "pair" in telegram.texts(1)[3]
        assert TOKEN not in daemon.complaints
    written = [one.read_text("utf-8", "replace") for one in place.home.rglob("*.log")]
    assert not [text for text in written if TOKEN in text]


def test_a_kill_while_it_is_answered_leaves_one_answer(place: Place, telegram: Telegram, model: Service) -> None:
    with place.up() as daemon:
        let_in(place, telegram, 1, "ann")
        telegram.said(1, "(slowly)")
        soon(lambda: model.asked == 1)
        assert daemon.ended(signal.SIGKILL) == -signal.SIGKILL
    telegram.said(1, "(hello)")
    model.release("slowly")
    with place.up():
        soon(lambda: "Well met." in telegram.texts(1))
    assert telegram.texts(1)[2:] == ["Slowly answered.", "Well met."]
