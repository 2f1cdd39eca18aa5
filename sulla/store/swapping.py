"""Changes a small value that several daemons change: the one loop over `Store.swap`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from enum import Enum
from typing import Final, Generic, TypeVar

from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.core.errors import StoreUnavailable

V = TypeVar("V", bytes, str)

PAUSES_S: Final = (0.0, 0.0, 0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
"""What lies between two tries, in seconds. A lost try means that another's change got through, so the first ones are
made again at once."""


class UnreadValue(Enum):
    """A sentinel: the caller has not read the value."""

    UNREAD = "unread"


UNREAD: Final = UnreadValue.UNREAD


@dataclass(frozen=True, slots=True)
class Swapped(Generic[V]):
    """The result of changing a value that others may change at the same time."""

    value: V | None
    """What is kept now, as far as the caller knows."""
    changed: bool
    """Whether the caller's change is in it; False if it wanted none."""


async def swap_until(
    key: str,
    change: Callable[[V | None], V | None],
    clock: Clock,
    *,
    get: Callable[[str], Awaitable[V | None]],
    swap: Callable[[str, V | None, V], Awaitable[bool]],
    known: V | UnreadValue | None = UNREAD,
) -> Swapped[V]:
    """Put what follows from a value in its place; anew, with the new one, whenever somebody has come in between.

    Args:
        key: the value's.
        change: makes the new value of what is kept, which is None where nothing is; returns None to leave it as it is.
            It is called once for each try.
        clock: for the pauses between the tries.
        get: reads the value.
        swap: writes it in the place of what was read and of nothing else, as `Store.swap`.
        known: what the caller has read last; it saves the first read.

    Raises:
        StoreUnavailable: the store does not answer; or others came in between at every try, and nothing has changed.
    """
    done = await try_swaps(key, change, clock, get=get, swap=swap, known=known)
    if done is None:
        tries = len(PAUSES_S) + 1
        said = f"others came in between at each of {tries} tries to change {key!r}: try again a little later"
        raise StoreUnavailable(said, retry_after_s=1.0)
    return done


async def try_swaps(
    key: str,
    change: Callable[[V | None], V | None],
    clock: Clock,
    *,
    get: Callable[[str], Awaitable[V | None]],
    swap: Callable[[str, V | None, V], Awaitable[bool]],
    known: V | UnreadValue | None = UNREAD,
    pauses_s: tuple[float, ...] = PAUSES_S,
) -> Swapped[V] | None:
    """As `swap_until`, for those who try again later by themselves.

    Args:
        key: see there.
        change: see there.
        clock: see there.
        get: see there.
        swap: see there.
        known: see there.
        pauses_s: what lies between two tries, in seconds; there is one try more.

    Returns:
        What came of it; None if others came in between at every try, and nothing has changed.

    Raises:
        StoreUnavailable: the store does not answer.
    """
    value = await get(key) if isinstance(known, UnreadValue) else known
    pauses = iter(pauses_s)
    while True:
        new = change(value)
        if new is None:
            return Swapped(value, changed=False)
        if await swap(key, value, new):
            return Swapped(new, changed=True)
        if (pause_s := next(pauses, None)) is None:
            return None
        if pause_s:
            await clock.sleep(pause_s)
        value = await get(key)
