"""Commands that never end, in a real daemon: a stop and the daemon's death take all of them along."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.backend import CLOCK, sqlite
from tests.faults.harness import Daemon
from tests.faults.parked import ASKING, Parked, at, broken, park, script_for, standing_in, until, until_ended
from tests.kits.points import some
from tests.servers.anthropic_server import FakeAnthropic
from tests.soon import attempts

STOPPED_S = 4.0
"""Half of it for the program to end by itself; the rest is for a busy machine."""

LEFT = "env -i setsid -f sh -c 'trap \"\" TERM HUP; while :; do sleep 100; done'"
"""A process that belongs to nobody, deaf, in a session and with an environment of its own."""

HUNG = {
    "hung": "touch begun; sleep 1000",
    "deaf": "trap '' TERM INT HUP; touch begun; while :; do sleep 100; done",
    "left": f"{LEFT}; (setsid sleep 1000 &); touch begun; sleep 1000",
    "flood": "touch begun; yes",
}


@pytest.mark.parametrize(
    ("what", "end"),
    some([(what, end) for what in HUNG for end in ("turn.stop", "kill -9")], 2, "hung commands"),
)
async def test_a_command_that_hangs_leaves_no_process_behind(tmp_path: Path, what: str, end: str) -> None:
    for took in attempts(STOPPED_S):
        folder = tmp_path / str(len(took))
        folder.mkdir()
        took.append(await stopped_in(folder, what, end))


async def stopped_in(folder: Path, what: str, end: str) -> float:
    """How long it took until nothing ran any more, in seconds."""
    backend, one = sqlite(folder / "kept.db"), Parked(what)
    async with (
        FakeAnthropic(script_for({what: HUNG[what]}), CLOCK) as fake,
        Daemon(folder / "home", fake.url, {**backend.settings, **ASKING}) as daemon,
    ):
        workspace = daemon.home / "workspace"
        await daemon.start()
        await park(daemon, [one])
        async with at(daemon) as client:
            await one.answer(client, "approve")
            await until((workspace / "begun").exists)
            assert standing_in(workspace)
            began = CLOCK.elapsed()
            if end == "turn.stop":
                await client.call("turn.stop", thread_id=one.thread_id)
        if end == "kill -9":
            await daemon.kill()
        await until(lambda: not standing_in(workspace))
        took_s = CLOCK.elapsed() - began
        if end == "kill -9":
            approval = one.question["id"]
            await daemon.start()
            async with at(daemon) as client:
                assert (await one.asked(client, before=approval))["id"].startswith("review:")
                await one.answer(client, "give_up")
        log = await until_ended(backend, one)
        assert not standing_in(workspace)
    assert not broken(one, log)
    (outcome,) = [entry.data["outcome"]["status"] for entry in log if entry.kind == "RUN_FINISHED"]
    assert outcome == ("cancelled" if end == "turn.stop" else "done")
    return took_s
