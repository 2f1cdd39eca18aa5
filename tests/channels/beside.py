"""The fake of Telegram's Bot API beside a real daemon, and a home that has a channel to it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from sulla.core.clock import Clock
from sulla.testing.channels.telegram import TOKEN, TelegramWire
from sulla.testing.channels.wire import Seen
from tests.daemon.running import PATIENCE_S, Place
from tests.daemon.serving import beside


class Telegram(TelegramWire):
    """Telegram beside the test, on a loop of its own."""

    async def __aenter__(self) -> Telegram:
        self._loop = asyncio.get_running_loop()
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    def said(self, number: int, text: str) -> str:
        """Somebody writes in private; the message's id."""
        work = self.say(self.place(number), self.person(number), text)
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(PATIENCE_S)

    def pressed(self, number: int, one: Seen, label: str) -> None:
        """Somebody presses a button of a message in private."""
        work = self.press(self.place(number), self.person(number), one.ref, one.buttons[label])
        asyncio.run_coroutine_threadsafe(work, self._loop).result(PATIENCE_S)

    def told(self, number: int) -> list[Seen]:
        """What the daemon's messages to somebody look like now."""
        return list(self.seen(self.place(number)))

    def texts(self, number: int) -> list[str]:
        """What they say."""
        return [one.text for one in self.told(number)]


def _made(clock: Clock) -> Telegram:
    return Telegram(clock)


@contextmanager
def telegram_beside() -> Iterator[Telegram]:
    """The fake, as long as the block lasts."""
    with beside(_made) as found:
        yield found


def with_channel(place: Place, telegram: Telegram, more: str = "") -> None:
    """Give a home the channel `tg` to the fake.

    Args:
        place: the home; it has a `sulla.toml`.
        telegram: the fake.
        more: further lines of its section.
    """
    with (place.home / "sulla.toml").open("a") as file:
        file.write(f'\n[[channels.accounts]]\nname = "tg"\nkind = "telegram"\nsecrets = {{ token = "{TOKEN}" }}\n')
        file.write(f'options = {{ api = "{telegram.api}", poll_s = 1 }}\n{more}')
