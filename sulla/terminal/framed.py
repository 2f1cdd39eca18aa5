"""A question to a person, as a terminal shows it: what would be done, once, as lines in a frame, and then why. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from sulla.core.dataclass import dataclass
from sulla.core.pattern import late_pattern
from sulla.terminal.table import harmless, one_line, width
from sulla.terminal.wrap import wrapped

_FORM = late_pattern(
    r"(?P<again>Asked again: [^;]*; yes has it done once more\. )?May (?P<tool>\S+) be called with (?P<args>.*)",
    re.DOTALL,
)
_REASON = late_pattern(r"\? Asked because (?P<why>.*)\. \(call [0-9a-f]{16}\)", re.DOTALL)
_CUT = late_pattern(r"\[\.\.\. \d+ characters are not shown here; ")
"""What the daemon puts for the middle of arguments that are too long for a question. Within a text of theirs it leaves
an object that can be read, and that is another one."""
_SPELLED: Final = late_pattern(r"\\u(0021|0026|003c)")
"""How the daemon spells what a picture begins with, so that no client shows one."""
_BREAKS: Final = {r"\\": "\\", r"\n": "\n", r"\t": "    "}
WHOLE_COLUMNS: Final = 1_000_000
"""How wide a line may be where no terminal breaks it."""
_LEAST_COLUMNS: Final = 24
_BLANK_LINES: Final = 3
"""More empty lines than these are counted instead of shown: they would push what comes before them off the screen."""


@dataclass(frozen=True, slots=True)
class _Call:
    """What a question about a call says."""

    tool: str
    args: dict[str, Any]
    why: str
    again: str
    """That it was allowed before, and may be done; empty where it was not."""


def frame(prompt: str, head: str, columns: int) -> list[str]:
    """The lines of a question.

    The daemon asks about calls in ASCII on one line, so that no character can pass for another one. So do the lines
    here: what is no printable ASCII is shown by its number, and what goes on in the next row of the terminal has a mark
    of its own, which no line of the call can have.

    Args:
        prompt: as the daemon asks it.
        head: who asks, and how many questions there are.
        columns: how wide the terminal is.
    """
    room = max(_LEAST_COLUMNS, columns) - 2
    call = _call(prompt)
    if call is None:
        body, why = [row for line in harmless(prompt).split("\n") for row in _prose("│ ", line, room)], ""
    else:
        why, *more = reason_lines(_short_reason(call))
        body = [*(_prose("│ ", call.again, room) if call.again else ())]
        body += _wrapped(_squeezed([*_arguments(call.args), *more]), room)
        head = f"{call.tool} {head}".strip()
    said = [f"┌ {one_line(head, room)}", *body]
    return [*said, *_prose("└ ", f"why: {why}", room)] if why else [*said, "└"]


def framed_reason(reason: str, head: str, columns: int) -> list[str]:
    """The lines of what a tool asks, where no call is asked about: as `frame` shows them.

    Args:
        reason: what it asks, in lines; where it quotes files a backslash is two.
        head: what it is about.
        columns: how wide the terminal is.
    """
    room = max(_LEAST_COLUMNS, columns) - 2
    return [f"┌ {one_line(head, room)}", *_wrapped(_squeezed(reason_lines(_plain(reason))), room), "└"]


def tool_in(prompt: str) -> str:
    """Which tool a question is about, by its words; empty for none."""
    call = _call(prompt)
    return call.tool if call is not None else ""


def is_cut(prompt: str) -> bool:
    """Whether a question leaves out part of its call's arguments. One whose call says the same words counts as well.

    Args:
        prompt: as the daemon asks it.
    """
    return _CUT.search(prompt) is not None


def told(prompt: str) -> tuple[str, str]:
    """What a call would be made with, in lines and to the letter, and why that is asked; both empty where a question is
    about no call, or does not show its arguments whole.

    Args:
        prompt: as the daemon asks it.
    """
    call = None if is_cut(prompt) else _call(prompt)
    if call is None:
        return "", ""
    why = "\n".join(reason_lines(_short_reason(call)))
    return "\n".join(_squeezed(list(_arguments(call.args)))), f"{call.again} {why}".lstrip()


def brief(prompt: str) -> str:
    """A question in a row: of a call, its tool and arguments."""
    call = _call(prompt)
    if call is None:
        return one_line(prompt)
    said = [f"{call.again} {call.tool}: ".lstrip(), " · ".join(line for line in _arguments(call.args) if line.strip())]
    return one_line("".join(said))


def _call(prompt: str) -> _Call | None:
    """The call in a question; None if it is about none, or its arguments are not shown whole."""
    found = _FORM.fullmatch(prompt)
    if found is None:
        return None
    try:
        args, end = json.JSONDecoder().raw_decode(found["args"])
    except ValueError:
        return None
    reason = _REASON.fullmatch(found["args"][end:])
    if reason is None or not isinstance(args, dict):
        return None
    return _Call(found["tool"], args, reason["why"], (found["again"] or "").rstrip())


def _arguments(args: dict[str, Any]) -> Iterator[str]:
    """Each argument, a text as its lines; the name of the only one is left out. What is no printable ASCII is spelled
    out, and a backslash is two, so that each text reads in one way alone."""
    for name, value in sorted(args.items()):
        lead = "" if len(args) == 1 else f"{_exact(name)}: "
        if not isinstance(value, str):
            yield lead + json.dumps(value, ensure_ascii=True, sort_keys=True)
            continue
        first, *more = value.split("\n")
        yield lead + _exact(first)
        yield from (" " * len(lead) + _exact(line) for line in more)


def _exact(text: str) -> str:
    return _plain(text.replace("\\", r"\\"))


def _plain(text: str) -> str:
    return "".join(char if " " <= char <= "~" else json.dumps(char)[1:-1] for char in text)


def _short_reason(call: _Call) -> str:
    """The reason without the argument that it says once more."""
    why = call.why.removeprefix("its tool has a question: ")
    for value in call.args.values():
        if isinstance(value, str) and value:
            again = _read(f": {_exact(value)}")
            for found in re.finditer(": ", why[: max(0, len(why) - len(again) + 2)]):
                if _read(why[found.start() :]) == again:
                    return why[: found.start()]
    return why


def _read(text: str) -> str:
    """A reason's text without what is spelled, to compare it with another one."""
    return _SPELLED.sub(lambda found: chr(int(found[1], 16)), text)


def reason_lines(reason: str) -> list[str]:
    """The lines of a reason, which the daemon says on one: the end of a line is a backslash and an n there, a tab one
    and a t, and where a tool quotes files a backslash is two.

    Args:
        reason: why a question is asked, as it stands in the question.
    """
    return "".join(_BREAKS.get(token, token) for token in re.findall(r"\\\\|\\[nt]|.", reason)).split("\n")


def _squeezed(lines: list[str]) -> Iterator[str]:
    """All lines but those of a longer run of empty ones. The mark of such a run has one backslash, as no line of an
    argument can have it."""
    blank = list[str]()
    for line in [*lines, None]:
        if line is not None and not line.strip():
            blank.append(line)
            continue
        yield from blank if len(blank) <= _BLANK_LINES else [rf"\({len(blank)} empty lines)"]
        blank.clear()
        if line is not None:
            yield line


def _wrapped(lines: Iterator[str] | list[str], room: int) -> Iterator[str]:
    for line in lines:
        yield from _hung("│ ", line, room)


def _prose(mark: str, text: str, room: int) -> Iterator[str]:
    """Words of our own, or of a playbook's, in rows."""
    for row in wrapped(text, room):
        yield (mark + row).rstrip()
        mark = "┆ "


def _hung(mark: str, line: str, room: int) -> Iterator[str]:
    """A line in rows; what goes on is marked as such."""
    row, left = "", room
    for character in line:
        wide = width(character)
        if wide > left:
            yield mark + row
            mark, row, left = "┆ ", "", room
        row, left = row + character, left - wide
    yield (mark + row).rstrip()
