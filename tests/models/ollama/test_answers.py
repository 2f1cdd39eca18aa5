"""What is asked of an Ollama beside replies."""

from __future__ import annotations

import orjson
import pytest

from sulla.core.errors import InvalidInput, ProviderProtocol
from sulla.models.ollama.answers import embeddings_of, encode_embedding, models_of
from sulla.models.ollama.wire import OllamaOptions


def test_embeddings_are_asked_for_without_cutting_texts() -> None:
    body = orjson.loads(encode_embedding("m", ["a", "b"], OllamaOptions(num_ctx=4096)))
    assert (body["model"], body["input"], body["truncate"]) == ("m", ["a", "b"], False)
    assert body["options"] == {"num_ctx": 4096}
    with pytest.raises(InvalidInput):
        encode_embedding("m", ["\ud800"], OllamaOptions())


def test_embeddings_are_numbers() -> None:
    assert embeddings_of("m", b'{"embeddings": [[1, 2.5], [0, -1]]}', 2) == [[1.0, 2.5], [0.0, -1.0]]


@pytest.mark.parametrize(
    "body",
    [b"", b"[]", b"{}", b'{"embeddings": 3}', b'{"embeddings": [[1], ["x"]]}', b'{"embeddings": [[1], [true]]}',
     b'{"embeddings": [[1], [null]]}', b'{"embeddings": [[1]]}', b'{"embeddings": [[1], [1, 2]]}',
     b'{"embeddings": [[], []]}'],
)  # fmt: skip
def test_an_answer_that_is_not_one_for_each_text_is_none(body: bytes) -> None:
    with pytest.raises(ProviderProtocol, match="'m'"):
        embeddings_of("m", body, 2)


def test_models_are_named() -> None:
    assert models_of(b'{"models": [{"name": "a:1b"}, {"name": "b"}]}') == ("a:1b", "b")
    for body in (b"", b"[]", b"{}", b'{"models": [{}]}', b'{"models": [{"name": 3}]}'):
        with pytest.raises(ProviderProtocol, match="makes no sense"):
            models_of(body)
