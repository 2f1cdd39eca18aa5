from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from sulla.gateway.server.server import Server
from tests.gateway.peer import PATIENCE_S, Raw


async def get(server: Server, path: str, *headers: str, method: str = "GET") -> tuple[int, dict[str, Any]]:
    """A request's status and JSON body."""
    async with Raw.connect(server) as peer:
        lines = [f"{method} {path} HTTP/1.1", *(headers or ("Host: 127.0.0.1",)), "Connection: close", "", ""]
        await peer.send("\r\n".join(lines).encode("latin-1"))
        async with asyncio.timeout(PATIENCE_S):
            answer = await peer.reader.read()
    head, _, body = answer.partition(b"\r\n\r\n")
    found: dict[str, Any] = json.loads(body) if body[:1] == b"{" else {}
    return int(head.split()[1]), found


async def test_it_says_that_it_is_alive_without_a_token(server: Server) -> None:
    assert await get(server, "/healthz") == (200, {"status": "ok"})


@pytest.mark.parametrize("path", ["/docs", "/redoc", "/nothing", "/ws"])
async def test_there_is_nothing_else(server: Server, path: str) -> None:
    assert (await get(server, path))[0] == 401
    assert (await get(server, path, "Host: 127.0.0.1", "Authorization: Bearer owner"))[0] == 404


@pytest.mark.parametrize("path", ["/openapi.json", "/asyncapi.json"])
async def test_how_to_talk_to_it_is_no_secret(server: Server, path: str) -> None:
    status, document = await get(server, path)
    assert (status, document["info"]["title"]) == (200, "Sulla")


async def test_another_verb_is_refused(server: Server) -> None:
    assert (await get(server, "/healthz", method="POST"))[0] == 405


@pytest.mark.parametrize("path", ["/healthz", "/nothing"])
async def test_host_and_origin_are_checked_on_every_path(server: Server, path: str) -> None:
    status, body = await get(server, path, "Host: rebound.example")
    assert (status, body["error"]["code"]) == (403, "forbidden")
    status, _ = await get(server, path, "Host: 127.0.0.1", "Origin: https://evil.example")
    assert status == 403


async def test_a_name_from_the_settings_is_ours(server: Server) -> None:
    assert (await get(server, "/healthz", "Host: sulla.test:80", "Origin: https://console.test"))[0] == 200


async def test_a_secret_in_the_address_is_refused_on_every_path(server: Server) -> None:
    assert (await get(server, "/healthz?token=owner"))[0] == 400


async def test_a_request_without_a_host_is_refused(server: Server) -> None:
    assert (await get(server, "/healthz", "X-Nothing: 1"))[0] == 400
