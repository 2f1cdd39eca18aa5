"""Whatever bytes come, the server answers with whole frames, ends the connection in a lawful way, and lives."""

from __future__ import annotations

import asyncio
import os

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sulla.gateway.server.server import Server
from tests.gateway.abuse.wire import HELLO, STATUS, TEXT, closing, frame, upgrade
from tests.gateway.peer import PATIENCE_S, Raw, until

LAWFUL = {1000, 1001, 1002, 1003, 1007, 1008, 1009, 1011, 1013, 4401, 4408}

bounded = settings(
    max_examples=60,
    derandomize="CI" in os.environ,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)

FRAMES = st.builds(
    frame,
    st.integers(0, 15),
    st.one_of(st.sampled_from([HELLO, STATUS, b"", b"\x03\xe8", b"\x03"]), st.binary(max_size=200)),
    fin=st.booleans(),
    reserved=st.sampled_from([0, 0, 0, 1, 2, 4, 7]),
    mask=st.one_of(st.none(), st.binary(min_size=4, max_size=4)),
    length=st.one_of(st.none(), st.none(), st.none(), st.integers(0, 2**64 - 1)),
    form=st.just(8),
)
LAWFUL_FRAMES = b"".join(
    [frame(TEXT, HELLO), frame(TEXT, STATUS, mask=b"abcd"), frame(9, b"x"), frame(TEXT, STATUS), closing(1000)]
)


@st.composite
def damaged(draw: st.DrawFn, whole: bytes) -> bytes:
    """Lawful bytes, of which some are changed, cut out or doubled."""
    found = bytearray(whole)
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(found) - 1))
        match draw(st.sampled_from(["change", "cut", "double"])):
            case "change":
                found[at] = draw(st.integers(0, 255))
            case "cut":
                del found[at : at + draw(st.integers(1, 20))]
            case _:
                found[at:at] = found[at : at + draw(st.integers(1, 20))]
        if not found:
            break
    return bytes(found)


async def said(server: Server, data: bytes) -> bytes:
    """All that the server says to these bytes until it has closed."""
    async with Raw.connect(server) as peer:
        await peer.send(data)
        peer.writer.write_eof()
        return await peer.rest()


async def framed(server: Server, data: bytes) -> bytes:
    """All that it says after the upgrade."""
    async with Raw.connect(server) as peer:
        await peer.upgrade()
        await peer.hello()
        await peer.message()
        await peer.send(data)
        peer.writer.write_eof()
        return await peer.rest()


def check(answer: bytes) -> None:
    """Every frame of a server's is whole, not masked and of a known kind; nothing comes after a close."""
    while answer:
        first, length = answer[0], answer[1]
        assert first in (0x81, 0x88, 0x8A), answer[:20]
        start = 2
        if length >= 126:
            start = 4 if length == 126 else 10
            length = int.from_bytes(answer[2:start], "big")
        assert len(answer) >= start + length, "half a frame"
        if first == 0x88:
            assert len(answer) == start + length, "something after the close"
            if length:
                code = int.from_bytes(answer[start : start + 2], "big")
                assert code in LAWFUL or 3000 <= code < 5000
        answer = answer[start + length :]


@bounded
@given(st.binary(max_size=2000))
async def test_random_bytes_for_frames(server: Server, data: bytes) -> None:
    check(await framed(server, data))


@bounded
@given(st.lists(FRAMES, max_size=10))
async def test_random_frames(server: Server, frames: list[bytes]) -> None:
    check(await framed(server, b"".join(frames)))


@bounded
@given(damaged(LAWFUL_FRAMES))
async def test_damaged_frames(server: Server, data: bytes) -> None:
    check(await framed(server, data))


@bounded
@given(st.one_of(st.binary(max_size=2000), damaged(upgrade())))
async def test_damaged_requests(server: Server, data: bytes) -> None:
    answer = await said(server, data)
    assert not answer or answer.startswith(b"HTTP/1.1 ")
    async with asyncio.timeout(PATIENCE_S):
        await until(lambda: server.connections == 1)
