"""The page at `/`."""

from __future__ import annotations

import base64
import hashlib
import re

import pytest

from tests.gateway.rest.test_auth import inside, make_app


async def test_anybody_gets_a_page_that_says_what_this_is_and_how_to_get_in() -> None:
    async with inside(make_app()) as client:
        answer = await client.get("/")
        assert answer.status_code == 200
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
        for said in ("This is the address of a Sulla daemon", "sulla token", "Open WebUI", "openapi.json"):
            assert said in answer.text
        for address in re.findall(r'href="(/[^"]+)"', answer.text):
            assert (await client.get(address)).status_code in (200, 404, 503), address


async def test_it_needs_no_script_and_may_load_nothing() -> None:
    async with inside(make_app()) as client:
        answer = await client.get("/")
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    style = re.search(r"<style>(.*?)</style>", answer.text, re.DOTALL)
    assert style is not None
    assert base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode() in policy
    assert "<script" not in answer.text
    assert "src=" not in answer.text


@pytest.mark.parametrize("verb", ["POST", "PUT", "DELETE"])
async def test_nothing_can_be_sent_there(verb: str) -> None:
    async with inside(make_app()) as client:
        assert (await client.request(verb, "/")).status_code == 405
