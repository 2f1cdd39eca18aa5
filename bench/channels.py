"""Channels: what an open one adds to an idle daemon, and how long fifty conversations at once take beside the service's
own rate.

Daemons stand side by side, one without channels and one with an account of each kind whose library is installed and of
which `sulla.testing` has a fake that this bench knows; each is measured at rest, by what is its own alone (USS). The
bar is 5 MiB for a channel. Fifty people then write at once over the fake, with time that stands still between two
looks: the answers cannot come faster than the service takes sends, so the limit is the number of sends by its rate.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from pathlib import Path
from threading import Thread
from typing import Final

import psutil

from bench.frame import Frame, Row
from bench.process import at_rest, free_port, running, wait_for_answer
from sulla.host.system import SystemClock, random_id
from sulla.store.memory import MemoryStore
from sulla.testing.channels.scene import Scene
from sulla.testing.channels.telegram import TOKEN, TelegramWire
from sulla.testing.clock import ManualClock

NAME = "channels"

TALKS: Final = 50
BAR_MIB: Final = 5.0
RATE_BAR: Final = 1.5
_MIB: Final = 2**20


def run(frame: Frame) -> list[Row]:
    """Measure."""
    return [*_memory(), asyncio.run(_rates())]


def _memory() -> Iterator[Row]:
    with ExitStack() as all_:
        fakes = {"telegram": all_.enter_context(_telegram())} if find_spec("telegram") else {}
        bare = all_.enter_context(_daemon(""))
        with_one = {kind: all_.enter_context(_daemon(section)) for kind, section in fakes.items()}
        for process in (bare, *with_one.values()):
            at_rest(process)
        without = _own(bare)
        yield Row("a daemon without channels", without, "MiB")
        for kind, process in with_one.items():
            more = _own(process) - without
            yield Row(f"one {kind} channel more", more, "MiB", more / BAR_MIB, f"{BAR_MIB:g} MiB", 1.0, more <= BAR_MIB)


def _own(pid: int) -> float:
    memory: float = psutil.Process(pid).memory_full_info().uss / _MIB
    return memory


@contextmanager
def _daemon(section: str) -> Iterator[int]:
    """A daemon that has nothing to do; its process id."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        home.chmod(0o700)
        (home / "sulla.toml").write_text(section)
        port = free_port()
        settings = {"SULLA_HOME": folder, "SULLA_MODEL": "offline"}
        with running(("-m", "sulla", "up", "--port", str(port)), settings) as process:
            wait_for_answer(port, "/healthz")
            yield process.pid


@contextmanager
def _telegram() -> Iterator[str]:
    """A fake of Telegram on a loop of its own; the section of the settings that has an account there."""
    loop, wire = asyncio.new_event_loop(), TelegramWire(SystemClock())
    thread = Thread(target=loop.run_forever, daemon=True)
    thread.start()
    asyncio.run_coroutine_threadsafe(wire.start(), loop).result()
    account = f'name = "tg"\nkind = "telegram"\nsecrets = {{ token = "{TOKEN}" }}\n'
    yield f'[[channels.accounts]]\n{account}options = {{ api = "{wire.api}", poll_s = 5 }}\n'
    asyncio.run_coroutine_threadsafe(wire.stop(), loop).result()
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


async def _rates() -> Row:
    """How long fifty conversations at once take, by the clock of the service."""
    clock = ManualClock()
    wire = TelegramWire(clock)
    await wire.start()
    manners = wire.channel().manners
    with tempfile.TemporaryDirectory() as folder:
        scene = Scene(wire, Path(folder) / "ws", store=MemoryStore(clock, random_id), clock=clock)
        async with scene:
            for number in range(TALKS):
                await scene.pair(number, f"person{number}")
            began = clock.elapsed()
            for number in range(TALKS):
                await wire.say(wire.place(number), wire.person(number), "hello")
            await scene.until(lambda: all(scene.texts(number) for number in range(TALKS)), "all answers")
            took = clock.elapsed() - began
    await wire.stop()
    least = TALKS / manners.sends_per_s
    ratio = took / least
    name = f"{TALKS} conversations at once"
    return Row(name, took, "s", ratio, f"{manners.sends_per_s:g} sends/s", RATE_BAR, ratio <= RATE_BAR)
