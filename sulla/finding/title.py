"""What a thread is called in lists, and what it is: by its own records alone. Pure."""

from __future__ import annotations

import re
from typing import ClassVar, Final, Literal, get_args

from sulla.core.dataclass import dataclass
from sulla.threads.log.codec import Origin
from sulla.threads.log.forms import Fielded
from sulla.threads.log.provenance import Provenance
from sulla.threads.log.schema import Slice
from sulla.threads.log.state import ThreadState

Kind = Literal["chat", "schedule", "beat", "playbook", "step", "child"]
"""`chat`: a person's conversation. `schedule`: what a schedule says or calls. `beat`: an agent's own time, and its
cycles. `playbook`: a playbook's run. `step`: an agent's step of one. `child`: what another agent asked for."""
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
TitledBy = Literal["person", "client", "words", "nobody"]
"""Whose a title is: a person's, who gave it later; of who began the thread; its first words; there is none yet."""

TITLE_CHARS: Final = 60
"""Of a title that is made from first words: with an id, a time and an agent it fits into a line of 120 columns."""

_OF_KIND: Final[dict[str, Kind]] = {"step": "step", "cycle": "beat", "heartbeat": "beat", "playbook": "playbook"}
_HEAD_MARKS: Final = re.compile(r"^(?:[#>*+\-\s`_]|\d{1,3}[.)]\s)+")
"""What Markdown begins a line with."""
_SENTENCE_END: Final = re.compile(r"(?<=[^\W\d_]{3})[.!?](?=\s)|[。！？\n]")  # noqa: RUF001 - these end sentences, too


@dataclass(frozen=True, slots=True)
class ThreadNamed(Fielded):
    """A person has given the thread a name, or taken it back."""

    kind: ClassVar[str] = "THREAD_NAMED"
    provenance: ClassVar[Provenance] = "person"
    title: str
    """Empty to have it called by its first words again."""
    by: str = ""
    """The name of the person's token."""


@dataclass(frozen=True, slots=True)
class GivenName:
    """The name that a person gave a thread last."""

    title: str
    by: str = ""


def _named(state: ThreadState, kept: GivenName | None, record: ThreadNamed, seq: int, origin: Origin) -> GivenName:
    return GivenName(record.title, record.by)


NAMES: Final[Slice[GivenName]] = Slice("named", GivenName, _named, offered=(ThreadNamed,))
"""What a person has called a thread."""


def title_from(words: str) -> str:
    """A title, made from how a conversation begins: its first sentence, cut between words.

    Args:
        words: the first message's beginning, in one line.
    """
    plain = _HEAD_MARKS.sub("", words)
    ends = _SENTENCE_END.search(plain)
    sentence = plain[: ends.start()] if ends is not None and ends.start() else plain
    title = " ".join(sentence.split()).rstrip(" ,;:.")
    if len(title) <= TITLE_CHARS:
        return title
    cut = title[: TITLE_CHARS - 1]
    # Where a text has no spaces, or a single long word, it is cut within that.
    whole = cut.rpartition(" ")[0] if " " in cut[TITLE_CHARS // 2 :] else cut
    return whole.rstrip(" ,;:.") + "…"


def title_of(state: ThreadState) -> tuple[str, TitledBy]:
    """What a thread is called, and whose title that is.

    Args:
        state: the thread, with or without its messages.
    """
    given = NAMES.of(state)
    if given is not None and given.title:
        return given.title, "person"
    if state.identity.title:
        return state.identity.title, "client"
    title = title_from(state.inbox.opening.words)
    return (title, "words") if title else ("", "nobody")


def kind_of(state: ThreadState) -> Kind:
    """What a thread is, for people.

    Args:
        state: the thread, with or without its messages.
    """
    if (known := _OF_KIND.get(state.kind.name)) is not None:
        return known
    if state.is_child:
        return "child"
    return "schedule" if state.inbox.opening.origin == "beat" else "chat"
