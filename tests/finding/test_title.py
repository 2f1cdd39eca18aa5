"""What a thread is called, and what it is."""

from __future__ import annotations

import pytest

from sulla.core.ids import MessageId, RunId, ThreadId
from sulla.daemon.thread_schema import THREAD_SCHEMA
from sulla.finding.title import TITLE_CHARS, Kind, ThreadNamed, TitledBy, kind_of, title_from, title_of
from sulla.threads.log.codec import Origin
from sulla.threads.log.family import Birth, ChildMode
from sulla.threads.log.inputs import OPENING_CHARS
from sulla.threads.log.records import Input, ThreadCreated
from sulla.threads.log.state import ThreadState

THREAD, PARENT, RUN = ThreadId("thr_1"), ThreadId("thr_0"), RunId("run_1")


def thread(created: ThreadCreated, *messages: Input | ThreadNamed) -> ThreadState:
    state = THREAD_SCHEMA.new(THREAD)
    for seq, fact in enumerate((created, *messages), 1):
        THREAD_SCHEMA.offer(state, fact, seq, Origin(seq, RUN))
    return state


def said(text: str, origin: str = "user") -> Input:
    return Input(MessageId(f"m-{text[:9]}"), text, origin=origin)  # type: ignore[arg-type]  # one of them


ROWS = (
    ("hello", "hello"),
    ("", ""),
    ("  ", ""),
    ("Find a train to Rome. It has to be a late one!", "Find a train to Rome"),
    ("What about version 3.5 of it?", "What about version 3.5 of it?"),
    ("## A plan: first the roof", "A plan: first the roof"),
    ("- 1. buy milk", "buy milk"),
    ("e.g. this one", "e.g. this one"),
    ("東京へ行きます。明日です。", "東京へ行きます"),
    ("Look through " + "all of it " * 9, "Look through all of it all of it all of it all of it all…"),
    ("x" * 200, "x" * (TITLE_CHARS - 1) + "…"),
    ("...", ""),
)  # fmt: skip


@pytest.mark.parametrize(("words", "title"), ROWS)
def test_a_title_is_the_first_sentence_cut_between_words(words: str, title: str) -> None:
    assert title_from(words) == title
    assert len(title) <= TITLE_CHARS


def test_a_persons_name_wins_over_all_others_for_ever_and_can_be_taken_back() -> None:
    begun = ThreadCreated("sulla", "From the desktop")
    name, empty = ThreadNamed("Rome", "owner"), ThreadNamed("", "owner")
    rows: tuple[tuple[ThreadState, tuple[str, TitledBy]], ...] = (
        (thread(ThreadCreated("sulla")), ("", "nobody")),
        (thread(ThreadCreated("sulla"), said("Hello there")), ("Hello there", "words")),
        (thread(begun, said("Hello there")), ("From the desktop", "client")),
        (thread(begun, said("Hello"), name, said("more")), ("Rome", "person")),
        (thread(begun, name, ThreadNamed("Roma", "ann")), ("Roma", "person")),
        (thread(begun, said("Hello"), name, empty), ("From the desktop", "client")),
    )
    assert [title_of(state) for state, _ in rows] == [wanted for _, wanted in rows]


def test_what_is_kept_of_the_first_message_is_a_line_however_long_it_is() -> None:
    state = thread(ThreadCreated("sulla"), said("word\n\t" * 100_000), said("other"))
    assert state.inbox.opening.words == ("word " * 100)[:OPENING_CHARS]


def test_what_a_thread_is_follows_from_how_it_began() -> None:
    def born(mode: ChildMode) -> ThreadState:
        return thread(ThreadCreated("sulla", birth=Birth("c", mode, PARENT, RUN, PARENT, 1)), said("do it", "parent"))

    rows: tuple[tuple[ThreadState, Kind], ...] = (
        (thread(ThreadCreated("sulla")), "chat"),
        (thread(ThreadCreated("sulla"), said("hi"), said("tick", "beat")), "chat"),
        (thread(ThreadCreated("sulla"), said("tick", "beat"), said("hi")), "schedule"),
        (thread(ThreadCreated("sulla", graph="heartbeat")), "beat"),
        (born("cycle"), "beat"),
        (born("step"), "step"),
        (born("call"), "child"),
        (born("spawn"), "child"),
    )
    assert [kind_of(state) for state, _ in rows] == [kind for _, kind in rows]
