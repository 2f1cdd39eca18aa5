"""What is remembered, through a real daemon over each kind of store: between conversations, and over kills."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from sulla.daemon.settings.config import load_settings
from sulla.memory.adapters import make_memory_index
from sulla.memory.note import MemoryNote
from sulla.terminal.client import Client
from tests.faults.backend import CLOCK, Backend
from tests.faults.harness import Daemon
from tests.faults.parked import ASKING, DONE, PATIENCE_S, Parked, at, broken, results, until_ended
from tests.kits.points import some
from tests.servers.anthropic_server import FakeAnthropic
from tests.servers.script import Reply, Rule, Script, ToolUse
from tests.simulation.history import Acknowledged

KINDS = ("sqlite", "redis", "postgres")
FACT = "Ada's tea is in the blue tin."


async def turn(client: Client, backend: Backend, name: str, text: str) -> tuple[Parked, list[Any]]:
    """A message in a new thread, and its log once it is answered."""
    one = Parked(name, (await client.call("thread.create", request_id=f"make-{name}"))["thread_id"])
    sent = await client.call("turn.send", thread_id=one.thread_id, message_id=f"m-{name}", text=text)
    one.told = Acknowledged(f"m-{name}", sent["run_id"], sent["seq"])
    return one, await until_ended(backend, one)


def calls(said: str, tool: str, /, **args: Any) -> list[Rule]:
    """A model that makes one call for a message."""
    return [Rule(Reply(tools=(ToolUse(tool, args),)), text=said, results=0), Rule(Reply(DONE), text=said, results=1)]


async def kept(home: Path, settings: Mapping[str, str], kind: str) -> list[MemoryNote]:
    """What is remembered, read beside the daemon, the newest first."""
    index = make_memory_index(load_settings(dict(settings), {}, home), CLOCK)
    await index.open()
    try:
        return await index.recent(["sulla"], "fact" if kind == "fact" else "episode", 100)
    finally:
        await index.close()


@pytest.mark.timeout(180)
@pytest.mark.parametrize("kind", some(KINDS, 1, "memory"))
async def test_what_one_conversation_remembers_another_recalls_until_it_is_forgotten(
    tmp_path: Path, kind: str, backend_of: Callable[[str], Backend]
) -> None:
    backend = backend_of(kind)
    # What was said earlier is told again later, so what is said last stands first.
    rules = [*calls("Forget the tea", "forget", about="tea tin"), *calls("Where is", "recall", about="tea tin")]
    rules += calls("Keep it", "remember", text=FACT)
    async with FakeAnthropic(Script(rules), CLOCK) as fake:
        settings = {**backend.settings, **ASKING}
        async with Daemon(tmp_path / "home", fake.url, settings) as daemon:
            await daemon.start()
            async with at(daemon) as client:
                _, log = await turn(client, backend, "keep", "Keep it in mind, please.")
                assert results(log)[0].startswith("Remembered as fact_")
            await daemon.kill()  # what was said to be remembered is kept
            await daemon.start()
            async with at(daemon) as client:
                _, log = await turn(client, backend, "ask", "Where is it?")
                assert FACT in log[2].data["memory"], "it is told at the beginning, too"
                assert FACT in results(log)[0]
                _, log = await turn(client, backend, "show", "Forget the tea.")
            shown = results(log)[0]
            assert "Nothing is forgotten yet" in shown
            assert [note.text for note in await kept(daemon.home, settings, "fact")] == [FACT]
            await daemon.kill()
        (fact_id,) = set(re.findall(r"\[(fact_\w+),", shown))
    # The second step needs what the first one gave, so the model that makes it is written now.
    rules = calls("Show that one", "forget", ids=[fact_id])
    async with FakeAnthropic(Script(rules), CLOCK) as fake, Daemon(tmp_path / "home", fake.url, settings) as daemon:
        await daemon.start()
        async with at(daemon) as client:
            _, log = await turn(client, backend, "only", "Show that one.")
            found = re.search(r"the code for all is (\w+):", results(log)[0])
            assert found is not None
        await daemon.kill()
    rules = [*calls("Any idea", "recall", about="blue tin"), *calls("Yes", "forget", ids=[fact_id], code=found[1])]
    async with FakeAnthropic(Script(rules), CLOCK) as fake, Daemon(tmp_path / "home", fake.url, settings) as daemon:
        await daemon.start()
        async with at(daemon) as client:
            _, log = await turn(client, backend, "yes", "Yes, do.")
            assert results(log)[0] == "Forgotten for good: 1."
        assert await kept(daemon.home, settings, "fact") == []
        async with at(daemon) as client:
            _, log = await turn(client, backend, "again", "Any idea?")
            assert fact_id not in results(log)[0]
            assert "Facts:" not in log[2].data["memory"]


@pytest.mark.timeout(180)
@pytest.mark.parametrize(
    ("kind", "phase"),
    some([(kind, phase) for kind in KINDS for phase in ("before", "after")], 1, "a turn's end"),
)
async def test_a_kill_right_at_a_turn_s_end_leaves_one_episode_of_it(
    tmp_path: Path, kind: str, phase: str, backend_of: Callable[[str], Backend]
) -> None:
    backend = backend_of(kind)
    settings = {**backend.settings, **ASKING}
    script = Script([Rule(Reply(f"In the tin. {DONE}"))])
    async with FakeAnthropic(script, CLOCK) as fake, Daemon(tmp_path / "home", fake.url, settings) as daemon:
        await daemon.start()
        async with at(daemon) as client:
            first, _ = await turn(client, backend, "first", "Where is the tea?")
        async with CLOCK.timeout(PATIENCE_S):
            while not await kept(daemon.home, settings, "episode"):
                await CLOCK.sleep(0.05)
        await daemon.kill()
        await daemon.start("--kill-at", f"RUN_FINISHED:1:{phase}")
        second = Parked("second")
        async with at(daemon) as client:
            await second.send(client)
        await daemon.gone()
        assert len(await kept(daemon.home, settings, "episode")) == 1, "the daemon died before it could be written"
        log: list[Any] = []
        notes: list[MemoryNote] = []
        for _ in range(2):  # and no further start writes it again
            await daemon.start()
            log = await until_ended(backend, second)
            async with CLOCK.timeout(PATIENCE_S), at(daemon) as client:
                while (await client.call("system.status"))["memory"] != "up to date":
                    await CLOCK.sleep(0.05)
            notes = await kept(daemon.home, settings, "episode")
            await daemon.kill()
    assert [note.thread_id for note in notes] == [second.thread_id, first.thread_id]
    assert notes[0].asked == "Do it, please (second)."
    assert not broken(second, log)
