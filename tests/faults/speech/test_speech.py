"""Real daemons that are killed while people speak: what was acknowledged is in exactly one message."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from tests.faults.backend import CLOCK, Backend
from tests.faults.harness import Daemon
from tests.faults.speech.speaking import Person, all_speak, faults_of

SEED = int(os.environ.get("SULLA_FAULT_SEED", "20261122"))
OFFLINE = {"SULLA_MODEL": "offline", "SULLA_LIMITS__MESSAGE_BURST": "1000"}


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ("kind", "people", "kills"),
    [
        ("sqlite", 5, 2),
        pytest.param("sqlite", 30, 12, marks=pytest.mark.faults),
        pytest.param("redis", 30, 12, marks=pytest.mark.faults),
        pytest.param("postgres", 10, 4, marks=pytest.mark.faults),
    ],
)
async def test_killed_in_mid_utterance_nothing_is_lost_and_nothing_is_there_twice(
    tmp_path: Path, kind: str, people: int, kills: int, backend_of: Callable[[str], Backend]
) -> None:
    chance = Random(SEED)
    backend = backend_of(kind)
    home = tmp_path / "home"
    everybody = [Person(home, number, Random(chance.random())) for number in range(people)]
    cut_off = 0
    async with Daemon(home, "http://127.0.0.1:1", {**backend.settings, **OFFLINE}) as daemon:
        await daemon.start()
        async with asyncio.TaskGroup() as group:
            await all_speak(everybody, group)
            for _ in range(kills):
                await CLOCK.sleep(chance.uniform(0.1, 1.0))
                await daemon.kill()
                cut_off += sum(person.speaking for person in everybody)
                await daemon.start()
            for person in everybody:
                person.stop = True
        found = [fault for person in everybody for fault in await faults_of(backend, person)]
    words = sum(len(person.said) for person in everybody)
    print(f"{kind}: {cut_off} utterances cut off by {kills} kills, {words} words")
    assert found == []
    assert cut_off > people * kills / 2
