"""Takes a mail apart within bounds, so that what it costs grows with its length and no faster. Pure.

Anybody sends mail. The standard library's parser takes a time that grows with the square of a field's length, goes as
deep as parts lie in each other and keeps as many as there are; so each is cut, or refused, before it sees it.
"""

from __future__ import annotations

from email import message_from_bytes, policy
from email.message import EmailMessage
from email.policy import EmailPolicy
from typing import Any, Final

MOST_HEAD_BYTES: Final = 128 * 1024
"""Of a mail's head: several times what a long way and many signatures make."""
MOST_FIELDS: Final = 1_000
"""In one head."""
MOST_FIELD_CHARS: Final = 20_000
"""Of one field; what is longer is cut there."""
MOST_STRICT_CHARS: Final = 1_000
"""Of one field that has a form of its own, which takes the parser longer."""
MOST_ADDRESS_CHARS: Final = 8_000
"""Of addresses in all fields of one name."""
MOST_ADDRESS_SIGNS: Final = 800
"""Signs that mean something among them, and words; an address with a name has eight."""
MOST_DEPTH: Final = 20
"""Parts within parts; what lies deeper counts as a file."""
MOST_PARTS: Final = 200
MOST_FORM_CHARS: Final = 32_000
"""Of all fields that say what the parts are and are looked at."""
MOST_LINES: Final = 200_000
"""Of a mail, beside those that a file of its length has: each takes memory of its own."""
_SIGNS: Final = ',;:<>"()@\\[]=. \t'
_STRICT: Final = ("content-", "date", "resent-date", "orig-date")
_PLAIN: Final = frozenset({"message-id", "mime-version"})
"""Fields that the parser need not look at."""
_ADDRESSES: Final = frozenset({"from", "to", "cc", "delivered-to", "x-original-to", "sender", "reply-to"})


class TooMuch(Exception):
    """A mail has more of something than is read.

    Args:
        why: of what.
        of_people: whether it goes to too many.
    """

    def __init__(self, why: str, *, of_people: bool = False) -> None:
        super().__init__(why)
        self.why = why
        self.of_people = of_people


class _Cost:
    """What one mail has taken so far. It lives as long as its parts."""

    def __init__(self) -> None:
        self.parts = 0
        self.form_chars = 0


class _Part(EmailMessage):
    """One part of a mail, or the whole; a field is taken apart once, when it is read first."""

    def __init__(self, rules: EmailPolicy[Any], cost: _Cost) -> None:
        super().__init__(rules)
        cost.parts += 1
        if cost.parts > MOST_PARTS:
            raise TooMuch(f"it has more than {MOST_PARTS} parts")
        self._cost = cost
        self._depth = 0
        self._chars = 0
        self._known: dict[str, list[Any]] = {}

    def attach(self, payload: Any) -> None:  # noqa: ANN401 - the library's
        """See the library."""
        if isinstance(payload, _Part):
            payload._depth = self._depth + 1
        super().attach(payload)

    def set_raw(self, name: str, value: str) -> None:
        """See the library: a field that was read and not taken apart."""
        self._chars += len(name) + len(value)
        if self._chars > MOST_HEAD_BYTES or len(self.keys()) >= MOST_FIELDS:
            raise TooMuch("its head is too long")
        self._known.clear()
        most = MOST_STRICT_CHARS if name.lower().startswith(_STRICT) else MOST_FIELD_CHARS
        super().set_raw(name, value[:most])

    def get_all(self, name: str, failobj: Any = None) -> Any:  # noqa: ANN401 - as above
        """See the library.

        Raises:
            TooMuch: there is more of it than is read.
        """
        lower = name.lower()
        if lower not in self._known:
            values = [value for key, value in self.raw_items() if key.lower() == lower]
            self._weigh(lower, values)
            self._known[lower] = [*map(_plain, values)] if lower in _PLAIN else super().get_all(name, [])
        return self._known[lower] or failobj

    def get(self, name: str, failobj: Any = None) -> Any:  # noqa: ANN401 - as above
        """See the library."""
        found = self.get_all(name)
        return found[0] if found else failobj

    def get_content_type(self) -> str:
        """See the library."""
        return super().get_content_type() if self._depth < MOST_DEPTH else "application/octet-stream"

    def _weigh(self, name: str, values: list[str]) -> None:
        chars = sum(map(len, values))
        if name.startswith("content-"):
            self._cost.form_chars += chars
            if self._cost.form_chars > MOST_FORM_CHARS:
                raise TooMuch("what it says of its parts is too long")
        signs = sum(value.count(sign) for value in values for sign in _SIGNS)
        if name in _ADDRESSES and (signs > MOST_ADDRESS_SIGNS or chars > MOST_ADDRESS_CHARS):
            raise TooMuch(f"its {name} names too many", of_people=name in ("to", "cc"))


def _plain(value: str) -> str:
    return value.replace("\r", "").replace("\n", "").encode("utf-8", "replace").decode()


def taken_apart(raw: bytes) -> EmailMessage:
    """A mail with its parts.

    Args:
        raw: as it came, or its beginning.

    Raises:
        TooMuch: it is more than is read; also while it is read.
    """
    cost = _Cost()

    def made(*, policy: EmailPolicy[Any] = policy.default) -> EmailMessage:
        return _Part(policy, cost)

    return message_from_bytes(raw, made, policy=policy.default)


def has_many_lines(raw: bytes) -> bool:
    """Whether a mail has more lines than one of its length has whose files are written as mails are."""
    return raw.count(b"\n") + raw.count(b"\r") > MOST_LINES + len(raw) // 38
