"""A thread from a file is folded like any other, and one that no daemon could have written is refused."""

from __future__ import annotations

from dataclasses import fields
from typing import get_args, get_type_hints

import pytest

from sulla.core.errors import InvalidInput
from sulla.core.event import Fact
from sulla.core.ids import CallId, MessageId, RunId, ThreadId
from sulla.daemon.thread_schema import THREAD_SCHEMA, thread_schema
from sulla.playbooks.records import EndTold, PlaybookAsked, PlaybookBegan, Played
from sulla.threads.archive.replay import RUN_FIELDS, Renamed, Replay, leftovers
from sulla.threads.log import records as f
from sulla.threads.log.codec import Entry, Origin
from sulla.threads.log.plays import AnswerGiven, Play, Question
from sulla.threads.offers import run_of

THREAD, COPY = ThreadId("thr_1"), ThreadId("thr_2")
ONE, TWO = MessageId("m-1"), MessageId("m-2")


def entry(seq: int, fact: Fact, run_id: RunId | None = None) -> Entry:
    origin, forms = Origin(1_000 + seq, run_id, "sulla"), THREAD_SCHEMA.forms
    return Entry(seq, fact.kind, THREAD_SCHEMA.is_offer(fact), origin, fact.data(), forms)


def conversation() -> list[Entry]:
    """A turn that a second message joined, and a third message that waits."""
    run, joined, later = (run_of(THREAD, MessageId(name)) for name in ("m-1", "m-2", "m-3"))
    call, reply = CallId("c1"), MessageId("a1")
    return [
        entry(1, f.ThreadCreated("sulla", "title")),
        entry(2, f.Input(ONE, "one"), run),
        entry(3, f.RunStarted(2, ONE, "sulla", "model"), run),
        entry(4, f.Input(TWO, "two", "steer"), joined),
        entry(5, f.InputsJoined((4,), (joined,)), run),
        entry(6, f.RunFinished(joined, f.Outcome("done"), joined=run), joined),
        entry(7, f.ModelStarted(call, reply), run),
        entry(8, f.TextMessageEnd(call, reply, "both"), run),
        entry(9, f.RunFinished(run, f.Outcome("done")), run),
        entry(10, f.Input(MessageId("m-3"), "three"), later),
        entry(11, f.StopAsked()),
    ]


def replay(*entries: Entry, thread_id: ThreadId = THREAD, ceiling: int = 1_000) -> Replay:
    made = Replay(thread_schema(lambda message: 10), thread_id, ceiling)
    for one in entries:
        made.take(one)
    return made


# ------------------------------------------------------------------------------------------------------------ fold


def test_the_state_is_that_of_the_thread() -> None:
    state = replay(*conversation()).state
    assert [message.text for message in state.context.transcript] == ["one", "two", "both"]
    assert (state.identity.title, state.run, list(state.inbox.waiting), list(state.inbox.controls)) == (
        "title",
        None,
        [10],
        [11],
    )


def test_every_input_is_offered_under_the_id_that_a_client_would_send_again() -> None:
    made = Replay(thread_schema(lambda message: 10), THREAD, 1_000)
    offerings = [made.take(one) for one in conversation()]
    assert [offering.dedupe_id for offering in offerings if offering is not None] == [
        "created",
        "message:m-1",
        "message:m-2",
        "message:m-3",
        "stop:#11",
    ]


def test_no_more_of_the_conversation_is_kept_than_a_model_could_look_at() -> None:
    entries, seq = [entry(1, f.ThreadCreated("sulla"))], 1
    for number in range(200):
        message = MessageId(f"m-{number}")
        run = run_of(THREAD, message)
        entries += [
            entry(seq + 1, f.Input(message, "hi"), run),
            entry(seq + 2, f.RunStarted(seq + 1, message), run),
            entry(seq + 3, f.RunFinished(run, f.Outcome("done")), run),
        ]
        seq += 3
    assert len(replay(*entries, ceiling=100).state.context.transcript) <= 10


@pytest.mark.parametrize(
    ("place", "changed", "said"),
    [
        (0, entry(1, f.StopAsked()), "begins with THREAD_CREATED"),
        (1, entry(2, f.ThreadCreated("sulla")), "begins with THREAD_CREATED, and has it once"),
        (1, Entry(2, "PLAYBOOK_STARTED", False, Origin(0), {}), "knows no such record"),
        (1, entry(2, f.Input(ONE, "one")), "its run_id is not the one"),
        (1, entry(2, f.Input(ONE, "one"), RunId("run_forged")), "its run_id is not the one"),
        (3, entry(4, f.Input(ONE, "again"), run_of(THREAD, ONE)), "'message:m-1' was offered before"),
        (1, entry(2, f.RunStarted(7, ONE)), "takes up record 7, which is not a waiting input"),
        (1, entry(2, f.ModelStarted(CallId("c"), ONE)), "MODEL_STARTED without an open run"),
        (1, Entry(2, "INPUT", True, Origin(0), {"text": 1}), "record 2 (INPUT): "),
        (1, Entry(2, "INPUT", True, Origin(0), {"message_id": "m", "text": "t", "x": 1}), "unknown field 'x'"),
    ],
)
def test_what_no_daemon_could_have_written_is_refused_by_its_number(place: int, changed: Entry, said: str) -> None:
    with pytest.raises(InvalidInput, match=rf"^record {place + 1} \(") as refused:
        replay(*conversation()[:place], changed)
    assert said in refused.value.message


# ------------------------------------------------------------------------------------------------------------ copy


def test_a_copys_runs_follow_from_its_own_id() -> None:
    renamed = Renamed(COPY)
    copy = [renamed.take(one) for one in conversation()]
    replay(*copy, thread_id=COPY)
    run, joined = run_of(COPY, ONE), run_of(COPY, TWO)
    assert [one.origin.run_id for one in copy[1:6]] == [run, run, joined, run, joined]
    assert copy[4].fact == f.InputsJoined((4,), (joined,))
    assert copy[5].fact == f.RunFinished(joined, f.Outcome("done"), joined=run)
    before = {one.origin.run_id for one in conversation()} - {None}
    assert not before & {one.origin.run_id for one in copy}


def test_everything_else_of_a_copy_is_as_it_was() -> None:
    renamed = Renamed(COPY)
    for one in conversation():
        copy = renamed.take(one)
        assert (copy.seq, copy.kind, copy.offered, copy.origin.at_ms) == (
            one.seq,
            one.kind,
            one.offered,
            one.origin.at_ms,
        )
        if one.kind not in RUN_FIELDS:
            assert copy.data == one.data


def test_a_run_without_a_message_of_its_own_gets_another_id_too() -> None:
    lost = entry(2, f.RunFinished(RunId("run_lost"), f.Outcome("done")), RunId("run_lost"))
    copies = {Renamed(thread).take(lost).origin.run_id for thread in (THREAD, COPY)}
    assert len(copies | {RunId("run_lost")}) == 3


def test_every_field_that_names_a_run_is_known() -> None:
    found = {}
    for cls in THREAD_SCHEMA.records.values():
        hints = get_type_hints(cls, localns={"Json": object})
        names = tuple(field.name for field in fields(cls) if RunId in (hints[field.name], *get_args(hints[field.name])))
        if names:
            found[cls.kind] = names
    assert found == RUN_FIELDS


# ------------------------------------------------------------------------------------------------------- leftovers


def test_what_waits_is_put_away_and_its_runs_end_visibly() -> None:
    state = replay(*conversation()).state
    put_away: list[Fact] = [
        f.InputIgnored(10, "imported"),
        f.RunFinished(run_of(THREAD, MessageId("m-3")), f.Outcome("cancelled", reason="imported", updated_at_ms=5)),
        f.InputIgnored(11, "imported"),
    ]
    assert leftovers(state, 5) == put_away


def test_where_nothing_waits_nothing_is_put_away() -> None:
    assert leftovers(replay(*conversation()[:9]).state, 5) == []


def test_nobody_elsewhere_is_told_of_an_imported_playbook_or_answered_by_an_imported_conversation() -> None:
    run, order = run_of(THREAD, ONE), f.Input(ONE, "order", origin="operator")
    play = Play("triage", "d1", "name: triage", thread=ThreadId("thr_talk"))
    walk = replay(
        entry(1, f.ThreadCreated("sulla", graph="playbook", play=play)),
        entry(2, order, run),
        entry(3, f.RunStarted(2, ONE, "sulla"), run),
        entry(4, Played("RUN_ENDED", detail={"status": "completed"}), run),
        entry(5, f.RunFinished(run, f.Outcome("done")), run),
    )
    assert leftovers(walk.state, 5) == [EndTold(known=False)]
    question = Question(ThreadId("thr_walk"), "ask:1", "reply", "say it", {"type": "object"})
    talk = replay(
        entry(1, f.ThreadCreated("sulla")),
        entry(2, f.Input(ONE, "which?", origin="playbook", question=question), run),
        entry(3, f.RunStarted(2, ONE, "sulla"), run),
        entry(4, f.RunFinished(run, f.Outcome("done")), run),
        entry(5, PlaybookAsked("pause")),
    )
    put_away: list[Fact] = [f.InputIgnored(5, "imported"), AnswerGiven("ask:1", known=False)]
    assert leftovers(talk.state, 5) == put_away


def test_a_copy_of_a_conversation_names_its_own_run_as_the_one_that_began_a_playbook() -> None:
    copy = Renamed(COPY)
    began = [
        copy.take(one) for one in (*conversation()[:3], entry(4, PlaybookBegan(THREAD, "triage", run_of(THREAD, ONE))))
    ]
    assert began[-1].data["run_id"] == run_of(COPY, ONE)
