"""A whole daemon, watched from outside: a turn in the figures and the log, an outage in `/readyz`, a secret nowhere."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from sulla.cli.main import main
from sulla.core.errors import StoreUnavailable
from sulla.core.redact import MARK, Redactor
from sulla.core.words import ours
from sulla.daemon.run import run_daemon
from sulla.daemon.settings.config import Settings, load_settings
from sulla.host.place import Place
from sulla.host.system import SystemClock
from sulla.store.base import Store
from sulla.telemetry.logs import FILE, Logs
from sulla.terminal.client import Client, open_client
from sulla.terminal.exits import Exit
from sulla.terminal.place import door
from sulla.testing.store import FaultyStore, Touch
from sulla.tools.base import Done, Result, ToolContext
from sulla.tools.define import define
from tests.daemon.running import AFRESH
from tests.servers.anthropic_server import FakeAnthropic
from tests.servers.script import Reply, Rule, Script, ToolUse
from tests.soon import a_pause, attempts

KEY = "sk-ant-planted-0123456789"
PATIENCE_S = 50.0
NOTICE_S = 2.0
"""Within so many seconds an outage has to show."""
SCRIPT = Script(
    [
        Rule(Reply(tools=(ToolUse("grumble", {"about": "it"}),)), text="work", results=0),
        Rule(Reply("All right. <AGENT_DONE/>")),
    ]
)


async def _nothing(touch: Touch) -> None:
    """No fault of its own."""


class Unplugged(FaultyStore):
    """A store whose plug a test can pull."""

    def __init__(self, inner: Store) -> None:
        super().__init__(inner, _nothing)
        self.away = False

    async def incarnation(self) -> str:
        """Which store it is, if it is there."""
        if self.away:
            raise StoreUnavailable(f"no answer from redis://:{KEY}@host")
        return await super().incarnation()


async def grumble(context: ToolContext, *, about: str) -> Result:
    """Say too much.

    Args:
        about: what about.
    """
    logging.getLogger("some.library").warning("called with %s about %s", KEY, about)
    try:
        raise ValueError(f"refused {KEY}")
    except ValueError:
        logging.getLogger("sulla.tests").exception("it failed", extra={"headers": {"x-api-key": KEY}})
    return Done(ours("done"))


@dataclass(slots=True)
class Watched:
    """A daemon, and what its store is."""

    settings: Settings
    http: httpx.AsyncClient
    client: Client
    store: Unplugged

    async def turn(self, text: str) -> str:
        """A turn to its end; its run."""
        thread = (await self.client.call("thread.create"))["thread_id"]
        await self.client.call("events.subscribe", thread_id=thread, after=0)
        sent = await self.client.call("turn.send", thread_id=thread, message_id="m1", text=text)
        async for event in self.client.events():
            if event["type"] in ("RUN_FINISHED", "RUN_ERROR"):
                return str(sent["run_id"])
        raise AssertionError("`events` ends with an error or not at all")

    async def samples(self) -> dict[str, float]:
        """The figures, by name and labels."""
        answer = await self.http.get("/metrics")
        assert answer.status_code == 200
        assert KEY not in answer.text
        lines = (line.rpartition(" ") for line in answer.text.splitlines() if not line.startswith("#"))
        return {name: float(value) for name, _, value in lines}


@asynccontextmanager
async def _watched(home: Path, model_url: str, logs: Logs, redactor: Redactor) -> AsyncIterator[Watched]:
    environ = {"SULLA_MODEL": "anthropic:any", "ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": model_url}
    settings = load_settings(environ, {("gateway", "port"): 0}, home)
    stores: list[Unplugged] = []

    def unplugged(store: Store) -> Store:
        stores.append(Unplugged(store))
        return stores[0]

    def prepare(place: Place) -> Place:
        return replace(place, wrap_store=unplugged, extra_tools=(define(grumble, effect="pure"),))

    ready = asyncio.Event()
    async with asyncio.TaskGroup() as group:
        group.create_task(
            run_daemon(
                settings, lambda line: ready.set() if line.startswith("ready ") else None, prepare,
                redactor=redactor, logs=logs,
            )
        )  # fmt: skip
        await ready.wait()
        where = door(home)
        headers = {"authorization": f"Bearer {where.token}"}
        async with (
            httpx.AsyncClient(
                base_url=where.url, headers=headers, trust_env=False, timeout=PATIENCE_S, limits=httpx.Limits(**AFRESH)
            ) as http,
            open_client(where) as client,
        ):
            yield Watched(settings, http, client, stores[0])
        os.kill(os.getpid(), signal.SIGTERM)


async def _until(watched: Watched, status: int) -> dict[str, Any]:
    """What `/readyz` says as soon as it answers so."""
    async with asyncio.timeout(PATIENCE_S):
        while (answer := await watched.http.get("/readyz")).status_code != status:
            await a_pause()
    body: dict[str, Any] = answer.json()
    return body | {"degraded": _ours(body["degraded"])}


def _ours(troubles: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Those that are not the machine's: while it is busy, loops stand still."""
    return [trouble for trouble in troubles if trouble["what"] != "loop_stalled"]


async def _seen(watched: Watched, *, away: bool) -> float:
    """The store goes away, or is there again: how long it took until that showed, in seconds."""
    clock, ready = SystemClock(), {True: 503, False: 200}
    watched.store.away = not away
    await _until(watched, ready[not away])
    began_s = clock.elapsed()
    watched.store.away = away
    await _until(watched, ready[away])
    return clock.elapsed() - began_s


@contextmanager
def _logged(redactor: Redactor) -> Iterator[Logs]:
    logs = Logs(redactor, "info")
    try:
        yield logs
    finally:
        logs.close()
        logging.captureWarnings(capture=False)
        logging.getLogger("sulla").setLevel(logging.NOTSET)


@pytest.mark.parametrize("replaced", [False, True])
async def test_a_store_whose_file_is_gone_shows_in_time_and_also_that_it_is_back(
    tmp_path: Path, *, replaced: bool
) -> None:
    home, redactor, clock = tmp_path / "home", Redactor(), SystemClock()
    file, aside = home / "sulla.db", home / "aside.db"
    with _logged(redactor) as logs:
        async with (
            FakeAnthropic(SCRIPT, clock, key=KEY) as model,
            _watched(home, model.url, logs, redactor) as watched,
        ):
            for took in attempts(NOTICE_S):
                await _until(watched, 200)
                began_s = clock.elapsed()
                file.rename(aside)
                if replaced:
                    file.write_bytes(b"another file")
                told = await _until(watched, 503)
                took.append(clock.elapsed() - began_s)
                assert [trouble["what"] for trouble in told["blocking"]] == ["store_unavailable"]
                assert "moved, removed or replaced" in told["blocking"][0]["why"]
                aside.replace(file)
            await _until(watched, 200)


async def test_a_daemon_can_be_watched(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    home, redactor = tmp_path / "home", Redactor()
    with _logged(redactor) as logs:
        async with (
            FakeAnthropic(SCRIPT, SystemClock(), key=KEY) as model,
            _watched(home, model.url, logs, redactor) as watched,
        ):
            before = await watched.samples()
            assert before["sulla_ready"] == 1
            run_id = await watched.turn("work")
            after = await watched.samples()
            assert after['sulla_turns_total{agent="sulla",outcome="done"}'] == 1
            assert after['sulla_model_calls_total{outcome="ok",purpose="reply"}'] == 2
            assert after['sulla_tool_calls_total{outcome="ok",tool="grumble"}'] == 1
            assert after['sulla_tokens_total{kind="input"}'] > 0
            assert after['sulla_tokens_total{kind="output"}'] > 0
            assert after['sulla_gateway_requests_total{code="ok",method="turn.send",way="ws"}'] == 1
            assert after['sulla_gateway_connections{way="ws"}'] == 1
            assert after["sulla_turn_first_text_seconds_count"] == 1
            assert await _until(watched, 200) == {"status": "ready", "blocking": [], "degraded": []}
            for took in attempts(NOTICE_S):
                took.append(await _seen(watched, away=True))
            told = await _until(watched, 503)
            assert [trouble["what"] for trouble in told["blocking"]] == ["store_unavailable"]
            assert f"the store is away (no answer from redis://:{MARK}@host)" in told["blocking"][0]["why"]
            assert (await watched.samples())['sulla_trouble{what="store_unavailable"}'] == 1
            status = await watched.client.call("system.status")
            assert [trouble["what"] for trouble in _ours(status["troubles"])] == ["store_unavailable"]
            for took in attempts(NOTICE_S):
                took.append(await _seen(watched, away=False))
    written = (home / "logs" / FILE).read_text()
    assert KEY not in written
    assert (home / "token").read_text().strip() not in written
    assert main(["logs", "--home", str(home), "--run", run_id, "--json"]) == Exit.OK
    entries = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [entry["event"] for entry in entries] == [
        "a turn has begun",
        f"called with {MARK} about it",
        "it failed",
        "a turn has ended: done",
    ]
    assert entries[2]["headers"] == {"x-api-key": MARK}
    assert f"refused {MARK}" in entries[2]["exception"]
    assert len({entry["thread_id"] for entry in entries}) == 1
