"""What a program prints: how much of it is kept, and how it is shown. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from sulla.core.pattern import late_pattern

HEAD_BYTES = 16 * 1024
TAIL_BYTES = 24 * 1024
"""What is shown of a long output: its beginning and, since that is where errors are, rather more of its end."""
KEPT_BYTES = 4 * 1024 * 1024
"""How much of an output is kept for later, from its beginning."""
PIECE_BYTES = 64 * 1024

_ESCAPES = late_pattern(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\^_])")
"""What colours a terminal, moves its cursor and sets its title."""
_CONTROLS = late_pattern(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def readable(raw: bytes) -> str:
    """Bytes as text for people and models: what is not UTF-8 and what is not printable is spelled out as ``\\x00``, a
    terminal's colours are left out.
    """
    text = raw.decode("utf-8", "backslashreplace").replace("\r\n", "\n").replace("\r", "\n")
    return _CONTROLS.sub(lambda found: repr(found[0])[1:-1], _ESCAPES.sub("", text))


def readable_pieces(raw: bytes) -> Iterator[str]:
    """The same, a piece at a time: what has to be spelled out takes up many times its size."""
    start = 0
    while start < len(raw):
        end = min(start + PIECE_BYTES, len(raw))
        if end < len(raw):
            # Between lines, or else at least not within a character.
            line = raw.rfind(b"\n", start, end) + 1
            end = line or max(start + 1, end - _broken(raw[start:end]))
        yield readable(raw[start:end])
        start = end


class Output:
    """Collects what a program prints, in bounded memory, however much it is."""

    __slots__ = ("_kept", "_tail", "total")

    def __init__(self) -> None:
        self._kept = bytearray()
        self._tail = b""
        self.total = 0
        """Bytes so far."""

    def feed(self, chunk: bytes) -> None:
        """Take more of it."""
        self.total += len(chunk)
        room = KEPT_BYTES - len(self._kept)
        if room > 0:
            self._kept += chunk[:room]
        # Only what the beginning does not hold needs a place of its own.
        if len(chunk) > room:
            self._tail = (self._tail + chunk[max(room, 0) :])[-TAIL_BYTES:]

    @property
    def long(self) -> bool:
        """Whether only a part of it is shown."""
        return self.total > HEAD_BYTES + TAIL_BYTES

    @property
    def kept(self) -> bytes:
        """What can be put away: all of it, or its first `KEPT_BYTES`."""
        return bytes(self._kept)

    def let_go(self) -> None:
        """Keep only the end of it from now on: the rest is elsewhere."""
        self._tail, self._kept = self._end(TAIL_BYTES), bytearray()

    def since(self, offset: int, most: int) -> bytes:
        """What came behind `offset`, at most the last `most` bytes of it; as far as it is still here."""
        return self._end(min(most, self.total - offset)) if offset < self.total else b""

    def show(self, rest: str) -> str:
        """The output for a model.

        Args:
            rest: where the whole is, as a sentence; stands in the gap of a long one.
        """
        if not self.long:
            return _fitted(readable(bytes(self._kept)), HEAD_BYTES + TAIL_BYTES)
        head = _fitted(readable(_whole(bytes(self._kept[:HEAD_BYTES]))), HEAD_BYTES)
        tail = _fitted(readable(_whole(self._end(TAIL_BYTES))), TAIL_BYTES, end=True)
        gap = self.total - HEAD_BYTES - TAIL_BYTES
        return f"{head}\n\n[… {gap} of {self.total} bytes are left out here. {rest}]\n\n{tail}"

    def _end(self, most: int) -> bytes:
        if most <= 0:
            return b""
        behind = self._tail
        missing = most - len(behind)
        if missing > 0 and self.total <= len(self._kept) + len(behind):
            behind = bytes(self._kept[-missing:]) + behind
        return behind[-most:]


def _whole(raw: bytes) -> bytes:
    """Without the pieces of a character that a cut has left at either end."""
    start = 0
    while start < min(3, len(raw)) and raw[start] & 0xC0 == 0x80:
        start += 1
    return raw[start : len(raw) - _broken(raw)]


def _broken(raw: bytes) -> int:
    """How many bytes at the end are the beginning of a character only."""
    for back in range(1, min(4, len(raw)) + 1):
        byte = raw[-back]
        if byte & 0xC0 == 0xC0:
            length = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            return back if length > back else 0
        if byte < 0x80:
            break
    return 0


def _fitted(text: str, most: int, *, end: bool = False) -> str:
    """Cut again: what was spelled out takes more room than it had."""
    raw = text.encode()
    if len(raw) <= most:
        return text
    return (raw[-most:] if end else raw[:most]).decode("utf-8", "ignore")
