"""What model calls used. Pure."""

from __future__ import annotations

from sulla.core.dataclass import dataclass
from sulla.threads.log.forms import Fielded


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
