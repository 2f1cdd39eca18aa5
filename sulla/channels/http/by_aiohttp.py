"""HTTP by the library aiohttp, with a bound on what one answer may hold, and without going where an answer sends."""

from __future__ import annotations

from typing import Final

import aiohttp
from aiohttp import ClientHandlerType, ClientRequest, ClientResponse

from sulla.channels.http.bounds import MOST_ANSWER_BYTES, REDIRECTS

_UPGRADED: Final = 101


class AnswerTooLong(aiohttp.ClientError):
    """An answer had no end, or one too far away."""


class AnswerElsewhere(aiohttp.ClientError):
    """An answer said to ask somewhere else."""


async def not_elsewhere(request: ClientRequest, handler: ClientHandlerType) -> ClientResponse:
    """A middleware of aiohttp's for what is read a piece at a time.

    Args:
        request, handler: see aiohttp.

    Raises:
        AnswerElsewhere: the answer is a redirect.
    """
    answer = await handler(request)
    if answer.status in REDIRECTS:
        answer.close()
        raise AnswerElsewhere(f"the answer is a redirect ({answer.status})")
    return answer


async def bounded(request: ClientRequest, handler: ClientHandlerType) -> ClientResponse:
    """A middleware of aiohttp's for what is read whole: it is, before anybody has the answer. Packed answers, whose
    length nobody knows beforehand, are not asked for; the library unpacks no more than a part of one at once.

    Args:
        request, handler: see aiohttp.

    Raises:
        AnswerTooLong: it has too many bytes.
        AnswerElsewhere: the answer is a redirect.
        aiohttp.ClientPayloadError: it broke off.
    """
    request.headers["Accept-Encoding"] = "identity"
    answer = await not_elsewhere(request, handler)
    if answer.status == _UPGRADED:
        return answer
    pieces, size = list[bytes](), 0
    try:
        while piece := await answer.content.readany():
            size += len(piece)
            if size > MOST_ANSWER_BYTES:
                raise AnswerTooLong(f"the answer has more than {MOST_ANSWER_BYTES} bytes")
            pieces.append(piece)
    except (aiohttp.ClientOSError, aiohttp.ServerDisconnectedError) as error:
        answer.close()
        # Else the library would ask a second time by itself.
        raise aiohttp.ClientPayloadError(f"the answer broke off ({type(error).__name__})") from error
    except BaseException:
        answer.close()
        raise
    answer._body = b"".join(pieces)
    return answer
