"""A client of Snippbot's chat and of ABI's completions, in the plain way: what an answer says, event by event."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx2
from httpx2 import EventSource

from tests.daemon.running import AFRESH, PATIENCE_S, Daemon, Place

Told = tuple[str, Any]
"""An event's name, and its data."""


@contextmanager
def dial(daemon: Daemon, place: Place) -> Iterator[httpx2.Client]:
    token = (place.home / "token").read_text().strip()
    headers = {"X-API-Key": token, "Authorization": f"Bearer {token}"}
    with httpx2.Client(
        base_url=daemon.url, headers=headers, trust_env=False, timeout=PATIENCE_S, limits=httpx2.Limits(**AFRESH)
    ) as http:
        yield http


@contextmanager
def opened(http: httpx2.Client, path: str, body: object, **headers: str) -> Iterator[Iterator[Told]]:
    """The events of an answer, as they come."""
    with http.stream("POST", path, json=body, headers=headers) as answer:
        assert answer.status_code == 200, answer.read()
        yield read(answer)


def read(answer: httpx2.Response) -> Iterator[Told]:
    for event in EventSource(answer):
        yield event.event, json.loads(event.data) if event.data.startswith("{") else event.data


def until(name: str, events: Iterator[Told]) -> Any:
    """The data of the first event of that name."""
    return next(data for found, data in events if found == name)


def words(events: list[Told]) -> str:
    """What people read of Snippbot's events."""
    return "".join(data["text"] for name, data in events if name == "delta")
