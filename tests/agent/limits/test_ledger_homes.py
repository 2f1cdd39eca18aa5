"""What several homes use on a day: each has a part of one value, and all parts count at each of them."""

from __future__ import annotations

import json

import pytest

from sulla.agent.limits.ledger import DayLimits, Ledger
from sulla.agent.limits.ledger_homes import (
    GONE,
    MOST_AGENTS,
    MOST_HOMES,
    Part,
    made_room,
    read_homes,
    read_others,
    read_part,
    with_part,
)
from sulla.agent.limits.limits import Charge
from sulla.core.errors import CorruptRecord, LimitReached
from sulla.core.jsontypes import Json, JsonObject
from sulla.core.limit import LimitHit
from sulla.store.values import MAX_BODY_BYTES

DAY_S = 86_400.0
DAY = 20_000
NOW_S = DAY * DAY_S
LIMITS = DayLimits(tokens=1_000, agent_tokens=600, cost_micro=500)


def kept(ledger: Ledger, at_s: int = 0) -> JsonObject:
    """As it comes back from the store."""
    return dict(json.loads(json.dumps({**ledger.to_json(), "at_s": at_s})))


def used_by(*uses: tuple[str, Charge], now_s: float = NOW_S, prefix: str = "there") -> Ledger:
    ledger = Ledger(DayLimits(tokens=10**9, agent_tokens=10**9))
    ledger.turn(now_s)
    for number, (agent, charge) in enumerate(uses):
        ledger.settle(f"{prefix}{number}", agent, charge, now_s)
    return ledger


def beside(*others: Ledger, now_s: float = NOW_S, limits: DayLimits = LIMITS) -> Ledger:
    """A ledger that has heard of others."""
    ledger = Ledger(limits)
    heed(ledger, *others, now_s=now_s)
    return ledger


def heed(ledger: Ledger, *others: Ledger, now_s: float = NOW_S) -> None:
    ledger.heed([read_part(kept(other)) for other in others], now_s)


def parts_of(value: JsonObject) -> dict[str, Json]:
    return read_homes(json.loads(json.dumps(value)))


def sum_of(parts: dict[str, Json], home: str = "") -> int:
    """What a ledger counts that hears of all parts but one."""
    ledger = Ledger(LIMITS)
    ledger.heed(read_others(parts, home)[0], NOW_S)
    return ledger.used(NOW_S).tokens


@pytest.mark.parametrize(
    ("theirs", "fits", "over", "hit"),
    [
        (("a", Charge(400)), Charge(100), Charge(101), LimitHit("agent_day_tokens", "agent", "tokens", 600, 500, 101)),
        (("b", Charge(700)), Charge(200), Charge(201), LimitHit("day_tokens", "day", "tokens", 1_000, 800, 201)),
        (("b", Charge(1, 300)), Charge(1, 200), Charge(1, 201), LimitHit("day_cost", "day", "micro", 500, 300, 201)),
    ],
    ids=["agent", "all", "money"],
)
@pytest.mark.parametrize("settled", [True, False], ids=["used", "set aside"])
def test_what_others_use_counts_to_the_figure_beside_what_is_used_here(
    theirs: tuple[str, Charge], fits: Charge, over: Charge, hit: LimitHit, *, settled: bool
) -> None:
    other = used_by(theirs)
    if not settled:
        other = used_by()
        other.reserve("there0", *theirs, NOW_S)
    ledger = beside(other)
    ledger.settle("here0", "a", Charge(60), NOW_S)
    ledger.reserve("here1", "a", Charge(40), NOW_S)
    with pytest.raises(LimitReached) as caught:
        ledger.reserve("x", "a", over, NOW_S)
    assert caught.value.hit == hit
    ledger.reserve("x", "a", fits, NOW_S)
    assert ledger.used(NOW_S).tokens == theirs[1].tokens + 100 + fits.tokens


def test_others_are_not_in_the_own_part_and_the_newest_word_of_them_replaces_the_last() -> None:
    other = used_by(("a", Charge(300)))
    ledger = beside(other)
    assert ledger.to_json()["tokens"] == 0
    other.settle("more", "a", Charge(50), NOW_S)
    heed(ledger, other)
    assert ledger.used(NOW_S).tokens == 350


def test_a_run_that_another_home_took_up_is_charged_once_wherever_one_looks() -> None:
    gone = used_by()
    gone.reserve("cut", "a", Charge(300, 30), NOW_S)
    heir = beside(gone)
    assert heir.used(NOW_S) == Charge(300, 30)  # it stays set aside for as long as nobody settles it
    heir.settle("cut", "a", Charge(300, 30), NOW_S)
    assert heir.used(NOW_S) == Charge(300, 30)
    assert beside(gone, heir).used(NOW_S) == Charge(300, 30)
    back = Ledger(LIMITS)
    heed(back, heir)
    back.restore(kept(gone), NOW_S)
    assert back.used(NOW_S) == Charge(300, 30)
    assert back.to_json()["open"] == {}, "nobody will settle it here"


def test_a_call_that_two_homes_have_begun_is_set_aside_once() -> None:
    one, two = used_by(), used_by()
    for ledger in (one, two):
        ledger.reserve("x", "a", Charge(400), NOW_S)
    assert beside(one, two).used(NOW_S).tokens == 400
    heed(two, one)
    assert two.used(NOW_S).tokens == 400
    two.check("x", "a", Charge(600), NOW_S)


def test_a_call_that_another_home_wrote_off_counts_here_with_what_it_took_beyond_that() -> None:
    other = used_by()
    other.settle("x", "a", Charge(300, 30), NOW_S)
    ledger = Ledger(LIMITS)
    ledger.reserve("x", "a", Charge(350), NOW_S)
    heed(ledger, other)
    ledger.settle("x", "a", Charge(320, 20), NOW_S)
    assert ledger.used(NOW_S) == Charge(320, 30)
    assert beside(other, ledger).used(NOW_S) == Charge(320, 30)


def test_a_call_of_a_run_that_was_lost_to_another_home_is_set_aside_no_more() -> None:
    stalled = used_by(now_s=NOW_S - 1)
    stalled.reserve("x", "a", Charge(300), NOW_S - 1)
    heir = beside(stalled, now_s=NOW_S - 1)
    heir.settle("x", "a", Charge(300), NOW_S - 1)
    heed(stalled, heir, now_s=NOW_S - 1)
    assert stalled.used(NOW_S - 1).tokens == 300
    assert not stalled.is_at_work(), "its answer may never come here"
    assert stalled.used(NOW_S).tokens == 0, "nor is it under way on the next day"
    assert beside(stalled).used(NOW_S).tokens == 0


def test_at_midnight_nothing_of_the_others_counts_any_more() -> None:
    gone = used_by(("a", Charge(400)), now_s=NOW_S - 1)
    gone.reserve("cut", "a", Charge(100), NOW_S - 1)
    ledger = beside(gone, now_s=NOW_S - 1)
    assert ledger.used(NOW_S - 1).tokens == 500
    assert ledger.used(NOW_S).tokens == 0
    assert ledger.used(NOW_S - 1).tokens == 0, "a clock that is set back a little brings no day back"


def test_what_is_under_way_at_midnight_is_there_to_be_kept_again_under_the_new_day() -> None:
    ledger = used_by(now_s=NOW_S - 1)
    ledger.turn(NOW_S - 1)
    quiet = ledger.changes
    ledger.reserve("x", "a", Charge(100), NOW_S - 1)
    ledger.turn(NOW_S)
    assert ledger.changes == quiet + 2
    assert beside(ledger).used(NOW_S).tokens == 100
    idle = used_by(("a", Charge(5)), now_s=NOW_S - 1)
    before = idle.changes
    idle.turn(NOW_S)
    assert idle.changes == before, "nothing to keep"


@pytest.mark.parametrize(("ahead_s", "counts"), [(10.0, True), (DAY_S, True), (2 * DAY_S, False)])
def test_a_clock_that_is_a_little_ahead_is_believed_and_one_that_is_far_ahead_is_not(
    ahead_s: float, *, counts: bool
) -> None:
    other = used_by(("a", Charge(300)), now_s=NOW_S + ahead_s)
    assert beside(other).used(NOW_S).tokens == (300 if counts else 0)


def test_a_part_that_cannot_be_read_is_named_and_stays_as_it_is() -> None:
    strange: Json = {"day": "a later form"}
    parts: dict[str, Json] = {"strange": strange, "one": kept(used_by(("a", Charge(5)))), "me": None}
    read, unreadable = read_others(parts, "me")
    assert ([part.tokens for part in read], unreadable) == ([5], ["strange"])
    assert parts_of(with_part(parts, "me", kept(used_by())))["strange"] == strange


@pytest.mark.parametrize("value", [None, [], {}, {"homes": []}, "homes", used_by(("a", Charge(70))).to_json()])
def test_what_is_no_account_of_homes_is_refused(value: Json) -> None:
    with pytest.raises(CorruptRecord, match="not an account of homes"):
        read_homes(value)


def test_parts_of_other_days_make_room_first() -> None:
    old = {f"old{n}": kept(used_by(("a", Charge(1)), now_s=NOW_S - DAY_S)) for n in range(MOST_HOMES)}
    new = {f"new{n}": kept(used_by(("a", Charge(10)), prefix=f"n{n}-")) for n in range(20)}
    parts = parts_of(with_part({**old, **new}, "me", kept(used_by(("a", Charge(1)), prefix="me"))))
    assert len(parts) == MOST_HOMES
    assert GONE not in parts
    assert {name for name in parts if not name.startswith("old")} == {"me", *new}
    assert sum_of(parts) == 201


def test_what_is_older_than_yesterday_is_let_go_of_by_whoever_writes_next() -> None:
    parts: dict[str, Json] = {
        f"{days}": kept(used_by(("a", Charge(1)), now_s=NOW_S - days * DAY_S)) for days in (-1, 0, 1, 2, 30)
    }
    strange: Json = {"day": "later"}
    parts = parts_of(with_part({**parts, "strange": strange}, "me", kept(used_by(("a", Charge(1))))))
    assert set(parts) == {"-1", "0", "1", "strange", "me"}


def test_homes_beyond_the_bound_are_added_up_and_none_goes_uncounted() -> None:
    parts: dict[str, Json] = {}
    total = 0
    for number in range(3 * MOST_HOMES):
        ledger = used_by((f"agent{number % 7}", Charge(10)), prefix=f"h{number}-")
        ledger.reserve(f"open{number}", "late", Charge(3), NOW_S)
        parts = parts_of(with_part(parts, f"home{number}", kept(ledger, at_s=number)))
        total += 13
        assert len(parts) <= MOST_HOMES
        assert sum_of(parts) == total
    assert "home0" not in parts, "what was kept the longest ago goes first"
    assert f"home{3 * MOST_HOMES - 2}" in parts
    gone = read_part(parts[GONE])
    assert sum(gone.agents.values()) == gone.tokens


def test_a_home_that_had_to_make_room_and_comes_back_is_counted_once() -> None:
    early = used_by(("a", Charge(100, 9)), prefix="early")
    mine = kept(early)
    parts: dict[str, Json] = {"early": mine}
    assert not made_room(parts, "early", mine)
    for number in range(MOST_HOMES):
        parts = parts_of(with_part(parts, f"home{number}", kept(used_by(("a", Charge(1)), prefix=f"h{number}-"), 9)))
    assert made_room(parts, "early", mine)
    early.settle("later", "a", Charge(5, 1), NOW_S)
    early.forget(read_part(mine), NOW_S)
    early.heed(read_others(parts, "early")[0], NOW_S)
    assert early.used(NOW_S) == Charge(105 + MOST_HOMES, 10)
    parts = parts_of(with_part(parts, "early", kept(early)))
    assert sum_of(parts) == 105 + MOST_HOMES


def test_a_value_that_was_lost_has_no_part_that_made_room() -> None:
    mine = kept(used_by(("a", Charge(100))))
    assert not made_room({}, "me", mine)
    yesterday = kept(used_by(("a", Charge(1)), now_s=NOW_S - DAY_S))
    assert not made_room({GONE: yesterday}, "me", mine)


def test_the_fullest_value_is_well_within_what_a_store_keeps() -> None:
    ledger = Ledger(DayLimits(tokens=10**12, agent_tokens=10**12))
    for number in range(MOST_AGENTS + 5):
        ledger.settle(f"call_{number:032d}", f"{number:064d}", Charge(5_000_000, 5_000_000), NOW_S)
    for number in range(100):
        ledger.reserve(f"call_o{number:031d}", "a" * 64, Charge(500_000, 500_000), NOW_S)
    part = kept(ledger)
    parts: dict[str, Json] = {f"home_{number:032d}": part for number in range(MOST_HOMES + 5)}
    value = json.dumps(with_part(parts, "me", part), separators=(",", ":"))
    assert len(value) < MAX_BODY_BYTES // 2


def test_a_part_without_a_time_like_that_of_homes_that_made_room_is_read() -> None:
    part = read_part(used_by(("a", Charge(7))).to_json())
    assert (part.at_s, part.tokens, type(part)) == (0, 7, Part)


def test_a_home_with_a_call_under_way_makes_room_last() -> None:
    busy = used_by(prefix="busy")
    busy.reserve("long", "a", Charge(7), NOW_S)
    parts: dict[str, Json] = {"busy": kept(busy, at_s=0)}
    for number in range(1, MOST_HOMES + 10):
        parts = parts_of(
            with_part(parts, f"home{number}", kept(used_by(("a", Charge(1)), prefix=f"h{number}-"), number))
        )
    assert "busy" in parts
    assert "home1" not in parts
