"""What all agents use on a day: counted before a call, set right after it, and not forgotten by a restart."""

from __future__ import annotations

import json

import pytest

from sulla.agent.limits.ledger import DayLimits, Ledger
from sulla.agent.limits.limits import Charge
from sulla.core.errors import CorruptRecord, LimitReached
from sulla.core.limit import LimitHit

DAY_S = 86_400.0
NOW_S = 20_000 * DAY_S
LIMITS = DayLimits(tokens=1_000, agent_tokens=600, cost_micro=500)


def spent(*uses: tuple[str, Charge]) -> Ledger:
    ledger = Ledger(LIMITS)
    for number, (agent, charge) in enumerate(uses):
        ledger.settle(f"call{number}", agent, charge, NOW_S)
    return ledger


def test_the_limit_of_an_agent_says_whose_it_is_and_what_to_do() -> None:
    with pytest.raises(LimitReached) as refused:
        spent(("cook", Charge(500))).check("call", "cook", Charge(101), NOW_S)
    assert refused.value.message.startswith("cook has today used 500 tokens and the next step may need 101 more")
    assert refused.value.message.endswith("Another agent can answer meanwhile, or raise the limit")


@pytest.mark.parametrize(
    ("uses", "fits", "over", "hit"),
    [
        (
            [("a", Charge(500))],
            Charge(100),
            Charge(101),
            LimitHit("agent_day_tokens", "agent", "tokens", 600, 500, 101),
        ),
        (
            [("b", Charge(600)), ("c", Charge(200))],
            Charge(200),
            Charge(201),
            LimitHit("day_tokens", "day", "tokens", 1_000, 800, 201),
        ),
        (
            [("b", Charge(1, 300))],
            Charge(1, 200),
            Charge(1, 201),
            LimitHit("day_cost", "day", "micro", 500, 300, 201),
        ),
    ],
    ids=["agent", "all", "money"],
)
def test_each_limit_stops_exactly_at_its_figure(
    uses: list[tuple[str, Charge]], fits: Charge, over: Charge, hit: LimitHit
) -> None:
    spent(*uses).reserve("x", "a", fits, NOW_S)
    ledger = spent(*uses)
    with pytest.raises(LimitReached) as caught:
        ledger.reserve("x", "a", over, NOW_S)
    assert caught.value.reason == f"limit_{hit.limit}"
    assert caught.value.hit == hit
    ledger.reserve("x", "a", fits, NOW_S)  # what was refused has used nothing


def test_what_is_under_way_counts_at_the_most_it_may_take_and_then_at_what_it_took() -> None:
    ledger = Ledger(LIMITS)
    ledger.reserve("one", "a", Charge(600), NOW_S)
    with pytest.raises(LimitReached):
        ledger.reserve("two", "a", Charge(1), NOW_S)
    ledger.settle("one", "a", Charge(20, 3), NOW_S)
    assert ledger.used(NOW_S) == Charge(20, 3)
    ledger.reserve("two", "a", Charge(580), NOW_S)
    assert ledger.used(NOW_S) == Charge(600, 3)


def test_a_new_day_begins_with_nothing_used_and_an_old_one_never_comes_back() -> None:
    ledger = spent(("a", Charge(600, 500)))
    ledger.reserve("late", "b", Charge(100), NOW_S)
    assert ledger.used(NOW_S + DAY_S) == Charge(100, 0)  # what is under way goes on into the new day
    ledger.settle("late", "b", Charge(40), NOW_S + DAY_S)
    assert ledger.used(NOW_S) == Charge(40, 0)


def test_calls_that_are_open_at_midnight_leave_no_room_for_others() -> None:
    ledger = Ledger(LIMITS)
    for agent in ("a", "b"):
        ledger.reserve(agent, agent, Charge(450), NOW_S - 1)
    with pytest.raises(LimitReached):
        ledger.reserve("c", "c", Charge(101), NOW_S + 1)


def test_a_clock_that_is_set_back_over_a_restart_does_not_begin_the_day_anew() -> None:
    after = Ledger(LIMITS)
    after.restore(spent(("a", Charge(600))).to_json(), NOW_S - 10)
    assert after.used(NOW_S - 10).tokens == 600


def test_a_clock_that_was_far_ahead_once_is_not_believed() -> None:
    ledger = Ledger(LIMITS)
    ledger.settle("x", "a", Charge(600), NOW_S + 3_650 * DAY_S)
    assert ledger.used(NOW_S).tokens == 0


def test_what_is_settled_twice_counts_once_with_the_greater_figure() -> None:
    ledger = Ledger(LIMITS)
    ledger.reserve("x", "a", Charge(500), NOW_S)
    ledger.settle("x", "a", Charge(120, 5), NOW_S)
    for _ in range(3):  # its reply could not be kept, so it is written off, as often as that fails
        ledger.settle("x", "a", Charge(500, 20), NOW_S)
    assert ledger.used(NOW_S) == Charge(500, 20)
    after = Ledger(LIMITS)
    after.restore(json.loads(json.dumps(ledger.to_json())), NOW_S)
    after.settle("x", "a", Charge(500, 20), NOW_S)
    assert after.used(NOW_S) == Charge(500, 20)


def test_the_same_call_reserved_again_after_a_kill_is_counted_once() -> None:
    before = Ledger(LIMITS)
    before.reserve("x", "a", Charge(400), NOW_S)
    after = Ledger(LIMITS)
    after.restore(before.to_json(), NOW_S)
    after.reserve("x", "a", Charge(400), NOW_S)
    assert after.used(NOW_S).tokens == 400


def test_a_restart_forgets_nothing_and_charges_a_call_that_it_cut_off_once() -> None:
    before = spent(("a", Charge(100, 10)))
    before.reserve("cut", "a", Charge(300, 30), NOW_S)
    after = Ledger(LIMITS)
    after.restore(json.loads(json.dumps(before.to_json())), NOW_S)
    assert after.used(NOW_S) == Charge(400, 40)
    after.settle("cut", "a", Charge(300, 30), NOW_S)
    assert after.used(NOW_S) == Charge(400, 40)
    with pytest.raises(LimitReached, match="used 400 tokens"):
        after.reserve("more", "a", Charge(201), NOW_S)


def test_an_account_of_yesterday_is_left_out() -> None:
    kept = spent(("a", Charge(100, 10))).to_json()
    ledger = Ledger(LIMITS)
    ledger.restore(kept, NOW_S + DAY_S)
    assert ledger.used(NOW_S + DAY_S) == Charge(0, 0)


@pytest.mark.parametrize("kept", [None, [], {"day": 1}, {"day": 20_000, "tokens": 1, "cost_micro": 0, "agents": {}}])
def test_what_is_no_account_is_refused(kept: object) -> None:
    with pytest.raises(CorruptRecord, match="not an account"):
        Ledger(LIMITS).restore(kept, NOW_S)  # type: ignore[arg-type]  # that is what is tested


def test_agents_beyond_the_bound_share_an_account_and_none_goes_uncounted() -> None:
    ledger = Ledger(DayLimits(tokens=10**9, agent_tokens=1_500))
    for number in range(1_003):
        ledger.settle(f"call{number}", f"agent{number}", Charge(500), NOW_S)
    with pytest.raises(LimitReached, match="used 1500 tokens"):
        ledger.reserve("more", "agent2000", Charge(1), NOW_S)
    ledger.reserve("more", "agent0", Charge(1_000), NOW_S)
