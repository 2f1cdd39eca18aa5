"""The files of the fake of Slack, which it gives to nobody without the token."""

from __future__ import annotations

from itertools import count
from typing import Any, Final

from aiohttp import web

from sulla.channels.base import AttachmentKind

_MIMES: Final = {"voice": "audio/webm", "picture": "image/png", "file": "text/plain"}


class Files:
    """All of them. It lives as long as its fake."""

    def __init__(self) -> None:
        self._files: dict[str, tuple[dict[str, Any], bytes]] = {}
        self._numbers = count(1)
        self._at = ""
        self._token = ""

    def begin(self, at: str, token: str) -> None:
        """The fake listens.

        Args:
            at: where.
            token: without which nothing is given out.
        """
        self._at, self._token = at, token

    def keep(self, name: str, content: bytes, kind: AttachmentKind) -> dict[str, Any]:
        """Take one in; what Slack says of it."""
        id_ = f"F{next(self._numbers)}"
        about = {"id": id_, "name": name, "size": len(content), "mimetype": _MIMES[kind], "mode": "hosted"}
        about |= {"url_private": f"{self._at}/files/{id_}"} | ({"subtype": "slack_audio"} if kind == "voice" else {})
        self._files[id_] = (about, content)
        return about

    def found(self, id_: str) -> dict[str, Any]:
        """What Slack says of one; nothing where it is not there."""
        return self._files.get(id_, ({}, b""))[0]

    def content(self, id_: str) -> bytes:
        """What is in one."""
        return self._files[id_][1]

    def forget(self, id_: str) -> bool:
        """Delete one; whether it was there."""
        return self._files.pop(id_, None) is not None

    async def upload(self, request: web.Request) -> web.Response:
        """Somebody brings the content of one."""
        id_ = request.match_info["id"]
        self._files[id_] = (self._files[id_][0], await request.read())
        return web.Response(text="OK")

    async def download(self, request: web.Request) -> web.Response:
        """Somebody fetches one; without the token he is sent to a page, as people are."""
        if request.headers.get("Authorization") != f"Bearer {self._token}":
            return web.Response(status=302, headers={"Location": "/login"})
        return web.Response(body=self._files[request.match_info["id"]][1])
