"""The conformance kit of channels, of its second part what a kill must not change. It is worth a store of each kind.

It takes the fixtures of `line_kit`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import ClassVar, Final

from sulla.channels.machine.outbox import DOUBTFUL
from sulla.core.ids import ThreadId
from sulla.store.base import Store
from sulla.testing.channels.scene import ECHO, Scene
from sulla.testing.channels.wire import Wire
from sulla.testing.clock import ManualClock
from sulla.testing.mortal import Mortal

MARK: Final = DOUBTFUL.strip("*() \n")[:20]


class KillKit:
    """What a daemon does with a channel, however often its process dies."""

    deaths: ClassVar[Sequence[int]] = range(1, 22)
    """At which writes, counted from the beginning of a boot: where these are fewer, it takes less time."""

    async def test_a_kill_at_any_write_loses_and_doubles_nothing(
        self, wire: Wire, clock: ManualClock, store: Store, tmp_path: Path
    ) -> None:
        """The process dies at one write after the other, over one store; what was lost would be missing at the end.

        After two deaths it lives until all is told: a run that dies three times is given up, which is no loss.
        """
        said: list[str] = []
        async with Scene(wire, tmp_path / "ws", store=store, clock=clock) as scene:
            await scene.pair(1, "ann")
            await scene.until(lambda: scene.line.held, "it is known from where on is read")
        for at in self.deaths:
            for after in (False, True):
                boot = 2 * at + after
                mortal = Mortal(store, at, after=after, changes=("append", "offer", "swap"))
                text = f"word {at} {after}"
                said.append(text)
                scene = Scene(wire, tmp_path / "ws", store=mortal, clock=clock, boot=boot)  # type: ignore[arg-type]  # it passes on all
                async with scene:
                    await wire.say(wire.place(1), wire.person(1), text)
                    await scene.until(partial(self._dead_or_told, scene, text), text)
            async with Scene(wire, tmp_path / "ws", store=store, clock=clock, boot=100 + at) as scene:
                await scene.until(partial(self._all_told, scene, said), f"all answers after the deaths at {at}")
        async with Scene(wire, tmp_path / "ws", store=store, clock=clock, boot=200) as scene:
            await scene.pass_time(60)
            self._each_once(scene.texts(1), said)
            inputs = [one async for one in self._inputs(scene)]
            assert Counter(inputs) == Counter(said)

    # ------------------------------------------------------------------------------------------------------- private

    def _dead_or_told(self, scene: Scene, text: str) -> bool:
        return scene.dead or self._told(scene, text)

    def _all_told(self, scene: Scene, said: list[str]) -> bool:
        return all(self._told(scene, text) for text in said)

    def _told(self, scene: Scene, text: str) -> bool:
        return any(one.endswith(f"{ECHO}{text}") for one in scene.texts(1))

    def _each_once(self, texts: list[str], said: list[str]) -> None:
        """Each was answered once; a second time only with the word that it may be one."""
        plain = Counter(one for one in texts if MARK not in one)
        marked = [one for one in texts if MARK in one]
        for text in said:
            again = sum(one.endswith(f"{ECHO}{text}") for one in marked)
            assert plain[f"{ECHO}{text}"] <= 1, text
            assert plain[f"{ECHO}{text}"] + again >= 1, text

    async def _inputs(self, scene: Scene) -> AsyncGenerator[str, None]:
        for info in await scene.store.find(kind="thread"):
            with suppress(StopIteration):
                for entry in await scene.world.log(ThreadId(info.key)):
                    if entry.kind == "INPUT":
                        yield str(entry.data["text"])
