"""The console at a real daemon: a session outlives it, and no file and no line holds what opens it."""

from __future__ import annotations

import asyncio
import json
import signal
from pathlib import Path

from tests.console.house import opens, page, sign_in
from tests.daemon.running import Daemon, Place


async def ticket(place: Place, daemon: Daemon) -> str:
    code, out, err = await asyncio.to_thread(place.run, "console", "--print")
    assert code == 0, err
    address, _, secret = out.strip().partition("/#ticket=")
    assert address == daemon.url
    return secret


async def test_a_session_survives_a_kill_and_a_restart_and_nothing_shows_its_halves(tmp_path: Path) -> None:
    place = Place(tmp_path / "home", SULLA_DAEMON__LOG_LEVEL="debug")
    with place.up() as daemon:
        secret = await ticket(place, daemon)
        signed = await sign_in(daemon.url, {"ticket": secret})
        assert await opens(daemon, signed)
        port, said = daemon.url.rpartition(":")[2], daemon.said + daemon.complaints
        daemon.ended(signal.SIGKILL)
    with place.begin("up", "--port", port) as command:
        command.until("\nready http")
        command.line()
        again = Daemon(command.process, command.log, command.said)
        assert again.url == daemon.url
        async with page(again, signed) as peer:
            assert (await peer.hello(None, session=signed.key))["scopes"] == signed.answer["scopes"]
            rows = [one["name"] for one in (await peer.call("token.list"))["tokens"]]
            assert signed.answer["session"] in rows
        code, _, err = await asyncio.to_thread(place.run, "token", "revoke", signed.answer["session"])
        assert code == 0, err
        assert not await opens(again, signed)
        again.ended(signal.SIGTERM)
        said += again.said + again.complaints
    kept = [file.read_bytes() for file in place.home.parent.rglob("*") if file.is_file()]
    audit = [json.loads(line) for line in (place.home / "audit.jsonl").read_text().splitlines()]
    for half in (secret, signed.key, signed.cookie.partition("=")[2]):
        assert half not in said
        assert [text for text in kept if half.encode() in text] == []
    made = next(one for one in audit if one["method"] == "token.create")
    assert (made["token"], made["way"], made["about"]["name"]) == ("owner", "rest", signed.answer["session"])
