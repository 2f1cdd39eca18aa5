"""A range of a text's lines, with a first line that says which. Pure."""

from __future__ import annotations

from itertools import islice

from sulla.core.errors import InvalidInput

MAX_SHOWN_BYTES = 40_000
"""The most that one call shows of a text: below the cap on every result, so that cuts fall between lines."""


def show_range(name: str, text: str, first_line: int, lines: int) -> str:
    """Some lines of a text.

    Args:
        name: what it is called, for the first line.
        text: the whole.
        first_line: counted from 1.
        lines: how many at the most; fewer where they are more than `MAX_SHOWN_BYTES`.

    Returns:
        ``[name: lines 1-40 of 90; go on with first_line=41]``, and the lines.

    Raises:
        InvalidInput: the text has no such line.
    """
    every = text.split("\n")
    if every[-1] == "":
        every.pop()
    if not every:
        return f"[{name} is empty]"
    if first_line > len(every):
        raise InvalidInput(f"{name!r} has only {len(every)} lines; first_line={first_line} is behind its end")
    shown: list[str] = []
    size = 0
    for line in islice(every, first_line - 1, first_line - 1 + lines):
        size += len(line.encode()) + 1
        if size > MAX_SHOWN_BYTES and shown:
            break
        shown.append(line)
    last = first_line + len(shown) - 1
    more = f"; go on with first_line={last + 1}" if last < len(every) else ""
    found = "\n".join(shown)
    if size > MAX_SHOWN_BYTES and len(shown) == 1:
        found = shown[0].encode()[:MAX_SHOWN_BYTES].decode(errors="ignore")
        more = f"; only the beginning of this very long line is shown{more}"
    return f"[{name}: lines {first_line}-{last} of {len(every)}{more}]\n{found}"
