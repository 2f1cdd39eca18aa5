"""A conversation as it was before a message's turn began: where that is, and which records come before it. Pure.

A message that waits stands in the log before the end of the turn that it waits for. Whoever goes on from before that
message wants all that was answered above it, and neither the message nor what was queued behind it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection
from dataclasses import replace
from typing import Final

from sulla.core.jsontypes import Json
from sulla.threads.log.codec import Entry
from sulla.threads.log.records import Input, InputIgnored, InputsJoined, RunStarted

SEQ_FIELDS: Final = {
    "SUMMARY": ("covers_seq",),
    "RUN_STARTED": ("input_seq", "known_seq"),
    "INPUTS_JOINED": ("input_seqs",),
    "RESUMED": ("input_seq",),
    "STOPPED": ("input_seq",),
    "CONTINUED": ("input_seq",),
    "INPUT_IGNORED": ("input_seq",),
    "PLAYBOOK": ("input_seq",),
}
"""Where records name others of their thread by their numbers."""


class TurnBegin:
    """Finds where a message's turn begins: where a run takes it up, where it joins one, or where it is put away. One
    that still waits begins behind all that there is.

    Args:
        at_seq: the number of the message; the first entry given is that.
    """

    def __init__(self, at_seq: int) -> None:
        self._at_seq = at_seq
        self._waiting: set[int] = set()
        self._found = False
        self.before = at_seq + 1
        """The number of the first record that does not come before the turn."""

    @property
    def waiting(self) -> Collection[int]:
        """The messages that wait there, from this one on."""
        return self._waiting

    def take(self, entry: Entry) -> bool:
        """Look at the next record; whether the place is found."""
        if self._found:
            return True
        self.before = entry.seq
        taken = _taken_up(entry)
        self._found = self._at_seq in taken
        if not self._found:
            self.before += 1
            self._waiting.difference_update(taken)
            if isinstance(entry.fact, Input):
                self._waiting.add(entry.seq)
        return self._found


class Renumbered:
    """Makes what is left of a thread whole when records are left out: the others move up, and name each other so.

    Args:
        left_out: the numbers of messages that no record names which is left.
    """

    def __init__(self, left_out: Collection[int]) -> None:
        self._left_out = sorted(left_out)

    def newest(self, before: int) -> int:
        """The number, in the thread, of the newest record that is left before another one."""
        seq = before - 1
        while seq in self._left_out:
            seq -= 1
        return seq

    def take(self, entry: Entry) -> Entry | None:
        """The next record; None where it is left out."""
        if not self._left_out or entry.seq < self._left_out[0]:
            return entry
        if self._left_out[bisect_right(self._left_out, entry.seq) - 1] == entry.seq:
            return None
        data = dict(entry.data)
        for name in SEQ_FIELDS.get(entry.kind, ()):
            if name in data:
                data[name] = self._renumbered(data[name])
        return replace(entry, seq=self.new(entry.seq), data=data)

    def _renumbered(self, value: Json) -> Json:
        if isinstance(value, list):
            return [self._renumbered(item) for item in value]
        return self.new(value) if isinstance(value, int) else value

    def new(self, seq: int) -> int:
        """How a record is numbered; one that is left out, where it was the newest known, as the one before it."""
        return seq - bisect_right(self._left_out, seq)


def _taken_up(entry: Entry) -> Collection[int]:
    match entry.fact:
        case RunStarted(input_seq=seq) | InputIgnored(input_seq=seq):
            return (seq,)
        case InputsJoined(input_seqs=seqs):
            return seqs
        case _:
            return ()
