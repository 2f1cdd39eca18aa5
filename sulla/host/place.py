"""What a daemon stands on: clock, names, chance, and the places for doubles. Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field

from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.core.ids import MakeId
from sulla.core.redact import Redactor
from sulla.host.supervision.supervised import Supervised
from sulla.models.base import Provider
from sulla.store.base import Store
from sulla.tools.base import Tool


@dataclass(frozen=True, slots=True)
class Place:
    """What a daemon stands on: passed in, so that a test can put doubles there."""

    clock: Clock
    make_id: MakeId
    owner: str
    """``<home id>:<boot nonce>``, as leases name it."""
    jitter: Callable[[], float]
    """A random number from 0 to 1 at each call: spreads what would otherwise be tried again all at once."""
    redactor: Redactor = field(default_factory=Redactor)
    """What must not be shown."""
    wrap_store: Callable[[Store], Store] = lambda store: store
    wrap_provider: Callable[[Provider], Provider] = lambda provider: provider
    extra_tools: tuple[Tool, ...] = ()
    zone: str = "UTC"
    """The name of the time zone that counts where nobody says otherwise."""
    supervised: Supervised = Supervised()
    """Who looks after the process."""
    accept_store: bool = False
    """Whether it was started to go on with a store that is not the one used last."""
