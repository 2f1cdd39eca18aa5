"""The conformance kit of channels, of its second part who does not wait for what is full or too fast somewhere else.

It takes the fixtures of `line_kit`.
"""

from __future__ import annotations

from pathlib import Path

from sulla.channels.run.door import PATIENCE_S
from sulla.store.base import Store
from sulla.testing.channels.scene import ECHO, Scene
from sulla.testing.channels.wire import CrowdedWire, Wire
from sulla.testing.clock import ManualClock


class OthersKit:
    """What becomes of other people meanwhile."""

    async def test_a_place_that_gets_too_much_rests_alone(
        self, wire: Wire, clock: ManualClock, store: Store, tmp_path: Path
    ) -> None:
        if not isinstance(wire, CrowdedWire):
            return
        async with Scene(wire, tmp_path / "ws", store=store, clock=clock) as scene:
            for number, name in ((1, "ann"), (2, "bob")):
                await scene.pair(number, name)
            await scene.until(lambda: scene.line.held, "it is held: to load its library takes real time")
            wire.crowd(wire.place(1), 1, 120.0)
            await wire.say(wire.place(1), wire.person(1), "one")
            held = scene.line.held
            assert held is not None
            await scene.until(lambda: any(item.tries for item in held.book.items.values()), "it is refused")
            refused_s = clock.elapsed()
            await wire.say(wire.place(2), wire.person(2), "two")
            await scene.until(lambda: scene.texts(2), "the other's answer")
            assert scene.texts(2) == [f"{ECHO}two"]
            assert scene.texts(1) == []
            assert clock.elapsed() - refused_s < 60
            await scene.until(lambda: scene.texts(1), "the answer")
            assert scene.texts(1) == [f"{ECHO}one"]
            assert clock.elapsed() - refused_s > 100

    async def test_whoever_finds_no_room_keeps_nobody_else_waiting(
        self, wire: Wire, clock: ManualClock, store: Store, tmp_path: Path
    ) -> None:
        async with Scene(wire, tmp_path / "ws", store=store, clock=clock) as scene:
            ann = await scene.pair(1, "ann")
            await scene.pair(2, "bob")
            await scene.until(lambda: scene.line.held, "it is held: to load its library takes real time")
            scene.keeper.too_fast = ann.principal
            for text in ("one", "two"):
                await wire.say(wire.place(1), wire.person(1), text)
            await scene.pass_time(3)  # what comes now is in another batch
            await wire.say(wire.place(2), wire.person(2), "hello")
            began_s = clock.elapsed()
            await scene.until(lambda: scene.texts(2), "the other's answer")
            assert clock.elapsed() - began_s < PATIENCE_S / 2
            assert scene.texts(2) == [f"{ECHO}hello"]
            assert scene.texts(1) == []
            scene.keeper.too_fast = ""
            await scene.until(lambda: len(scene.texts(1)) == 2, "the answers")
            await wire.repeat()
            await scene.pass_time(10)
            assert sorted(scene.texts(1)) == [f"{ECHO}one", f"{ECHO}two"]
