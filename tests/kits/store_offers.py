"""Offers and reads: in order, once, whole, and nothing that a backend could not keep."""

from __future__ import annotations

import asyncio

import pytest

from sulla.core.errors import InvalidInput, MessageIdReused, NotFound, QueueFull, TooLarge
from sulla.store.base import Store
from sulla.store.values import MAX_BODY_BYTES, MAX_NAME_BYTES, Draft, Head, Offered
from tests.kits.store_world import (
    DIGEST,
    IDLE,
    KEY,
    ME,
    TTL_S,
    InWorld,
    StoreWorld,
    draft,
    kinds,
    make,
    numbers,
    present,
    send,
    snapshot,
    take,
    write,
)

ODD_NAMES = [
    "ключ",
    "鍵🔑",
    "é",
    "e\u0301",
    "אב",
    "a b",
    "a:b",
    "{a}",
    "a*",
    "a%",
    "a_",
    "'\"--",
    "\t",
    "x" * MAX_NAME_BYTES,
]
NO_NAMES = ["", "\0", "a\0b", "\ud800", "x" * (MAX_NAME_BYTES + 1), "é" * (MAX_NAME_BYTES // 2 + 1)]
ALL_BYTES = bytes(range(256))


class OffersKit(InWorld):
    """What `Store.offer` promises."""

    async def test_the_first_offer_makes_the_log_with_the_given_head(self, store: Store, world: StoreWorld) -> None:
        head = Head("child", "suspended", "sulla", due_ms=world.now_ms() + 5, consumed=0, body=b"checkpoint")
        answer = await store.offer(KEY, "id", draft(), digest=DIGEST, create=head, wakes=False)
        assert answer == Offered(1, first=True)
        info = present(await store.head(KEY))
        assert (info.key, info.head, info.last_seq, info.created_ms) == (KEY, head, 1, world.now_ms())
        assert (info.ready, info.held) == (False, False)

    async def test_without_a_head_nothing_is_made(self, store: Store) -> None:
        with pytest.raises(NotFound, match=KEY):
            await store.offer(KEY, "id", draft(), digest=DIGEST)
        assert await store.head(KEY) is None

    async def test_a_log_that_is_there_keeps_its_head(self, store: Store) -> None:
        await make(store)
        await store.offer(KEY, "id", draft(), digest=DIGEST, create=Head("beat", agent="other"))
        assert present(await store.head(KEY)).head == IDLE

    async def test_inputs_are_numbered_in_order_without_holes(self, store: Store) -> None:
        await make(store)
        assert [await send(store, f"m{n}") for n in range(5)] == [2, 3, 4, 5, 6]
        assert [record.body for record in await store.read(KEY, after=1)] == [f"m{n}".encode() for n in range(5)]

    async def test_an_input_is_told_from_a_decision(self, store: Store) -> None:
        await make(store)
        lease = (await take(store)).lease
        await write(store, lease, 1, "DECIDED")
        assert [(record.kind, record.offered) for record in await store.read(KEY)] == [
            ("CREATED", True),
            ("DECIDED", False),
        ]

    async def test_a_known_id_gets_its_first_answer_and_adds_nothing(self, store: Store) -> None:
        await make(store)
        seq = await send(store, "m1")
        await send(store, "m2")
        before = await snapshot(store)
        assert await store.offer(KEY, "m1", draft(), digest=DIGEST) == Offered(seq, first=False)
        assert await snapshot(store) == before

    async def test_a_known_id_with_another_digest_is_refused(self, store: Store) -> None:
        await make(store)
        await send(store, "m1")
        before = await snapshot(store)
        with pytest.raises(MessageIdReused, match=r"'m1'.*thr_1"):
            await store.offer(KEY, "m1", draft(body=b"m1"), digest=b"other")
        assert await snapshot(store) == before

    async def test_a_known_id_is_known_after_the_run_that_it_began(self, store: Store, world: StoreWorld) -> None:
        await make(store)
        seq = await send(store, "m1")
        lease = (await take(store)).lease
        await store.append(lease, 1, [draft("DONE")], IDLE, seq, release=True)
        await world.pass_time(10**7)
        assert await store.offer(KEY, "m1", draft(), digest=DIGEST) == Offered(seq, first=False)

    async def test_ids_belong_to_their_log(self, store: Store) -> None:
        await make(store, "a")
        await make(store, "ab")
        assert await send(store, "m1", "a") == 2
        assert await store.offer("ab", "m1", draft(), digest=b"other") == Offered(2, first=True)

    async def test_offers_of_one_id_at_once_add_one_record(self, store: Store, second: Store) -> None:
        await make(store)
        offers = (handle.offer(KEY, "m1", draft(), digest=DIGEST) for handle in [store, second] * 10)
        answers = await asyncio.gather(*offers)
        assert {answer.seq for answer in answers} == {2}
        assert [answer.first for answer in answers].count(True) == 1
        assert await kinds(store) == ["CREATED", "INPUT"]

    async def test_two_who_make_the_same_log_at_once_make_one(self, store: Store, second: Store) -> None:
        answers = await asyncio.gather(
            *(handle.offer(KEY, "created", draft(), digest=DIGEST, create=IDLE) for handle in [store, second] * 5)
        )
        assert [answer.first for answer in answers].count(True) == 1
        assert len(await store.find()) == 1

    async def test_offers_of_many_at_once_are_all_kept_with_numbers_of_their_own(
        self, store: Store, second: Store
    ) -> None:
        await make(store)
        seqs = await asyncio.gather(*(send(handle, f"m{n}") for n, handle in enumerate([store, second] * 20)))
        assert sorted(seqs) == list(range(2, 42))
        by_seq = {seq: f"m{n}".encode() for n, seq in enumerate(seqs)}
        assert {record.seq: record.body for record in await store.read(KEY, after=1)} == by_seq

    async def test_an_offer_whose_asker_is_cancelled_is_kept_once_when_repeated(self, store: Store) -> None:
        await make(store)
        asked = asyncio.ensure_future(store.offer(KEY, "m1", draft(), digest=DIGEST))
        await asyncio.sleep(0)
        asked.cancel()
        assert (await store.offer(KEY, "m1", draft(), digest=DIGEST)).seq == 2
        assert await kinds(store) == ["CREATED", "INPUT"]

    async def test_a_queue_takes_what_it_may_hold_and_no_more(self, store: Store) -> None:
        await make(store)
        for n in range(3):
            await store.offer(KEY, f"m{n}", draft(), digest=DIGEST, max_waiting=3)
        before = await snapshot(store)
        with pytest.raises(QueueFull, match=r"3 inputs wait in 'thr_1'"):
            await store.offer(KEY, "m3", draft(), digest=DIGEST, max_waiting=3)
        assert await snapshot(store) == before

    async def test_a_full_queue_still_answers_a_known_id(self, store: Store) -> None:
        await make(store)
        seq = await send(store, "m1")
        assert await store.offer(KEY, "m1", draft(), digest=DIGEST, max_waiting=1) == Offered(seq, first=False)

    async def test_a_queue_has_room_again_for_what_was_consumed(self, store: Store) -> None:
        await make(store)
        last = [await send(store, f"m{n}") for n in range(3)][-1]
        lease = (await take(store)).lease
        # Looked at is not dealt with: claimed alone makes no room.
        await store.append(lease, 1, [], IDLE, last)
        with pytest.raises(QueueFull):
            await store.offer(KEY, "m3", draft(), digest=DIGEST, max_waiting=3)
        await store.append(lease, 2, [], Head("thread", consumed=2), last)
        await store.offer(KEY, "m3", draft(), digest=DIGEST, max_waiting=3)
        await store.offer(KEY, "m4", draft(), digest=DIGEST, max_waiting=3)
        with pytest.raises(QueueFull):
            await store.offer(KEY, "m5", draft(), digest=DIGEST, max_waiting=3)

    async def test_only_waking_inputs_count_as_waiting(self, store: Store) -> None:
        await make(store)
        for n in range(5):
            await send(store, f"quiet{n}", wakes=False)
        await store.offer(KEY, "m1", draft(), digest=DIGEST, max_waiting=1)
        with pytest.raises(QueueFull):
            await store.offer(KEY, "m2", draft(), digest=DIGEST, max_waiting=1)

    async def test_a_queue_without_room_makes_no_log(self, store: Store) -> None:
        with pytest.raises(QueueFull):
            await store.offer(KEY, "m1", draft(), digest=DIGEST, create=IDLE, max_waiting=0)
        assert await store.head(KEY) is None
        await make(store)

    @pytest.mark.parametrize("name", ODD_NAMES)
    async def test_any_text_is_a_name(self, store: Store, name: str) -> None:
        head = Head(name, agent=name)
        assert (await store.offer(name, name, Draft(name, b""), digest=DIGEST, create=head)).seq == 1
        assert (await store.offer(name, name, Draft(name, b""), digest=DIGEST)).first is False
        assert present(await store.head(name)).head == head
        assert [record.kind for record in await store.read(name)] == [name]
        assert [info.key for info in await store.find(kind=name)] == [name]
        assert (await take(store, name)).lease.key == name

    async def test_names_that_only_look_alike_are_different(self, store: Store) -> None:
        for name in ODD_NAMES:
            await make(store, name)
        assert [info.key for info in await store.find()] == sorted(ODD_NAMES)

    @pytest.mark.parametrize("name", NO_NAMES)
    async def test_what_is_no_name_is_refused_everywhere(self, store: Store, name: str) -> None:
        await make(store)
        lease = (await take(store)).lease
        for call in (
            store.offer(name, "id", draft(), digest=DIGEST, create=IDLE),
            store.offer(KEY, name, draft(), digest=DIGEST),
            store.offer(KEY, "id", draft(name), digest=DIGEST),
            store.offer("new", "id", draft(), digest=DIGEST, create=Head(name)),
            store.acquire(name, ME, TTL_S),
            store.append(lease, 1, [draft(name)], IDLE, 0),
            store.append(lease, 1, [], Head(name), 0),
            store.read(name),
            store.head(name),
            store.find(kind=name),
            store.put(name, b""),
            store.get(name),
            store.remove(name),
        ):
            with pytest.raises(InvalidInput):
                await call
        with pytest.raises(InvalidInput):
            await store.subscribe(name).__aenter__()
        assert await kinds(store) == ["CREATED"]
        assert [info.key for info in await store.find()] == [KEY]

    @pytest.mark.parametrize("agent", NO_NAMES[1:])
    async def test_an_agent_may_be_empty_but_not_more(self, store: Store, agent: str) -> None:
        with pytest.raises(InvalidInput):
            await make(store, head=Head("thread", agent=agent))
        await make(store, head=Head("thread", agent=""))

    @pytest.mark.parametrize("body", [b"", b"\0", ALL_BYTES, b"\xff\xfe", ALL_BYTES * 4096], ids=len)
    async def test_bodies_come_back_byte_by_byte(self, store: Store, body: bytes) -> None:
        await make(store, head=Head("thread", body=body))
        await store.offer(KEY, "m1", draft(body=body), digest=body[:64])
        grant = await take(store, after=1)
        await store.append(grant.lease, 1, [draft("DECIDED", body), draft("DECIDED", body)], grant.head, 0)
        assert (grant.head.body, grant.tail[0].body) == (body, body)
        assert [record.body for record in await store.read(KEY, after=1)] == [body] * 3
        assert present(await store.head(KEY)).head.body == body

    async def test_a_body_over_the_limit_is_refused(self, store: Store) -> None:
        await make(store)
        lease = (await take(store)).lease
        before, large = await snapshot(store), bytes(MAX_BODY_BYTES + 1)
        for call in (
            store.offer(KEY, "m1", draft(body=large), digest=DIGEST),
            store.append(lease, 1, [draft(), draft(body=large)], IDLE, 0),
            store.append(lease, 1, [], Head("thread", body=large), 0),
            store.put("value", large),
        ):
            with pytest.raises(TooLarge, match=str(MAX_BODY_BYTES)):
                await call
        assert await snapshot(store) == before

    async def test_changing_what_was_saved_changes_nothing_kept(self, store: Store) -> None:
        bodies = [bytearray(b"kept") for _ in range(4)]
        offered, created, appended, value = (_disguised(body) for body in bodies)
        await store.offer(KEY, "m1", Draft("INPUT", offered), digest=DIGEST, create=Head("thread", body=created))
        assert present(await store.head(KEY)).head.body == b"kept"
        grant = await take(store)
        drafts = [Draft("DECIDED", appended)]
        await store.append(grant.lease, 1, drafts, Head("thread", body=created), 0)
        await store.put("value", value)
        drafts.clear()
        for body in bodies:
            body[:] = b"lost"
        records = await store.read(KEY)
        assert [record.body for record in records] == [b"kept", b"kept"]
        assert present(await store.head(KEY)).head.body == b"kept"
        assert await store.get("value") == b"kept"
        records.clear()
        assert numbers(await store.read(KEY)) == [1, 2]


class ReadsKit(InWorld):
    """What `Store.read` promises."""

    async def test_every_span_reads_as_asked(self, store: Store) -> None:
        await make(store)
        for n in range(2, 8):
            await send(store, f"m{n}")
        log = list(range(1, 8))
        for after in (-1, 0, 1, 3, 7, 9):
            for before in (None, -1, 0, 1, 2, 5, 8, 99):
                for limit in (1, 2, 100):
                    span = [seq for seq in log if after < seq and (before is None or seq < before)]
                    asked = {"after": after, "limit": limit}
                    up = await store.read(KEY, after=after, before=before, limit=limit)
                    down = await store.read(KEY, after=after, before=before, limit=limit, reverse=True)
                    assert numbers(up) == span[:limit], (asked, before)
                    assert numbers(down) == span[::-1][:limit], (asked, before)

    async def test_numbers_beyond_every_log_are_no_harm(self, store: Store) -> None:
        await make(store)
        huge = 10**30
        assert await store.read(KEY, after=huge) == []
        assert await store.read(KEY, before=-huge) == []
        assert numbers(await store.read(KEY, after=-huge, before=huge, limit=huge)) == [1]

    async def test_a_log_that_is_not_there_reads_as_empty(self, store: Store) -> None:
        assert await store.read("nothing") == []
        assert await store.head("nothing") is None

    @pytest.mark.parametrize("limit", [0, -1])
    async def test_a_limit_below_one_is_a_mistake(self, store: Store, limit: int) -> None:
        with pytest.raises(ValueError, match="limit"):
            await store.read(KEY, limit=limit)
        with pytest.raises(ValueError, match="limit"):
            await store.find(limit=limit)


def _disguised(body: bytearray) -> bytes:
    """Something that can be changed, where the types ask for what cannot."""
    return body  # type: ignore[return-value]  # the very mistake that the test makes
