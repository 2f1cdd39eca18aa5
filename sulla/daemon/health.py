"""What is wrong with this daemon, and since when."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from sulla.agent import Breaker
from sulla.core.clock import Clock
from sulla.core.errors import StoreReplaced, StoreUnavailable
from sulla.core.redact import Redactor
from sulla.daemon.access import Access
from sulla.daemon.service import Service
from sulla.daemon.watch import StoreWatch
from sulla.gateway import Trouble
from sulla.threads import LogFollower

EVERY_S: Final = 0.5
"""How often somebody looks, so that it is known since when something is wrong."""

Look = Callable[[], str]
"""Says what is wrong, for people; empty if nothing is."""


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
        found = [(what, self._redactor.text(why), blocks) for what, look, blocks in self._looks if (why := look())]
        now_ms = round(self._clock.now() * 1000)
        self._since_ms = {what: self._since_ms.get(what, now_ms) for what, _, _ in found}
        troubles = [Trouble(what, why, self._since_ms[what], blocks) for what, why, blocks in found]
        return sorted(troubles, key=lambda trouble: not trouble.blocks)

    async def run(self) -> None:
        """Look now and then, until cancelled."""
        while True:
            await self._clock.sleep(EVERY_S)
            self.troubles()


def look_after(
    health: Health, watch: StoreWatch, service: Service, breaker: Breaker, journal: LogFollower | None, access: Access
) -> None:
    """Have everything that can fail looked at.

    Args:
        health: looks.
        watch: knows about the store.
        service: knows whether the daemon is stopping.
        breaker: of the model's service. Without it messages are still taken, and each ends in an error that says so.
        journal: without it turns go on, and it catches up.
        access: keeps the audit log.
    """

    def store(kind: type[StoreUnavailable | StoreReplaced]) -> str:
        trouble = watch.trouble
        return trouble.message if isinstance(trouble, kind) else ""

    def model() -> str:
        if breaker.state == "closed":
            return ""
        return "the model's service failed several times in a row and is left alone for a while"

    def written() -> str:
        error = journal.status()["journal_error"] if journal is not None else None
        return f"the journal cannot be written: {error}" if error else ""

    health.watch("stopping", lambda: "the daemon is stopping" if service.stopping else "", blocks=True)
    health.watch(StoreUnavailable.code, lambda: store(StoreUnavailable), blocks=True)
    health.watch(StoreReplaced.code, lambda: store(StoreReplaced), blocks=True)
    health.watch("model_service", model, blocks=False)
    health.watch("journal", written, blocks=False)
    health.watch("tokens", lambda: access.tokens.damage or "", blocks=False)
    health.watch("audit", lambda: "the audit log cannot be written" if access.audit.failing else "", blocks=False)
