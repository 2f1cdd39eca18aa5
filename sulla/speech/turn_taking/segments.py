"""Which stretch of a recognizer's stream is in which utterance, so that a client that connects anew, to the daemon or
to its recognizer, neither doubles nor loses a word. Pure.

A new connection begins a new utterance, and the recognizer goes on in mid-segment: its next frame holds the words again
that the utterance before has. What the stream has counted tells which those are. Where a recognizer does not count, or
counts anew, the words are compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final

from sulla.speech.turn_taking.align import repeats
from sulla.speech.turn_taking.chunk import Chunk, Segment
from sulla.speech.turn_taking.stored import StoredSegment
from sulla.speech.turn_taking.utterance import Utterance, bare_words

MAX_STREAMS: Final = 16
"""Of which it is known how far closed utterances have come; the oldest is forgotten."""


class Segments:
    """What is known of the segments of one thread."""

    __slots__ = ("_places", "_streams")

    def __init__(self, places: Iterable[StoredSegment] = (), streams: Iterable[tuple[str, int]] = ()) -> None:
        self._places = {place.utterance_id: place for place in places}
        self._streams = dict(streams)

    def stored(self) -> tuple[tuple[StoredSegment, ...], tuple[tuple[str, int], ...]]:
        """Those of open utterances, and how far closed ones have come."""
        return tuple(self._places.values()), tuple(self._streams.items())

    def fit(self, chunk: Chunk, utterances: Mapping[str, Utterance]) -> Chunk:
        """Take out of a chunk what other utterances have, and out of them what it has from now on.

        Args:
            chunk: that has come.
            utterances: those that are open, its own among them, oldest first.

        Returns:
            The chunk with its own words only.
        """
        if (segment := chunk.segment) is None:
            return chunk
        known = self._places.get(chunk.utterance_id)
        place = self._begun(chunk.utterance_id, segment, utterances) if known is None else _moved(known, segment)
        begins, says_nothing = place.begins, False
        if begins is None and segment.at >= place.floor:
            begins = 0 if known is None else segment.from_char
            self._take_over(place, utterances)
        if place.repeats:
            place, says_nothing = self._compared(place, chunk, utterances)
        ends = place.ends
        if ends is None and place.ends_at is not None and segment.at >= place.ends_at:
            ends = segment.from_char
        if place is not known or begins != place.begins or ends != place.ends:
            words = len(bare_words(chunk.text[begins or 0 : segment.from_char])) if begins is not None else 0
            self._places[chunk.utterance_id] = replace(place, begins=begins, ends=ends, words=words)
        if begins is None or says_nothing:
            return replace(chunk, text="", stable_chars=0)
        if begins == 0 and ends is None:
            return chunk
        return replace(chunk, text=chunk.text[begins:ends], stable_chars=max(0, chunk.stable_chars - begins))

    def close(self, utterance_id: str) -> None:
        """Nothing more comes of an utterance; what is said again of its stream is late.

        Args:
            utterance_id: which.
        """
        place = self._places.pop(utterance_id, None)
        if place is None or not place.stream or place.begins is None:
            return
        stream = _stream(place.speaker, place.stream)
        self._streams[stream] = max(place.at, self._streams.pop(stream, 0))
        while len(self._streams) > MAX_STREAMS:
            del self._streams[next(iter(self._streams))]

    def _begun(self, utterance_id: str, segment: Segment, utterances: Mapping[str, Utterance]) -> StoredSegment:
        """The first segment of an utterance: what was heard of its stream before, and whose words it may say again."""
        others = [one for one in self._places.values() if one.speaker == segment.speaker and one.ends_at is None]
        same = [one for one in others if one.stream == segment.stream != ""]
        is_over = self._streams.get(_stream(segment.speaker, segment.stream)) if segment.stream else None
        floor = max([0 if is_over is None else is_over + 1, *(max(one.floor, one.at) for one in same)])
        said_before = ""
        if not same and is_over is None:
            ids = (one.utterance_id for one in reversed(others))
            open_ids = (id_ for id_ in ids if not utterances[id_].settled and utterances[id_].words())
            said_before = next(open_ids, "")
        where = (segment.speaker, segment.stream, segment.at, segment.from_char)
        return StoredSegment(utterance_id, *where, 0, floor, begins=None, repeats=said_before)

    def _take_over(self, place: StoredSegment, utterances: Mapping[str, Utterance]) -> None:
        """From here on the stream is heard in this utterance alone."""
        for other_id, other in list(self._places.items()):
            is_same = other.stream == place.stream != "" and other.speaker == place.speaker
            if not is_same or other_id == place.utterance_id or other.ends_at is not None:
                continue
            is_shared = other.at == place.at
            self._places[other_id] = replace(other, ends_at=place.at, ends=other.from_char if is_shared else None)
            if is_shared:
                utterances[place.utterance_id].inherit(utterances[other_id].cede(other.words))

    def _compared(
        self, place: StoredSegment, chunk: Chunk, utterances: Mapping[str, Utterance]
    ) -> tuple[StoredSegment, bool]:
        """What is known by now of whether the words of another utterance are said again, and whether they are all that
        is said so far."""
        other, utterance = self._places.get(place.repeats), utterances[place.utterance_id]
        if other is None or utterance.was_taken:
            return replace(place, repeats=""), False
        before = utterances[place.repeats]
        old, now = before.words_from(other.words), bare_words(chunk.text)
        is_settled = chunk.kind == "final" or chunk.stable_chars >= len(chunk.text)
        match repeats(old, now):
            case "all":
                utterance.inherit(before.cede(other.words))
                return replace(place, repeats=""), False
            case "so far" if is_settled and now:
                utterance.inherit(before.cede(other.words))
                return replace(place, repeats=""), False
            case "so far":
                return place, True
            case "nothing":
                return (replace(place, repeats="") if is_settled or len(now) > len(old) else place), False


def _moved(place: StoredSegment, segment: Segment) -> StoredSegment:
    """The place of an utterance whose next chunk has this segment."""
    here = (segment.stream, segment.at, segment.from_char)
    if here == (place.stream, place.at, place.from_char):
        return place
    return replace(
        place,
        stream=segment.stream,
        at=segment.at,
        from_char=segment.from_char,
        floor=place.floor if segment.stream == place.stream else 0,
        repeats="",
    )


def _stream(speaker: str, stream: str) -> str:
    return f"{speaker}/{stream}"
