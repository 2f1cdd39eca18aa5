"""What the tests of the console share: a small build, and a browser that does as browsers do."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx

from sulla.access.principal import ALL_SCOPES, OWNER, Principal, Scope
from sulla.access.token_store import TokenStore
from sulla.core.dataclass import dataclass
from sulla.gateway.server.server import Server
from tests.gateway.peer import Answering, Peer

OWNER_TOKEN = "sulla_the-owner-s-own-token-of-this-test-house-0000"
FRIEND = "https://friend.test"
"""An origin that the settings allow, with a token."""
SESSION = "/console/session"
SCRIPT = "assets/index-B3xK9aQ2.js"
PAGE = f'<!doctype html><title>Sulla</title><script type="module" src="/{SCRIPT}"></script><div id="root"></div>\n'


def small_build(folder: Path) -> Path:
    """Write what a build would."""
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text(PAGE)
    (folder / SCRIPT).write_text("console.log('here');\n" * 200)
    (folder / "assets/index-0a1b2c3d.css").write_text("body { margin: 0 }\n" * 100)
    (folder / "assets/icon-9f8e7d6c.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(400))
    (folder / "assets/plain.txt").write_text("no hash in my name")
    (folder / "icon.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"/>')
    (folder.parent / "secret.txt").write_text("outside")
    (folder / "assets/link-aaaaaaaa.js").symlink_to(folder.parent / "secret.txt")
    return folder


@dataclass(frozen=True, slots=True)
class Signed:
    """A page that has signed in."""

    cookie: str
    """As the browser sends it: its name and its value."""
    key: str
    answer: dict[str, Any]
    set_cookie: str
    """The header of the answer."""


@dataclass(frozen=True, slots=True)
class House:
    """A gateway, and its tokens."""

    server: Server
    tokens: TokenStore

    @property
    def url(self) -> str:
        return self.server.url

    @property
    def owner(self) -> Principal:
        return next(one.principal for one in self.tokens.known() if one.principal.name == OWNER)

    async def ticket(self) -> str:
        return await self.ticket_of(self.owner)

    async def ticket_of(self, who: Principal) -> str:
        return (await self.tokens.mint_ticket(who, "console")).secret

    async def token(self, name: str, *scopes: Scope, expires_s: float | None = None) -> str:
        by = Principal(OWNER, ALL_SCOPES)
        return (await self.tokens.create(name, frozenset(scopes), expires_s, by)).secret


async def post(url: str, said: object, headers: dict[str, str] | None = None) -> httpx.Response:
    """What a page of the daemon's own sends to sign in; headers may say otherwise, and None leaves one out."""
    given = {"Origin": url, "Content-Type": "application/json"} | (headers or {})
    body = said if isinstance(said, bytes) else json.dumps(said).encode()
    async with httpx.AsyncClient(base_url=url) as client:
        sent = {name: value for name, value in given.items() if value}
        return await client.post(SESSION, content=body, headers=sent)


async def sign_in(url: str, said: object, headers: dict[str, str] | None = None) -> Signed:
    answer = await post(url, said, headers)
    assert answer.status_code == 200, answer.text
    value = answer.headers["set-cookie"]
    return Signed(value.partition(";")[0], answer.json()["key"], answer.json(), value)


@asynccontextmanager
async def page(to: Answering, signed: Signed, **more: str) -> AsyncIterator[Peer]:
    """A page's socket, before it has said hello."""
    async with Peer.connect(to, headers={"Origin": to.url, "Cookie": signed.cookie} | more) as peer:
        yield peer


async def opens(to: Answering, signed: Signed, **more: str) -> bool:
    """Whether a page comes in with what it has; what it is refused with is a refusal, not an error."""
    async with page(to, signed, **more) as peer:
        answer = await peer.ask("hello", client={"name": "page", "version": "1"}, protocol=1, session=signed.key)
    if "result" in answer:
        return True
    assert answer["error"]["data"]["code"] in ("unauthorized", "forbidden"), answer
    return False
