"""What makes an offer the same one when it comes again: its id, and what identifies its content. Pure."""

from __future__ import annotations

from hashlib import blake2b

import orjson

from sulla.core.event import Fact
from sulla.core.ids import MessageId, RunId, ThreadId, derived_id
from sulla.threads.log import records as f


def run_of(thread_id: ThreadId, message_id: MessageId) -> RunId:
    """The run of a message: it follows from both ids, so a re-send gets the same one, also after a restart."""
    return RunId(derived_id("run", thread_id, message_id))


def dedupe_id(fact: Fact, request_id: str) -> str:
    """Under which id a thread knows an offer.

    Args:
        fact: what is offered.
        request_id: tells those apart that have no name of their own, e.g. two stops.
    """
    match fact:
        case f.ThreadCreated():
            return "created"
        case f.Input():
            return f"message:{fact.message_id}"
        case f.Answer():
            return f"wait:{fact.wait_id}"
        case _:
            return f"{fact.kind.lower()}:{request_id}"


def digest(fact: Fact) -> bytes:
    """Sixteen bytes that are the same only for the same content.

    The channel that a thread is begun on is none of it: a client may ask for the same thread on another one. Nor is
    whether a client's message was a model's, nor who gave an answer: the same words are the same message, and the same
    answer, and the log keeps how it came first.
    """
    data = fact.data()
    if isinstance(fact, f.ThreadCreated):
        data.pop("channel", None)
    elif isinstance(fact, f.Input) and fact.origin == "user":
        data.pop("tainted", None)
    elif isinstance(fact, f.Answer):
        data.pop("by", None)
    return blake2b(orjson.dumps([fact.kind, data], option=orjson.OPT_SORT_KEYS), digest_size=16).digest()
