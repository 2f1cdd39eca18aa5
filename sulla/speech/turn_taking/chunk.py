"""What a recognizer sends: pieces of an utterance. Pure."""

from __future__ import annotations

import re
from typing import Final, Literal, get_args

from sulla.core.dataclass import dataclass
from sulla.core.errors import InvalidInput, TooLarge

ChunkKind = Literal["delta", "cumulative", "final"]
"""`delta` appends to the utterance, `cumulative` replaces it up to here, `final` is the whole of it and closes it."""

MAX_CHUNK_CHARS: Final = 16_000
MAX_SEQ: Final = 2**53
"""What JSON numbers carry everywhere."""
MAX_NAME_CHARS: Final = 128
"""Of the names in a `Segment`."""

_KINDS: Final = get_args(ChunkKind)
_ID: Final = re.compile(r"[\w.:-]{1,64}")
"""Without `#`, which stands before the part in the id of a turn."""


@dataclass(frozen=True, slots=True)
class Segment:
    """Which stretch of speech the last words of a chunk are, so that they are known again over another connection.

    Args:
        speaker: whose voice, as the recognizer tells voices apart; at most `MAX_NAME_CHARS`.
        stream: which of the recognizer's connections counts `at`; empty if it does not say: then words are compared.
        at: where the stretch begins in the stream: milliseconds of audio, or the number of the turn. Later ones are
            greater.
        from_char: where its words begin in the text of the chunk; those before them will not be revised.

    Raises:
        InvalidInput: one of these does not fit.
    """

    speaker: str
    stream: str = ""
    at: int = 0
    from_char: int = 0

    def __post_init__(self) -> None:
        for name, value in (("speaker", self.speaker), ("stream", self.stream)):
            if len(value) > MAX_NAME_CHARS:
                raise InvalidInput(f"segment.{name} has {len(value)} characters; expected at most {MAX_NAME_CHARS}")
        for name, number in (("at", self.at), ("from_char", self.from_char)):
            if not 0 <= number <= MAX_SEQ:
                raise InvalidInput(f"segment.{name} is {number}; expected 0 to {MAX_SEQ}")


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of an utterance.

    Args:
        utterance_id: which utterance; letters, digits and ``_ . : -``, at most 64.
        seq: its place in the utterance. One that came already is not taken again, whatever it says.
        kind: what `text` is.
        text: as recognized.
        stable_chars: how many characters at the beginning of the utterance the recognizer will not revise.
        silent_ms: for how long the speaker has been silent by then, as the recognizer hears it; 0 if they are not known
            to have paused; None if it says nothing of that: then a pause follows what will not be revised.
        held: whether the recognizer says when the turn is over, with a final chunk, so that no silence ends it.
        segment: which stretch of speech its last words are; None if nobody sends them over another connection again.

    Raises:
        InvalidInput: one of these does not fit.
        TooLarge: the text is longer than `MAX_CHUNK_CHARS`.
    """

    utterance_id: str
    seq: int
    kind: ChunkKind
    text: str
    stable_chars: int = 0
    silent_ms: int | None = None
    held: bool = False
    segment: Segment | None = None

    def __post_init__(self) -> None:
        if not _ID.fullmatch(self.utterance_id):
            raise InvalidInput(
                f"utterance_id is {self.utterance_id[:80]!r}; expected 1 to 64 letters, digits, '_', '.', ':' or '-'"
            )
        if not 0 <= self.seq <= MAX_SEQ:
            raise InvalidInput(f"seq is {self.seq}; expected 0 to {MAX_SEQ}")
        if self.kind not in _KINDS:
            raise InvalidInput(f"kind is {self.kind!r}; expected one of {', '.join(_KINDS)}")
        if len(self.text) > MAX_CHUNK_CHARS:
            raise TooLarge(f"text has {len(self.text)} characters; expected at most {MAX_CHUNK_CHARS}")
        if self.stable_chars < 0:
            raise InvalidInput(f"stable_chars is {self.stable_chars}; expected 0 or more")
        if self.silent_ms is not None and self.silent_ms < 0:
            raise InvalidInput(f"silent_ms is {self.silent_ms}; expected 0 or more, or null")
