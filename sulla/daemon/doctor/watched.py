"""A worker of a cluster as whoever watches it sees it: it has no door for anybody else."""

from __future__ import annotations

import asyncio
import http.client
import json
import re
from typing import Final
from urllib.parse import urlsplit

from sulla.core.dataclass import dataclass
from sulla.core.errors import Unavailable
from sulla.core.jsontypes import JsonObject
from sulla.daemon.doctor.port import ANSWER_S

_MOST_BYTES: Final = 4 * 1024 * 1024
_THREADS: Final = re.compile(r'^sulla_work_threads\{state="(running|queued)"\} (\d+)', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Watched:
    """What it tells."""

    readiness: JsonObject
    """Its `/readyz`."""
    threads: dict[str, int]
    """How many threads are ``running`` and ``queued`` at it, by its `/metrics`."""

    @property
    def troubles(self) -> tuple[str, ...]:
        """What is wrong, for people; empty while nothing is."""
        return (*self.blocking, *self.degraded)

    @property
    def blocking(self) -> tuple[str, ...]:
        """What keeps turns back, for people."""
        return _told(self.readiness.get("blocking"))

    @property
    def degraded(self) -> tuple[str, ...]:
        """What does not work as it should and keeps no turn back, for people."""
        return _told(self.readiness.get("degraded"))

    @property
    def ready(self) -> bool:
        """Whether it can take turns."""
        return self.readiness.get("status") == "ready"


async def watched(url: str, token: str) -> Watched:
    """Ask it.

    Args:
        url: where it answers.
        token: lets in whoever may read.

    Raises:
        Unavailable: it does not answer as a worker does.
    """
    ready = await asyncio.to_thread(_get, url, "/readyz", token)
    figures = (await asyncio.to_thread(_get, url, "/metrics", token)).decode("utf-8", "replace")
    try:
        told = json.loads(ready)
    except ValueError:
        told = None
    if not isinstance(told, dict):
        raise Unavailable(f"what answers at {url} is not our daemon: its /readyz is no JSON object")
    return Watched(told, {state: int(count) for state, count in _THREADS.findall(figures)})


def _told(told: object) -> tuple[str, ...]:
    rows = [row for row in told if isinstance(row, dict)] if isinstance(told, list) else []
    return tuple(str(row.get("why") or row.get("what")) for row in rows)


def _get(url: str, path: str, token: str) -> bytes:
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=ANSWER_S)
    try:
        connection.request("GET", path, headers={"authorization": f"Bearer {token}"})
        return connection.getresponse().read(_MOST_BYTES)
    except (OSError, http.client.HTTPException) as error:
        raise Unavailable(f"the worker at {url} does not answer {path}: {error}") from None
    finally:
        connection.close()
