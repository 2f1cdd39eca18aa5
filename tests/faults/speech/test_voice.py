"""Clients of Deepgram, Flux and Vosk on `/voice` get each turn once and whole, whatever breaks in mid-segment."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from sulla.threads.log.records import Input
from tests.faults.backend import Backend
from tests.faults.harness import Daemon
from tests.faults.speech.dictating import Dictation, Hears, deepgram, doubled, flux, vosk

OFFLINE = {"SULLA_MODEL": "offline", "SULLA_LIMITS__MESSAGE_BURST": "1000"}
SAID = (
    ("please turn on the lights in the hall", "and close the kitchen window as well"),
    ("Call Prof. Dr. med. Weber about the R&D budget.", "Then send him the minutes of the meeting."),
    ("BOOK A TABLE FOR FOUR PEOPLE AT SEVEN", "REMIND ME TO WATER THE PLANTS TOMORROW"),
    ("i dont know where its been all day", "dont forget that were out of milk"),
)
CLIENTS: tuple[tuple[Hears, str], ...] = (
    (deepgram, "auto"),
    (deepgram, "recognizer"),
    (flux, "auto"),
    (flux, "sulla"),
    (vosk, "auto"),
    (vosk, "recognizer"),
)


RELAYED: tuple[tuple[Hears, str], ...] = ((doubled, "auto"),)
"""Behind a relay that sends each frame twice."""


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ("kind", "clients"),
    [
        ("sqlite", CLIENTS),
        *(pytest.param(kind, CLIENTS, marks=pytest.mark.faults) for kind in ("redis", "postgres")),
        pytest.param("sqlite", RELAYED, marks=pytest.mark.faults),
    ],
    ids=["sqlite", "redis", "postgres", "sqlite, relayed"],
)
async def test_a_turn_that_a_break_divides_is_heard_once_and_whole(
    tmp_path: Path, kind: str, clients: tuple[tuple[Hears, str], ...], backend_of: Callable[[str], Backend]
) -> None:
    backend, home = backend_of(kind), tmp_path / "home"
    people = [Dictation(home, hears, turns, said) for hears, turns in clients for said in SAID]
    async with Daemon(home, "http://127.0.0.1:1", {**backend.settings, **OFFLINE}) as daemon:
        await daemon.start()
        try:
            await asyncio.gather(*(one.connect() for one in people))
            await asyncio.gather(*(one.begin() for one in people))
            await daemon.kill()
            await daemon.start()
            await asyncio.gather(*(one.connect() for one in people))
            await asyncio.gather(*(one.end() for one in people))
            await asyncio.gather(*(one.begin() for one in people))
            for one in people:
                one.hang_up()
            await asyncio.gather(*(one.connect() for one in people))
            await asyncio.gather(*(one.end() for one in people))
        finally:
            await asyncio.gather(*(one.close() for one in people))
        heard = [
            [entry.fact.text for entry in await backend.read_log(one.thread_id) if isinstance(entry.fact, Input)]
            for one in people
        ]
    for one, texts in zip(people, heard, strict=True):
        assert texts == one.ended == list(one.sentences), (one.hears.__name__, one.turns)
