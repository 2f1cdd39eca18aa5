"""What a run of a playbook would cost at the least: an estimate, because how often an agent asks nobody knows."""

from __future__ import annotations

from dataclasses import dataclass

from sulla.cli.flow_place import Bench
from sulla.core.errors import SullaError
from sulla.core.units import MICRO
from sulla.daemon.prompt import prompt_of
from sulla.models import estimate_text, parse_model, read_prices
from sulla.playbooks.rehearsal.base import Rehearsed


@dataclass(frozen=True, slots=True)
class Cost:
    """An estimate of what models are told; what they write comes on top."""

    calls: int
    tokens: int
    money: float | None
    """In the unit of `[prices]`; None where the model is unpriced."""

    @property
    def told(self) -> str:
        """For people."""
        if not self.calls:
            return "no model is asked"
        money = f", {self.money:.4f} by [prices]" if self.money is not None else ""
        times = "call" if self.calls == 1 else "calls"
        return f"{self.calls} model {times} at the least, about {self.tokens:,} tokens to read{money}"


@dataclass(frozen=True, slots=True)
class _Used:
    input_tokens: int
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0


def cost_of(bench: Bench, found: Rehearsed) -> Cost:
    """What the models of a rehearsal would be told.

    Args:
        bench: the home.
        found: how it went.
    """
    head = _head_tokens(bench) if any(model.what != "choose" for model in found.models) else 0
    tokens = sum(estimate_text(model.text) + (0 if model.what == "choose" else head) for model in found.models)
    return Cost(len(found.models), tokens, _money(bench, tokens))


def _head_tokens(bench: Bench) -> int:
    """What the home's own agent is told before anything else: its prompt and its tools."""
    prompt = prompt_of(bench.settings, bench.clock)
    return prompt.tool_tokens + sum(prompt.tokens(section) for section in prompt.sections)


def _money(bench: Bench, tokens: int) -> float | None:
    try:
        model = parse_model(bench.settings.model.name)
    except SullaError:
        return None  # none is set: which one answers is found out when the daemon starts
    cost = read_prices(bench.settings.prices).cost_micro(_Used(tokens), model)
    return None if cost is None else cost / MICRO
