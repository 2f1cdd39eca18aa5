"""Whatever is written down while a request is carried out says whose request it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from sulla.access.principal import ALL_SCOPES, Principal
from sulla.core.errors import SullaError
from sulla.core.trail import here
from sulla.gateway.app import GatewayConfig, build_app
from sulla.gateway.commands import Event
from sulla.gateway.methods.calls import Calls
from sulla.gateway.methods.observing import Asked, Unobserved
from sulla.gateway.methods.system import SystemStatus
from sulla.gateway.server.server import bind, serve
from sulla.gateway.wire import ThreadList, ThreadRow
from sulla.host.system import SystemClock, random_id
from sulla.rpc.caller import Caller
from sulla.rpc.limits import Limits
from sulla.testing.clock import ManualClock
from tests.doubles.commands import MemoryCommands
from tests.doubles.tokens import MemoryTokens
from tests.gateway.peer import Peer
from tests.gateway.reading import stream


class Curious(MemoryCommands):
    """Looks whose work it does."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[Mapping[str, str]] = []

    async def list_threads(self, after: str | None, limit: int) -> Sequence[ThreadRow]:
        """Threads by id."""
        self.seen.append(here())
        return []

    async def history(self, thread_id: str, after: int, before: int | None, limit: int) -> Sequence[Event]:
        """Durable events in order."""
        self.seen.append(here())
        return await super().history(thread_id, after, before, limit)


async def test_a_request_is_known_by_its_connection_and_its_id_until_it_is_done() -> None:
    commands = Curious()
    calls = Calls(commands, MemoryTokens(), Limits(), ManualClock(), Unobserved(), lambda kind: f"{kind}_1")
    caller = Caller(Principal("owner", frozenset({"read"})), "127.0.0.1", "ws", "ses_1")
    for request_id in ("7", ""):
        await calls.perform(Asked(caller, request_id, ThreadList()))
    assert commands.seen == [{"session": "ses_1", "request_id": "7"}, {"session": "ses_1"}]
    assert dict(here()) == {}


async def test_a_request_that_fails_is_named_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    commands = Curious()
    commands.failures["status"] = ZeroDivisionError("a defect")
    calls = Calls(commands, MemoryTokens(), Limits(), ManualClock(), Unobserved(), lambda kind: f"{kind}_1")
    caller = Caller(Principal("owner", frozenset({"read"})), "127.0.0.1", "rest", "ses_1")
    with pytest.raises(SullaError, match="its log has the details"):
        await calls.perform(Asked(caller, "req_1", SystemStatus()))
    (record,) = caplog.records
    assert (vars(record)["session"], vars(record)["request_id"]) == ("ses_1", "req_1")


async def test_what_is_done_to_show_a_thread_is_known_by_whom_it_is_shown_to() -> None:
    commands, clock = Curious(), SystemClock()
    commands.make("thr_1")
    commands.add("thr_1", "INPUT", text="one")
    app = build_app(commands, MemoryTokens({"owner": ALL_SCOPES}), GatewayConfig("1"), clock, make_id=random_id)
    server = await serve(app, bind("127.0.0.1", 0), clock)
    async with Peer.connect(server) as peer, stream(server, "/api/threads/thr_1/events") as reader:
        await reader.next()
        assert commands.seen[0] == {"request_id": reader.answer.headers["x-request-id"]}
        session = (await peer.hello("owner"))["session"]
        await peer.call("events.subscribe", thread_id="thr_1")
        await peer.events(1)
        assert {"session": session} in commands.seen
    await server.stop(1.0)
