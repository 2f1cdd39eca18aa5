"""What an agent is told when it wakes up by itself: the one message of a cycle's conversation (seed 004 §3). Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import field
from datetime import datetime
from functools import partial
from typing import Final

from sulla.core.dataclass import dataclass
from sulla.core.words import NO_WORDS, Words, agent, joined, ours
from sulla.heartbeat.beats import BeatState
from sulla.heartbeat.plan import ProjectSummary

DIRECTIVE: Final = (
    "This is your own time: nobody wrote to you, and nobody is waiting. Work on your owner's projects. "
    "Choose one task that can be finished now, do it with your tools, and record what you did where it belongs."
)
"""What `heartbeat.prompt` replaces."""

RULES: Final = """\
- Say what you work on with set_focus before you begin, and why.
- Finish one thing rather than begin three. Keep to one project in a cycle.
- Do what can be undone. What cannot be undone, or leaves this machine, needs your owner: prepare it, say so once, and
  work on something else.
- Tick a task off only when it is done. Note what you found out as a comment of the task.
- A blocker is a guess until you have tried another way. If it holds, block the task with the reason.
- Do not ask again what was asked already and not answered, nor tell again what was told and not seen.
- End with one wrapper: AGENT_DONE if there is nothing left that you can do now, AGENT_CONTINUE with a report if you
  want another cycle, AGENT_BLOCKED if you cannot go on without a person."""

PLAYBOOKS: Final = "Start one with run_playbook if its time has come; it goes on by itself, and this beat ends:\n{0}"

MOST_LOTS: Final = 30
SECTION_CHARS: Final = 6_000
"""Characters of each list."""


@dataclass(frozen=True, slots=True)
class PeopleContext:
    """The people that a cycle is told about, and what they have not answered."""

    people: Words = NO_WORDS
    """Who is there and when each was last active, a line each."""
    waiting: Sequence[Words] = ()
    """What people were asked or told before and have not answered or seen."""


@dataclass(frozen=True, slots=True)
class CycleContext:
    """What the first message of a cycle needs to know besides the beat itself."""

    now: datetime
    """With its time zone."""
    zone: str
    """The time zone's name."""
    agents: Words
    """Who else is there, a line each."""
    message: Words = NO_WORDS
    """What a person wrote to the heartbeat; empty if nobody did."""
    directive: Words = ours(DIRECTIVE)
    around: PeopleContext = field(default_factory=PeopleContext)
    playbooks: Words = NO_WORDS
    """Those that it may start, a line each."""


def briefing(beat: BeatState, setting: CycleContext) -> Words:
    """The message of a cycle.

    Args:
        beat: the beat, before the cycle begins.
        setting: what it begins in.
    """
    return joined((part.but(f"## {title}\n{part.text}") for title, part in _sections(beat, setting) if part), "\n\n")


def _sections(beat: BeatState, setting: CycleContext) -> Iterator[tuple[str, Words]]:
    carried = partial(Words, by=agent(tainted=beat.tainted))
    yield "Directive", setting.directive
    yield "Message", setting.message
    when = f"{setting.now:%A %Y-%m-%d %H:%M} ({setting.zone})"
    yield "Now", ours(f"{when}; cycle {beat.cycle + 1} of at most {beat.max_cycles} of this beat.")
    yield "Projects", carried(beat.projects or "None.")
    yield "Skills", carried(beat.skills or "None.")
    yield (
        "Playbooks",
        setting.playbooks.but(PLAYBOOKS.format(setting.playbooks.text)) if setting.playbooks else NO_WORDS,
    )
    yield "Agents at work", setting.agents or ours("Nobody else.")
    yield "People", setting.around.people
    yield "What came before", carried(_before(beat))
    yield "Focus", carried(f"{beat.focus}: {beat.focus_reason}" if beat.focus else "")
    yield "Blocker", carried(_blocker(beat))
    yield "Asked and not answered", joined((one.but(f"- {one.text}") for one in setting.around.waiting), "\n")
    yield "Rules", ours(RULES)


def _before(beat: BeatState) -> str:
    if beat.said:
        return "\n".join(f"- Cycle {number}: {text or 'said nothing'}" for number, text in enumerate(beat.said, 1))
    return f"The last beat: {beat.summary}" if beat.summary else ""


def _blocker(beat: BeatState) -> str:
    if not beat.blocker:
        return ""
    needs = f"\nIt needs: {beat.needs}" if beat.needs else ""
    return f"{beat.blocker}{needs}\nGet round it, or work on something else."


def project_lines(lots: Sequence[ProjectSummary]) -> str:
    """The list of projects, those that can be worked on first, the one that was idle longest on top.

    Args:
        lots: all of them.
    """
    ranked = sorted(lots, key=lambda lot: (not lot.workable, lot.last_activity_at, lot.priority, lot.slug))
    lines = [_line(lot) for lot in ranked[:MOST_LOTS]]
    if len(ranked) > MOST_LOTS:
        lines.append(f"and {len(ranked) - MOST_LOTS} more")
    return "\n".join(lines)[:SECTION_CHARS]


def _line(lot: ProjectSummary) -> str:
    tasks = f"{lot.open_tasks} open, {lot.blocked_tasks} blocked, {lot.done_tasks} done"
    since = f", last touched {lot.last_activity_at}" if lot.last_activity_at else ""
    return f"- {lot.slug} ({lot.status}, {lot.priority}): {lot.title}; {tasks}{since}"


def pack(lots: Sequence[ProjectSummary]) -> str:
    """Projects as they were, as text to be kept until the beat is over."""
    rows = [[lot.slug, lot.open_tasks, lot.blocked_tasks, lot.done_tasks, lot.digest] for lot in lots]
    return json.dumps(rows, separators=(",", ":"))


def unpack(text: str) -> list[ProjectSummary]:
    """What `pack` was given, as far as it says.

    Args:
        text: what it gave; empty for no project.
    """
    rows = json.loads(text) if text else []
    return [
        ProjectSummary(slug, "", "", "", opened, blocked, done, "", digest)
        for slug, opened, blocked, done, digest in rows
    ]


def changes(before: Sequence[ProjectSummary], after: Sequence[ProjectSummary], files: int) -> str:
    """What a beat changed, in a line; empty for nothing.

    Args:
        before: the projects as they were.
        after: as they are.
        files: how many files of the workspace are new or different.
    """
    was = {lot.slug: lot for lot in before}
    found = [text for lot in after if (text := _change(was.get(lot.slug), lot))]
    found += [f"{slug}: removed" for slug in was.keys() - {lot.slug for lot in after}]
    if files:
        found.append(f"{files} file{'' if files == 1 else 's'} written")
    return "; ".join(found)[:1_000]


def _change(was: ProjectSummary | None, now: ProjectSummary) -> str:
    if was is None:
        return f"{now.slug}: new"
    if was.digest == now.digest:
        return ""
    moved = (
        (now.done_tasks - was.done_tasks, "done"),
        (now.open_tasks - was.open_tasks, "open"),
        (now.blocked_tasks - was.blocked_tasks, "blocked"),
    )
    parts = [f"{by:+d} {word}" for by, word in moved if by]
    return f"{now.slug}: {', '.join(parts) or 'edited'}"
