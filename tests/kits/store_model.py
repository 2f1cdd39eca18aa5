"""A backend against a plain model, call by call, in every order that hypothesis thinks of."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field, replace
from typing import TypeVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from sulla.core.errors import MessageIdReused, NotFound, QueueFull, StaleLease
from sulla.store.values import Draft, Head, Lease, Record, Status
from tests.kits.store_world import StoreWorld

T = TypeVar("T")

PROFILE = settings(
    max_examples=20,
    stateful_step_count=40,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)
"""Short, and the same each time: `./dev test` is no lottery."""

KEYS = st.sampled_from(["a", "ab", "b"])
OWNERS = st.sampled_from(["home-a:1", "home-a:2", "home-b:1"])
IDS = st.sampled_from(["m1", "m2", "m3", "m4"])
DIGESTS = st.sampled_from([b"1", b"2"])
HEADS = st.builds(
    Head,
    kind=st.sampled_from(["thread", "beat"]),
    status=st.sampled_from(["idle", "open", "suspended"]),
    agent=st.sampled_from(["", "sulla"]),
    due_ms=st.none() | st.integers(-20_000, 60_000),
    consumed=st.integers(0, 3),
    body=st.binary(max_size=4),
)
"""Due times count from the start of the world."""

ROOMS = st.none() | st.integers(0, 3)
DRAFTS = st.lists(st.builds(Draft, st.sampled_from(["A", "B"]), st.binary(max_size=4)), max_size=3)


@dataclass(slots=True)
class ModelLog:
    """A log as plainly as it can be said."""

    head: Head
    created_ms: int
    records: list[Record] = field(default_factory=list)
    ids: dict[str, tuple[int, bytes]] = field(default_factory=dict)
    waking: list[int] = field(default_factory=list)
    claimed: int = 0
    epoch: int = 0
    holder: Lease | None = None
    """Whose lease the newest one is, released or not."""
    released: bool = False
    until_s: float = 0.0
    answers: list[int] = field(default_factory=list)
    """What the newest lease's writes were answered."""

    def add(self, draft: Draft, *, offered: bool) -> int:
        """One more record."""
        self.records.append(Record(len(self.records) + 1, draft.kind, offered, draft.body))
        return len(self.records)

    def held(self, now_s: float) -> bool:
        """Whether a lease is alive."""
        return self.holder is not None and not self.released and now_s < self.until_s

    def ready(self, now_ms: int) -> bool:
        """Whether somebody should look."""
        due = self.head.due_ms is not None and self.head.due_ms <= now_ms
        return due or self.head.status == "open" or any(seq > self.claimed for seq in self.waking)


class StoreMachine(RuleBasedStateMachine):
    """Does the same to a backend and to the model; both must answer alike and look alike."""

    def __init__(self, world: StoreWorld) -> None:
        super().__init__()
        self._world = world
        self._runner = asyncio.Runner()
        self._store = world.store()
        self._run(self._store.open())
        self._start_ms = world.now_ms()
        self._now_s = 0.0
        self._logs: dict[str, ModelLog] = {}
        self._values: dict[str, tuple[bytes, float | None]] = {}
        self._leases: list[Lease] = []

    def teardown(self) -> None:
        """Close what was opened."""
        self._run(self._store.close())
        self._runner.close()

    # ------------------------------------------------------------------------------------------------- rules

    @rule(key=KEYS, id_=IDS, digest=DIGESTS, create=st.none() | HEADS, wakes=st.booleans(), room=ROOMS)
    def offer(self, key: str, id_: str, digest: bytes, create: Head | None, wakes: bool, room: int | None) -> None:
        """An input comes."""
        head = self._placed(create) if create is not None else None
        draft = Draft("INPUT", id_.encode())
        call = self._store.offer(key, id_, draft, digest=digest, create=head, wakes=wakes, max_waiting=room)
        log = self._logs.get(key)
        if log is None and head is None:
            self._refused(call, NotFound)
        elif log is not None and id_ in log.ids:
            seq, known = log.ids[id_]
            if known == digest:
                answer = self._run(call)
                assert (answer.seq, answer.first) == (seq, False)
            else:
                self._refused(call, MessageIdReused)
        else:
            if log is None:
                assert head is not None
                log = ModelLog(head, self._now_ms())
            if room is not None and len(log.waking) - log.head.consumed >= room:
                self._refused(call, QueueFull)
                return
            self._logs[key] = log
            seq = log.add(draft, offered=True)
            log.ids[id_] = (seq, digest)
            if wakes:
                log.waking.append(seq)
            answer = self._run(call)
            assert (answer.seq, answer.first) == (seq, True)

    @rule(key=KEYS, owner=OWNERS, ttl_s=st.sampled_from([5.0, 20.0]), after=st.none() | st.integers(0, 9))
    def acquire(self, key: str, owner: str, ttl_s: float, after: int | None) -> None:
        """Somebody wants a log."""
        grant = self._run(self._store.acquire(key, owner, ttl_s, after=after))
        log = self._logs.get(key)
        if log is None or (log.held(self._now_s) and not _other_boot(log.holder, owner)):
            assert grant is None
            return
        assert grant is not None
        log.epoch, log.holder, log.released, log.answers = log.epoch + 1, grant.lease, False, []
        log.until_s = self._now_s + ttl_s
        assert (grant.lease.key, grant.lease.owner, grant.lease.epoch) == (key, owner, log.epoch)
        assert (grant.head, grant.last_seq) == (log.head, len(log.records))
        assert list(grant.tail) == ([] if after is None else log.records[after:])
        self._leases.append(grant.lease)

    @rule(number=st.integers(0, 99))
    def renew(self, number: int) -> None:
        """A holder, present or past, renews."""
        if (lease := self._lease(number)) is None:
            return
        call, log = self._store.renew(lease), self._held_under(lease)
        if log is None:
            self._refused(call, StaleLease)
        else:
            self._run(call)
            log.until_s = self._now_s + lease.ttl_s

    @rule(number=st.integers(0, 99))
    def release(self, number: int) -> None:
        """A holder, present or past, lets go."""
        if (lease := self._lease(number)) is not None:
            self._run(self._store.release(lease))
            if (log := self._held_under(lease)) is not None:
                log.released = True

    @rule(
        number=st.integers(0, 99),
        step=st.sampled_from([1, 1, 1, 1, 0, 0, -1, 2]),
        drafts=DRAFTS,
        head=HEADS,
        claimed=st.integers(-1, 8),
        release=st.booleans(),
    )
    def append(self, number: int, step: int, drafts: list[Draft], head: Head, claimed: int, release: bool) -> None:
        """A holder, present or past, writes: in turn, once more, or out of turn."""
        if (lease := self._lease(number)) is None:
            return
        log, head = self._logs.get(lease.key), self._placed(head)
        fenced = log is None or log.holder != lease
        write_no = step + (len(log.answers) if log is not None and not fenced else 0)
        call = self._store.append(lease, write_no, drafts, head, claimed, release=release)
        if log is None or fenced:
            self._refused(call, StaleLease)
        elif step == 0 and log.answers:
            assert self._run(call) == log.answers[-1]
        elif log.released:
            self._refused(call, StaleLease)
        elif step != 1 or claimed > len(log.records) + len(drafts):
            self._refused(call, ValueError)
        else:
            for draft in drafts:
                log.add(draft, offered=False)
            log.head, log.claimed, log.released = head, max(log.claimed, claimed), release
            log.answers.append(len(log.records))
            assert self._run(call) == len(log.records)

    @rule(number=st.integers(0, 99), really=st.sampled_from([True, False, False]))
    def delete(self, number: int, really: bool) -> None:
        """A holder, present or past, deletes."""
        if (lease := self._lease(number)) is None or not really:
            return
        held = self._held_under(lease)
        last_seq = number % 3 if number % 2 else None
        call = self._store.delete(lease, last_seq=last_seq)
        if held is None:
            self._refused(call, StaleLease)
        else:
            gone = last_seq in (None, len(held.records))
            assert self._run(call) is gone
            if gone:
                del self._logs[lease.key]

    @rule(key=KEYS, value=st.binary(max_size=3), ttl_s=st.none() | st.sampled_from([5.0, 20.0]))
    def put(self, key: str, value: bytes, ttl_s: float | None) -> None:
        """A small value comes."""
        self._run(self._store.put(key, value, ttl_s))
        self._values[key] = (value, None if ttl_s is None else self._now_s + ttl_s)

    @rule(
        key=KEYS,
        right=st.booleans(),
        old=st.none() | st.binary(max_size=1),
        value=st.binary(max_size=1),
        ttl_s=st.none() | st.sampled_from([5.0, 20.0]),
    )
    def swap(self, key: str, right: bool, old: bytes | None, value: bytes, ttl_s: float | None) -> None:
        """A small value takes the place of what is there, or of what somebody thinks is there."""
        there = self._value(key)
        expected = there if right else old
        kept = self._run(self._store.swap(key, expected, value, ttl_s))
        assert kept is (there in (expected, value))
        if kept:
            self._values[key] = (value, None if ttl_s is None else self._now_s + ttl_s)

    @rule(key=KEYS)
    def remove(self, key: str) -> None:
        """A small value goes."""
        there = self._value(key) is not None
        assert self._run(self._store.remove(key)) is there
        self._values.pop(key, None)

    @rule(seconds=st.sampled_from([1.0, 4.0, 5.0, 15.0, 40.0]))
    def pass_time(self, seconds: float) -> None:
        """Time goes by."""
        self._run(self._world.pass_time(seconds))
        self._now_s += seconds

    @rule()
    def reopen(self) -> None:
        """The process ends and begins again."""
        self._run(self._store.close())
        self._store = self._world.store()
        self._run(self._store.open())

    # -------------------------------------------------------------------------------------------- what must hold

    @invariant()
    def all_looks_alike(self) -> None:
        """Every log and every value is as the model has it."""
        self._run(self._compare())

    async def _compare(self) -> None:
        now_ms = self._now_ms()
        infos = {info.key: info for info in await self._store.find()}
        assert list(infos) == sorted(self._logs)
        for key, log in self._logs.items():
            info = infos[key]
            assert (info.head, info.last_seq, info.created_ms) == (log.head, len(log.records), log.created_ms)
            assert (info.ready, info.held) == (log.ready(now_ms), log.held(self._now_s))
            assert await self._store.head(key) == info
            assert await self._store.read(key) == log.records
        ready = [key for key in sorted(self._logs) if self._logs[key].ready(now_ms)]
        assert [info.key for info in await self._store.find(ready=True)] == ready
        statuses: tuple[Status, ...] = ("open", "suspended")
        for status in statuses:
            found = [info.key for info in await self._store.find(status=status, kind="thread")]
            assert found == [k for k in sorted(self._logs) if _is(self._logs[k].head, status)]
        for key in ("a", "ab", "b"):
            assert await self._store.get(key) == self._value(key)

    # ------------------------------------------------------------------------------------------------- private

    def _run(self, call: Coroutine[object, object, T]) -> T:
        return self._runner.run(_as_any(call))

    def _refused(self, call: Coroutine[object, object, object], error: type[Exception]) -> None:
        with pytest.raises(error):
            self._run(call)

    def _now_ms(self) -> int:
        return self._start_ms + int(self._now_s * 1000)

    def _placed(self, head: Head) -> Head:
        return head if head.due_ms is None else replace(head, due_ms=self._start_ms + head.due_ms)

    def _lease(self, number: int) -> Lease | None:
        """Some lease that was ever granted, the newest one most often."""
        if not self._leases:
            return None
        return self._leases[-1] if number >= 50 else self._leases[number % len(self._leases)]

    def _held_under(self, lease: Lease) -> ModelLog | None:
        log = self._logs.get(lease.key)
        return log if log is not None and log.holder == lease and not log.released else None

    def _value(self, key: str) -> bytes | None:
        value, until_s = self._values.get(key, (None, None))
        return value if until_s is None or self._now_s < until_s else None


class ModelKit:
    """Runs the machine; the class that runs it says how a new world is made."""

    examples = PROFILE.max_examples
    """Fewer where each call takes its time."""

    @pytest.fixture
    def new_world(self) -> Callable[[], StoreWorld]:
        """Makes a world with nothing in it."""
        raise NotImplementedError("a class that runs the kit makes the worlds")

    def test_it_does_as_the_model_does(self, new_world: Callable[[], StoreWorld]) -> None:
        class Machine(StoreMachine):
            def __init__(self) -> None:
                super().__init__(new_world())

        run_state_machine_as_test(Machine, settings=settings(PROFILE, max_examples=self.examples))


def _other_boot(holder: Lease | None, owner: str) -> bool:
    return holder is not None and holder.owner != owner and holder.owner[:6] == owner[:6]


def _is(head: Head, status: Status) -> bool:
    return head.kind == "thread" and head.status == status


async def _as_any(call: Coroutine[object, object, T]) -> T:
    return await call
