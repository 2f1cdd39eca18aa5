"""Reads a streamed reply to its end, for every service in the same way."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Awaitable, Callable, Mapping
from contextlib import aclosing
from typing import Protocol, cast

from sulla.core.clock import Clock
from sulla.core.errors import ProviderProtocol
from sulla.models.base import ChatRequest, Delta
from sulla.models.wire.deadline import RequestDeadline, drain
from sulla.models.wire.failures import innermost, shown, took_too_long
from sulla.models.wire.reply import StreamedReply


class ResponseBody(Protocol):
    """An HTTP answer whose head is there."""

    @property
    def headers(self) -> Mapping[str, str]:
        """Its head, by names in any case."""

    @property
    def stream(self) -> object:
        """The rest of it, as it comes; both transports give an iterable whose iterator is a generator."""

    def aiter_bytes(self) -> AsyncIterator[bytes]:
        """The same, decompressed."""

    async def aclose(self) -> None:
        """Let go of it, and of its connection unless all of it was read."""


async def expect_events(answer: ResponseBody, model: str, address: str, variable: str) -> None:
    """Hold an answer's head against what a stream of events begins with; one that is something else is let go.

    Args:
        answer: as it came.
        model: who was asked.
        address: where.
        variable: what the address is set by, e.g. ``OPENAI_BASE_URL``.

    Raises:
        ProviderProtocol: it is something else, such as a page that asks for a password.
    """
    kind = answer.headers.get("content-type", "nothing")
    if not kind.startswith("text/event-stream"):
        await answer.aclose()
        raise ProviderProtocol(
            f"{shown(address)} answered the model {model!r} with {kind!r} where an event stream was expected: "
            f"check {variable}"
        )


async def read_reply(
    ask: Callable[[], Awaitable[ResponseBody]],
    reply: StreamedReply,
    request: ChatRequest,
    clock: Clock,
    errors: tuple[type[Exception], ...],
) -> AsyncGenerator[Delta, None]:
    """Ask, and pass on what comes. It is the whole of `Provider.stream`: no other generator stands around it.

    Args:
        ask: sends the request, and returns when the head of the answer is there.
        reply: takes the bytes.
        request: for its deadline, which `ask` counts against too.
        clock: tells the time.
        errors: what the transport raises when a connection breaks.

    Raises:
        ProviderError: there is no reply, or not a whole one.
    """
    until = clock.elapsed() + request.timeout_s
    answer = await ask()
    # Nobody asked for compression, and the way around it is shorter for every piece.
    plain = cast(AsyncIterable[bytes], answer.stream)
    body = answer.aiter_bytes() if "content-encoding" in answer.headers else aiter(plain)
    deadline = RequestDeadline(clock, until - clock.elapsed(), answer.aclose)
    try:
        async with aclosing(cast(AsyncGenerator[bytes, None], body)) as chunks:
            async for chunk in chunks:
                if deadline.passed:
                    break
                deltas = reply.feed(chunk)
                if reply.completed:
                    await drain(chunks, clock, *errors)
                for delta in deltas:
                    yield delta
        if deadline.passed and not reply.completed:
            raise took_too_long(request.model, request.timeout_s)
        reply.end()
    except errors as error:
        if deadline.passed:
            raise took_too_long(request.model, request.timeout_s) from error
        raise ProviderProtocol(
            f"the service ended the connection in the middle of the reply of the model {request.model!r} "
            f"({innermost(error)}); nothing of it counts: try again, or look at what runs there"
        ) from error
    finally:
        await deadline.stop()
        await answer.aclose()
