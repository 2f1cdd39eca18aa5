"""AG-UI requests whose note of where the client is was lost."""

from __future__ import annotations

import pytest

from sulla.core.errors import StoreUnavailable
from sulla.gateway.server.server import Server
from tests.gateway.dialects.playing import Played, says
from tests.gateway.dialects.talker import talking


async def test_a_message_with_a_history_that_could_not_be_noted_is_the_same_message_again(
    server: Server, commands: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def is_away(key: str, value: str) -> None:
        raise StoreUnavailable("the store is away")

    commands.turns = [says("Two.")]
    async with talking(f"{server.url}/agui", "owner") as talker:
        talker.add("Count")
        talker.messages.append({"id": "a", "role": "assistant", "content": "One."})
        talker.add("Go on")
        with monkeypatch.context() as patched:
            patched.setattr(commands.bookmarks, "put", is_away)
            assert (await talker.post()).status_code == 503
        told = await talker.run()
    assert (told.texts, told.outcome) == (["One.", "Two."], "success")
    assert len(commands.runs) == 1
