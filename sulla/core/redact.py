"""Keeping secrets out of whatever is written or shown: known values are replaced wherever they stand.

By exact value, never by pattern: what is known is always found, and nothing else is ever touched (design §9).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Final

from sulla.core.jsontypes import Json

MARK: Final = "[redacted]"
"""What stands in a secret's place."""

MIN_CHARS: Final = 8
"""Shorter values are not hidden: they are words like ``none`` and ``ollama``, and would be cut out of ordinary text."""

_PLAIN: Final = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
"""Bytes that stand for themselves in a URL."""


class Redactor:
    """The secrets of one process; every sink that writes for people asks the same one.

    A value is found as it is, as it stands in JSON (also in JSON inside JSON), as Python shows it, and as it stands in
    a URL. A value that is spread over two texts is not found, nor one that was encoded in another way.

    Args:
        secrets: the values that are known now.
    """

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._forms: tuple[str, ...] = ()
        for secret in secrets:
            self.learn(secret)

    def learn(self, secret: str) -> bool:
        """Hide one more value from now on.

        Returns:
            Whether it can be hidden; one with fewer than `MIN_CHARS` characters cannot.
        """
        if len(secret) < MIN_CHARS:
            return False
        # The longest first: one secret may be a part of another, e.g. a password of its URL.
        self._forms = tuple(sorted({*self._forms, *_forms(secret)}, key=lambda form: (-len(form), form)))
        return True

    def text(self, text: str) -> str:
        """The text without the secrets."""
        for form in self._forms:
            if form in text:
                text = text.replace(form, MARK)
        return text

    def json(self, value: Json) -> Json:
        """A copy of the value without the secrets, in keys too."""
        match value:
            case str():
                return self.text(value)
            case dict():
                return {self.text(name): self.json(item) for name, item in value.items()}
            case list():
                return [self.json(item) for item in value]
            case _:
                return value


def _forms(secret: str) -> Iterator[str]:
    """How a value may be spelled."""
    yield secret
    yield repr(secret)[1:-1]
    for ascii_only in (False, True):
        once = json.dumps(secret, ensure_ascii=ascii_only)[1:-1]
        yield once
        yield json.dumps(once, ensure_ascii=ascii_only)[1:-1]
    for byte_form in ("%{:02X}", "%{:02x}"):
        raw = secret.encode("utf-8", "surrogatepass")
        yield "".join(chr(byte) if byte in _PLAIN else byte_form.format(byte) for byte in raw)
