"""A project's file as lines: where its front matter, headings, tasks and code are. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal

from sulla.core.dataclass import dataclass
from sulla.core.errors import Conflict
from sulla.core.pattern import late_pattern

OURS = ("title", "status", "priority", "last_activity_at", "plan", "run", "run_state")
"""The keys that mean something here."""

FIELD = late_pattern(r"([A-Za-z_][A-Za-z0-9_-]*):(?:[ \t]+(.*?))?[ \t]*$")
_TASK = late_pattern(r"([ \t]*)([-*+])[ \t]+\[([ xX])\][ \t]+(.*?)[ \t]*$")
_HEADING = late_pattern(r"(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$")
_NO_LEAD = re.compile(r"[#>|]|[-*+] |\d+[.)] |<!--|---")
"""How a line begins that is no prose."""
_FENCE = late_pattern(r"[ ]{0,3}(`{3,}|~{3,})")
_BLOCK = late_pattern(r"[|>][+-]?[1-9]?[+-]?(?:[ \t]+#.*)?")
"""How a value of several lines begins in YAML."""
_BLOCKED = late_pattern(r"(.*?)[ \t]*\(blocked: (.*)\)$")
_PLANNED = late_pattern(
    r"(.*?)[ \t]+\(id: ([A-Za-z_][A-Za-z0-9_]{0,63})(?:; after: ([A-Za-z0-9_]+(?:, ?[A-Za-z0-9_]+)*))?\)"
    r"(?:[ \t]+\((?:(in progress)|failed: (.*))\))?"
)
"""A task of a plan. What is behind the id means something only there: elsewhere people may have written it."""

TaskState = Literal["pending", "in_progress", "completed", "failed", "blocked"]


@dataclass(frozen=True, slots=True)
class PageTask:
    """One task of a project's file: a line with a check box."""

    number: int
    """Counted from 1, from the top of the file."""
    text: str
    done: bool
    blocked: str
    """What is in its way; empty for nothing."""
    depth: int
    """How many tasks it is part of."""
    line: int
    """Where it is, counted from 0."""
    id: str = ""
    """In a plan; empty for a task of no plan."""
    after: tuple[str, ...] = ()
    """The ids of the tasks of the plan that it depends on."""
    working: bool = False
    """Whether a run of the plan is at work on it."""
    failed: str = ""
    """Why a run of the plan failed in it; empty if none did."""

    @property
    def state(self) -> TaskState:
        """How it stands."""
        if self.done:
            return "completed"
        if self.blocked:
            return "blocked"
        return "failed" if self.failed else "in_progress" if self.working else "pending"

    @property
    def tag(self) -> str:
        """Its id and what it depends on, as they stand behind it; empty for a task of no plan."""
        if not self.id:
            return ""
        return f" (id: {self.id}; after: {', '.join(self.after)})" if self.after else f" (id: {self.id})"


class ProjectPage:
    """A project's file as lines, each with its own line end, so that all others stay as they were."""

    def __init__(self, text: str) -> None:
        self._lines: list[str] = re.findall(r"[^\n]*\n|[^\n]+", text)
        self._newline = "\r\n" if self._lines and self._lines[0].endswith("\r\n") else "\n"
        self.open_fence = False
        self._code = self._fenced()

    def __len__(self) -> int:
        return len(self._lines)

    def bare(self, at: int) -> str:
        """A line without its end."""
        return self._lines[at].rstrip("\r\n")

    def raw(self, begin: int, end: int) -> str:
        """Some lines as they are."""
        return "".join(self._lines[begin:end])

    def indent(self, at: int) -> str:
        """The white space that a line begins with."""
        line = self.bare(at)
        return line[: len(line) - len(line.lstrip(" \t"))]

    def ends_blank(self) -> bool:
        """Whether the last line is empty, or there is none."""
        return not self._lines or not self.bare(len(self._lines) - 1).strip()

    def front(self) -> tuple[int, int]:
        """The lines between the marks of the front matter; (0, 0) if there is none."""
        if not self._lines or self.bare(0).rstrip() != "---":
            return 0, 0
        for at in range(1, len(self._lines)):
            if self.bare(at).rstrip() in ("---", "..."):
                return 1, at
        return 0, 0

    def fields(self) -> tuple[dict[str, str], list[str]]:
        """Front matter of the form ``key: value``; and what of it means nothing to us."""
        fields: dict[str, str] = {}
        warnings: list[str] = []
        begin, end = self.front()
        if begin == 0 and self._lines and self.bare(0).rstrip() == "---":
            warnings.append("the front matter has no end: expected a line '---'")
        for at in range(begin, end):
            found = FIELD.match(self.bare(at))
            if found is None or self.bare(at)[:1] in (" ", "\t"):
                continue
            if found[1] in fields:
                warnings.append(f"line {at + 1}: a second {found[1]!r}; the first counts")
                continue
            if _BLOCK.fullmatch(found[2] or ""):
                if found[1] in OURS:
                    warnings.append(f"line {at + 1}: {found[1]!r} goes over several lines: expected it in one")
                continue
            fields[found[1]] = _unquoted(found[2] or "")
        return fields, warnings

    def headings(self) -> Iterator[tuple[int, int, str]]:
        """Line, level and words of each heading."""
        for at in self._prose():
            if found := _HEADING.match(self.bare(at)):
                yield at, len(found[1]), found[2]

    def lead(self) -> str:
        """The first paragraph that is neither heading, task, list nor remark: what it is about; empty for none."""
        lines: list[str] = []
        for at in self._prose():
            line = self.bare(at).strip()
            if line and not _NO_LEAD.match(line):
                lines.append(line)
            elif lines:
                break
        return " ".join(lines)

    def tasks(self) -> Iterator[PageTask]:
        """All check boxes."""
        above: list[int] = []
        number = 0
        for at in self._prose():
            found = _TASK.match(self.bare(at))
            if found is None:
                if _HEADING.match(self.bare(at)):
                    above.clear()
                continue
            number += 1
            width = len(found[1].expandtabs(4))
            while above and above[-1] >= width:
                above.pop()
            blocked = _BLOCKED.match(found[4])
            words, reason = (blocked[1], blocked[2]) if blocked else (found[4], "")
            yield _planned(PageTask(number, words, found[3] != " ", reason, len(above), at))
            above.append(width)

    def section(self, heading: str) -> tuple[int, int] | None:
        """The lines of a section of the second level, its heading included; None if there is none."""
        found = list(self.headings())
        for index, (at, level, words) in enumerate(found):
            if level == 2 and words.casefold() == heading.strip().casefold():
                return at, next((line for line, other, _ in found[index + 1 :] if other <= 2), len(self._lines))
        return None

    def end_of(self, task: PageTask) -> int:
        """The line behind a task with all that is part of it."""
        width, end = len(self.indent(task.line).expandtabs(4)), task.line + 1
        within = False
        for at in range(task.line + 1, len(self._lines)):
            within = within and self._code[at]  # code of its own, which need not be indented
            if not within and self.bare(at).strip() and len(self.indent(at).expandtabs(4)) <= width:
                break
            if within or self.bare(at).strip():
                within, end = self._code[at], at + 1
        if end == len(self._lines) and self.open_fence:
            raise Conflict("the file ends inside a code fence that is not closed: close it first")
        return end

    def end_of_notes(self, task: PageTask) -> int:
        """The line behind a task's own remarks."""
        end = task.line + 1
        while end < len(self._lines) and self.bare(end).lstrip(" \t").startswith(">"):
            end += 1
        return end

    def with_box(self, task: PageTask, *, done: bool, mark: str = "") -> str:
        """The text with another check box in the place of a task's.

        Args:
            task: which.
            done: whether it is ticked.
            mark: what stands behind it, e.g. ``blocked: why``; empty for nothing.
        """
        found = _TASK.match(self.bare(task.line))
        if found is None:
            raise TypeError(f"line {task.line} is no task")
        was = self.bare(task.line)
        line = f"{was[: found.start(3)]}{'x' if done else ' '}] {task.text}{task.tag}{f' ({mark})' if mark else ''}"
        return self.raw(0, len(self)) if line == was else self.with_lines(task.line, task.line + 1, [line])

    def with_lines(self, begin: int, end: int, lines: Sequence[str]) -> str:
        """The text with `lines` in the place of some."""
        before, behind = self.raw(0, begin), self.raw(end, len(self))
        if lines and before and not before.endswith("\n"):
            before += self._newline
        middle = "".join(line + self._newline for line in lines)
        if lines and end == len(self) and end > begin and not self._lines[-1].endswith("\n"):
            middle = middle[: -len(self._newline)]  # the last line had no end, and gets none
        return before + middle + behind

    def _prose(self) -> Iterator[int]:
        """The lines that are neither front matter nor code."""
        _, end = self.front()
        for at in range(end + 1 if end else 0, len(self._lines)):
            if not self._code[at]:
                yield at

    def _fenced(self) -> list[bool]:
        code, fence = [], ""
        _, front = self.front()
        for at in range(len(self._lines)):
            line = self.bare(at)
            mark = _FENCE.match(line) if at > front or not front else None
            if fence:
                code.append(True)
                if mark and mark[1][0] == fence[0] and len(mark[1]) >= len(fence) and not line[mark.end() :].strip():
                    fence = ""
            else:
                fence = mark[1] if mark else ""
                code.append(bool(mark))
        self.open_fence = bool(fence)
        return code


def _planned(task: PageTask) -> PageTask:
    """A task with what its line says of a plan."""
    found = _PLANNED.fullmatch(task.text)
    if found is None:
        return task
    after = tuple(name.strip() for name in (found[3] or "").split(",") if name.strip())
    return replace(task, text=found[1], id=found[2], after=after, working=bool(found[4]), failed=found[5] or "")


def _unquoted(value: str) -> str:
    if len(value) >= 2 and value[0] == value[-1] == "'":
        return value[1:-1].replace("''", "'")
    if len(value) >= 2 and value[0] == value[-1] == '"':
        return value[1:-1].replace('\\"', '"').replace("\\\\", "\\")
    return re.sub(r"[ \t]+#.*$", "", value)
