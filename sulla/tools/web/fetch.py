"""The one guarded fetch: everything that goes out to the web on an agent's word goes through here (design §9).

Every address that a name stands for is looked at, and the connection is made to the address that was looked at: a name
that means something else a moment later (DNS rebinding) leads nowhere. The same is done again for each redirect, and
one that leaves the site is not followed but reported: whoever may judge where requests go then judges that one too.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Final

from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.core.errors import Busy, Forbidden, InvalidInput, NotAvailable, NotFound, Refused, Unavailable
from sulla.tools.web.addresses import NO_ADDRESS, refusal
from sulla.tools.web.answer_time import TIME_S, AnswerTime
from sulla.tools.web.exchange import FetchExchange, OpenConnection, exchange, system_connect
from sulla.tools.web.urls import PORTS, OwnHosts, Target, join_url, parse_url

USER_AGENT: Final = "Sulla (an agent daemon; reads what a person asked for)"
MAX_BODY_BYTES: Final = 2 * 1024 * 1024
"""The most that is taken of one answer, unpacked."""
MAX_REDIRECTS: Final = 5
PLACE_S: Final = 300.0
"""How long a fetch waits until it is one of those that go on at once, in seconds: the last of the 50 steps that a
playbook has side by side gets its turn after six others that took all of `TIME_S`, and others may be before it."""
CALL_S: Final = PLACE_S + 2 * TIME_S
"""The time limit of a tool that makes one fetch, in seconds: all of the above, and some room."""
CONNECT_S: Final = 10.0
"""For one address to take a connection, in seconds."""
MAX_ADDRESSES: Final = 4
"""How many addresses of one name are tried."""
GAP_S: Final = 0.5
"""Between the beginnings of two requests to one host."""
MAX_AT_ONCE: Final = 8
"""Fetches that go on at once, whatever their hosts."""
_LOOPBACK: Final = "127.0.0.1"
MAX_HOSTS: Final = 1024
"""How many hosts are remembered for pacing."""

_MOVED = (301, 302, 303, 307, 308)
_NO_NAME = (socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME))
_PASSING = {429: Busy, 502: Unavailable, 503: Unavailable, 504: Unavailable}

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
"""Every address of a name, in digits.

Raises:
    OSError: the name is not known, or nobody says.
"""


async def system_resolve(name: str, port: int) -> Sequence[str]:
    """See `Resolve`; asks the system."""
    found = await asyncio.get_running_loop().getaddrinfo(name, port, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(str(place[0]) for *_, place in found))


@dataclass(frozen=True, slots=True)
class FetchedPage:
    """A page that was fetched: where it was in the end, its type and its text."""

    url: str
    """Where it is from, redirects followed."""
    status: int
    """0 where nothing but `moved_to` came."""
    content_type: str
    """As the server says; empty if it does not."""
    body: bytes
    whole: bool
    """Whether `body` is all of it."""
    moved_to: str = ""
    """Where the page is said to be now, if that is another site; it was not asked."""


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """What a server answered to a request."""

    url: str
    status: int
    fields: Mapping[str, str]
    """Names in lower case; of one that comes twice, the first."""
    body: bytes
    whole: bool
    """Whether `body` is all of it."""


class Fetcher:
    """Fetches pages, and sends requests.

    Args:
        own_hosts: hosts on the owner's own network that may be asked.
        resolve: looks names up.
        connect: opens connections.
        trust: makes what certificates are judged by; it reads files, and runs once on a worker thread.
    """

    def __init__(
        self,
        own_hosts: OwnHosts = OwnHosts(),  # noqa: B008 - it never changes
        resolve: Resolve = system_resolve,
        connect: OpenConnection = system_connect,
        trust: Callable[[], ssl.SSLContext] = ssl.create_default_context,
    ) -> None:
        self._own_hosts = own_hosts
        self._resolve = resolve
        self._connect = connect
        self._trust = trust
        self._trusted: ssl.SSLContext | None = None
        self._places = asyncio.Semaphore(MAX_AT_ONCE)
        self._free_at: OrderedDict[str, float] = OrderedDict()

    def take(self, own_hosts: OwnHosts) -> None:
        """Have other hosts on the owner's own network asked from now on.

        Args:
            own_hosts: those, in the place of the ones before.
        """
        self._own_hosts = own_hosts

    def refuses(self, url: str) -> str:
        """Why an address would not be asked, as far as it says so itself: what its name stands for is not looked up.

        Args:
            url: as somebody wrote it.

        Returns:
            The reason; empty for none.
        """
        try:
            target = parse_url(url)
            address = _LOOPBACK if target.host == "localhost" else target.host
            self._check_port(target)
            if refusal(address) != NO_ADDRESS:
                self._check_address(target, address)
        except (InvalidInput, Forbidden) as error:
            return error.message
        return ""

    async def get(
        self,
        url: str,
        clock: Clock,
        *,
        readable: Callable[[str], str | None] = lambda _: None,
        headers: Mapping[str, str] | None = None,
        most: int = MAX_BODY_BYTES,
    ) -> FetchedPage:
        """Fetch a page.

        Args:
            url: http or https.
            clock: for the deadline and for pacing.
            readable: of an answer's content type, says why it is of no use; None if it is of use. Asked before the
                body is taken.
            headers: more fields. With any, no redirect is followed: they may hold a key.
            most: how many bytes are taken.

        Raises:
            InvalidInput: the URL, or that of a redirect, is none that may be asked for.
            Refused: an address is private, a certificate is not good, or the answer is of no use, no HTTP, or still not
                whole after `TIME_S`.
            NotFound: there is no such host.
            Unavailable: the host takes no connection, says nothing in time, breaks off, or says that it cannot now.
            Busy: the host wants fewer requests, or others kept all places for `PLACE_S`.
        """
        target = parse_url(url)
        fields = {"User-Agent": USER_AGENT, "Accept": "text/html, text/plain, application/json, */*;q=0.5"}
        async with self._place(target, clock):
            time = AnswerTime(clock)
            for _ in range(MAX_REDIRECTS + 1):
                time.heard.clear()
                found = await self._ask(target, {**fields, **(headers or {})}, time, readable, most)
                if isinstance(found, FetchedPage):
                    return found
                if headers or not found.same_site(target):
                    return FetchedPage(target.url, 0, "", b"", whole=True, moved_to=found.url)
                target = found
        raise Refused(f"{target.authority} redirects more than {MAX_REDIRECTS} times; it seems to go in circles")

    async def send(
        self, url: str, clock: Clock, method: str, headers: Mapping[str, str], body: bytes = b""
    ) -> HttpAnswer:
        """Send one request. Nothing is followed and nothing is tried again.

        Args:
            url: http or https.
            clock: for the deadline and for pacing.
            method: of HTTP.
            headers: fields besides Host, Accept-Encoding, Connection and Content-Length.
            body: what is sent along.

        Raises:
            InvalidInput: the URL is none that may be asked for.
            Refused: an address is private, a certificate is not good, or the answer is no HTTP or still not whole after
                `TIME_S`.
            NotFound: there is no such host.
            Unavailable: the host takes no connection, says nothing in time, or breaks off.
            Busy: others kept all places for `PLACE_S`.
        """
        target = parse_url(url)
        fields = {"User-Agent": USER_AGENT, "Accept": "*/*", **headers}
        if body or method in ("POST", "PUT", "PATCH"):
            fields["Content-Length"] = str(len(body))
        async with self._place(target, clock):
            time = AnswerTime(clock)
            async with self._exchange(target, fields, time, method, body) as asked:
                answer, whole = await asked.body(MAX_BODY_BYTES)
                return HttpAnswer(target.url, asked.head.status, asked.head.fields, answer, whole)

    async def tunnel(self, host: str, port: int, clock: Clock) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """A connection for what speaks over it itself, TLS among it: to an address that was looked at, as always.

        Args:
            host: a name or an address, as `urls.read_host` gives it.
            port: where.
            clock: for the deadlines.

        Raises:
            InvalidInput, Forbidden, NotFound, Unavailable: as `send`.
        """
        target = Target("http", host, port, "/")
        async with AnswerTime(clock).of(target):
            return await self._open(target, await self._addresses(target), clock)

    @asynccontextmanager
    async def _place(self, target: Target, clock: Clock) -> AsyncIterator[None]:
        """One of the places of those that go on at once."""
        try:
            async with clock.timeout(PLACE_S):
                await self._places.acquire()
        except TimeoutError:
            raise Busy(
                f"{target.authority} was not asked: {MAX_AT_ONCE} requests go on at once here, and others were before "
                f"this one for {PLACE_S:g} s; make fewer side by side, or try again later"
            ) from None
        try:
            yield
        finally:
            self._places.release()

    @asynccontextmanager
    async def _exchange(
        self, target: Target, fields: Mapping[str, str], time: AnswerTime, method: str = "GET", body: bytes = b""
    ) -> AsyncIterator[FetchExchange]:
        """A request that was answered; the wait for the host's turn takes none of its time."""
        async with time.of(target):
            addresses = await self._addresses(target)
        await self._pace(target.host, time.clock)
        async with time.of(target):
            connection = await self._open(target, addresses, time.clock)
            async with exchange(target, connection, fields, time.heard, method, body) as asked:
                yield asked

    async def _ask(
        self,
        target: Target,
        headers: Mapping[str, str],
        time: AnswerTime,
        readable: Callable[[str], str | None],
        most: int,
    ) -> FetchedPage | Target:
        """One request: a page, or where it has moved to."""
        async with self._exchange(target, headers, time) as asked:
            status, fields = asked.head.status, asked.head.fields
            if status in _MOVED and "location" in fields:
                return _moved(target, fields["location"])
            if status in _PASSING:
                wait_s = _seconds(fields.get("retry-after", ""))
                raise _PASSING[status](f"{target.authority} answers {status}: it cannot now", retry_after_s=wait_s)
            kind = fields.get("content-type", "")
            if (useless := readable(kind)) is not None:
                raise NotAvailable(f"{target.authority} {useless}")
            body, whole = await asked.body(most)
            return FetchedPage(target.url, status, kind, body, whole)

    async def _addresses(self, target: Target) -> Sequence[str]:
        """Where a target may be asked for.

        Raises:
            Refused: one of the addresses of its name is not for agents: a name that has such a one is not trusted
                with the others.
            InvalidInput: the port is not one of a web server.
            NotFound: there is no such name.
            Unavailable: nobody says what it stands for.
        """
        self._check_port(target)
        try:
            found = tuple(dict.fromkeys(await self._resolve(target.host, target.port)))
        except socket.gaierror as error:
            if error.errno in _NO_NAME:
                raise NotFound(
                    f"the name {target.host!r} could not be looked up: "
                    "look at how it is written; perhaps there is no network"
                ) from error
            raise Unavailable(f"the name {target.host!r} could not be looked up: {error.strerror}") from error
        except OSError as error:
            raise Unavailable(f"the name {target.host!r} could not be looked up: {error.strerror or error}") from error
        except UnicodeError as error:
            raise InvalidInput(f"{target.host!r} is not a host name") from error
        if not found:
            raise Unavailable(f"the name {target.host!r} has no address")
        for address in found:
            self._check_address(target, address)
        return found[:MAX_ADDRESSES]

    def _check_port(self, target: Target) -> None:
        if target.port not in PORTS and not self._own_hosts.allow(target):
            raise InvalidInput(
                f"port {target.port} is not one of {', '.join(map(str, sorted(PORTS)))}; "
                f"the owner can allow it by adding '{target.host}:{target.port}' to web.allow_hosts, and `sulla reload`"
            )

    def _check_address(self, target: Target, address: str) -> None:
        if (why := refusal(address, own_network=self._own_hosts.allow(target))) is not None:
            can = f"; its owner can allow it by adding '{target.authority}' to web.allow_hosts, and `sulla reload`"
            hint = can if refusal(address, own_network=True) is None else ""
            raise Forbidden(f"{target.host} is {why} ({address}), and those are not fetched{hint}")

    async def _open(
        self, target: Target, addresses: Sequence[str], clock: Clock
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """A connection to the first of the addresses that takes one.

        Raises:
            Refused: the certificate is not good, or what is there speaks no TLS that we do.
            Unavailable: none does.
        """
        tls, name = (await self._tls(), target.host) if target.scheme == "https" else (None, None)
        said: list[str] = []
        for address in addresses:
            try:
                async with clock.timeout(CONNECT_S):
                    return await self._connect(address, target.port, tls, name)
            except TimeoutError:
                said.append(f"{address}: nothing within {CONNECT_S:g} s")
            except ssl.SSLCertVerificationError as error:
                raise Refused(f"the certificate of {target.authority} is not good: {error.verify_message}") from error
            except ssl.SSLError as error:
                if isinstance(error, ssl.SSLEOFError | ssl.SSLZeroReturnError | ssl.SSLSyscallError):
                    said.append(f"{address}: it hung up")
                    continue
                raise Refused(f"{target.authority} does not speak TLS as it should ({error.reason})") from error
            except OSError as error:
                said.append(f"{address}: {error.strerror or str(error) or type(error).__name__}")
        raise Unavailable(f"{target.authority} takes no connection ({'; '.join(said)})")

    async def _tls(self) -> ssl.SSLContext:
        if self._trusted is None:
            self._trusted = await asyncio.to_thread(self._trust)
        return self._trusted

    async def _pace(self, host: str, clock: Clock) -> None:
        """Wait for the host's turn: one request at a time begins, `GAP_S` apart."""
        now = clock.elapsed()
        begins = max(now, self._free_at.pop(host, now))
        self._free_at[host] = begins + GAP_S
        while len(self._free_at) > MAX_HOSTS:
            self._free_at.popitem(last=False)
        if begins > now:
            await clock.sleep(begins - now)


def _moved(target: Target, location: str) -> Target:
    try:
        return join_url(target, location)
    except InvalidInput as error:  # which quotes the other side
        raise Refused(
            f"{target.authority} redirects to what is no address of the web, or not one to be asked"
        ) from error


def _seconds(retry_after: str) -> float | None:
    """A Retry-After in seconds; None for a date and for nonsense."""
    return float(retry_after) if retry_after.isdecimal() and len(retry_after) <= 6 else None
