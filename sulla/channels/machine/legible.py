"""Makes what services tell such that it can be kept and shown. Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

from sulla.agent.input.sanitize import sanitize
from sulla.channels.base import Arrived, Attachment, Place, Press, Sender
from sulla.core.cut import cut


def legible(arrived: Arrived) -> Arrived:
    """Something that arrived, without halves of characters (lone surrogates): JSON can name them, and nothing that is
    written down can hold them.

    Args:
        arrived: it.
    """
    cleaned: Arrived = _cleaned(arrived)
    return cleaned


def in_a_line(words: str, most: int, redact: Callable[[str], str] = str) -> str:
    """Words of a service as one short line, without what nobody can see.

    Args:
        words: they.
        most: the most characters of it.
        redact: takes secrets out of a text; it is asked for what can be seen, in which no secret is split any more.
    """
    return cut(redact(" ".join(sanitize(words).text.split())), most)


def _cleaned(value: Any) -> Any:  # noqa: ANN401 - whatever a field holds
    match value:
        case str():
            return value.encode("utf-8", "replace").decode()
        case tuple():
            return tuple(map(_cleaned, value))
        case Arrived() | Attachment() | Place() | Press() | Sender():
            return replace(value, **{one.name: _cleaned(getattr(value, one.name)) for one in fields(value)})
        case _:
            return value
