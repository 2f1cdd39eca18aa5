"""A gateway on a loopback port with a small console, and tokens that are kept in a store."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from sulla.access.token_store import TokenStore
from sulla.console.files import WebFiles
from sulla.gateway.app import Brought, GatewayConfig, build_app
from sulla.gateway.server.server import bind, serve
from sulla.host.system import SystemClock, random_id, random_token
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock
from tests.console.house import FRIEND, OWNER_TOKEN, House, small_build
from tests.doubles.commands import MemoryCommands


@pytest.fixture
def web(tmp_path: Path) -> Path:
    """A folder as a build leaves it."""
    return small_build(tmp_path / "web")


@pytest.fixture
def wall() -> ManualClock:
    """The clock by which tokens and sessions expire."""
    return ManualClock()


@pytest.fixture
async def house(web: Path, wall: ManualClock) -> AsyncIterator[House]:
    """One that anybody on this machine can call; another origin may, too, with a token."""
    store = MemoryStore(wall, random_id)
    await store.open()
    tokens, time = TokenStore(store, wall, random_token), SystemClock()
    await tokens.open(OWNER_TOKEN, lambda: "sulla_another")
    commands, config = MemoryCommands(), GatewayConfig("1", allowed_origins=(FRIEND,))
    app = build_app(commands, tokens, config, _Both(wall), make_id=random_id, brought=Brought(None, WebFiles(web)))
    server = await serve(app, bind("127.0.0.1", 0), time)
    yield House(server, tokens)
    await server.stop(1.0)
    await store.close()


class _Both(SystemClock):
    """Deadlines by the machine's clock, the time of day by a test's."""

    def __init__(self, wall: ManualClock) -> None:
        self._wall = wall

    def now(self) -> float:
        return self._wall.now()
