"""Years of schedules: each time comes once, whatever the clocks do. The gate has two years in a time zone of
the commit; `./dev faults` ten in all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime, time
from zoneinfo import ZoneInfo

import pytest

from sulla.schedules.decide import LEAST_GRACE_MS, decide
from sulla.schedules.hours import parse_hours
from sulla.schedules.records import Delivered, Fired, Missed
from sulla.schedules.spec import Cron, Every, MessageAction, MissedPolicy, Spec
from sulla.schedules.state import ScheduleState, apply
from tests.kits.in_turn import in_turn
from tests.kits.points import some
from tests.schedules.oracle import DAY_MS, MINUTE_MS, ZONES, Daily, Span, ms, shown

pytestmark = in_turn(3)

START = ms(datetime(2026, 1, 1, 7, 13, tzinfo=UTC))
YEARS = 10
SHORT = 2
"""Years of the gate."""
SAY = MessageAction("hello")
HOUR_MS = 60 * MINUTE_MS


class Player:
    """A schedule that is looked at whenever it asks for it, by one clock."""

    def __init__(self, spec: Spec, now_ms: int = START) -> None:
        self.state = ScheduleState("s1", spec, set_ms=now_ms, settled_ms=now_ms)
        self.fired: list[Fired] = []
        self.missed = 0

    def look(self, now_ms: int) -> int | None:
        """Do what is due; returns when to look again."""
        while True:
            decision = decide(self.state, now_ms)
            if not decision.facts:
                return decision.due_ms
            for fact in decision.facts:
                before = self.state
                self.state = apply(before, fact, "log")
                if self.state is not before and isinstance(fact, Fired):
                    self.fired.append(fact)
                    self.missed += fact.missed
                    self.state = apply(self.state, Delivered(fact.slot, now_ms), "log")
                elif isinstance(fact, Missed):
                    self.missed += fact.count

    def play(self, until_ms: int, now_ms: int = START) -> None:
        """Be there all the time."""
        due_ms = self.look(now_ms)
        while due_ms is not None and due_ms <= until_ms:
            due_ms = self.look(due_ms)

    @property
    def times(self) -> list[int]:
        return [fired.upto_ms for fired in self.fired]


DAILIES = (
    Daily("30 2 * * *", (time(2, 30),)),
    Daily("0 0 * * *", (time(0, 0),)),
    Daily("15,45 1,2,3 * * 0", tuple(time(h, m) for h in (1, 2, 3) for m in (15, 45)), frozenset({6})),
    Daily("0 9 13 * 5", (time(9, 0),), frozenset({4}), frozenset({13}), either=True),
    Daily("59 23 31 * *", (time(23, 59),), monthdays=frozenset({31})),
)


def _end(years: int) -> int:
    return START + years * 365 * DAY_MS


for_years = pytest.mark.parametrize("years", [SHORT, pytest.param(YEARS, marks=pytest.mark.faults)])


@for_years
@pytest.mark.parametrize("zone", some(ZONES, 1, "years of cron"))
def test_years_of_cron_have_each_time_once(zone: str, years: int) -> None:
    for daily in DAILIES:
        player = Player(Spec(Cron(daily.text), SAY, zone))
        player.play(_end(years))
        assert player.times == daily.all(START, years, ZoneInfo(zone)), daily.text
        assert player.missed == 0


@pytest.mark.parametrize("zone", some(ZONES[1::3], 1, "a year of half hours"))
def test_a_year_of_half_hours_by_cron_goes_on_in_elapsed_time(zone: str) -> None:
    player = Player(Spec(Cron("*/30 * * * *"), SAY, zone))
    there, end = ZoneInfo(zone), START + 365 * DAY_MS
    player.play(end)
    first = START - START % (15 * MINUTE_MS) + 15 * MINUTE_MS
    assert player.times == [at for at in range(first, end + 1, 15 * MINUTE_MS) if shown(at, there).minute % 30 == 0]


@for_years
def test_years_of_a_period_do_not_drift(years: int) -> None:
    player, end = Player(Spec(Every(5400, START), SAY)), _end(years)
    player.play(end)
    assert player.times == list(range(START + 5_400_000, end + 1, 5_400_000))
    assert player.missed == 0


SPANS = (
    Span("09:00-18:00", time(9), time(18)),
    Span("mon-fri 22:00-06:00", time(22), time(6), frozenset(range(5))),
    Span("sun 01:30-02:45", time(1, 30), time(2, 45), frozenset({6})),
    Span("sat,sun 00:00-00:00", time(0), time(0), frozenset({5, 6})),
)


def _years_within(span: Span, zone: str, period_s: int, years: int) -> None:
    player, end = Player(Spec(Every(period_s, 0), SAY, zone, parse_hours(span.text))), _end(years)
    player.play(end)
    first = START - START % (period_s * 1000) + period_s * 1000
    there = ZoneInfo(zone)
    assert player.times == [at for at in range(first, end + 1, period_s * 1000) if span.holds(at, there)], span
    assert player.missed == 0


@pytest.mark.parametrize(("number", "zone"), some(list(enumerate(ZONES)), 1, "years within active hours"))
def test_years_of_a_period_within_active_hours_have_each_time_once(number: int, zone: str) -> None:
    _years_within(SPANS[number % len(SPANS)], zone, 4 * 3600, SHORT)


@pytest.mark.faults
@pytest.mark.timeout(600)
@pytest.mark.parametrize("zone", ZONES)
def test_ten_years_of_each_hour_within_any_active_hours(zone: str) -> None:
    for span in SPANS:
        _years_within(span, zone, 3600, YEARS)


@pytest.mark.parametrize("zone", some(ZONES, 1, "years of jitter"))
def test_jitter_moves_each_time_by_the_same_in_every_daemon_and_never_out_of_the_hours(zone: str) -> None:
    span, there, years = SPANS[1], ZoneInfo(zone), 1
    spec = Spec(Every(1800, START, jitter_s=1700), SAY, zone, parse_hours(span.text))
    one, other = Player(spec), Player(spec)
    one.play(START + years * 365 * DAY_MS)
    due_ms: int | None = START
    while due_ms is not None and due_ms <= START + years * 365 * DAY_MS:  # somebody who looks at other moments too
        other.look(due_ms - 1)
        due_ms = other.look(due_ms)
    assert [fired.due_ms for fired in one.fired] == [fired.due_ms for fired in other.fired]
    assert all(span.holds(fired.due_ms, there) for fired in one.fired)
    late = [fired.due_ms - fired.upto_ms for fired in one.fired]
    assert min(late) >= 0
    assert max(late) <= 1_700_000
    assert len(set(late)) > len(late) // 2


# ------------------------------------------------------------------------------------------------------- clock jumps


def _with_jumps(spec: Spec, jump: Callable[[int], int], until_ms: int) -> Player:
    """Look every twenty seconds by a clock that is set now and then."""
    player, elapsed_ms = Player(spec), START
    while elapsed_ms <= until_ms:
        player.look(jump(elapsed_ms))
        elapsed_ms += 50_000
    return player


SPECS = (
    Spec(Every(1800, START), SAY),
    Spec(Every(600, START, 300), SAY),
    Spec(Cron("*/10 * * * *"), SAY, "Europe/Berlin"),
    Spec(Cron("30 2,14 * * *"), SAY, "America/New_York"),
)


def _twice(times: Iterable[int]) -> list[int]:
    found = list(times)
    return sorted({at for at in found if found.count(at) > 1})


@pytest.mark.parametrize("missed", ["skip", "once"])
@pytest.mark.parametrize("spec", SPECS)
def test_an_hour_back_and_an_hour_forth_fire_nothing_twice_and_lose_nothing_unseen(
    spec: Spec, missed: MissedPolicy
) -> None:
    spec = Spec(spec.when, spec.action, spec.zone, None, missed)
    for away_ms in (-HOUR_MS, HOUR_MS):

        def jump(elapsed_ms: int, away_ms: int = away_ms) -> int:
            wrong = START + 10 * HOUR_MS <= elapsed_ms < START + 30 * HOUR_MS
            return elapsed_ms + (away_ms if wrong else 0)

        player, steady = _with_jumps(spec, jump, START + 2 * DAY_MS), Player(spec)
        steady.play(START + 2 * DAY_MS)
        assert _twice(player.times) == []
        assert len({fired.slot for fired in player.fired}) == len(player.fired)
        # Each is fired, or recorded as missed; a catch-up is one of those that it makes up for.
        caught = sum(fired.at_ms - fired.due_ms > MINUTE_MS for fired in player.fired)
        assert len(player.fired) + player.missed - caught == len(steady.fired)


@pytest.mark.parametrize("spec", SPECS)
def test_a_suspend_of_six_hours_is_missed_by_one_policy_and_made_up_for_once_by_the_other(spec: Spec) -> None:
    steady = Player(spec)
    steady.play(START + 2 * DAY_MS)
    asleep, awake = START + 10 * HOUR_MS, START + 16 * HOUR_MS
    for missed in ("skip", "once"):
        player = Player(Spec(spec.when, spec.action, spec.zone, None, missed))
        player.play(asleep)
        player.play(START + 2 * DAY_MS, awake)
        due = {fired.upto_ms: fired.due_ms for fired in steady.fired}
        grace = 60_000
        unseen = [at for at, when in due.items() if asleep < when < awake - grace]
        rest = [at for at in due if at not in unseen]
        if missed == "skip" or not unseen:
            assert player.times == rest
        else:
            assert sorted({*player.times} - {*rest}) in ([], [unseen[-1]])
            makes_up = [fired for fired in player.fired if fired.missed]
            assert [fired.missed for fired in makes_up] == [len(unseen)]
            assert makes_up[0].at_ms == awake
        assert player.missed == len(unseen)


def test_a_clock_that_was_years_ahead_does_not_silence_a_schedule() -> None:
    spec = Spec(Every(1800, START), SAY)
    player = Player(spec)
    player.play(START + HOUR_MS)
    wrong = START + 5 * 365 * DAY_MS
    player.look(wrong)
    before = len(player.fired)
    player.play(START + 2 * HOUR_MS, START + HOUR_MS + MINUTE_MS)
    assert len(player.fired) == before + 2
    assert len({fired.slot for fired in player.fired}) == len(player.fired)


def test_the_grace_of_a_short_period_is_short() -> None:
    player = Player(Spec(Every(2, START), SAY))
    player.look(START + 20_000)
    assert player.missed == (20_000 - LEAST_GRACE_MS) // 2000
