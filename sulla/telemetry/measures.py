"""From what happened to what is counted. Pure."""

from __future__ import annotations

from collections.abc import Collection

from sulla.core.dataclass import dataclass
from sulla.core.units import MICRO
from sulla.telemetry import families as of
from sulla.telemetry.tally import OTHER, Tally
from sulla.telemetry.timeline import CallDone, FirstWord, Piece, RunBegan, RunOver, Summarized, ToolDone
from sulla.threads.log.usage import Usage


@dataclass(frozen=True, slots=True)
class Measures:
    """Turns what the timeline tells into counters and histograms. It lives as long as the daemon."""

    tally: Tally
    tools: Collection[str]
    """The tools that there are: a model can ask for any name."""

    def read(self, piece: Piece) -> None:
        """Count what a piece says."""
        tally = self.tally
        match piece:
            case RunBegan(waited_s=float(waited_s)):
                tally.observe(of.QUEUE_S, waited_s)
            case FirstWord(after_s=after_s):
                tally.observe(of.FIRST_TEXT_S, after_s)
            case CallDone():
                self._call(piece)
            case ToolDone():
                name = piece.name if piece.name in self.tools else OTHER
                tally.count(of.TOOL_CALLS, name, piece.outcome)
                tally.observe(of.TOOL_CALL_S, (piece.ended_ms - piece.began_ms) / 1000, name)
            case RunOver():
                self._ended(piece)
            case Summarized(usage=usage, worked=worked):
                tally.count(of.SUMMARIES, "ok" if worked else "failed")
                self._used(usage)

    def _ended(self, ended: RunOver) -> None:
        self.tally.count(of.TURNS, ended.whose.agent, ended.outcome)
        if ended.outcome == "failed":
            self.tally.count(of.TURN_FAILURES, ended.reason)
        if ended.took_s is not None and ended.outcome != "joined":
            self.tally.observe(of.TURN_S, ended.took_s, ended.whose.agent)

    def _call(self, call: CallDone) -> None:
        self.tally.count(of.MODEL_CALLS, call.purpose, call.outcome)
        if call.began_ms is not None:
            self.tally.observe(of.MODEL_CALL_S, (call.ended_ms - call.began_ms) / 1000, call.outcome)
        self._used(call.usage)

    def _used(self, usage: Usage) -> None:
        kinds = {
            "input": usage.input_tokens,
            "output": usage.output_tokens,
            "cache_read": usage.cache_read_tokens,
            "cache_write": usage.cache_write_tokens,
        }
        for kind, tokens in kinds.items():
            if tokens:
                self.tally.count(of.TOKENS, kind, by=tokens)
        if usage.cost_micro:
            self.tally.count(of.COST, by=usage.cost_micro / MICRO)
