"""What makes an offer the same one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sulla.core.ids import MessageId, ThreadId
from sulla.people.slice import Notice
from sulla.speech.slice import Overheard
from sulla.threads.log import records as f
from sulla.threads.log.spoken import BargedIn
from sulla.threads.offers import dedupe_id, digest, run_of

ONE, OTHER = ThreadId("thr_1"), ThreadId("thr_2")


@pytest.mark.parametrize(
    ("fact", "known_as"),
    [
        (f.ThreadCreated("sulla"), "created"),
        (f.Input(MessageId("m-1"), "hi"), "message:m-1"),
        (f.Answer("review:tool_1", "yes"), "wait:review:tool_1"),
        (f.StopAsked(), "stop:req"),
        (f.ContinueAsked(), "continue:req"),
        (f.Summary(3, "all"), "summary:req"),
        (Notice("done"), "notice:req"),
        (BargedIn("u1", MessageId("m-1")), "barged_in:req"),
        (Overheard("u1", "uh-huh"), "overheard:req"),
    ],
)
def test_an_id_is_stable_for_ever_because_stores_keep_it(fact: f.Offer, known_as: str) -> None:
    assert dedupe_id(fact, "req") == known_as


def test_the_run_follows_from_the_thread_and_the_message() -> None:
    runs = {run_of(thread, MessageId(message)) for thread in (ONE, OTHER) for message in ("m-1", "m-2")}
    assert len(runs) == 4
    assert run_of(ONE, MessageId("m-1")) in runs


def test_a_thread_is_the_same_on_whichever_channel_it_is_asked_for() -> None:
    known = digest(f.ThreadCreated("sulla", "Trip", "rome"))
    assert known.hex() == "b9f95712f37f44806af7b406a0e0a5c6", "stores keep it"
    assert digest(f.ThreadCreated("sulla", "Trip", "rome", "sulla-desktop")) == known
    assert digest(f.ThreadCreated("sulla", "Trip", "berlin", "sulla-desktop")) != known


def test_a_message_is_the_same_whether_a_person_or_a_clients_model_says_it() -> None:
    said = f.Input(MessageId("m1"), "hi")
    assert digest(said) == digest(replace(said, tainted=True))
    beside = replace(said, origin="playbook")
    assert digest(beside) != digest(replace(beside, tainted=True))


def test_content_is_the_same_only_if_all_of_it_is() -> None:
    said = f.Input(MessageId("m-1"), "hi")
    assert digest(said) == digest(f.Input(MessageId("m-1"), "hi", "queue"))
    assert digest(said) != digest(f.Input(MessageId("m-1"), "hi", "steer"))
    assert digest(f.StopAsked()) != digest(f.ContinueAsked())


def test_the_same_answer_is_the_same_whoever_gives_it() -> None:
    assert digest(f.Answer("approval:1", "", "approve", by="phone")) == digest(f.Answer("approval:1", "", "approve"))
    assert digest(f.Answer("approval:1", "", "approve")) != digest(f.Answer("approval:1", "", "reject"))
