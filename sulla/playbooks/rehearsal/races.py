"""Merges that take the first to come, as a dry run has them: each of what they wait for comes first once. Pure.

Who comes first nobody can know beforehand, so it is a choice like that of a model. A way in which one comes first is
made by letting all that serves only the others take its time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from sulla.core.dataclass import dataclass
from sulla.playbooks.definition import MergeStep, Need, Step, WaitStep, inside
from sulla.playbooks.machine.ends import NOT_WAITED
from sulla.playbooks.rehearsal.base import Rehearsed, RehearsedStep

AT_ONCE_LATER_MS: Final = 1
"""How much later the others come where those that are to come first take no time."""
MUCH_LATER_MS: Final = 400 * 86_400_000
"""The same where something waits before them: longer than any wait may be."""

_PASSES: Final = re.compile(r"@[0-9.]+")


@dataclass(frozen=True, slots=True)
class Race:
    """A merge of `first`."""

    merge: str
    lines: Mapping[str, frozenset[str]]
    """By the id of each step that it waits for: that one, what comes before it, and what stands in these."""
    needs: tuple[Need, ...]
    waits: bool
    """Whether time has to pass before some of these."""

    def late_ms(self, step: str, first: str) -> int:
        """How late a step has to be for another one to come first.

        Args:
            step: its id.
            first: the one that is to come first, of those that the merge waits for.
        """
        others = frozenset[str]().union(*self.lines.values()) - self.lines[first]
        return (MUCH_LATER_MS if self.waits else AT_ONCE_LATER_MS) if step in others else 0

    def came(self, rows: Iterable[RehearsedStep]) -> tuple[str, tuple[str, ...]]:
        """Who came first, and who else might have; nobody where the merge was not reached or all others were skipped.

        Args:
            rows: how steps went, of the playbook that the merge stands in.
        """
        by_id: dict[str, RehearsedStep] = {}
        for row in rows:
            by_id.setdefault(_id_of(row), row)
        merge = by_id.get(self.merge)
        if merge is None or merge.status != "completed":
            return "", ()
        there = [name for name in self.lines if name in by_id]
        done = {need.step for need in self.needs if need.step in by_id and _is_met(need, by_id[need.step])}
        might = [name for name in there if name in done or by_id[name].why.endswith(NOT_WAITED)]
        first = min([name for name in might if name in done], key=lambda name: by_id[name].ended_ms, default="")
        return (first, tuple(might)) if first and len(might) > 1 else ("", ())


def races_of(steps: Sequence[Step]) -> list[Race]:
    """The merges of `first` among steps, and within these.

    Args:
        steps: that stand beside each other.
    """
    found: list[Race] = []
    here = {step.id: step for step in steps}
    for step in steps:
        found += races_of(inside(step))
        names = list(dict.fromkeys(need.step for need in step.needs))
        if isinstance(step.does, MergeStep) and step.does.need in ("first", 1) and len(names) > 1:
            lines = {name: _line(name, here) for name in names}
            reached = [one for line in lines.values() for one in line.values()]
            waits = any(isinstance(one.does, WaitStep) for one in reached)
            found.append(Race(step.id, {name: frozenset(line) for name, line in lines.items()}, step.needs, waits))
    return found


def first_of(races: Mapping[str, Race], forced: Mapping[str, str], merge: str) -> str:
    """Who is to come first at a merge: who was said to, else the one that it names first."""
    lines = races[merge].lines
    return forced[merge] if forced.get(merge) in lines else next(iter(lines))


def cut_off(found: Rehearsed) -> set[str]:
    """The steps that nobody waited for any more when a merge had what it waits for, by id."""
    done = {_id_of(row) for row in found.rows if row.status == "completed"}
    return {_id_of(row) for row in found.rows if row.why.endswith(NOT_WAITED)} - done


def winners(races: Iterable[Race], found: Rehearsed) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Of each merge where several might have come first: who did, and all of them."""
    came = {race.merge: race.came(found.rows) for race in races}
    return {merge: pair for merge, pair in came.items() if pair[0]}


def _is_met(need: Need, row: RehearsedStep) -> bool:
    wanted = {"success": ("completed",), "failure": ("failed",)}.get(need.on, ("completed", "failed"))
    return row.status in wanted and need.route in ("", row.route)


def _id_of(row: RehearsedStep) -> str:
    return _PASSES.sub("", row.at).rpartition("/")[2]


def _line(name: str, here: Mapping[str, Step]) -> dict[str, Step]:
    found: dict[str, Step] = {}
    ahead = [name]
    while ahead:
        step = here.get(ahead.pop())
        if step is not None and step.id not in found:
            ahead += [need.step for need in step.needs]
            waiting = [step]
            while waiting:
                at = waiting.pop()
                found[at.id] = at
                waiting += inside(at)
    return found
