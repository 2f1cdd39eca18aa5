"""Fifty people speak to one daemon over connections that break: each word is in exactly one message, and that ends."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from random import Random
from statistics import quantiles

import pytest

from tests.faults.backend import CLOCK, Backend
from tests.faults.crowd import UNBOUNDED
from tests.faults.harness import Daemon
from tests.faults.speech.chorus import Voice, all_perform, at_rest
from tests.faults.speech.speaking import faults_of
from tests.servers.anthropic_server import FakeAnthropic
from tests.servers.script import Reply, Rule, Script
from tests.simulation.history import breaches

SCRIPT = Script([Rule(Reply("I hear you, and I say so at some length. <AGENT_DONE>told</AGENT_DONE>", delay_s=0.1))])
"""Slow enough to be spoken over."""
SEED = int(os.environ.get("SULLA_FAULT_SEED", "20261122"))


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ("kind", "profile", "people"),
    [
        ("sqlite", "adaptive", 12),
        pytest.param("sqlite", "adaptive", 50, marks=pytest.mark.faults),
        pytest.param("sqlite", "classic", 50, marks=pytest.mark.faults),
        pytest.param("redis", "adaptive", 50, marks=pytest.mark.faults),
        pytest.param("postgres", "adaptive", 20, marks=pytest.mark.faults),
    ],
)
async def test_whatever_breaks_each_word_is_in_exactly_one_message(
    tmp_path: Path, kind: str, profile: str, people: int, backend_of: Callable[[str], Backend]
) -> None:
    chance = Random(SEED)
    backend = backend_of(kind)
    home = tmp_path / "home"
    voices = [Voice.of(home, number, Random(chance.random())) for number in range(people)]
    settings = {**backend.settings, **UNBOUNDED, "SULLA_SPEECH__PROFILE": profile}
    async with FakeAnthropic(SCRIPT, CLOCK) as fake, Daemon(home, fake.url, settings) as daemon:
        await daemon.start()
        await all_perform(voices, 120.0)
        found = [fault for voice in voices for fault in await faults_of(backend, voice.person)]
        history = await at_rest(backend, voices, 60.0)
    broken = breaches(history)
    cut = sum(entry.kind == "BARGED_IN" for thread in history.threads for entry in thread.log)
    lost, sent = sum(voice.lost for voice in voices), sum(voice.sent for voice in voices)
    waits_ms = [1000 * wait for voice in voices for wait in voice.waits_s]
    cuts = quantiles(waits_ms, n=100)
    words = sum(len(voice.person.said) for voice in voices)
    print(
        f"{kind}, {profile}: {people} voices, {words} words in {sent} chunks, "
        f"{lost} connections, {cut} answers cut, acknowledged in {cuts[49]:.0f} ms (p50), {cuts[98]:.0f} ms (p99)"
    )
    assert found == []
    assert broken == [], "\n".join(map(str, broken))
    assert lost > 2 * people
    assert cut > 0
