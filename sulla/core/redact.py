"""Keeping secrets out of whatever is written or shown: known values are replaced wherever they stand.

By exact value: what is known is always found. Sulla's own tokens, of which only digests are kept, are known by their
form, which nothing else has. Nothing else is ever touched (design §9).
"""

from __future__ import annotations

import base64
import codecs
import json
import re
from collections.abc import Iterable, Iterator
from typing import Final

from sulla.core.jsontypes import Json

MARK: Final = "[redacted]"
"""What stands in a secret's place."""

TOKEN_PREFIX: Final = "sulla_"
"""What every token begins with, so that people and scanners recognise one."""
_TOKEN: Final = re.compile(rf"{TOKEN_PREFIX}[A-Za-z0-9_-]{{43}}")

MIN_CHARS: Final = 8
"""Shorter values are not hidden: they are words like ``none`` and ``ollama``, and would be cut out of ordinary text."""

MIN_SPREAD: Final = 16
"""Shorter values are not looked for in pieces: what is left of them is found by chance."""
_PIECE: Final = 5
_HEX_PIECE: Final = 7
_HEX: Final = frozenset("0123456789abcdefABCDEF")
_ENOUGH: Final = 80
"""How much of a value has to be there, in hundredths: the rest can be guessed."""

_PLAIN: Final = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
"""Bytes that stand for themselves in a URL."""


class Redactor:
    """The secrets of one process; every sink that writes for people asks the same one.

    A value is found as it is, backwards and letter-shifted (ROT13); as it stands in JSON (also in JSON inside JSON), in
    a URL and in HTML, and as Python shows it; and as Base64 (at any place in longer data, of UTF-8 and UTF-16), Base32,
    Base85 and hexadecimal digits. What is cut out holds it whole; of several texts `is_spread_over` says whether they
    hold it in pieces.

    Args:
        secrets: the values that are known now.
    """

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._forms: tuple[str, ...] = ()
        self._shortest = 0  # of those: most of what is written is shorter, and need not be looked through
        self._dense: tuple[str, ...] = ()
        self._small: tuple[str, ...] = ()
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
        self._shortest = len(self._forms[-1])
        self._dense = tuple({*self._dense, *_dense(secret)})
        self._small = tuple({*self._small, secret.lower(), secret[::-1].lower()})
        return True

    def holds(self, text: str) -> bool:
        """Whether a secret stands in a text, in whatever capital and small letters."""
        if any(form in text for form in self._forms) or hide_tokens(text) != text:
            return True
        small = text.lower()
        return any(form in small for form in self._small)

    def is_spread_over(self, text: str, before: str) -> bool:
        """Whether a text holds a piece of a secret of which nearly all stands there and in what came before it.

        Pieces are some characters long, as many as chance would not put there: 5, or 7 of hexadecimal digits. A secret
        of fewer than `MIN_SPREAD` characters is not looked for.

        Args:
            text: what is about to be said.
            before: what was said before it.
        """
        return any(_is_spread(form, text, before) for form in self._dense)

    def text(self, text: str) -> str:
        """The text without the secrets."""
        if len(text) >= self._shortest:
            for form in self._forms:
                if form in text:
                    text = text.replace(form, MARK)
        return hide_tokens(text)

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


def hide_tokens(text: str) -> str:
    """The text without anything that has the form of a token, valid or not."""
    return _TOKEN.sub(MARK, text) if TOKEN_PREFIX in text else text


def _forms(secret: str) -> Iterator[str]:
    """How a value may be spelled; forms that are too short to be told from ordinary text are left out."""
    yield secret
    for form in (*_written(secret), *_encoded(secret)):
        if len(form) >= MIN_CHARS:
            yield form


def _written(secret: str) -> Iterator[str]:
    """As text in some notation."""
    yield repr(secret)[1:-1]
    yield secret[::-1]
    yield secret.upper()
    yield secret.lower()
    yield codecs.encode(secret, "rot13")
    for ascii_only in (False, True):
        once = json.dumps(secret, ensure_ascii=ascii_only)[1:-1]
        yield once
        yield json.dumps(once, ensure_ascii=ascii_only)[1:-1]
    raw = secret.encode("utf-8", "surrogatepass")
    for byte_form in ("%{:02X}", "%{:02x}"):
        yield "".join(chr(byte) if byte in _PLAIN else byte_form.format(byte) for byte in raw)
    for byte_form in ("%{:02X}", "%{:02x}", "\\x{:02x}", "\\x{:02X}", "\\{:03o}"):
        yield "".join(byte_form.format(byte) for byte in raw)
    for char_form in ("&#{};", "&#x{:x};", "&#x{:X};", "\\u{:04x}", "\\u{:04X}"):
        yield "".join(char_form.format(ord(char)) for char in secret)


def _dense(secret: str) -> Iterator[str]:
    """Spellings in which few characters say much, so that a short piece of one is nothing else's."""
    raw = secret.encode("utf-8", "surrogatepass")
    for form in (secret, secret[::-1], raw.hex(), raw.hex().upper(), *_base64(raw)):
        if len(form) >= MIN_SPREAD:
            yield form


def _is_spread(form: str, text: str, before: str) -> bool:
    size = _HEX_PIECE if _HEX.issuperset(form) else _PIECE
    most_missing = len(form) - len(form) * _ENOUGH // 100
    missing, covered, here = 0, 0, False
    for at in range(len(form) - size + 1):
        piece = form[at : at + size]
        if found := piece in text:
            here = True
        if found or piece in before:
            covered = at + size
        elif at >= covered:
            missing += 1
            if missing > most_missing:
                return False
    return here and missing + max(0, len(form) - max(covered, len(form) - size + 1)) <= most_missing


def _encoded(secret: str) -> Iterator[str]:
    """As letters and digits that stand for its bytes."""
    raw = secret.encode("utf-8", "surrogatepass")
    for data in (raw, secret.encode("utf-16-le", "surrogatepass"), secret.encode("utf-16-be", "surrogatepass")):
        yield from _base64(data)
    yield base64.b32encode(raw).decode().rstrip("=")
    yield base64.b32encode(raw).decode().rstrip("=").lower()
    yield _base85(raw, _RFC_1924)
    yield _base85(raw, _ASCII_85)
    for digits in (raw.hex(), raw.hex(" "), raw.hex(":")):
        yield digits
        yield digits.upper()


_RFC_1924: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"
_ASCII_85: Final = "".join(map(chr, range(33, 118)))


def _base85(data: bytes, digits: str) -> str:
    """As `base64.b85encode` and `a85encode` have it, whose tables would weigh half a megabyte from then on."""
    missing = -len(data) % 4
    padded, said = data + bytes(missing), ""
    for at in range(0, len(padded), 4):
        word = int.from_bytes(padded[at : at + 4])
        said += "".join(digits[word // 85**place % 85] for place in (4, 3, 2, 1, 0))
    return said[: len(said) - missing]


def _base64(data: bytes) -> Iterator[str]:
    """In both alphabets, at each of the three places in longer data; without what depends on its neighbours."""
    for before in range(3):
        coded = base64.b64encode(bytes(before) + data)
        # The first letters hold bits of what comes before, the last ones bits of what follows.
        first = (before * 8 + 5) // 6
        whole = (before + len(data)) * 8 // 6
        stable = coded[first:whole].decode()
        yield stable
        yield stable.replace("+", "-").replace("/", "_")
