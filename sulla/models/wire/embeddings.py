"""Embeddings in a service's answer, seen to be such. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterable

from sulla.core.errors import ProviderProtocol


def checked_embeddings(model: str, found: Iterable[Iterable[object]], wanted: int) -> list[list[float]]:
    """The embeddings, one for each text.

    Args:
        model: who was asked; for messages.
        found: what the answer holds.
        wanted: how many texts were sent.

    Raises:
        ProviderProtocol: there is not one for each text, or they are not of one length.
        TypeError: they are no finite numbers.
    """
    vectors = [[_finite(value) for value in vector] for vector in found]
    lengths = {len(vector) for vector in vectors}
    if len(vectors) != wanted or len(lengths) > 1 or 0 in lengths:
        raise ProviderProtocol(
            f"the model {model!r} gave {len(vectors)} embeddings of the lengths {sorted(lengths)} for {wanted} texts; "
            "expected one for each, all of one length"
        )
    return vectors


def _finite(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise TypeError(f"expected a finite number, found {value!r:.100}")
    return float(value)
