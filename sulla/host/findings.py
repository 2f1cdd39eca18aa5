"""What a check can come to, and figures as people read them. Pure."""

from __future__ import annotations

from typing import Literal

from sulla.core.dataclass import dataclass

Result = Literal["ok", "warning", "fault"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One result of a check."""

    result: Result
    found: str
    """What was found, and where."""
    remedy: str = ""
    """What to do; empty if nothing need be done."""


def ok(found: str) -> list[Finding]:
    """Nothing to say."""
    return [Finding("ok", found)]


def warning(found: str, remedy: str) -> Finding:
    """Something works, but not as it should."""
    return Finding("warning", found, remedy)


def fault(found: str, remedy: str) -> Finding:
    """Something does not work, or lets somebody in."""
    return Finding("fault", found, remedy)


def counted(number: int, what: str) -> str:
    """A number of things, e.g. ``1 thread``, ``3 threads``."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def size(count_bytes: int) -> str:
    """Bytes for people, e.g. ``1.5 GiB``."""
    amount, unit = float(count_bytes), "bytes"
    for larger in ("KiB", "MiB", "GiB", "TiB"):
        if amount < 1024:
            break
        amount, unit = amount / 1024, larger
    return f"{amount:.0f} {unit}" if unit == "bytes" else f"{amount:.1f} {unit}"


def span(seconds: float) -> str:
    """A stretch of time for people, in its largest unit."""
    for unit, length_s in (("days", 86400), ("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * length_s:
            return f"{seconds / length_s:.0f} {unit}"
    return f"{max(0.0, seconds):.0f} seconds"


def offset(seconds: int) -> str:
    """A time zone's distance from UTC, e.g. ``+05:30``."""
    sign, rest = ("-" if seconds < 0 else "+"), abs(seconds) // 60
    return f"{sign}{rest // 60:02}:{rest % 60:02}"
