"""No answer of a service is read without a bound or a deadline, and none sends the daemon elsewhere: one table of all
kinds.
"""

from __future__ import annotations

import asyncio
import ssl
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress

import pytest
from aiohttp import ClientTimeout, web

from sulla.channels.base import Batch, Channel
from sulla.channels.discord.settings import DiscordOptions
from sulla.channels.http.bounds import MOST_ANSWER_BYTES
from sulla.channels.kinds import KINDS, Wanted, maker
from sulla.channels.mail.connection import Login
from sulla.channels.mail.mailbox import Mailbox
from sulla.channels.mail.settings import MailOptions, Security, Server
from sulla.channels.matrix.settings import MatrixOptions
from sulla.channels.slack.cursor import Cursor
from sulla.channels.slack.settings import SlackOptions
from sulla.channels.telegram.settings import TelegramOptions
from sulla.core.errors import Unavailable
from sulla.host.system import SystemClock
from sulla.testing.channels.kit import PATIENCE_S, soon
from tests.soon import a_pause

PIECE = b"x" * 65_536
WAYS: Mapping[str, tuple[Callable[[int], object], Mapping[str, str]]] = {
    "telegram": (lambda port: TelegramOptions(api=f"http://127.0.0.1:{port}"), {"token": "1:token"}),
    "slack": (
        lambda port: SlackOptions(api=f"http://127.0.0.1:{port}"),
        {"bot_token": "xoxb-1", "app_token": "xapp-1"},
    ),
    "discord": (lambda port: DiscordOptions(api=f"http://127.0.0.1:{port}/api/v10"), {"token": "token"}),
    "matrix": (lambda port: MatrixOptions(homeserver=f"http://127.0.0.1:{port}", poll_s=1), {"token": "token"}),
    "mail": (
        lambda port: MailOptions(
            address="sulla@home.example",
            authserv="mx",
            imap=f"imap://127.0.0.1:{port}",
            smtp=f"smtp://127.0.0.1:{port}",
        ),
        {"password": "password"},
    ),
}
HTTP = sorted(set(WAYS) - {"mail"})
WHOLE_S = 0.5
DEADLINES: Mapping[str, tuple[str, object]] = {
    "telegram": ("sulla.channels.telegram.channel.WHOLE_S", WHOLE_S),
    "slack": ("sulla.channels.slack.channel.ANSWER_S", WHOLE_S),
    "discord": ("sulla.channels.discord.link._DEADLINES", ClientTimeout(total=WHOLE_S)),
    "matrix": ("sulla.channels.matrix.homeserver.WHOLE_S", WHOLE_S),
    "mail": ("sulla.channels.mail.mailbox.WHOLE_S", WHOLE_S),
}
"""What says how long an answer may take as a whole; all silences that are allowed within one are much longer."""
JSON = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"


def channel_at(kind: str, port: int) -> Channel:
    found = next(one for one in KINDS if one.name == kind)
    options, secrets = WAYS[kind]
    return maker(found)(Wanted("mine", options(port), secrets, SystemClock()))


@asynccontextmanager
async def served(serve: Callable[[StreamReader, StreamWriter], Awaitable[None]]) -> AsyncIterator[int]:
    async def one(reader: StreamReader, writer: StreamWriter) -> None:
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            await serve(reader, writer)
        writer.close()

    server = await asyncio.start_server(one, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        await server.wait_closed()


async def pour(writer: StreamWriter, sent: list[int]) -> None:
    while True:
        writer.write(PIECE)
        await writer.drain()
        sent.append(len(PIECE))


def test_every_kind_is_in_the_table() -> None:
    assert {one.name for one in KINDS} == set(WAYS)


@pytest.mark.parametrize("header", [b"", b"Content-Encoding: gzip\r\n"])
@pytest.mark.parametrize("kind", WAYS)
async def test_an_answer_without_an_end_is_cut_off(kind: str, header: bytes) -> None:
    sent: list[int] = []

    async def serve(reader: StreamReader, writer: StreamWriter) -> None:
        if kind != "mail":
            await reader.readuntil(b"\r\n\r\n")
            writer.write(JSON + header + b"\r\n")
        await pour(writer, sent)

    async with served(serve) as port:
        channel = channel_at(kind, port)
        with pytest.raises(Unavailable):
            await channel.open()
        await channel.close()
    assert sum(sent) < 2 * MOST_ANSWER_BYTES


@pytest.mark.parametrize("kind", WAYS)
async def test_an_answer_that_drips_is_given_up(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(*DEADLINES[kind])
    ended = asyncio.Event()

    async def serve(reader: StreamReader, writer: StreamWriter) -> None:
        if kind != "mail":
            await reader.readuntil(b"\r\n\r\n")
            writer.write(JSON + b"\r\n")
        while not writer.is_closing():
            writer.write(b" ")
            await a_pause()
        ended.set()

    async with served(serve) as port:
        channel = channel_at(kind, port)
        with pytest.raises(Unavailable):
            async with SystemClock().timeout(PATIENCE_S):
                await channel.open()
        await channel.close()
        await ended.wait()


@pytest.mark.parametrize("security", ["tls", "starttls"])
async def test_a_mail_server_that_greets_by_tls_a_byte_at_a_time_is_given_up(
    security: Security, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(*DEADLINES["mail"])
    ended = asyncio.Event()

    async def serve(reader: StreamReader, writer: StreamWriter) -> None:
        if security == "starttls":
            writer.write(b"* OK here\r\n")
            for more in (b"* CAPABILITY IMAP4rev1 STARTTLS\r\n", b""):
                tag, *_ = (await reader.readline()).split()
                writer.write(more + tag + b" OK done\r\n")
        await reader.read(1)
        writer.write(b"\x16\x03\x03\x40\x00\x02\x00\x3f\xfc")  # a long greeting is to come
        while not writer.is_closing():
            writer.write(b"\x00")
            await a_pause()
        ended.set()

    async with served(serve) as port:
        login = Login(Server("127.0.0.1", port, security), "sulla", "password", ssl.create_default_context())
        mailbox = Mailbox(login, "INBOX")
        with pytest.raises(Unavailable):
            async with SystemClock().timeout(PATIENCE_S):
                await mailbox.open()
        await mailbox.close()
        await ended.wait()


@pytest.mark.parametrize("kind", HTTP)
async def test_no_answer_sends_it_elsewhere(kind: str) -> None:
    asked: list[bytes] = []

    async def elsewhere(reader: StreamReader, writer: StreamWriter) -> None:
        asked.append(await reader.readuntil(b"\r\n\r\n"))

    async with served(elsewhere) as other:

        async def serve(reader: StreamReader, writer: StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            head = f"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:{other}/stolen\r\nContent-Length: 0\r\n\r\n"
            writer.write(head.encode())
            await writer.drain()

        async with served(serve) as port:
            channel = channel_at(kind, port)
            with pytest.raises(Unavailable):
                await channel.open()
            await channel.close()
    assert asked == []


@pytest.mark.parametrize("answer", ["* 1 FETCH (UID 1 BODY[] {10000000000}\r\n", "* SEARCH 1\r\n", ""])
async def test_a_mail_server_that_tells_without_an_end_is_cut_off(answer: str) -> None:
    sent: list[int] = []

    async def serve(reader: StreamReader, writer: StreamWriter) -> None:
        writer.write(b"* OK here\r\n")
        while line := await reader.readline():
            tag, name, *_ = line.decode().split()
            if name != "LOGIN":
                writer.write(b"* CAPABILITY IMAP4rev1\r\n" + f"{tag} OK done\r\n".encode())
                continue
            writer.write(answer.encode())
            while True:
                writer.write(PIECE if not answer or "{" in answer else answer.encode() * 4_096)
                await writer.drain()
                sent.append(1)

    async with served(serve) as port:
        channel = channel_at("mail", port)
        with pytest.raises(Unavailable):
            await channel.open()
        await channel.close()
    assert len(sent) * len(PIECE) < 8 * MOST_ANSWER_BYTES


@pytest.mark.parametrize("place", [None, 7, "", "x" * 5_000, "at:0", ["s1"]])
async def test_a_homeserver_that_names_no_place_to_go_on_at_is_not_believed(place: object) -> None:
    async def answer(request: web.Request) -> web.Response:
        return web.json_response({"user_id": "@sulla:home.example", "next_batch": place})

    with pytest.raises(Unavailable):
        await first_batch("matrix", answer, "s1")


@pytest.mark.parametrize("number", [None, "7", True, 7.5, -1, 10**30])
async def test_updates_of_telegram_without_numbers_are_not_believed(number: object) -> None:
    async def answer(request: web.Request) -> web.Response:
        updates = [{"update_id": number, "message": {}}]
        me = {"id": 1, "is_bot": True, "first_name": "sulla", "username": "sulla_bot"}
        return web.json_response({"ok": True, "result": updates if request.path.endswith("/getUpdates") else me})

    with pytest.raises(Unavailable):
        await first_batch("telegram", answer, "1")


async def first_batch(kind: str, answer: Callable[[web.Request], Awaitable[web.Response]], cursor: str) -> Batch:
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", answer)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    channel = channel_at(kind, runner.addresses[0][1])
    try:
        await channel.open()
        return await soon(channel.receive(cursor))
    finally:
        await channel.close()
        await runner.cleanup()


@pytest.mark.parametrize("moment", ["9" * 40, "1 2", "", "x"])
def test_what_is_no_moment_moves_no_cursor_of_slacks(moment: str) -> None:
    assert str(Cursor("1700000000.000100").behind((), [moment])) == "1700000000.000100"
