"""What people are to be told, from the notices that are kept and from how threads stand. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sulla.agent.model.pictures import shown_text
from sulla.core.ids import ThreadId
from sulla.core.words import Author, Words
from sulla.notify.values import News
from sulla.people.notices import NoticeInfo
from sulla.threads.log.state import ThreadState

MAX_CHARS: Final = 2_000
"""Of one piece of news; more is in the conversation that it names."""
_GRAPHS: Final = {"heartbeat": "beat", "playbook": "playbook"}
_TITLES: Final = {
    "notice": "A notice",
    "beat": "From a beat",
    "playbook": "From a playbook",
    "schedule": "From a schedule",
}
_WAIT: Final = "wait:"
"""How the matters of questions begin; the thread that asks comes next."""
_BROKEN: Final = "broken"
"""What the matters of channels that do not work are called."""
_SCHEDULE: Final = "schedule "
"""How the threads of schedules are called."""


def of_notice(notice: NoticeInfo, state: ThreadState | None) -> News:
    """A notice as news.

    Args:
        notice: what was kept.
        state: the thread that it is about; None if it is gone.
    """
    graph, title = (state.identity.graph, state.identity.title) if state is not None else ("", "")
    kind = _GRAPHS.get(graph, "schedule" if title.startswith(_SCHEDULE) else "notice")
    head = f"{_TITLES[kind]} of {notice.agent}" if notice.agent else _TITLES[kind]
    return News(
        notice.id,
        f"{kind}:{notice.thread_id}",
        kind,
        f"Sulla: {head}",
        plain(notice.text, tainted=notice.tainted),
        notice.urgency,
        notice.at_ms,
        notice.tainted,
    )


def of_thread(state: ThreadState) -> Iterator[News]:
    """What a thread waits to be told by people, and how a turn of it failed that nobody may have watched.

    Args:
        state: the thread.
    """
    run, tainted = state.run, state.context.by.tainted
    is_playbook = _GRAPHS.get(state.identity.graph) == "playbook"
    for wait in run.waits.values() if run is not None else ():
        if not wait.is_for_people:
            continue
        text = plain(wait.prompt, tainted=tainted)
        asks = f"the playbook {plain(state.identity.title, tainted=tainted)}, of " if is_playbook else ""
        said = f"{text}\n\nAsked by: {asks}{state.identity.agent}\nAnswer: sulla approvals"
        id_ = f"{_WAIT}{state.thread_id}:{wait.wait_id}"
        yield News(id_, id_, "approval", "Sulla: somebody is asked", said, "normal", state.updated_ms, tainted)
    outcome = state.newest.outcome
    if run is None and outcome.status == "failed" and not state.identity.graph and not state.is_child:
        text = plain(f"{outcome.status_report or outcome.reason or 'it failed'}", tainted=tainted)
        said = f"{text}\n\nsulla thread show {state.thread_id}"
        id_ = f"failed:{state.thread_id}:{outcome.updated_at_ms}"
        matter = f"failed:{state.thread_id}"
        yield News(id_, matter, "failed", "Sulla: a turn failed", said, "normal", state.updated_ms, tainted)


def thread_asking(matter: str) -> ThreadId:
    """The thread whose question some news are; empty if they are none."""
    return ThreadId(matter.removeprefix(_WAIT).partition(":")[0] if matter.startswith(_WAIT) else "")


def thread_of(matter: str) -> ThreadId:
    """The thread that some news are of, whether it asks or tells; empty if they are of none."""
    kind, _, rest = matter.partition(":")
    return ThreadId("" if kind == _BROKEN else rest.partition(":")[0])


def of_broken(channel: str, why: str, now_ms: int) -> News:
    """That a channel does not work, for the others."""
    said = f"The channel {channel!r} takes no messages: {why}\n\n`sulla notify test {channel}` tries it."
    return News(
        f"{_BROKEN}:{channel}:{now_ms}",
        f"{_BROKEN}:{channel}",
        "channel",
        "Sulla: a channel is broken",
        said,
        "high",
        now_ms,
    )


def plain(text: str, *, tainted: bool) -> str:
    """Text as it goes out: no pictures, no control characters, and bounded.

    Args:
        text: the words.
        tainted: whether nobody trusts them.
    """
    shown = shown_text(Words(text, Author.OUTSIDE if tainted else Author.OPERATOR))
    kept = "".join(char if char.isprintable() or char == "\n" else " " for char in shown).strip()
    return kept if len(kept) <= MAX_CHARS else f"{kept[:MAX_CHARS]} … (cut; the rest is in the conversation)"
