"""The door to the store: the promise, not its backends (those are named by `daemon.build` alone)."""

from sulla.store.base import Store, Subscription
from sulla.store.sealing import seal, unseal
from sulla.store.swapping import UNREAD, Swapped, UnreadValue, swap_until, try_swaps
from sulla.store.values import (
    MAX_BODY_BYTES,
    MAX_NAME_BYTES,
    MAX_PUBLISH_BYTES,
    Draft,
    Grant,
    Head,
    Lease,
    LogInfo,
    Offered,
    Record,
    Status,
)

__all__ = [
    "MAX_BODY_BYTES",
    "MAX_NAME_BYTES",
    "MAX_PUBLISH_BYTES",
    "UNREAD",
    "Draft",
    "Grant",
    "Head",
    "Lease",
    "LogInfo",
    "Offered",
    "Record",
    "Status",
    "Store",
    "Subscription",
    "Swapped",
    "UnreadValue",
    "seal",
    "swap_until",
    "try_swaps",
    "unseal",
]
