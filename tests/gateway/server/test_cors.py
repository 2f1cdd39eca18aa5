"""Pages of origins that are allowed can read answers, and no others."""

from __future__ import annotations

import httpx
import pytest

from sulla.gateway.server.cors import is_preflight, preflight_headers
from sulla.gateway.server.server import Server
from tests.gateway.rest.test_app import browse

PAGE = "https://console.test"
WANTED = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization, x-stainless-os"}


async def asked_beforehand(server: Server, origin: str, path: str = "/v1/chat/completions") -> httpx.Response:
    async with browse(server, {}) as http:
        return await http.options(path, headers={"Origin": origin, **WANTED})


@pytest.mark.parametrize("path", ["/v1/chat/completions", "/api/threads", "/nothing"])
async def test_a_browser_is_told_what_a_page_of_an_allowed_origin_may_send(server: Server, path: str) -> None:
    answer = await asked_beforehand(server, PAGE, path)
    assert (answer.status_code, answer.content) == (204, b"")
    assert answer.headers["access-control-allow-origin"] == PAGE
    assert answer.headers["access-control-allow-headers"] == "authorization, x-stainless-os"
    assert "POST" in answer.headers["access-control-allow-methods"]
    assert answer.headers["vary"] == "origin"
    assert "access-control-allow-credentials" not in answer.headers


async def test_of_any_other_it_is_told_nothing(server: Server) -> None:
    answer = await asked_beforehand(server, "https://evil.example")
    assert answer.status_code == 403
    assert not [name for name in answer.headers if name.startswith("access-control")]


@pytest.mark.parametrize("headers", [{"Authorization": "Bearer owner"}, {}])
async def test_such_a_page_can_read_answers_and_refusals(server: Server, headers: dict[str, str]) -> None:
    async with browse(server, headers) as http:
        answer = await http.get("/v1/models", headers={"Origin": PAGE})
    assert answer.status_code == (200 if headers else 401)
    assert answer.headers["access-control-allow-origin"] == PAGE
    assert "x-request-id" in answer.headers["access-control-expose-headers"]


@pytest.mark.parametrize("names", [[], ["Origin"]])
async def test_who_is_no_foreign_page_is_told_nothing_of_that(server: Server, names: list[str]) -> None:
    async with browse(server) as http:
        answer = await http.get("/v1/models", headers=dict.fromkeys(names, server.url))
    assert answer.status_code == 200
    assert not [name for name in answer.headers if name.startswith("access-control")]


async def test_to_ask_beforehand_opens_nothing_else(server: Server) -> None:
    async with browse(server, {}) as http:
        answer = await http.options("/api/threads", headers={"Origin": PAGE})
    assert answer.status_code == 401


def test_names_of_headers_that_are_none_are_not_repeated() -> None:
    asked = [(b"access-control-request-method", b"POST"), (b"access-control-request-headers", b"x\r\ny: z")]
    assert is_preflight("OPTIONS", asked)
    assert not is_preflight("POST", asked)
    assert b"access-control-allow-headers" not in dict(preflight_headers(asked))
