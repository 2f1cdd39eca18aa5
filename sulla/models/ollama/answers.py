"""What is asked of an Ollama beside replies: embeddings and its models. Pure."""

from __future__ import annotations

from collections.abc import Sequence

import orjson

from sulla.core.errors import ProviderProtocol
from sulla.core.jsontypes import JsonObject
from sulla.models.ollama.wire import OllamaOptions
from sulla.models.wire.embeddings import checked_embeddings
from sulla.models.wire.json import dumps, string


def encode_embedding(model: str, texts: Sequence[str], options: OllamaOptions) -> bytes:
    """The body of a request for embeddings.

    Raises:
        InvalidInput: a text cannot be written as JSON.
    """
    body: JsonObject = {
        "model": model,
        "input": list(texts),
        # Without it the service cuts a long text in silence.
        "truncate": False,
        "keep_alive": options.keep_alive,
        "options": {"num_ctx": options.num_ctx},
    }
    return dumps(body)


def embeddings_of(model: str, body: bytes, wanted: int) -> list[list[float]]:
    """The embeddings in an answer.

    Args:
        model: who was asked; for messages.
        body: the whole answer.
        wanted: how many texts were sent.

    Raises:
        ProviderProtocol: there is not one for each text, or they are not finite numbers of one length.
    """
    try:
        return checked_embeddings(model, orjson.loads(body)["embeddings"], wanted)
    except (KeyError, TypeError, orjson.JSONDecodeError) as error:
        raise ProviderProtocol(f"the embeddings of the model {model!r} make no sense: {body[:200]!r}") from error


def models_of(body: bytes) -> tuple[str, ...]:
    """The names in a list of models.

    Raises:
        ProviderProtocol: it is no such list.
    """
    try:
        return tuple(string(model["name"]) for model in orjson.loads(body)["models"])
    except (KeyError, TypeError, orjson.JSONDecodeError) as error:
        raise ProviderProtocol(f"Ollama's list of models makes no sense: {body[:200]!r}") from error
