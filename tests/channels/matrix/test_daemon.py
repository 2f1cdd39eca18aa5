"""A real daemon in a room of a fake homeserver: told, shown while it is written, asked, over two kills."""

from __future__ import annotations

import asyncio
import json
import re
import signal
from collections.abc import Coroutine, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import pytest

from sulla.core.clock import Clock
from sulla.terminal.exits import Exit
from sulla.testing.channels.matrix import TOKEN, MatrixWire
from sulla.testing.channels.matrix_rooms import BOT
from sulla.testing.channels.wire import Seen
from tests.daemon.running import PATIENCE_S, Place, Service, service
from tests.daemon.serving import beside
from tests.kits.in_turn import in_turn
from tests.servers.script import Reply, Rule, Script, ToolUse
from tests.soon import until

pytestmark = in_turn(2)

T = TypeVar("T")
SLOWLY = "Slowly, and slowly, it was **answered**."


class Matrix(MatrixWire):
    """A homeserver beside the test, on a loop of its own."""

    async def __aenter__(self) -> Matrix:
        self._loop = asyncio.get_running_loop()
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    def there(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(PATIENCE_S)

    def said(self, text: str) -> str:
        return self.there(self.say(self.place(1), self.person(1), text))

    def shown(self) -> Sequence[Seen]:
        async def look() -> Sequence[Seen]:
            return self.seen(self.place(1))

        return self.there(look())

    def texts(self) -> list[str]:
        return [one.text for one in self.shown()]


def _made(clock: Clock) -> Matrix:
    return Matrix(clock)


@pytest.fixture
def matrix() -> Iterator[Matrix]:
    with beside(_made) as found:
        yield found


@pytest.fixture
def model() -> Iterator[Service]:
    asking = ToolUse("bash", {"command": "echo made >> made.txt"})
    rules = [
        Rule(Reply(tools=(asking,)), text="(make)", results=0),
        Rule(Reply("That is that.<AGENT_DONE/>"), text="(make)", results=1),
        Rule(Reply(f"{SLOWLY}<AGENT_DONE/>", hold="slowly", hold_after=2), text="(slowly)"),
        Rule(Reply("Well met.<AGENT_DONE/>"), text="(hello)"),
    ]
    with service(Script(rules)) as found:
        yield found


@pytest.fixture
def place(tmp_path: Path, model: Service, matrix: Matrix) -> Place:
    found = Place(tmp_path / "home", **model.environ, SULLA_MEMORY__ENABLED="false", SULLA_SHELL__SANDBOX="false")
    assert found.run("init")[0] == Exit.OK
    with (found.home / "sulla.toml").open("a") as file:
        file.write(f'\n[[channels.accounts]]\nname = "mx"\nkind = "matrix"\nsecrets = {{ token = "{TOKEN}" }}\n')
        file.write(f'options = {{ homeserver = "{matrix.address}", poll_s = 1 }}\n')
    return found


def let_in(place: Place, matrix: Matrix) -> None:
    matrix.said("let me in")
    until(matrix.texts)
    code = re.search(r"pair (\w{8})", matrix.texts()[0])
    assert code is not None
    done = place.run("channel", "pair", code.group(1), "ann")
    assert done[0] == Exit.OK, done
    until(lambda: len(matrix.texts()) == 2)


def test_a_conversation_goes_on_over_kills(place: Place, matrix: Matrix, model: Service) -> None:
    with place.up() as daemon:
        assert place.run("channel", "test", "mx")[0] == Exit.OK
        let_in(place, matrix)
        (row,) = [json.loads(line) for line in place.run("channel", "list", "--json")[1].splitlines()]
        assert (row["account"], row["state"], row["waiting"]) == (BOT, "well", 0)
        matrix.said("(slowly)")
        until(lambda: len(matrix.texts()) == 3)
        assert SLOWLY.startswith(matrix.texts()[2])
        assert daemon.ended(signal.SIGKILL) == -signal.SIGKILL
        assert TOKEN not in daemon.complaints
    matrix.said("(make)")
    model.release("slowly")
    with place.up() as daemon:
        until(lambda: matrix.shown()[-1].buttons, "a question")
        question = matrix.shown()[-1]
        assert daemon.ended(signal.SIGKILL) == -signal.SIGKILL
    allow = next(token for label, token in question.buttons.items() if "allow" in label.lower())
    assert matrix.there(matrix.press(matrix.place(1), matrix.person(1), question.ref, allow))
    with place.up():
        until(lambda: "That is that." in matrix.texts())
        assert "channel: mx" in place.run("doctor")[1]
    told = matrix.texts()[2:]
    assert told[0] == SLOWLY.replace("**", "")
    assert told[2:] == ["That is that."]
    assert not any(one.buttons for one in matrix.shown())
    (made,) = place.home.rglob("made.txt")
    assert made.read_text() == "made\n"
    written = [one.read_text("utf-8", "replace") for one in place.home.rglob("*.log")]
    assert not [text for text in written if TOKEN in text]
