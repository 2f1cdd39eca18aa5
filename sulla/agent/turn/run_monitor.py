"""Beside a walk: looks and listens for what changes its course."""

from __future__ import annotations

import logging
from typing import Final

from sulla.agent.limits.limits import RunLimits, wall_hit
from sulla.agent.model.live_buffer import LiveBuffer
from sulla.core.clock import Clock
from sulla.core.control import Control
from sulla.core.dataclass import dataclass
from sulla.core.errors import StoreUnavailable
from sulla.core.run import Run
from sulla.store.base import Subscription
from sulla.threads.bus import LogAdvanced, ResendText, unpack
from sulla.threads.log.state import ThreadState
from sulla.threads.next_task import cut_short
from sulla.threads.session import ThreadSession

log = logging.getLogger(__name__)

LOOK_S: Final = 1.0
"""A running turn looks for new inputs at least this often, because wake-ups may be lost (design §3)."""

OUT_OF_TIME: Final = "limit_wall_s"
"""Why a run is aborted that took longer than it may."""


@dataclass(frozen=True, slots=True)
class RunMonitor:
    """Ends a run's walk when somebody wants that, or its time is over.

    Args:
        session: the thread, held.
        run: the run.
        limits: its bounds.
        clock: all time.
    """

    session: ThreadSession
    run: Run
    limits: RunLimits
    clock: Clock

    async def look(self) -> None:
        """Now and then, see whether the run is still wanted and in time."""
        while True:
            await self.clock.sleep(LOOK_S)
            if wall_hit(self.run, self.limits) is not None:
                self.run.control.abort(OUT_OF_TIME)
                return
            await self._pull()
            _heed(self.session.state, self.run.control)

    async def listen(self, signals: Subscription, live: LiveBuffer) -> None:
        """Act on what is told over the bus, at once."""
        async for payload in signals:
            match unpack(payload):
                case ResendText():
                    live.again()
                case LogAdvanced(seq):
                    if seq > self.session.seen_seq:
                        await self._pull()
                    # Also if it is known already: a write of the walk may have brought the input in.
                    _heed(self.session.state, self.run.control)

    async def _pull(self) -> None:
        try:
            if await self.session.pull():
                self.run.control.wake()
        except StoreUnavailable as error:
            log.warning("cannot look for new inputs; trying again soon: %s", error)


def _heed(state: ThreadState, control: Control) -> None:
    if reason := cut_short(state):
        control.abort(reason)
