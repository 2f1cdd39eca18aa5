from __future__ import annotations

from collections import Counter
from itertools import islice

from tests.faults.drill.plan import LONGEST_S, OF_A_DAEMON, OF_A_SERVER, rounds

SERVERS, DAEMONS = ("postgres", "redis"), ("gateway-1", "gateway-2", "worker-1")
EVERY = len(SERVERS) * len(OF_A_SERVER) + len(DAEMONS) * len(OF_A_DAEMON)


def test_a_seed_says_all_that_happens() -> None:
    def first(seed: int) -> list[str]:
        return [str(one) for happens in islice(rounds(seed, SERVERS, DAEMONS), 50) for one in happens]

    assert first(7) == first(7)
    assert first(7) != first(8)


def test_each_kind_of_each_part_comes_once_before_any_comes_again() -> None:
    for seed in range(20):
        drawn: list[tuple[str, str]] = []
        for happens in rounds(seed, SERVERS, DAEMONS):
            drawn += [(one.kind, one.part) for one in happens]
            if len(drawn) >= 4 * EVERY:
                break
        times = Counter(drawn)
        assert len(times) == EVERY
        assert max(times.values()) - min(times.values()) <= 2


def test_pairs_are_of_two_parts_and_nothing_lasts_longer_than_it_may() -> None:
    for happens in islice(rounds(3, ("postgres",), ("gateway-1", "worker-1")), 300):
        assert len({one.part for one in happens}) == len(happens) <= 2
        assert all(0 < one.lasts_s <= LONGEST_S for one in happens)


def test_single_faults_and_pairs_come_in_turn() -> None:
    assert [len(happens) for happens in islice(rounds(1, SERVERS, DAEMONS), 6)] == [1, 2, 1, 2, 1, 2]
