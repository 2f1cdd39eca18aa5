"""Embeddings as OpenAI's API gives them."""

from __future__ import annotations

import orjson
import pytest

from sulla.core.errors import InvalidInput, ProviderProtocol
from sulla.models.openai.embeddings import embeddings_of, encode_embedding


def test_embeddings_are_asked_for_as_numbers() -> None:
    assert orjson.loads(encode_embedding("m", ["a", "b"])) == {
        "model": "m",
        "input": ["a", "b"],
        "encoding_format": "float",
    }
    with pytest.raises(InvalidInput):
        encode_embedding("m", ["\ud800"])


def test_embeddings_stand_in_the_order_of_their_texts() -> None:
    body = b'{"data": [{"index": 1, "embedding": [0, -1]}, {"index": 0, "embedding": [1, 2.5]}]}'
    assert embeddings_of("m", body, 2) == [[1.0, 2.5], [0.0, -1.0]]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"{}",
        b'{"data": 3}',
        b'{"data": [{"embedding": [1]}]}',
        b'{"data": [{"index": 0, "embedding": ["x"]}]}',
        b'{"data": [{"index": 0, "embedding": []}]}',
        b'{"data": [{"index": 0, "embedding": [1]}, {"index": 1, "embedding": [1]}]}',
        b'{"data": [{"index": "a", "embedding": [1]}]}',
    ],
)
def test_what_is_no_embedding_is_said(body: bytes) -> None:
    with pytest.raises(ProviderProtocol, match="the model 'm'"):
        embeddings_of("m", body, 1)
