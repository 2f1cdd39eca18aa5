"""What a daemon's process decodes while a turn is followed by several clients."""

from __future__ import annotations

from collections import Counter
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from sulla.store.values import Record
from sulla.terminal.client import open_client
from sulla.threads.log.codec import Entry
from sulla.threads.log.schema import ThreadSchema
from tests.daemon.cost.inside import inside, take_turn, turn_end

FOLLOWERS = 4


async def test_a_durable_event_is_decoded_once_however_many_follow_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    decoded: Counter[tuple[str, int]] = Counter()
    decode = ThreadSchema.decode

    def counting(self: ThreadSchema, record: Record, key: str) -> Entry:
        decoded[key, record.seq] += 1
        return decode(self, record, key)

    monkeypatch.setattr(ThreadSchema, "decode", counting)
    async with inside(tmp_path / "home") as where, AsyncExitStack() as stack:
        clients = [await stack.enter_async_context(open_client(where)) for _ in range(FOLLOWERS)]
        thread_id = (await clients[0].call("thread.create"))["thread_id"]
        for client in clients:
            await client.call("events.subscribe", thread_id=thread_id, after=0)
        await take_turn(clients[0], thread_id, "m1")
        seen = [await turn_end(client) for client in clients[1:]]
        assert all(seqs == list(range(1, seqs[-1] + 1)) for seqs in seen)
    counts = {seq: times for (key, seq), times in decoded.items() if key == thread_id}
    assert len(counts) >= seen[0][-1] >= 5
    assert set(counts.values()) == {1}
