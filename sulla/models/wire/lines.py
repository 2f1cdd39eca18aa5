"""JSON lines from bytes, however they are cut. Pure."""

from __future__ import annotations


class LineReader:
    """Bytes in, each finished line out; blank ones are passed over."""

    __slots__ = ("rest",)

    def __init__(self) -> None:
        self.rest = b""
        """What has come of a line whose end has not."""

    def feed(self, chunk: bytes) -> list[bytes]:
        """Take the next bytes.

        Returns:
            Every line that ends in them, oldest first.
        """
        *lines, self.rest = (self.rest + chunk).split(b"\n")
        return [line for line in lines if line and not line.isspace()]
