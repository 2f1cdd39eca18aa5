"""What is wrong with a daemon, and since when."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.core.redact import Redactor

EVERY_S: Final = 0.5
"""How often somebody looks, so that it is known since when something is wrong."""

Look = Callable[[], str]
"""Says what is wrong, for people; empty if nothing is."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something that is not as it should be."""

    what: str
    """A stable word, e.g. ``store_unavailable``: no secret."""
    why: str
    """For people who may know: it can name places."""
    since_ms: int
    """UTC milliseconds."""
    blocks: bool
    """Whether no turn can be taken because of it."""


class Health:
    """Asks around, and remembers when it first heard of each trouble.

    Args:
        clock: all time.
        redactor: takes secrets out of reasons.
    """

    def __init__(self, clock: Clock, redactor: Redactor) -> None:
        self._clock = clock
        self._redactor = redactor
        self._looks: list[tuple[str, Look, bool]] = []
        self._since_ms: dict[str, int] = {}

    def watch(self, what: str, look: Look, *, blocks: bool) -> None:
        """Ask one more.

        Args:
            what: a stable word for what it would say.
            look: says it.
            blocks: whether no turn could be taken then.
        """
        self._looks.append((what, look, blocks))

    def troubles(self) -> Sequence[Trouble]:
        """What is wrong now, what blocks first."""
        asked = ((what, _ask(look), blocks) for what, look, blocks in self._looks)
        found = [(what, self._redactor.text(why), blocks) for what, why, blocks in asked if why]
        now_ms = round(self._clock.now() * 1000)
        self._since_ms = {what: self._since_ms.get(what, now_ms) for what, _, _ in found}
        troubles = [Trouble(what, why, self._since_ms[what], blocks) for what, why, blocks in found]
        return sorted(troubles, key=lambda trouble: not trouble.blocks)

    async def run(self) -> None:
        """Look now and then, until cancelled."""
        while True:
            await self._clock.sleep(EVERY_S)
            self.troubles()


def _ask(look: Look) -> str:
    try:
        return look()
    except Exception as error:  # noqa: BLE001 - whoever cannot say what is wrong has a trouble too, and ends nothing
        return f"it cannot be said what is wrong: {type(error).__name__}: {error}"
