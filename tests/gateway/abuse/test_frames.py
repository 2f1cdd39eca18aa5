"""Frames against RFC 6455, before and after hello."""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable

import pytest

from tests.gateway.abuse.wire import BINARY, CLOSE, CONT, PING, PONG, STATUS, TEXT, closing, frame
from tests.gateway.peer import Raw

Hostile = Callable[..., Awaitable[Raw]]

BAD_UTF8 = b'{"\xff":1}'
SPLIT = "é".encode()  # two bytes

CASES: dict[str, tuple[bytes, int]] = {
    # --------------------------------------------------------------------------------------------------- the first bits
    "not masked": (frame(TEXT, STATUS, mask=None), 1002),
    "a ping not masked": (frame(PING, mask=None), 1002),
    "a close not masked": (frame(CLOSE, mask=None), 1002),
    "reserved bit 1": (frame(TEXT, STATUS, reserved=4), 1002),
    "reserved bit 2": (frame(TEXT, STATUS, reserved=2), 1002),
    "reserved bit 3": (frame(TEXT, STATUS, reserved=1), 1002),
    "all reserved bits": (frame(TEXT, STATUS, reserved=7), 1002),
    "a compressed ping": (frame(PING, b"x", reserved=4), 1002),
    "a compressed close": (frame(CLOSE, b"\x03\xe8", reserved=4), 1002),
    **{f"opcode {opcode}": (frame(opcode, STATUS), 1002) for opcode in (3, 4, 5, 6, 7, 11, 12, 13, 14, 15)},
    # ------------------------------------------------------------------------------------------------------- messages
    "a continuation of nothing": (frame(CONT, b"x"), 1002),
    "a continuation of nothing that goes on": (frame(CONT, b"x", fin=False), 1002),
    "a continuation after the end": (frame(TEXT, b"", fin=False) + frame(CONT, STATUS) + frame(CONT, b"x"), 1002),
    "a text inside a text": (frame(TEXT, b"{", fin=False) + frame(TEXT, b"}"), 1002),
    "a binary inside a text": (frame(TEXT, b"{", fin=False) + frame(BINARY, b"}"), 1002),
    "a text inside a binary": (frame(BINARY, b"{", fin=False) + frame(TEXT, b"}"), 1002),
    "a binary": (frame(BINARY, STATUS), 1003),
    "an empty binary": (frame(BINARY), 1003),
    "a binary in pieces": (frame(BINARY, b"a", fin=False) + frame(CONT, b"b"), 1003),
    "a compressed continuation": (frame(TEXT, b"{", fin=False) + frame(CONT, b"}", reserved=4), 1002),
    # --------------------------------------------------------------------------------------------------- control frames
    "a ping in pieces": (frame(PING, b"x", fin=False), 1002),
    "a pong in pieces": (frame(PONG, b"x", fin=False), 1002),
    "a close in pieces": (frame(CLOSE, b"\x03\xe8", fin=False), 1002),
    "a ping of 126 bytes": (frame(PING, b"x" * 126), 1002),
    "a pong of 126 bytes": (frame(PONG, b"x" * 126), 1002),
    "a close of 126 bytes": (closing(1000, b"x" * 124), 1002),
    "a ping of 64 KiB": (frame(PING, b"x" * 65_536), 1002),
    # ---------------------------------------------------------------------------------------------------------- lengths
    "the highest bit of a length": (frame(TEXT, STATUS, length=2**63, form=8), 1009),
    "all bits of a length": (frame(TEXT, STATUS, length=2**64 - 1, form=8), 1009),
    "a tebibyte": (frame(TEXT, STATUS, length=2**40), 1009),
    "a byte too many": (frame(TEXT, b"", length=2**20 + 1), 1009),
    "a tebibyte of a ping": (frame(PING, b"x", length=2**40), 1009),
    "a tebibyte in the second piece": (frame(TEXT, b"x", fin=False) + frame(CONT, b"", length=2**40), 1009),
    "too much in pieces": (
        frame(TEXT, b" " * 600_000, fin=False) + frame(CONT, b" " * 600_000, fin=False),
        1009,
    ),
    # ------------------------------------------------------------------------------------------------------------ UTF-8
    "a byte that is no UTF-8": (frame(TEXT, BAD_UTF8), 1007),
    "no UTF-8 in the second piece": (frame(TEXT, b'{"', fin=False) + frame(CONT, b'\xff":1}'), 1007),
    "half a character": (frame(TEXT, SPLIT[:1]), 1007),
    "half a character and an empty end": (frame(TEXT, SPLIT[:1], fin=False) + frame(CONT), 1007),
    "a character too long": (frame(TEXT, b"\xc0\xaf"), 1007),
    "half of a pair": (frame(TEXT, b"\xed\xa0\x80"), 1007),
    "beyond the last character": (frame(TEXT, b"\xf4\x90\x80\x80"), 1007),
    "a close reason that is no UTF-8": (closing(1000, b"\xff"), 1007),
    "half a character in a close reason": (closing(1000, SPLIT[:1]), 1007),
    # ---------------------------------------------------------------------------------------------------- close codes
    "half a close code": (frame(CLOSE, b"\x03"), 1002),
    **{
        f"close {code}": (closing(code), 1002) for code in (0, 1, 999, 1004, 1005, 1006, 1015, 1016, 2999, 5000, 65_535)
    },
    "close 1000": (closing(1000), 1000),
    "close 1000 with a reason": (closing(1000, "schön".encode()), 1000),
    "close 1001": (closing(1001), 1001),
    "close 1011": (closing(1011), 1011),
    "close 3000": (closing(3000), 3000),
    "close 4999": (closing(4999), 4999),
    "close without a code": (frame(CLOSE), 0),
    "a text after the close": (closing(1000) + frame(TEXT, STATUS), 1000),
    "garbage after the close": (closing(1000) + bytes(5000), 1000),
    "two closes": (closing(1000) + closing(1001), 1000),
    "a megabyte after the close": (closing(1000) + frame(TEXT, b" " * 1_000_000), 1000),
    "a close inside a message": (frame(TEXT, b"{", fin=False) + closing(1000), 1002),
    # ------------------------------------------------------------------------------------------------------ no frames
    "HTTP again": (b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", 1002),
    "only zeros": (bytes(100), 1002),
    "only ones": (b"\xff" * 100, 1002),
}


async def ended(peer: Raw, data: bytes) -> int:
    """The code with which the server closes; after it, the end of the connection."""
    with contextlib.suppress(ConnectionError):  # it may have closed before it has heard everything
        await peer.send(data)
    code = await peer.close_code()
    assert await peer.rest() == b""
    return code


@pytest.mark.parametrize("name", CASES)
async def test_after_hello_it_ends_the_connection(hostile: Hostile, name: str) -> None:
    data, code = CASES[name]
    assert await ended(await hostile(hello=True), data) == code


@pytest.mark.parametrize("name", CASES)
async def test_before_hello_it_ends_the_connection(hostile: Hostile, name: str) -> None:
    data, code = CASES[name]
    peer = await hostile()
    await peer.upgrade()
    assert await ended(peer, data) in (code, 1008)  # what is no hello is refused as such


async def opened(peer: Raw, data: bytes) -> None:
    """The server answers a request that comes after the data."""
    await peer.send(data + frame(TEXT, STATUS))
    opcode, payload = await peer.message()
    while opcode == PONG:
        opcode, payload = await peer.message()
    assert (opcode, b'"id":1' in payload) == (TEXT, True), payload


LEGAL: dict[str, bytes] = {
    "a ping": frame(PING, b"x"),
    "an empty ping": frame(PING),
    "the longest ping": frame(PING, b"x" * 125),
    "a pong that nobody asked for": frame(PONG, b"x"),
    "an empty pong": frame(PONG),
    "a ping inside a message": frame(TEXT, STATUS[:5].replace(b"{", b"{", 1), fin=False)
    + frame(PING, b"x")
    + frame(CONT, STATUS[5:]),
    "empty pieces": frame(TEXT, b"", fin=False) + frame(CONT, b"", fin=False) * 100 + frame(CONT, STATUS),
    "one byte a piece": frame(TEXT, STATUS[:1], fin=False)
    + b"".join(frame(CONT, bytes([byte]), fin=False) for byte in STATUS[1:])
    + frame(CONT),
    "another mask": frame(TEXT, STATUS, mask=b"\x01\x02\x03\x04"),
    "a mask of ones": frame(TEXT, STATUS, mask=b"\xff\xff\xff\xff"),
    "a length in more bytes than it needs": frame(TEXT, STATUS, form=2),
    "a length in far more bytes than it needs": frame(TEXT, STATUS, form=8),
}


@pytest.mark.parametrize("name", LEGAL)
async def test_what_is_merely_odd_is_taken(hostile: Hostile, name: str) -> None:
    await opened(await hostile(hello=True), LEGAL[name])


async def test_a_length_that_lies_waits_for_the_rest(hostile: Hostile) -> None:
    peer = await hostile(hello=True)
    await peer.send(frame(TEXT, STATUS[:10], length=len(STATUS)))
    await peer.send(STATUS[10:])
    assert (await peer.message())[0] == TEXT


async def test_bytes_come_one_by_one(hostile: Hostile) -> None:
    peer = await hostile(hello=True)
    for byte in frame(TEXT, STATUS, mask=b"\x01\x02\x03\x04"):
        await peer.send(bytes([byte]))
    assert (await peer.message())[0] == TEXT


MIB = 2**20


@pytest.mark.parametrize(("size", "code"), [(MIB, None), (MIB + 1, 1009)], ids=["the largest", "a byte more"])
async def test_after_hello_a_frame_may_have_a_mebibyte(hostile: Hostile, size: int, code: int | None) -> None:
    peer = await hostile(hello=True)
    text = STATUS + b" " * (size - len(STATUS))
    if code is None:
        await peer.send(frame(TEXT, text))
        assert b'"id":1' in (await peer.message())[1]
    else:
        assert await ended(peer, frame(TEXT, text)) == code


@pytest.mark.parametrize("size", [65_537, MIB, MIB + 1])
async def test_before_hello_a_frame_is_refused_by_its_head_alone(hostile: Hostile, size: int) -> None:
    peer = await hostile()
    await peer.upgrade()
    assert await ended(peer, frame(TEXT, b"", length=size)) == 1009
