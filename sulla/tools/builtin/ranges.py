"""A range of a text's lines, with a first line that says which. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from sulla.core.errors import InvalidInput

MAX_SHOWN_BYTES = 40_000
"""The most that one call shows of a text: below the cap on every result, so that cuts fall between lines."""
_BLOCK = 64 * 1024


def show_range(name: str, text: str, first_line: int, lines: int) -> str:
    """Some lines of a text.

    Args:
        name: what it is called, for the first line.
        text: the whole.
        first_line: counted from 1.
        lines: how many at most; fewer where they are more than `MAX_SHOWN_BYTES`.

    Returns:
        ``[name: lines 1-40 of 90; go on with first_line=41]``, and the lines.

    Raises:
        InvalidInput: the text has no such line.
    """
    total = text.count("\n") + (not text.endswith("\n"))
    if not text:
        return f"[{name} is empty]"
    if first_line > total:
        raise InvalidInput(f"{name!r} has only {total} lines; first_line={first_line} is behind its end")
    shown: list[str] = []
    size = 0
    for line in _lines(text, first_line, min(lines, total - first_line + 1)):
        size += len(line.encode()) + 1
        if size > MAX_SHOWN_BYTES and shown:
            break
        shown.append(line)
    last = first_line + len(shown) - 1
    more = f"; go on with first_line={last + 1}" if last < total else ""
    found = "\n".join(shown)
    if size > MAX_SHOWN_BYTES and len(shown) == 1:
        found = shown[0].encode()[:MAX_SHOWN_BYTES].decode(errors="ignore")
        more = f"; only the beginning of this very long line is shown{more}"
    return f"[{name}: lines {first_line}-{last} of {total}{more}]\n{found}"


def _lines(text: str, first_line: int, lines: int) -> Iterator[str]:
    """Some lines of a text that has them, without a list of all: a text of line breaks alone has as many as bytes."""
    start, skip = 0, first_line - 1
    while (breaks := text.count("\n", start, start + _BLOCK)) < skip:
        skip -= breaks
        start += _BLOCK
    for _ in range(skip):
        start = text.index("\n", start) + 1
    for _ in range(lines):
        end = text.find("\n", start)
        yield text[start:] if end < 0 else text[start:end]
        start = end + 1
