"""Messages that are legal frames and hostile JSON."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable

import pytest

from tests.gateway.abuse.wire import STATUS, TEXT, frame
from tests.gateway.peer import Raw

Hostile = Callable[..., Awaitable[Raw]]

DEEP = 100_000
BOMBS: dict[str, bytes] = {
    "nothing": b"",
    "blanks": b" " * 1_000_000,
    "arrays in arrays": b"[" * DEEP + b"]" * DEEP,
    "arrays that do not end": b"[" * 1_000_000,
    "objects in objects": b'{"a":' * DEEP + b"1" + b"}" * DEEP,
    "deep parameters": b'{"jsonrpc":"2.0","id":1,"method":"system.status","params":' + b"[" * DEEP + b"]" * DEEP + b"}",
    "a hundred thousand fields": b"{" + b",".join(b'"%d":0' % number for number in range(90_000)) + b"}",
    "a hundred thousand empty things": b"[" + b",".join([b"{}"] * 300_000) + b"]",
    "a number of a million digits": b'{"jsonrpc":"2.0","id":' + b"9" * 1_000_000 + b',"method":"system.status"}',
    "an exponent that nobody needs": b'{"jsonrpc":"2.0","id":1e999999999,"method":"system.status"}',
    "a number beyond 64 bits": b'{"jsonrpc":"2.0","id":18446744073709551616,"method":"system.status"}',
    "not a number": b'{"jsonrpc":"2.0","id":NaN,"method":"system.status"}',
    "infinity": b'{"jsonrpc":"2.0","id":-Infinity,"method":"system.status"}',
    "half of a pair": b'{"jsonrpc":"2.0","id":1,"method":"\\ud800"}',
    "half of a pair for an id": b'{"jsonrpc":"2.0","id":"\\udfff","method":"system.status"}',
    "a mark of byte order": b"\xef\xbb\xbf" + STATUS,
    "a zero in a name": b'{"jsonrpc":"2.0","id":1,"method":"system.status\\u0000"}',
    "a raw zero": b'{"jsonrpc":"2.0","id":1,"method":"system.status"}\0',
    "two values": STATUS + STATUS,
    "a comment": STATUS[:-1] + b"/* */}",
    "a comma at the end": STATUS[:-1] + b",}",
    "single quotes": STATUS.replace(b'"', b"'"),
    "a batch": b"[" + STATUS + b"]",
    "an empty batch": b"[]",
    "true": b"true",
    "a string": b'"hello"',
    "a method of a megabyte": b'{"jsonrpc":"2.0","id":1,"method":"' + b"x" * 1_000_000 + b'"}',
    "an id of a megabyte": b'{"jsonrpc":"2.0","id":"' + b"x" * 1_000_000 + b'","method":"system.status"}',
    "a method with a path": b'{"jsonrpc":"2.0","id":1,"method":"../../system.status"}',
    "an attribute for a method": b'{"jsonrpc":"2.0","id":1,"method":"__class__"}',
    "a notification": b'{"jsonrpc":"2.0","method":"system.status"}',
    "an answer": b'{"jsonrpc":"2.0","id":1,"result":{}}',
}


@pytest.mark.parametrize("name", BOMBS)
async def test_after_hello_it_is_answered_with_an_error_and_the_connection_goes_on(hostile: Hostile, name: str) -> None:
    peer = await hostile(hello=True)
    await peer.send(frame(TEXT, BOMBS[name]))
    opcode, answer = await peer.message()
    assert opcode == TEXT
    assert "error" in json.loads(answer)
    assert len(answer) < 2000
    await peer.send(frame(TEXT, STATUS))
    assert "result" in json.loads((await peer.message())[1])


@pytest.mark.parametrize("name", BOMBS)
async def test_before_hello_it_ends_the_connection(hostile: Hostile, name: str) -> None:
    peer = await hostile()
    await peer.upgrade()
    await peer.send(frame(TEXT, BOMBS[name]))
    assert await peer.close_code() in (1008, 1009)


TWICE: dict[str, bytes] = {
    "a method said twice": b'{"jsonrpc":"2.0","id":1,"method":"thread.delete","method":"system.status"}',
    "an id said twice": b'{"jsonrpc":"2.0","id":7,"id":1,"method":"system.status"}',
}


@pytest.mark.parametrize("name", TWICE)
async def test_of_what_is_said_twice_the_last_counts(hostile: Hostile, name: str) -> None:
    peer = await hostile(hello=True)
    await peer.send(frame(TEXT, TWICE[name]))
    answer = json.loads((await peer.message())[1])
    assert (answer["id"], "result" in answer) == (1, True)
