"""A copy from before a message has all that was answered before its turn began, however long the message had waited."""

from __future__ import annotations

from dataclasses import fields

from sulla.core.ids import CallId, MessageId, ThreadId
from sulla.daemon.thread_schema import THREAD_SCHEMA
from sulla.store.base import Store
from sulla.testing.clock import ManualClock
from sulla.threads.archive.fork import ThreadForks
from sulla.threads.archive.restore import ThreadRestore
from sulla.threads.archive.turn_begin import SEQ_FIELDS
from sulla.threads.bounds import ThreadLimits
from sulla.threads.log import records as f
from sulla.threads.log.open_run import OpenRun
from sulla.threads.log.state import ThreadState
from sulla.threads.session import ThreadSession
from sulla.threads.store import Sent, ThreadStore
from tests.kits.each_store import redis_server, store

__all__ = ["redis_server", "store"]


def _close(state: ThreadState, run: OpenRun, now_ms: int) -> list[f.Decision]:
    return [f.RunFinished(run.id, f.Outcome("cancelled", reason="forked"))]


class Talk:
    """A conversation, written turn by turn."""

    def __init__(self, store: Store) -> None:
        self.clock = ManualClock()
        self.threads = self.of(store)
        restore = ThreadRestore(store, self.clock, "home:boot", THREAD_SCHEMA, 1_000, _close, "forked")
        self.forks = ThreadForks(self.threads, restore, self.clock)

    def of(self, store: Store) -> ThreadStore:
        """Threads as another process would have them."""
        limits = ThreadLimits(lease_ttl_s=30.0)
        return ThreadStore(store, self.clock, lambda prefix: f"{prefix}_1", "home:boot", THREAD_SCHEMA, limits)

    async def begin(self) -> ThreadId:
        self.thread = await self.threads.create(f.ThreadCreated("sulla"))
        return self.thread

    async def say(self, text: str, mode: f.Mode = "queue") -> Sent:
        return await self.threads.send(self.thread, f.Input(MessageId(f"m-{text}"), text, mode))

    async def session(self) -> ThreadSession:
        session = await self.threads.attend(self.thread)
        assert session is not None
        return session

    async def take(self, session: ThreadSession, sent: Sent, text: str) -> None:
        """Begin a turn, in which the model is asked."""
        await session.pull()
        call, reply = CallId(f"c-{text}"), MessageId(f"a-{text}")
        await session.commit(
            f.RunStarted(sent.seq, MessageId(f"m-{text}"), "sulla", "model", known_seq=session.seen_seq),
            f.ModelStarted(call, reply),
        )

    async def end(self, session: ThreadSession, sent: Sent, text: str) -> None:
        call, reply = CallId(f"c-{text}"), MessageId(f"a-{text}")
        await session.commit(
            f.TextMessageEnd(call, reply, f"answer to {text}"), f.RunFinished(sent.run_id, f.Outcome("done"))
        )

    async def copied(self, sent: Sent, store: Store) -> list[str]:
        """What a copy from before a message says, read by another process; its head, its log and its replay agree."""
        made = await self.forks.fork_before_turn(self.thread, sent.seq, ThreadId(f"thr_copy_{sent.seq}"))
        other = self.of(store)
        state, entries = await other.load(made.thread_id), await other.entries(made.thread_id)
        assert state is not None
        assert (state.run, state.inbox.waiting) == (None, {})
        assert [entry.seq for entry in entries] == list(range(1, len(entries) + 1))
        for entry in entries:
            if isinstance(entry.fact, f.RunStarted):
                asked = entries[entry.fact.input_seq - 1].fact
                assert isinstance(asked, f.Input)
                assert asked.message_id == entry.fact.message_id
                assert entry.seq > entry.fact.known_seq >= entry.fact.input_seq
        assert made.thread_id not in {info.key for info in await store.find(ready=True)}
        return [message.text for message in state.context.transcript]


async def test_what_a_queued_message_waited_for_is_in_the_copy_and_what_was_queued_behind_it_is_not(
    store: Store,
) -> None:
    talk = Talk(store)
    await talk.begin()
    beta = await talk.say("beta")
    session = await talk.session()
    await talk.take(session, beta, "beta")
    gamma, delta = await talk.say("gamma"), await talk.say("delta")
    await session.pull()
    await talk.end(session, beta, "beta")
    await talk.take(session, gamma, "gamma")
    omega = await talk.say("omega")
    await session.pull()
    await talk.end(session, gamma, "gamma")
    await talk.take(session, delta, "delta")
    await talk.end(session, delta, "delta")
    await session.release()
    whole = ["beta", "answer to beta", "gamma", "answer to gamma", "delta", "answer to delta"]
    assert await talk.copied(gamma, store) == whole[:2]
    assert await talk.copied(delta, store) == whole[:4]
    assert await talk.copied(omega, store) == whole  # it waits still
    made = await talk.forks.fork_before_turn(talk.thread, gamma.seq, ThreadId("thr_again"))
    ends = [entry.fact for entry in await talk.threads.entries(made.thread_id) if isinstance(entry.fact, f.RunFinished)]
    assert [end.outcome.status for end in ends] == ["done"]


async def test_a_message_that_joined_a_turn_or_got_none_ends_the_copy_where_that_was_said(store: Store) -> None:
    talk = Talk(store)
    await talk.begin()
    beta = await talk.say("beta")
    session = await talk.session()
    await talk.take(session, beta, "beta")
    first = await talk.say("gone")
    await session.pull()
    await talk.end(session, beta, "beta")
    await session.commit(
        f.InputIgnored(first.seq, "dropped"), f.RunFinished(first.run_id, f.Outcome("cancelled", reason="stopped"))
    )
    gamma = await talk.say("gamma")
    await talk.take(session, gamma, "gamma")
    joins = await talk.say("joins", "steer")
    await session.pull()
    await session.commit(f.InputsJoined((joins.seq,), (joins.run_id,)))
    await talk.end(session, gamma, "gamma")
    await session.release()
    assert await talk.copied(first, store) == ["beta", "answer to beta"]
    assert await talk.copied(joins, store) == ["beta", "answer to beta", "gamma"]


async def test_the_copy_of_a_turn_that_is_under_way_has_what_there_is(store: Store) -> None:
    talk = Talk(store)
    await talk.begin()
    beta = await talk.say("beta")
    session = await talk.session()
    await talk.take(session, beta, "beta")
    gamma = await talk.say("gamma")
    assert await talk.copied(gamma, store) == ["beta"]
    await session.release()


def test_every_field_that_names_a_record_is_known() -> None:
    found: dict[str, tuple[str, ...]] = {}
    for cls in THREAD_SCHEMA.records.values():
        names = tuple(field.name for field in fields(cls) if field.name.endswith(("seq", "seqs")))
        if names:
            found[cls.kind] = names
    assert found == SEQ_FIELDS
