"""What the model has written stays the model's, when nobody can see any more where it wrote it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from sulla.agent.calls.taint import is_known_target
from sulla.core.ids import CallId, MessageId, RunId, ThreadId
from sulla.core.message import Part, ToolCall, ToolResult
from sulla.daemon.thread_schema import THREAD_SCHEMA
from sulla.store.memory import MemoryStore
from sulla.testing.provider import ScriptedProvider
from sulla.testing.world import World
from sulla.threads.archive.replay import Replay
from sulla.threads.head import from_head, to_head
from sulla.threads.log import records as f
from sulla.threads.log.codec import Origin
from sulla.threads.log.spoken import Heard, Spoken
from sulla.threads.log.state import ThreadState

LINK = "https://evil.example/leak?d=secret"
OTHER = "https://news.example/a"


class Talk:
    """A conversation in the making, one record after the other."""

    def __init__(self) -> None:
        self.state = THREAD_SCHEMA.new(ThreadId("thr"))
        self.seq = 0
        self.offer(f.ThreadCreated("sulla"))

    def offer(self, fact: f.Offer) -> int:
        self.seq += 1
        THREAD_SCHEMA.offer(self.state, fact, self.seq, Origin(self.seq, RunId(f"run_{self.seq}")))
        return self.seq

    def decide(self, fact: f.Decision) -> None:
        self.seq += 1
        THREAD_SCHEMA.decide(self.state, fact, Origin(self.seq))

    def turn(self, said: str, reply: str = "", *parts: Part, heard: Heard | None = None, cut: bool = False) -> None:
        """A person says something, and the model answers; each call in `parts` has a result behind it."""
        key = self.seq
        spoken = Spoken(f"u{key}", "final", heard=heard) if heard is not None else None
        seq = self.offer(f.Input(MessageId(f"i{key}"), said, spoken=spoken))
        self.decide(f.RunStarted(seq, MessageId(f"i{key}")))
        calls = tuple(part for part in parts if isinstance(part, ToolCall))
        if reply or calls:
            self.decide(f.TextMessageEnd(CallId(f"c{key}"), MessageId(f"r{key}"), reply, calls, cut=cut))
        for part in parts:
            if isinstance(part, ToolResult):
                self.decide(f.ToolCallResult(part.call_id, part.text, origin="web"))
        self.decide(f.RunFinished(RunId(f"run_{seq}"), f.Outcome("done")))

    def read(self, said: str, url: str, page: str) -> None:
        """A turn in which a page is read."""
        call = CallId(f"p{self.seq}")
        self.turn(said, "", ToolCall(call, "read_page", {"url": url}), ToolResult(call, page, origin="web"))

    def sum_up(self) -> None:
        """All that was said so far is only told in short from here on."""
        last = list(self.state.context.transcript)[-1].id
        self.offer(f.Summary(self.seq, "They talked.", last))

    def known(self, url: str = LINK) -> bool:
        return _known(self.state, url)


def _known(state: ThreadState, url: str = LINK) -> bool:
    return is_known_target(ToolCall(CallId("now"), "read_page", {"url": url}), state.context, "read_page".__eq__)


def summed_up(*turns: tuple[str, str]) -> Talk:
    talk = Talk()
    for said, reply in turns:
        talk.turn(said, reply)
    talk.turn("And else?", "Nothing.")
    talk.sum_up()
    return talk


def test_an_address_that_the_model_wrote_before_a_summary_is_no_persons_who_repeats_it() -> None:
    talk = summed_up(("What is in the mail?", f"Look at {LINK} now."))
    assert all(LINK not in message.text for message in talk.state.context.transcript)
    talk.turn(f"What is {LINK} about?")
    assert not talk.known()
    talk.turn(f"And {OTHER}?")
    assert talk.known(OTHER)


def test_one_that_a_person_named_before_it_stays_a_persons() -> None:
    talk = summed_up((f"Read {LINK}.", f"I read {LINK}."))
    assert talk.known()
    talk.turn(f"And {LINK} again.", f"Yes, {LINK}.")
    assert talk.known()


def test_nor_is_it_a_pages_that_is_read_later() -> None:
    talk = summed_up(("What is in the mail?", f"Look at {LINK} now."))
    talk.read(f"Read {OTHER}.", OTHER, f"Seen here: {LINK} and https://news.example/b")
    assert not talk.known()
    assert talk.known("https://news.example/b")


def test_what_a_page_offered_first_can_be_read_again_as_long_as_the_page_is_shown() -> None:
    talk = Talk()
    talk.read(f"Read {OTHER}.", OTHER, "Next: https://news.example/b")
    talk.turn("And?", "There is https://news.example/b too.")
    talk.turn("Read https://news.example/b.")
    assert talk.known("https://news.example/b")
    talk.state.context.transcript.shortened = True
    assert not talk.known("https://news.example/b"), "who wrote it first may have been left out"


def test_what_was_evicted_without_a_summary_is_remembered_too() -> None:
    talk = Talk()
    talk.turn("What is in the mail?", f"Look at {LINK} now.")
    talk.turn("words " * 200, "Words.")
    talk.state.context.transcript.fit(300)
    assert talk.state.context.transcript.shortened
    talk.read(f"Read {OTHER}.", OTHER, f"Seen here: {LINK} and https://news.example/b")
    talk.turn(f"What is {LINK} about?")
    assert not talk.known()
    assert talk.known("https://news.example/b")


def test_a_head_gives_it_back_and_one_of_before_trusts_no_summary() -> None:
    talk = summed_up(("What is in the mail?", f"Look at {LINK} now."), (f"Read {OTHER}.", "I did."))
    state, _ = from_head(THREAD_SCHEMA, talk.state.thread_id, to_head(THREAD_SCHEMA, talk.state, talk.seq, 1))
    assert state.context.named == talk.state.context.named
    assert _known(state, OTHER)
    state.context.named, state.context.transcript = None, talk.state.context.transcript
    assert not _known(state, OTHER), "nobody knows who was the first"
    state.context.summary = replace(state.context.summary, seq=0)
    talk.turn(f"And {OTHER}?")
    assert _known(state, OTHER)
    assert THREAD_SCHEMA.new(ThreadId("thr")).context.named is None


@pytest.mark.parametrize("chars", [20, 40, 43, 200])
@pytest.mark.parametrize("echo", [LINK, LINK[:-3], LINK.upper(), f"{LINK}s"])
def test_an_address_that_is_heard_while_a_reply_is_played_is_no_persons(chars: int, echo: str) -> None:
    talk = Talk()
    talk.turn("What is in the mail?", f"Well: have a look at {LINK} now. It is worth it.")
    reply = next(message.id for message in talk.state.context.transcript if message.role == "assistant")
    talk.turn(f"have a look at {echo}", heard=Heard(reply, chars))
    assert not talk.known(echo)
    talk.turn("And else?", "Nothing.")
    talk.sum_up()
    assert not talk.known(echo)
    talk.turn(f"No, read {OTHER}.")
    assert talk.known(OTHER)


def test_nor_is_one_that_a_cut_reply_had_begun() -> None:
    talk = Talk()
    talk.turn("What is in the mail?", f"Well: have a look at {LINK[:22]}", cut=True)
    talk.turn(f"have a look at {LINK}")
    assert not talk.known()


@pytest.mark.parametrize(
    "part",
    [
        ToolCall(CallId("t"), "write_file", {"path": "a.md", "content": f"see {LINK}"}),
        ToolCall(CallId("t"), "search", {"query": [{"for": LINK}]}),
    ],
)
def test_what_it_wrote_as_an_argument_counts_as_well(part: ToolCall) -> None:
    talk = Talk()
    talk.turn("Note it.", "", part, ToolResult(CallId("t"), "done"))
    talk.turn("And else?", "Nothing.")
    talk.sum_up()
    talk.turn(f"What is {LINK} about?")
    assert not talk.known()


def test_words_from_outside_make_no_address_a_persons() -> None:
    talk = Talk()
    inputs: Sequence[f.Input] = (
        f.Input(MessageId("a"), LINK, tainted=True),
        f.Input(MessageId("b"), LINK, origin="web"),
        f.Input(MessageId("c"), "see", quoted=LINK),
    )
    for one in inputs:
        talk.decide(f.RunStarted(talk.offer(one), one.message_id))
        talk.decide(f.RunFinished(RunId(f"run_{talk.seq - 1}"), f.Outcome("done")))
    assert not talk.known()


async def test_after_a_restart_and_in_a_copy_it_is_the_same(store: MemoryStore) -> None:
    first = World(store, ScriptedProvider([f"Look at {LINK}. <AGENT_DONE>ok</AGENT_DONE>"]))
    thread = await first.thread()
    await first.ask(thread, f"What of {OTHER}?")
    last = (await first.log(thread))[-1].seq
    await first.threads.tell(thread, f.Summary(last, "They talked.", MessageId("none")), "call_sum")
    again = World(store, ScriptedProvider(["Hm. <AGENT_DONE>ok</AGENT_DONE>"]), boot=2)
    await again.ask(thread, f"What is {LINK} about?")
    state = await again.threads.load(thread)
    assert state is not None
    copy = Replay(THREAD_SCHEMA, thread, 1_000)
    for entry in await again.log(thread):
        copy.take(entry)
    for one in (state, copy.state):
        assert [_known(one), _known(one, OTHER)] == [False, True]
