"""Each message is encoded once, and never taken for another."""

from __future__ import annotations

from dataclasses import dataclass

from sulla.core.ids import MessageId
from sulla.core.message import Message, Text
from sulla.providers.fragments import FragmentCache


@dataclass(frozen=True, slots=True)
class _Blob:
    text: str
    size_bytes: int = 100


class _Cache:
    """A cache, and what it encoded."""

    def __init__(self, limit_bytes: int = 10_000) -> None:
        self.encoded: list[str] = []
        self.fragments = FragmentCache(self._encode, limit_bytes)

    def _encode(self, message: Message) -> _Blob:
        self.encoded.append(message.text)
        return _Blob(message.text)

    def get(self, message: Message) -> str:
        return self.fragments.get(message).text


def _message(number: int, text: str = "") -> Message:
    return Message(MessageId(f"m{number}"), "user", (Text(text or f"text {number}"),))


def test_a_known_message_is_not_encoded_again() -> None:
    cache = _Cache()
    message = _message(1)
    assert [cache.get(message), cache.get(message), cache.get(_message(1))] == ["text 1"] * 3
    assert cache.encoded == ["text 1"]


def test_another_message_with_the_same_id_is_another_message() -> None:
    cache = _Cache()
    assert cache.get(_message(1, "here")) == "here"
    assert cache.get(_message(1, "there")) == "there"
    assert cache.get(_message(1, "here")) == "here"


def test_what_it_remembers_is_bounded() -> None:
    cache = _Cache(limit_bytes=1000)
    for number in range(500):
        cache.get(_message(number))
    assert len(cache.fragments) <= 21


def test_what_is_used_again_outlives_what_is_not() -> None:
    cache = _Cache(limit_bytes=1000)
    for number in range(100):
        cache.get(_message(0))
        cache.get(_message(number))
    assert cache.encoded.count("text 0") == 1
    cache.get(_message(1))
    assert cache.encoded.count("text 1") == 2
