"""Server-sent events from bytes, however they are cut. Pure."""

from __future__ import annotations


class SseReader:
    """Bytes in, the `data` of each finished event out.

    The rules are those of the HTML standard: lines end in LF, CR or CRLF; several data lines are joined by LF; lines
    that begin with a colon and fields that nobody asked for are passed over; an event that no blank line follows does
    not exist. Only the event's name is dropped: the services that we read repeat it in the data.
    """

    __slots__ = ("_after_cr", "_began", "_head", "rest")

    def __init__(self) -> None:
        self.rest = b""
        """What has come of an event whose end has not."""
        self._after_cr = False
        self._began = False
        self._head = b"data: "
        """What stood before the data of the latest event that had one line of it: its name, most of the time."""

    def feed(self, chunk: bytes) -> list[bytes]:
        """Take the next bytes.

        Returns:
            The data of every event that ends in them, oldest first.
        """
        if self._after_cr or b"\r" in chunk:
            chunk = self._plain_newlines(chunk)
        events, end, self.rest = (self.rest + chunk).rpartition(b"\n\n")
        if not end:
            return []
        # Nearly all events are one line of data after the same name: take them all at once, without looking closer.
        if events.startswith(self._head):
            found = events[len(self._head) :].split(b"\n\n" + self._head)
            if b"\n" not in b"".join(found):
                self._began = True
                return found
        return [data for event in events.split(b"\n\n") if (data := self._data(event)) is not None]

    def _plain_newlines(self, chunk: bytes) -> bytes:
        """Turn CR and CRLF into LF; a CRLF that is cut in two is one line end."""
        if self._after_cr and chunk.startswith(b"\n"):
            chunk = chunk[1:]
            self._after_cr = False
        if not chunk:
            return b""
        self._after_cr = chunk.endswith(b"\r")
        return chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")

    def _data(self, event: bytes) -> bytes | None:
        """An event's data; None if it has none."""
        if not self._began:
            event = event.removeprefix(b"\xef\xbb\xbf")
            self._began = True
        head, mark, data = event.partition(b"data: ")
        if mark and b"\n" not in data and b"data" not in head and head[-1:] in (b"", b"\n"):
            self._head = head + mark
            return data
        lines = []
        for line in event.split(b"\n"):
            name, _, value = line.partition(b":")
            if name == b"data":
                lines.append(value.removeprefix(b" "))
        return b"\n".join(lines) if lines else None
