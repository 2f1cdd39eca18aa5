"""The threads of a home without a daemon."""

from __future__ import annotations

from pathlib import Path

import pytest

from sulla.core.errors import HomeInUse, NotFound, SettingsError
from sulla.core.ids import CallId, MessageId, ThreadId
from sulla.core.message import ToolCall
from sulla.daemon.home.archive import Archive, open_archive
from sulla.daemon.settings.config import Settings, load_settings
from sulla.host.home import Home
from sulla.threads.archive.lines import Sealer
from sulla.threads.log.records import (
    Input,
    RunFinished,
    RunStarted,
    TextMessageEnd,
    ThreadCreated,
    ToolCallResult,
    ToolCallStart,
)


def settings_in(folder: Path, **environ: str) -> Settings:
    return load_settings(environ, {}, folder)


async def begun(archive: Archive) -> ThreadId:
    """A thread with a turn that has begun to send a mail."""
    threads = archive.threads
    thread = await threads.create(ThreadCreated("sulla"))
    sent = await threads.send(thread, Input(MessageId("m-1"), "Send it."))
    session = await threads.attend(thread)
    assert session is not None
    call = ToolCall(CallId("t1"), "send_mail", {})
    await session.commit(
        RunStarted(sent.seq, MessageId("m-1"), "sulla"),
        TextMessageEnd(CallId("c1"), MessageId("a1"), "I send it.", (call,)),
        ToolCallStart(call.id, call.name, {}, MessageId("a1"), "once"),
    )
    await session.release()
    return thread


async def lines_of(archive: Archive, thread: ThreadId) -> list[bytes]:
    sealer = Sealer(thread)
    events = await archive.events(thread, 0)
    return [sealer.first(), *map(sealer.event, events), sealer.last()]


async def test_a_call_that_was_under_way_is_told_as_unknown_and_not_made_again(tmp_path: Path) -> None:
    async with open_archive(settings_in(tmp_path / "old"), make=True) as old:
        thread = await begun(old)
        lines = await lines_of(old, thread)
    async with open_archive(settings_in(tmp_path / "new"), make=True) as new:
        restored = await new.restore.restore(lambda: lines)
        *_, result, end = await new.threads.entries(thread)
        state = await new.threads.load(thread)
    assert restored.ended == 1
    assert isinstance(result.fact, ToolCallResult)
    assert result.fact.is_error
    assert "Nobody knows whether it took effect" in result.fact.text
    assert isinstance(end.fact, RunFinished)
    assert (end.fact.outcome.status, end.fact.outcome.reason) == ("cancelled", "imported")
    assert state is not None
    assert (state.run, dict(state.context.transcript.unanswered)) == (None, {})


async def test_threads_and_events_come_in_pages_that_end(tmp_path: Path) -> None:
    async with open_archive(settings_in(tmp_path), make=True) as archive:
        made = sorted([await archive.threads.create(ThreadCreated("sulla")) for _ in range(3)])
        assert await archive.ids("") == made
        assert await archive.ids(made[0]) == made[1:]
        assert await archive.ids(made[-1]) == []
        assert [event["seq"] for event in await archive.events(made[0], 0)] == [1]
        assert await archive.events(made[0], 1) == []
        with pytest.raises(NotFound):
            await archive.events("thr_none", 0)


async def test_the_home_is_claimed_and_given_back(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    for _ in range(2):
        async with open_archive(settings, make=True):
            with pytest.raises(HomeInUse):
                Home(tmp_path).lock()
    with pytest.raises(RuntimeError, match="within"):
        async with open_archive(settings, make=True):
            raise RuntimeError("within")
    home = Home(tmp_path)
    home.lock()
    with pytest.raises(HomeInUse, match=r"needs the home for itself: stop the daemon"):
        async with open_archive(settings, make=True):
            pass
    home.unlock()


async def test_who_only_reads_makes_nothing(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"nothing is kept in .*sulla\.db yet"):
        async with open_archive(settings_in(tmp_path / "none"), make=False):
            pass
    assert list(tmp_path.iterdir()) == []


async def test_a_store_that_ends_with_its_daemon_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="ends with its daemon"):
        async with open_archive(settings_in(tmp_path, SULLA_STORE="memory:"), make=True):
            pass
