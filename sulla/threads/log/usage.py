"""What model calls used, and what a thread was charged for. Pure."""

from __future__ import annotations

from dataclasses import field

from sulla.core.dataclass import dataclass
from sulla.core.units import DAY_MS
from sulla.threads.log.forms import Fielded
from sulla.threads.log.kept import ALWAYS, rule


@dataclass(frozen=True, slots=True)
class Usage(Fielded):
    """Tokens of one model call as the provider counted them."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    cost_micro: int | None = None
    """What they cost, in millionths of the currency's unit; None where the model has no price."""

    @property
    def total(self) -> int:
        """All the tokens."""
        return self.input_tokens + self.output_tokens + self.cache_read_tokens + self.cache_write_tokens

    def __add__(self, other: Usage) -> Usage:
        """Both together; what has no price adds nothing to the cost."""
        costs = [cost for cost in (self.cost_micro, other.cost_micro) if cost is not None]
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cache_read_tokens + other.cache_read_tokens,
            self.cache_write_tokens + other.cache_write_tokens,
            sum(costs) if costs else None,
        )


@dataclass(slots=True)
class ThreadSpending:
    """What was charged to a thread: to all its runs together, and to itself."""

    usage: Usage = field(default_factory=Usage, metadata=ALWAYS)
    """All runs of this thread together, and its summaries."""
    tokens: int = field(default=0, metadata=rule(name="spent_tokens"))
    """Charged so far, children and calls that came to nothing included."""
    cost_micro: int = field(default=0, metadata=rule(name="spent_micro"))
    """The same in money, in millionths of the currency's unit, as far as the models have prices."""
    day: int = 0
    """The day that `day_tokens` is of, counted in UTC days since 1970."""
    day_tokens: int = 0
    """Charged on that day, reservations of calls that came to nothing included."""

    def charge(self, tokens: int, at_ms: int) -> None:
        """Charge tokens.

        Args:
            tokens: how many.
            at_ms: when, UTC milliseconds.
        """
        day = at_ms // DAY_MS
        # A clock that was set back a little does not give a day's tokens anew; one that was far ahead is not believed.
        if day > self.day or self.day > day + 1:
            self.day, self.day_tokens = day, 0
        self.day_tokens += tokens
        self.tokens += tokens
