"""Embeddings of OpenAI's API, and of the servers that speak it. Pure."""

from __future__ import annotations

from collections.abc import Sequence

import orjson

from sulla.core.errors import ProviderProtocol
from sulla.models.wire.embeddings import checked_embeddings
from sulla.models.wire.json import dumps

PATH = "/embeddings"


def encode_embedding(model: str, texts: Sequence[str]) -> bytes:
    """The body of a request for embeddings.

    Raises:
        InvalidInput: a text cannot be written as JSON.
    """
    return dumps({"model": model, "input": list(texts), "encoding_format": "float"})


def embeddings_of(model: str, body: bytes, wanted: int) -> list[list[float]]:
    """The embeddings in an answer, in the order of the texts.

    Args:
        model: who was asked; for messages.
        body: the whole answer.
        wanted: how many texts were sent.

    Raises:
        ProviderProtocol: there is not one for each text, or they are not finite numbers of one length.
    """
    try:
        rows = sorted(orjson.loads(body)["data"], key=lambda row: int(row["index"]))
        return checked_embeddings(model, [row["embedding"] for row in rows], wanted)
    except (KeyError, TypeError, ValueError) as error:
        raise ProviderProtocol(f"the embeddings of the model {model!r} make no sense: {body[:200]!r}") from error
