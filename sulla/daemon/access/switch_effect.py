"""What the kill switch stops in a daemon."""

from __future__ import annotations

from sulla.agent.turn.turns import TurnDriver
from sulla.host.health import Health
from sulla.work.base import Work
from sulla.work.pauses import WorkPause
from sulla.work.switch import WorkSwitch


def obey(switch: WorkSwitch, turns: TurnDriver, work: Work, health: Health) -> None:
    """Have turns follow the switch, and people told when they stand still.

    Args:
        switch: says whether anything may be worked on.
        turns: are cut off, and go on later.
        work: begins no others meanwhile.
        health: tells people. Messages are still taken, so nothing is blocked.
    """

    def turned(pause: WorkPause | None) -> None:
        turns.hold(pause)
        work.hold(pause is not None)

    switch.on_change(turned)
    health.watch("paused", switch.trouble, blocks=False)
