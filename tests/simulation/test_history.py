"""The checker of histories: good ones pass, and every defect that is planted in one is found and named."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache

import pytest

from sulla.core.ids import RunId
from sulla.core.jsontypes import Json
from sulla.daemon.thread_schema import THREAD_SCHEMA
from sulla.handoffs.slice import AgentRouted
from sulla.threads.log.codec import Entry
from sulla.threads.log.usage import Usage
from tests.house.source import ROOT, nodes, touched
from tests.kits.points import some
from tests.simulation.history import (
    Acknowledged,
    Asked,
    Breach,
    Effect,
    History,
    Kept,
    Leased,
    Seen,
    ThreadHistory,
    Wrote,
    breaches,
)
from tests.simulation.history_log import RULES
from tests.simulation.history_run import RUN_RULES
from tests.simulation.simulate import simulate

SEEDS = 30
"""Of storms whose histories defects are planted in."""


@cache
def good() -> tuple[History, ...]:
    found = [simulate(seed).history for seed in range(SEEDS)]
    return tuple(history for history in found if history is not None)


Log = tuple[Entry, ...]
Mutation = Callable[[ThreadHistory], ThreadHistory | None]
"""A thread with a defect; None if it has nothing that it could be planted in."""


def place(log: Log, kind: str, nth: int = 0) -> int:
    """Where the n-th record of a kind is; raises `LookupError` if there is none."""
    return [index for index, entry in enumerate(log) if entry.kind == kind][nth]


def numbered(entries: Sequence[Entry]) -> Log:
    """As a store would have numbered them."""
    return tuple(replace(entry, seq=seq) for seq, entry in enumerate(entries, 1))


def changed(entry: Entry, **fields: Json) -> Entry:
    return replace(entry, data={**entry.data, **fields})


def with_log(thread: ThreadHistory, log: Sequence[Entry]) -> ThreadHistory:
    """Another log, with nothing beside it that would tell."""
    return ThreadHistory(thread.thread_id, tuple(log))


def dropped(kind: str) -> Mutation:
    """Record lost, as the numbers show."""

    def mutate(thread: ThreadHistory) -> ThreadHistory:
        at = place(thread.log, kind)
        return with_log(thread, (*thread.log[:at], *thread.log[at + 1 :]))

    return mutate


def never_written(kind: str, nth: int = -1) -> Mutation:
    """Record never written: the numbers are fine."""

    def mutate(thread: ThreadHistory) -> ThreadHistory:
        at = place(thread.log, kind, nth)
        return with_log(thread, numbered((*thread.log[:at], *thread.log[at + 1 :])))

    return mutate


def doubled(kind: str) -> Mutation:
    """Record written twice in a row, under numbers of their own."""

    def mutate(thread: ThreadHistory) -> ThreadHistory:
        at = place(thread.log, kind, -1)
        return with_log(thread, numbered((*thread.log[: at + 1], *thread.log[at:])))

    return mutate


def again_at_the_end(kind: str) -> Mutation:
    def mutate(thread: ThreadHistory) -> ThreadHistory:
        again = thread.log[place(thread.log, kind)]
        return with_log(thread, (*thread.log, replace(again, seq=len(thread.log) + 1)))

    return mutate


def swapped(first: str, second: str) -> Mutation:
    """Two neighbours in the wrong order."""

    def mutate(thread: ThreadHistory) -> ThreadHistory:
        pairs = zip(thread.log, thread.log[1:], strict=False)
        at = next((n for n, (one, two) in enumerate(pairs) if (one.kind, two.kind) == (first, second)), None)
        if at is None:
            raise LookupError
        log = (*thread.log[:at], thread.log[at + 1], thread.log[at], *thread.log[at + 2 :])
        return with_log(thread, numbered(log))

    return mutate


def routed_after(kind: str, *, to: str = "b", before: str = "a", times: int = 1) -> Mutation:
    """Other agents get the conversation after a record."""

    def mutate(thread: ThreadHistory) -> ThreadHistory:
        at = place(thread.log, kind) + 1
        fact = AgentRouted(to, "handoff", before)
        routed = replace(thread.log[at - 1], kind=fact.kind, data=fact.data())
        return with_log(thread, numbered((*thread.log[:at], *[routed] * times, *thread.log[at:])))

    return mutate


def with_data(kind: str, **fields: Json) -> Mutation:
    def mutate(thread: ThreadHistory) -> ThreadHistory:
        at = place(thread.log, kind)
        return with_log(thread, (*thread.log[:at], changed(thread.log[at], **fields), *thread.log[at + 1 :]))

    return mutate


def cut_after(kind: str) -> Mutation:
    def mutate(thread: ThreadHistory) -> ThreadHistory:
        return with_log(thread, thread.log[: place(thread.log, kind, -1) + 1])

    return mutate


def runs_swapped(thread: ThreadHistory) -> ThreadHistory:
    """The second message gets its run before the first."""
    one, two = place(thread.log, "RUN_STARTED", 0), place(thread.log, "RUN_STARTED", 1)
    log = list(thread.log)
    if log[two].data["input_seq"] > one:  # type: ignore[operator]  # a number
        raise LookupError
    mine = ("input_seq", "message_id")
    log[one] = replace(
        log[one],
        data={**log[one].data, **{name: log[two].data[name] for name in mine}},
        origin=replace(log[one].origin, run_id=log[two].origin.run_id),
    )
    return with_log(thread, log)


def crash_not_counted(thread: ThreadHistory) -> ThreadHistory:
    at = next((n for n, entry in enumerate(thread.log) if entry.data.get("reason") == "crashed"), None)
    if at is None or thread.log[at].kind != "RESUMED":
        raise LookupError
    log = list(thread.log)
    log[at] = changed(log[at], crashes=int(str(log[at].data["crashes"])) - 1)
    return with_log(thread, log)


def resumed_twice(reason: str) -> Mutation:
    def mutate(thread: ThreadHistory) -> ThreadHistory:
        at = next(n for n, e in enumerate(thread.log) if e.kind == "RESUMED" and e.data["reason"] == reason)
        return with_log(thread, numbered((*thread.log[: at + 1], *thread.log[at:])))

    return mutate


def cut_by_nobody(thread: ThreadHistory) -> ThreadHistory | None:
    """A run that was spoken over, where those who spoke meant other replies."""
    ends = [entry.data["outcome"] for entry in thread.log if entry.kind == "RUN_FINISHED"]
    if not any(isinstance(end, dict) and end.get("reason") == "barged_in" for end in ends):
        return None
    others = [changed(entry, message_id="msg_x") if entry.kind == "BARGED_IN" else entry for entry in thread.log]
    return with_log(thread, tuple(others))


def never_taken_up(thread: ThreadHistory) -> ThreadHistory:
    like = thread.log[place(thread.log, "INPUT")]
    late = changed(like, message_id="late")
    return with_log(
        thread, (*thread.log, replace(late, seq=len(thread.log) + 1, origin=replace(like.origin, run_id=RunId("late"))))
    )


def acknowledged_and_lost(thread: ThreadHistory) -> ThreadHistory:
    return replace(thread, acknowledged=(*thread.acknowledged, Acknowledged("lost", "run_lost", 2)))


def acknowledged_under_another_run(thread: ThreadHistory) -> ThreadHistory:
    return replace(thread, acknowledged=(replace(thread.acknowledged[0], run_id="another"),))


def acknowledged_under_another_number(thread: ThreadHistory) -> ThreadHistory:
    return replace(thread, acknowledged=(replace(thread.acknowledged[0], seq=1),))


def rewritten(thread: ThreadHistory) -> ThreadHistory:
    at = place(thread.log, "INPUT")
    before = (*thread.log[:at], changed(thread.log[at], text="something else"))
    return replace(thread, earlier=(before,))


def shortened(thread: ThreadHistory) -> ThreadHistory:
    return replace(thread, earlier=((*thread.log, replace(thread.log[-1], seq=len(thread.log) + 1)),))


def event_missed(thread: ThreadHistory) -> ThreadHistory:
    events = tuple((entry.seq, entry.kind) for entry in thread.log)
    if len(events) < 6:
        raise LookupError
    return replace(thread, seen=(Seen(events), Seen(events[5:], after=4)))


def event_twice(thread: ThreadHistory) -> ThreadHistory:
    events = tuple((entry.seq, entry.kind) for entry in thread.log)
    return replace(thread, seen=(Seen((*events[:3], events[2], *events[3:])),))


def stale_writer(thread: ThreadHistory) -> ThreadHistory:
    """Somebody who was relieved writes all the same."""
    leases = list(thread.leases)
    grants = [at for at, step in enumerate(leases) if isinstance(step, Leased)]
    old, new = leases[grants[0]], grants[1]
    write = next(at for at in range(new, len(leases)) if isinstance(leases[at], Wrote))
    leases[write] = replace(leases[write], owner=old.owner, epoch=old.epoch)
    return replace(thread, leases=tuple(leases))


def epoch_twice(thread: ThreadHistory) -> ThreadHistory:
    leases = list(thread.leases)
    grants = [at for at, step in enumerate(leases) if isinstance(step, Leased)]
    leases[grants[1]] = replace(leases[grants[1]], epoch=leases[grants[0]].epoch)
    return replace(thread, leases=tuple(leases))


def write_from_nowhere(thread: ThreadHistory) -> ThreadHistory:
    at = next(n for n, step in enumerate(thread.leases) if isinstance(step, Wrote) and step.last_seq >= step.first_seq)
    return replace(thread, leases=(*thread.leases[:at], *thread.leases[at + 1 :]))


def written_twice(thread: ThreadHistory) -> ThreadHistory:
    at = next(n for n, step in enumerate(thread.leases) if isinstance(step, Wrote) and step.last_seq >= step.first_seq)
    again = replace(thread.leases[at])
    return replace(thread, leases=(*thread.leases[: at + 1], again, *thread.leases[at + 1 :]))


def head_counts_wrong(thread: ThreadHistory) -> ThreadHistory:
    kept = thread.kept or Kept(Usage(), 0, 0)
    return replace(thread, kept=replace(kept, day_tokens=kept.day_tokens + 1))


THREAD_DEFECTS: list[tuple[str, Mutation, str]] = [
    *((f"dropped {kind}", dropped(kind), "numbers") for kind in ("INPUT", "RUN_STARTED", "TOOL_CALL_RESULT")),
    ("never written RUN_FINISHED", never_written("RUN_FINISHED"), "ended once|one run"),
    ("never written TEXT_MESSAGE_END", never_written("TEXT_MESSAGE_END"), "paid once|results"),
    ("never written MODEL_STARTED", never_written("MODEL_STARTED"), "paid once"),
    ("never written TOOL_CALL_START", never_written("TOOL_CALL_START", 0), "intent first|delivered once"),
    ("never written TOOL_CALL_RESULT", never_written("TOOL_CALL_RESULT"), "results"),
    ("never written STOPPED", never_written("STOPPED"), "delivered once"),
    ("never written RUN_STARTED", never_written("RUN_STARTED"), "one run"),
    ("doubled INPUT", doubled("INPUT"), "kept once"),
    ("doubled RUN_STARTED", doubled("RUN_STARTED"), "one run"),
    ("doubled RUN_FINISHED", doubled("RUN_FINISHED"), "ended once"),
    ("doubled RUN_ERROR", doubled("RUN_ERROR"), "ended once"),
    ("doubled MODEL_STARTED", doubled("MODEL_STARTED"), "paid once"),
    ("doubled TEXT_MESSAGE_END", doubled("TEXT_MESSAGE_END"), "paid once"),
    ("doubled TOOL_CALL_START", doubled("TOOL_CALL_START"), "once"),
    ("doubled TOOL_CALL_RESULT", doubled("TOOL_CALL_RESULT"), "results"),
    ("doubled ANSWER", doubled("ANSWER"), "delivered once"),
    ("a take-over twice", resumed_twice("crashed"), "crashes"),
    ("an answer delivered twice", resumed_twice("answered"), "delivered once"),
    ("doubled STOPPED", doubled("STOPPED"), "delivered once"),
    ("doubled INPUTS_JOINED", doubled("INPUTS_JOINED"), "in order"),
    ("a run's end again at the end", again_at_the_end("RUN_FINISHED"), "ended once"),
    ("a result again at the end", again_at_the_end("TOOL_CALL_RESULT"), "one run"),
    ("an answer again at the end", again_at_the_end("ANSWER"), "delivered once"),
    ("a second beginning", again_at_the_end("THREAD_CREATED"), "numbers"),
    ("a stop that nobody heeds", again_at_the_end("STOP"), "delivered once"),
    ("swapped start and call", swapped("RUN_STARTED", "MODEL_STARTED"), "one run"),
    ("swapped reply and intent", swapped("TEXT_MESSAGE_END", "TOOL_CALL_START"), "results"),
    ("swapped reply and end", swapped("TEXT_MESSAGE_END", "RUN_FINISHED"), "results|one run"),
    ("the wrong input", with_data("RUN_STARTED", input_seq=1), "in order"),
    ("usage of a run", with_data("RUN_FINISHED", usage={"input_tokens": 1}), "accounts"),
    ("handed over within a call of a model", routed_after("MODEL_STARTED"), "handed over"),
    ("handed over within a call of a tool", routed_after("TOOL_CALL_START"), "handed over"),
    ("handed over to itself", routed_after("RUN_STARTED", to="a"), "handed over"),
    ("handed over by who does not speak", routed_after("RUN_STARTED", times=2), "handed over"),
    ("a field of the wrong type", with_data("MODEL_STARTED", reserved_tokens="many"), "readable"),
    ("cut after a start", cut_after("RUN_STARTED"), "ended once"),
    ("cut after an intent", cut_after("TOOL_CALL_START"), "ended once"),
    ("a message that nobody takes up", never_taken_up, "ended once"),
    ("runs in the wrong order", runs_swapped, "in order"),
    ("a run cut off by nobody", cut_by_nobody, "spoken over"),
    ("a crash that is not counted", crash_not_counted, "crashes"),
    ("acknowledged and lost", acknowledged_and_lost, "acknowledged"),
    ("acknowledged under another run", acknowledged_under_another_run, "acknowledged"),
    ("acknowledged under another number", acknowledged_under_another_number, "acknowledged"),
    ("a record rewritten", rewritten, "unchanged"),
    ("a record gone", shortened, "unchanged"),
    ("an event missed", event_missed, "seen"),
    ("an event twice", event_twice, "seen"),
    ("a stale writer", stale_writer, "one writer"),
    ("an epoch granted twice", epoch_twice, "one writer"),
    ("a write from nowhere", write_from_nowhere, "one writer"),
    ("a write kept twice", written_twice, "one writer"),
    ("a head that counts wrong", head_counts_wrong, "accounts"),
]


def planted(mutation: Mutation) -> list[tuple[str, list[Breach]]]:
    """What is found in each good thread that the defect can be planted in."""
    found = []
    for history in good():
        for thread in history.threads:
            try:
                mutated = mutation(thread)
            except (LookupError, StopIteration):
                continue
            if mutated is not None:
                found.append((thread.thread_id, breaches(History((mutated,)))))
    return found


@pytest.mark.parametrize(("mutation", "rule"), [pytest.param(m, r, id=name) for name, m, r in THREAD_DEFECTS])
def test_a_defect_in_a_thread_is_found_wherever_it_is_planted(mutation: Mutation, rule: str) -> None:
    found = planted(mutation)
    assert found, "no history of the sample has anything that this could be planted in"
    rules = set(rule.split("|"))
    for thread_id, broken in found:
        assert rules & {breach.rule for breach in broken}, (thread_id, [str(breach) for breach in broken])
        assert {breach.thread_id for breach in broken} == {thread_id}


def with_effects(history: History, *effects: Effect) -> History:
    return replace(history, effects=(*history.effects, *effects))


def paid(history: History) -> Effect:
    """A `once` effect of a call that was run one time."""
    allowed = [effect for effect in history.effects if effect.effect == "once"]
    return next(one for one in allowed if sum(other.key == one.key for other in allowed) == 1)


def no_model_answered(history: History) -> History:
    next(e for thread in history.threads for e in thread.log if e.kind == "TEXT_MESSAGE_END" and not e.data.get("cut"))
    return replace(history, asked=tuple(replace(one, completed=False) for one in history.asked or ()))


LEDGER_DEFECTS: list[tuple[str, Callable[[History], History], str]] = [
    ("a `once` effect twice", lambda h: with_effects(h, *[replace(paid(h), owner="")] * 4), "once"),
    ("an effect nobody asked for", lambda h: with_effects(h, Effect("pay", "run:call", "once")), "intent first"),
    ("an effect before its intent", lambda h: with_effects(h, replace(h.effects[0], after_seq=1)), "intent first"),
    (
        "an effect of a stale holder",
        lambda h: with_effects(h, replace(h.effects[0], owner="home8:boot1", holder="home9:boot1")),
        "one writer",
    ),
    (
        "a call without a record",
        lambda h: replace(h, asked=(*(h.asked or ()), Asked("beef", completed=True))),
        "paid once",
    ),
    ("a reply that no model gave", no_model_answered, "paid once"),
]


@pytest.mark.parametrize(("mutation", "rule"), [pytest.param(m, r, id=name) for name, m, r in LEDGER_DEFECTS])
def test_a_defect_in_a_ledger_is_found(mutation: Callable[[History], History], rule: str) -> None:
    found = 0
    for history in good():
        try:
            mutated = mutation(history)
        except (LookupError, StopIteration):
            continue
        found += 1
        assert rule in {breach.rule for breach in breaches(mutated)}
    assert found > SEEDS / 3


def test_good_histories_break_nothing() -> None:
    for history in good():
        assert breaches(history) == []


@pytest.mark.parametrize("first", some(range(1000, 1120, 20), 1, "calm histories"))
def test_calm_histories_break_nothing(first: int) -> None:
    for seed in range(first, first + 20):
        history = simulate(seed, storm=False).history
        assert history is not None
        assert breaches(history) == []


def test_what_is_still_under_way_is_no_breach_before_the_end() -> None:
    history = good()[0]
    (thread, *_) = history.threads
    begun = with_log(thread, thread.log[: place(thread.log, "RUN_STARTED") + 1])
    assert breaches(History((begun,), at_rest=False)) == []
    assert breaches(History((begun,)))


def test_a_breach_names_its_thread_its_record_and_what_was_expected() -> None:
    (thread, *_) = good()[0].threads
    (*_, broken) = breaches(History((acknowledged_and_lost(thread),)))
    assert str(broken) == (
        f"{thread.thread_id} record 2 [acknowledged]: expected message lost, which was acknowledged; "
        "found no such record"
    )


def test_every_kind_of_record_has_a_rule() -> None:
    assert set(RULES) | set(RUN_RULES) == set(THREAD_SCHEMA.records.values())


def test_the_checker_is_pure() -> None:
    for path in sorted((ROOT / "tests/simulation").glob("history*.py")):
        found = nodes(path)
        assert touched(found) == set(), path.name
        assert not any(isinstance(node, ast.AsyncFunctionDef) for node in found), path.name
