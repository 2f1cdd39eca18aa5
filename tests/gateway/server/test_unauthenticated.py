from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sulla.gateway.server.unauthenticated import UnauthenticatedPeers


def test_there_is_room_for_as_many_as_may_wait() -> None:
    waiting = UnauthenticatedPeers(3, 2)
    assert [waiting.come(peer, key) for peer, key in enumerate("aab")] == [None, None, None]
    assert len(waiting) == 3


def test_one_more_pushes_the_oldest_out() -> None:
    waiting = UnauthenticatedPeers(3, 3)
    for peer, key in enumerate("abc"):
        waiting.come(peer, key)
    assert [waiting.come(peer, "d") for peer in (3, 4)] == [0, 1]
    assert (0 in waiting, 4 in waiting, len(waiting)) == (False, True, 3)


def test_who_comes_in_numbers_pushes_out_its_own() -> None:
    waiting = UnauthenticatedPeers(100, 2)
    waiting.come("quiet", "a")
    assert [waiting.come(peer, "b") for peer in range(5)] == [None, None, 0, 1, 2]
    assert "quiet" in waiting


def test_who_is_known_is_pushed_out_by_nobody() -> None:
    waiting = UnauthenticatedPeers(2, 2)
    waiting.come("known", "a")
    waiting.leave("known")
    waiting.leave("known")
    assert [waiting.come(peer, "a") for peer in range(3)] == [None, None, 0]


@given(st.lists(st.tuples(st.integers(0, 20), st.sampled_from("abcd"), st.booleans())))
def test_the_bounds_hold_whatever_happens(steps: list[tuple[int, str, bool]]) -> None:
    waiting, inside = UnauthenticatedPeers(5, 3), dict[tuple[int, int], str]()
    for number, (peer, key, comes) in enumerate(steps):
        if comes:
            inside[number, peer] = key
            gone = waiting.come((number, peer), key)
            assert gone != (number, peer)
            if gone is not None:
                assert isinstance(gone, tuple)
                del inside[gone]
        else:
            for one in [one for one in inside if one[1] == peer]:
                waiting.leave(one)
                del inside[one]
        assert len(waiting) == len(inside) <= 5
        assert all(list(inside.values()).count(key) <= 3 for key in "abcd")
        assert all(one in waiting for one in inside)
