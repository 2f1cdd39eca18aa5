"""Bytes that no client of good will sends."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

CONT, TEXT, BINARY, CLOSE, PING, PONG = 0x0, 0x1, 0x2, 0x8, 0x9, 0xA
HELLO = (
    b'{"jsonrpc":"2.0","id":0,"method":"hello","params":'
    b'{"client":{"name":"raw","version":"1"},"protocol":1,"token":"owner"}}'
)
STATUS = b'{"jsonrpc":"2.0","id":1,"method":"system.status"}'

USUAL = (
    ("Host", "127.0.0.1"),
    ("Upgrade", "websocket"),
    ("Connection", "Upgrade"),
    ("Sec-WebSocket-Version", "13"),
    ("Sec-WebSocket-Key", "AAAAAAAAAAAAAAAAAAAAAA=="),
    ("Sec-WebSocket-Protocol", "sulla.v1"),
)


def upgrade(
    line: str = "GET /ws HTTP/1.1",
    *,
    without: Sequence[str] = (),
    more: Sequence[str] = (),
    end: str = "\r\n",
    **instead: str,
) -> bytes:
    """An upgrade request.

    Args:
        line: its first line.
        without: headers to leave out.
        more: whole lines to add.
        end: of each line.
        instead: other values of the usual headers, by a word of their names.
    """
    lines = [line]
    for name, value in USUAL:
        if name not in without:
            word = name.rpartition("-")[2].lower()
            lines.append(f"{name}: {instead.get(word, value)}")
    return end.join([*lines, *more, "", ""]).encode("latin-1")


def frame(
    opcode: int,
    payload: bytes = b"",
    *,
    fin: bool = True,
    reserved: int = 0,
    mask: bytes | None = b"\0\0\0\0",
    length: int | None = None,
    form: int | None = None,
) -> bytes:
    """A frame. A mask of zeros is as good as any, and costs nothing.

    Args:
        opcode: four bits.
        payload: what it says, before it is masked.
        fin: whether the message ends here.
        reserved: three bits.
        mask: None for a frame that is not masked.
        length: what is announced, if not the truth.
        form: bytes that the length takes (0, 2 or 8), if not the least.
    """
    size = len(payload) if length is None else length
    if form is None:
        form = 0 if size < 126 else 2 if size < 2**16 else 8
    short = {0: size, 2: 126, 8: 127}[form]
    bit = 0 if mask is None else 0x80
    head = bytes([(0x80 if fin else 0) | reserved << 4 | opcode, bit | short])
    if form:
        head += size.to_bytes(form, "big")
    if mask is None:
        return head + payload
    if any(mask):
        payload = bytes(byte ^ key for byte, key in zip(payload, itertools.cycle(mask), strict=False))
    return head + mask + payload


def closing(code: int, reason: bytes = b"") -> bytes:
    """A close frame."""
    return frame(CLOSE, code.to_bytes(2, "big") + reason)
