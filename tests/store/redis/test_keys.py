from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sulla.core.errors import CorruptRecord
from sulla.store.redis.keys import (
    SHARDS,
    IndexPlaces,
    channel_prefix,
    head_key,
    index_key,
    known_of,
    log_of,
    places_of,
    record_bytes,
    records_of,
    shard_of,
    value_key,
)
from sulla.store.values import Draft, Head, Record

NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1)


def _slot(key: str) -> str:
    """What Redis Cluster takes a key's slot from: what stands between the first brace and the next, if anything."""
    found = re.search(r"\{([^}]+)\}", key[key.index("{") :] if "{" in key else "")
    return found[1] if found is not None and key.index("{") == key.index("{" + found[1]) else key


def test_the_names_are_those_of_the_design() -> None:
    assert head_key("thr_1") == "sulla:threadstate:{thr_1}:head"
    assert value_key("stream_buffer:{thr_1}") == "stream_buffer:{thr_1}"
    assert value_key("presence:1") == "sulla:value:presence:1"


@given(NAMES)
@example("}")
@example("{}")
def test_all_keys_of_a_log_lie_in_one_slot(name: str) -> None:
    assert len({_slot(key) for key in _all(name)[:4]}) == 1


@given(st.lists(NAMES, min_size=2, max_size=4, unique=True))
@example(["}", "%7D", "%257D"])
def test_two_logs_share_no_key(names: list[str]) -> None:
    keys = [key for name in names for key in _all(name)]
    assert len(set(keys)) == len(keys)


@given(NAMES)
def test_no_value_lies_where_a_log_or_the_index_does(name: str) -> None:
    assert not value_key(name).startswith(("sulla:threadstate:", "sulla:lock:", "sulla:index:", "sulla:incarnation"))


def test_a_shard_lies_in_one_slot_and_every_log_has_one() -> None:
    assert {shard_of(f"thr_{n}") for n in range(1000)} == set(range(SHARDS))
    assert len({_slot(index_key(shard)) for shard in range(SHARDS)}) == SHARDS


def test_two_stores_of_one_server_do_not_hear_each_other() -> None:
    assert channel_prefix("store_1") + "x" != channel_prefix("store_2") + "x"


@given(st.binary(), st.booleans(), NAMES)
def test_a_record_comes_back_as_it_was(body: bytes, offered: bool, kind: str) -> None:
    kept = record_bytes(Draft(kind, body), offered=offered)
    assert records_of(7, [kept]) == [Record(7, kind, offered, body)]


@pytest.mark.parametrize("kept", [b"", b"+", b"+INPUT", b"?INPUT\0body"])
def test_what_is_no_record_is_damage_with_its_number(kept: bytes) -> None:
    with pytest.raises(CorruptRecord, match="record 8"):
        records_of(7, [b"+INPUT\0", kept])


def test_a_log_that_is_not_there_is_none() -> None:
    assert log_of([None] * 17) is None
    assert log_of([]) is None


def test_a_digest_may_hold_anything() -> None:
    assert known_of(b"12:a:b\0") == (12, b"a:b\0")


def test_a_log_is_entered_anew_only_where_it_was_not_found_before() -> None:
    idle, open_ = places_of(Head("thread")), places_of(Head("thread", "open", due_ms=5))
    assert open_.beyond(idle) == IndexPlaces("", awake=True, due_ms=5)
    assert not idle.beyond(open_).any
    assert not open_.beyond(open_).any
    assert places_of(Head("beat")).beyond(idle) == IndexPlaces("beat")


def _all(name: str) -> list[str]:
    """As `redis_scripts` forms them from the first; test_redis_turn.py has a server look at the slots."""
    base = head_key(name).removesuffix(":head")
    lock = base.replace("sulla:threadstate:", "sulla:lock:", 1)
    return [head_key(name), f"{base}:log", f"{base}:ids", lock, value_key(name)]
