"""Server-sent events from bytes, however they are cut. Pure."""

from __future__ import annotations

from sulla.core.errors import ProviderProtocol

MAX_EVENT_BYTES = 4 * 1024 * 1024
"""The longest event that is read; the longest that is known of is a redacted reasoning block of some 100 KiB."""


class SseReader:
    """Bytes in, the `data` of each finished event out.

    The rules are those of the HTML standard: lines end in LF, CR or CRLF; several data lines are joined by LF; lines
    that begin with a colon and fields that nobody asked for are passed over; an event that no blank line follows does
    not exist. Only the event's name is dropped: the services that we read repeat it in the data.

    Args:
        limit_bytes: the longest event.
    """

    __slots__ = ("_after_cr", "_began", "_head", "_limit", "_rest")

    def __init__(self, limit_bytes: int = MAX_EVENT_BYTES) -> None:
        self._rest = b""
        self._after_cr = False
        self._began = False
        self._head: bytes | None = None
        """What stood before the data of an earlier event, such as its name: never data itself, and never a mark at the
        very beginning, so the first event is always looked at closely."""
        self._limit = limit_bytes

    def feed(self, chunk: bytes) -> list[bytes]:
        """Take the next bytes.

        Returns:
            The data of every event that ends in them, oldest first.

        Raises:
            ProviderProtocol: an event is longer than the limit.
        """
        if not chunk:
            return []
        if self._after_cr or b"\r" in chunk:
            chunk = self._plain_newlines(chunk)
        blocks = (self._rest + chunk).split(b"\n\n")
        self._rest = blocks.pop()
        if len(self._rest) > self._limit:
            raise ProviderProtocol(f"the reply holds an event of more than {self._limit} bytes")
        found = []
        known = self._head
        for block in blocks:
            # Nearly every event is one data line after the same name as the one before: take it without looking closer.
            head, mark, data = block.partition(b"data: ")
            if head == known and mark and b"\n" not in data:
                found.append(data)
                continue
            if mark and b"\n" not in data and head.endswith(b"\n") and b"data" not in head and self._began:
                found.append(data)
                known = self._head = head
            elif (joined := self._slowly(block)) is not None:
                found.append(joined)
            self._began = True
        return found

    def _plain_newlines(self, chunk: bytes) -> bytes:
        """Turn CR and CRLF into LF; a CRLF that is cut in two is one line end."""
        if self._after_cr and chunk.startswith(b"\n"):
            chunk = chunk[1:]
            self._after_cr = False
            if not chunk:
                return b""
        self._after_cr = chunk.endswith(b"\r")
        return chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")

    def _slowly(self, block: bytes) -> bytes | None:
        if not self._began:
            block = block.removeprefix(b"\xef\xbb\xbf")
        lines = []
        for line in block.split(b"\n"):
            name, _, value = line.partition(b":")
            if name == b"data":
                lines.append(value.removeprefix(b" "))
        return b"\n".join(lines) if lines else None
