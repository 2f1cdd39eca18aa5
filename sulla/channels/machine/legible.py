"""Makes what arrives such that it can be kept. Pure."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from sulla.channels.base import Arrived, Attachment, Place, Press, Sender


def legible(arrived: Arrived) -> Arrived:
    """Something that arrived, without halves of characters (lone surrogates): JSON can name them, and nothing that is
    written down can hold them.

    Args:
        arrived: it.
    """
    cleaned: Arrived = _cleaned(arrived)
    return cleaned


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
