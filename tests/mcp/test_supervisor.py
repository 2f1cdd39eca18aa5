"""A server's life on a clock that stands still: when it is tried again, asked again, and what calls hear meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest

from sulla.core.errors import Refused, Unavailable
from sulla.core.jsontypes import FrozenJson
from sulla.mcp.catalog import McpCatalog, McpTool
from sulla.mcp.server import McpServer
from sulla.mcp.session import McpResult, McpSession
from sulla.mcp.supervisor import FIRST_S, LONGEST_S, RELIST_S, SETTLE_S, START_S, STEADY_S, McpSupervisor
from sulla.mcp.trust import Stamp, TrustDecision, TrustFiles
from sulla.testing.clock import ManualClock

TOOL = McpTool("act", "Act.", {"type": "object"})


class Double:
    """Keeps `Connect` and `McpSession`."""

    def __init__(self, clock: ManualClock) -> None:
        self._clock = clock
        self.connects = 0
        self.lists = 0
        self.refuses = ""
        self.over = ""
        self.tools = [TOOL]
        self.hold: asyncio.Event | None = None
        self.notice: Callable[[], None] = lambda: None

    @asynccontextmanager
    async def __call__(
        self, server: McpServer, notice: Callable[[], None], heard: Callable[[str], None]
    ) -> AsyncIterator[McpSession]:
        """Connect, or not."""
        self.connects += 1
        self.notice = notice
        if self.refuses == "hangs":
            await asyncio.Event().wait()
        if self.refuses:
            heard("no key is set")
            raise Unavailable(self.refuses)
        self.over = ""
        yield self

    async def list(self) -> list[McpTool]:
        """All tools."""
        self.lists += 1
        return self.tools

    async def call(self, name: str, args: FrozenJson) -> McpResult:
        """Use one."""
        if self.hold is not None:
            await self.hold.wait()
        if self.over:
            raise Unavailable(self.over)
        return McpResult(f"did {name}")

    def end(self, why: str) -> None:
        """Lose the connection."""
        self.over = why
        self.notice()


class Owner(TrustFiles):
    """Has no files: whatever is named waits."""

    def __init__(self) -> None:
        self.waits: set[str] = set()
        self.said = 0

    async def judge(self, server: McpServer, offered: McpCatalog) -> TrustDecision:
        """Hold some back."""
        held = tuple(tool.name for tool in offered.tools if tool.name in self.waits)
        usable = tuple(tool for tool in offered.tools if tool.name not in held)
        return TrustDecision(McpCatalog(usable, offered.notes), held, self.stamp(server.name))

    def stamp(self, server: str) -> Stamp:
        """How often the owner spoke."""
        return (self.said, 0, 0)


@pytest.fixture
def owner() -> Owner:
    return Owner()


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def double(clock: ManualClock) -> Double:
    return Double(clock)


@pytest.fixture
async def supervisor(clock: ManualClock, double: Double, owner: Owner) -> AsyncIterator[McpSupervisor]:
    """One that is at work."""
    one = McpSupervisor(McpServer("s", "x"), double, owner, clock)
    running = asyncio.create_task(one.run())
    await clock.settle()
    yield one
    running.cancel()
    await asyncio.wait((running,))


def names(supervisor: McpSupervisor) -> list[str]:
    """What can be used."""
    return [tool.name for tool in supervisor.tools.catalog.tools]


async def test_a_call_is_passed_on(supervisor: McpSupervisor) -> None:
    assert supervisor.status()["state"] == "up"
    assert await supervisor.call(TOOL, {}) == McpResult("did act")


async def test_a_lost_server_is_tried_again_each_time_twice_as_late(
    supervisor: McpSupervisor, double: Double, clock: ManualClock
) -> None:
    double.refuses = "it is not there"
    double.end("it left")
    await clock.advance(SETTLE_S)
    assert (supervisor.status()["state"], supervisor.status()["why"]) == ("down", "it left")
    waits = []
    for _ in range(12):
        left = supervisor.status()["retry_after_s"]
        assert isinstance(left, float)
        waits.append(left)
        await clock.advance(left)
    assert waits == [min(LONGEST_S, FIRST_S * 2**number) for number in range(12)]
    assert supervisor.status()["said"] == "no key is set"
    double.refuses = ""
    await clock.advance(LONGEST_S)
    assert supervisor.status()["state"] == "up"


async def test_one_that_lasted_is_tried_again_at_once(
    supervisor: McpSupervisor, double: Double, clock: ManualClock
) -> None:
    for _ in range(4):
        await clock.advance(STEADY_S)
        double.end("it left")
        await clock.advance(SETTLE_S)
        assert supervisor.status()["retry_after_s"] == FIRST_S
        await clock.advance(FIRST_S)
        assert supervisor.status()["state"] == "up"


async def test_a_call_to_a_lost_server_is_an_error_that_says_so_and_when(
    supervisor: McpSupervisor, double: Double, clock: ManualClock
) -> None:
    double.end("it left")
    said = "the MCP server 's' is not there: it left. It was not called; it is tried again within 1 s"
    for wait_s in (0.0, SETTLE_S):  # before it is noticed, and after
        await clock.advance(wait_s)
        with pytest.raises(Unavailable) as refused:
            await supervisor.call(TOOL, {})
        assert (refused.value.message, refused.value.retry_after_s) == (said, 1.0)


async def test_a_call_that_loses_its_server_leaves_open_what_became_of_it(
    supervisor: McpSupervisor, double: Double, clock: ManualClock
) -> None:
    double.hold = asyncio.Event()
    asking = asyncio.create_task(supervisor.call(TOOL, {}))
    await clock.settle()
    double.end("it left")
    double.hold.set()
    with pytest.raises(Unavailable, match="nobody knows whether the call took effect"):
        await asking


async def test_a_server_that_takes_too_long_to_start_is_given_up(
    supervisor: McpSupervisor, double: Double, clock: ManualClock
) -> None:
    double.refuses = "hangs"
    double.end("it left")
    await clock.advance(SETTLE_S + FIRST_S)
    assert supervisor.status()["state"] == "starting"
    with pytest.raises(Unavailable, match="still starting"):
        await supervisor.call(TOOL, {})
    await clock.advance(START_S)
    assert supervisor.status()["why"] == "it did not answer in time"


async def test_it_is_asked_for_its_tools_again_though_it_said_nothing(
    supervisor: McpSupervisor, double: Double, clock: ManualClock
) -> None:
    before = supervisor.tools.catalog
    await clock.advance(RELIST_S + SETTLE_S)
    assert double.lists == 2
    assert supervisor.tools.catalog is before
    double.tools = []
    await clock.advance(RELIST_S + SETTLE_S)
    assert supervisor.tools.catalog.tools == ()


async def test_a_burst_of_changes_is_one_question(
    supervisor: McpSupervisor, double: Double, clock: ManualClock
) -> None:
    for _ in range(100):
        double.notice()
        await clock.settle(1)
    await clock.advance(SETTLE_S)
    await clock.advance(SETTLE_S)
    assert double.lists <= 3


async def test_a_server_at_work_on_a_call_is_not_asked_anything_else(
    supervisor: McpSupervisor, double: Double, clock: ManualClock
) -> None:
    double.hold = asyncio.Event()
    asking = asyncio.create_task(supervisor.call(TOOL, {}))
    await clock.advance(RELIST_S + SETTLE_S)
    assert double.lists == 1
    double.hold.set()
    await asking
    await clock.advance(SETTLE_S)
    assert double.lists == 2


async def test_a_tool_that_is_gone_or_changed_is_not_called(
    supervisor: McpSupervisor, double: Double, clock: ManualClock
) -> None:
    for tools, said in (([McpTool("act", "Act on others.", TOOL.schema)], "has changed"), ([], "is gone")):
        double.tools = list(tools)
        double.notice()
        await clock.advance(SETTLE_S)
        with pytest.raises(Refused, match=said):
            await supervisor.call(TOOL, {})


async def test_what_waits_for_the_owner_is_not_there_and_said_to_wait(
    supervisor: McpSupervisor, double: Double, owner: Owner, clock: ManualClock, caplog: pytest.LogCaptureFixture
) -> None:
    changed = McpTool("act", "Act, and tell nobody.", TOOL.schema)
    double.tools, owner.waits = [changed], {"act"}
    double.notice()
    await clock.advance(SETTLE_S)
    assert names(supervisor) == []
    assert list(supervisor.tools.held) == ["act"]
    said = (
        "not used, since they came or changed after you took the server in: act; read them with `sulla mcp show s`, "
        "then allow them with `sulla mcp trust s`"
    )
    assert supervisor.status()["notes"] == [said]
    assert f"the MCP server 's': {said}" in caplog.messages
    for tool in (TOOL, changed):
        with pytest.raises(Refused, match="has changed since the turn began"):
            await supervisor.call(tool, {})
    owner.waits, owner.said = set(), 1
    await clock.advance(SETTLE_S)
    assert list(supervisor.tools.held) == ["act"]  # nobody looked
    supervisor.check_trust()
    await clock.advance(SETTLE_S)
    assert names(supervisor) == ["act"]
    assert list(supervisor.tools.held) == []
    asked = double.lists
    supervisor.check_trust()
    await clock.advance(SETTLE_S)
    assert double.lists == asked


async def test_a_change_that_is_told_during_a_call_is_looked_at_after_it(
    supervisor: McpSupervisor, double: Double, clock: ManualClock
) -> None:
    double.hold = asyncio.Event()
    asking = asyncio.create_task(supervisor.call(TOOL, {}))
    await clock.settle()
    double.tools = []
    double.notice()
    await clock.advance(SETTLE_S)
    assert names(supervisor) == ["act"]
    double.hold.set()
    await asking
    await clock.advance(SETTLE_S)
    assert names(supervisor) == []


async def test_what_is_there_at_first_is_no_change_however_often_it_was_tried(
    clock: ManualClock, double: Double, owner: Owner, caplog: pytest.LogCaptureFixture
) -> None:
    double.refuses = "it is not there"
    one = McpSupervisor(McpServer("s", "x"), double, owner, clock)
    running = asyncio.create_task(one.run())
    await clock.settle()
    double.refuses = ""
    await clock.advance(FIRST_S)
    assert names(one) == ["act"]
    assert not [said for said in caplog.messages if "changed" in said]
    running.cancel()
    await asyncio.wait((running,))
