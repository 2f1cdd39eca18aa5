"""The conformance kit of channels, of its second part what becomes of one whose service hands nothing on.

It takes the fixtures of `line_kit`.
"""

from __future__ import annotations

from pathlib import Path

from sulla.store.base import Store
from sulla.testing.channels.scene import ECHO, Scene
from sulla.testing.channels.wire import ExclusiveWire, Wire
from sulla.testing.clock import ManualClock


class ReceivingKit:
    """What a daemon does where another program reads what arrives."""

    async def test_while_another_program_reads_what_is_said_goes_out(
        self, wire: Wire, clock: ManualClock, store: Store, tmp_path: Path
    ) -> None:
        if not isinstance(wire, ExclusiveWire):
            return
        async with Scene(wire, tmp_path / "ws", store=store, clock=clock) as scene:
            await scene.pair(1, "ann")
            await wire.say(wire.place(1), wire.person(1), "before")
            await scene.until(lambda: scene.texts(1) == [f"{ECHO}before"], "an answer")
            held = scene.line.held
            wire.occupy(True)
            await scene.until(lambda: scene.line.why.startswith("receiving waits: "), "nothing is handed on")
            assert await scene.line.tell(wire.place(1).key, "News.")
            await scene.until(lambda: "News." in scene.texts(1), "it is told all the same")
            assert scene.line.state == "failing"
            await wire.say(wire.place(1), wire.person(1), "meanwhile")
            wire.occupy(False)
            await scene.until(lambda: f"{ECHO}meanwhile" in scene.texts(1), "an answer")
            assert scene.line.state == "well"
            assert scene.line.held is held  # nothing was opened anew
            assert scene.texts(1) == [f"{ECHO}before", "News.", f"{ECHO}meanwhile"]
