"""How many connections a process keeps to the PostgreSQL by which work is shared, at the most. Pure."""

from __future__ import annotations

from typing import Final

SENDING: Final = 4
"""Those by which wishes are put into the queue."""
TAKING: Final = 6
"""Those by which they are taken out."""

GATEWAY: Final = SENDING + 1
"""A gateway's: it asks who lives by one more."""
WORKER: Final = SENDING + TAKING + 3
"""A worker's, also where it serves clients too: DBOS listens on one more, it says by another that it lives, and claims
by a third."""
