"""Whatever is written down while a request is carried out says whose request it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sulla.access import Principal
from sulla.core.trail import here
from sulla.gateway import Asked, Caller, Limits, ThreadInfo, Unobserved
from sulla.gateway.calls import Calls
from sulla.gateway.wire import ThreadList
from sulla.testing.clock import ManualClock
from sulla.testing.commands import MemoryCommands
from sulla.testing.tokens import MemoryTokens


class Curious(MemoryCommands):
    """Looks whose work it does."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[Mapping[str, str]] = []

    async def list_threads(self, after: str | None, limit: int) -> Sequence[ThreadInfo]:
        """Threads by id."""
        self.seen.append(here())
        return []


async def test_a_request_is_known_by_its_connection_and_its_id_until_it_is_done() -> None:
    commands = Curious()
    calls = Calls(commands, MemoryTokens(), Limits(), ManualClock(), Unobserved())
    caller = Caller(Principal("owner", frozenset({"read"})), "127.0.0.1", "ws", "ses_1")
    for request_id in ("7", ""):
        await calls.perform(Asked(caller, request_id, ThreadList()))
    assert commands.seen == [{"session": "ses_1", "request_id": "7"}, {"session": "ses_1"}]
    assert dict(here()) == {}
