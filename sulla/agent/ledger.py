"""What all agents together, and each of them, used today (design §4.8, §8). Pure.

A call is reserved before it is made, at the most it may take, and settled afterwards at what it took. What a run and a
thread used stands in the thread's own log; this is the part that no single log knows.
"""

from __future__ import annotations

from dataclasses import dataclass

from sulla.agent.limits import DAY_S, Charge, refuse_over
from sulla.core.errors import CorruptRecord
from sulla.core.jsontypes import Json, JsonObject
from sulla.core.limit import LimitHit

MOST_SETTLED = 4_096
"""Calls that are known to be settled, so that none is charged twice."""

MOST_KEPT = 256
"""How many of them outlive the process."""

MOST_AGENTS = 1_000
"""Agents whose use is told apart; further ones share one account, so that none goes uncounted."""


@dataclass(frozen=True, slots=True)
class DayLimits:
    """What may be used from midnight to midnight, UTC."""

    tokens: int = 5_000_000
    """Of all agents together."""
    agent_tokens: int = 4_000_000
    """Of one agent, over all its threads."""
    cost_micro: int | None = None
    """Money, in millionths of the currency's unit, as far as models have prices; None for no limit."""


@dataclass(frozen=True, slots=True)
class _Reserved:
    agent: str
    charge: Charge
    restored: bool = False
    """By an earlier process: who knows whether anybody will settle it."""


class Ledger:
    """The account of one day; a new day begins with an empty one.

    Args:
        limits: the bounds.
    """

    __slots__ = ("_agents", "_cost_micro", "_day", "_limits", "_open", "_settled", "_tokens", "changes")

    def __init__(self, limits: DayLimits) -> None:
        self._limits = limits
        self._day = 0
        self._tokens = 0
        self._cost_micro = 0
        self._agents: dict[str, int] = {}
        self._open: dict[str, _Reserved] = {}
        self._settled: dict[str, Charge] = {}
        self.changes = 0
        """Rises with each change: who keeps the account sees by it whether there is something to keep."""

    def reserve(self, call_id: str, agent: str, charge: Charge, now_s: float) -> None:
        """Set aside what a call may take.

        Args:
            call_id: of the call; to be settled under it.
            agent: who makes it.
            charge: what it may take at the most.
            now_s: UTC seconds.

        Raises:
            LimitReached: it does not fit; nothing was set aside.
        """
        self.check(call_id, agent, charge, now_s)
        self._open[call_id] = _Reserved(self._account(agent), charge)
        self.changes += 1

    def check(self, call_id: str, agent: str, charge: Charge, now_s: float) -> None:
        """See whether `reserve` would be refused; nothing is set aside.

        Raises:
            LimitReached: it would.
        """
        self._turn(now_s)
        limits, agent = self._limits, self._account(agent)
        in_all, agents = self._reserved(but=call_id)
        used = self._agents.get(agent, 0) + agents.get(agent, 0)
        hits = [
            LimitHit("agent_day_tokens", "agent", "tokens", limits.agent_tokens, used, charge.tokens),
            LimitHit("day_tokens", "day", "tokens", limits.tokens, self._tokens + in_all.tokens, charge.tokens),
        ]
        if limits.cost_micro is not None:
            used_micro, wanted = self._cost_micro + (in_all.cost_micro or 0), charge.cost_micro or 0
            hits.append(LimitHit("day_cost", "day", "micro", limits.cost_micro, used_micro, wanted))
        for hit in hits:
            refuse_over(hit, now_s)

    def settle(self, call_id: str, agent: str, charge: Charge, now_s: float) -> None:
        """Write down what a call took, in the place of what was set aside for it.

        One that nothing is set aside for is written down all the same: it was made before a restart. One that was
        settled before counts with the greater figure: what it came to may have to be written into the log again.

        Args:
            call_id: of the call.
            agent: who made it.
            charge: what it took; for one that came to nothing, what was set aside.
            now_s: UTC seconds.
        """
        self._turn(now_s)
        self._open.pop(call_id, None)
        agent, before = self._account(agent), self._settled.pop(call_id, Charge(0, 0))
        more = max(0, charge.tokens - before.tokens)
        more_micro = max(0, (charge.cost_micro or 0) - (before.cost_micro or 0))
        self._tokens += more
        self._cost_micro += more_micro
        self._agents[agent] = self._agents.get(agent, 0) + more
        self._settled[call_id] = Charge(before.tokens + more, (before.cost_micro or 0) + more_micro)
        while len(self._settled) > MOST_SETTLED:
            del self._settled[next(iter(self._settled))]
        self.changes += 1

    def used(self, now_s: float) -> Charge:
        """What all agents together used today; calls that are under way count with what is set aside."""
        self._turn(now_s)
        in_all, _ = self._reserved()
        return Charge(self._tokens + in_all.tokens, self._cost_micro + (in_all.cost_micro or 0))

    def to_json(self) -> JsonObject:
        """The account as it is kept."""
        return {
            "day": self._day,
            "tokens": self._tokens,
            "cost_micro": self._cost_micro,
            "agents": dict(self._agents),
            "open": {
                call_id: [reserved.agent, reserved.charge.tokens, reserved.charge.cost_micro]
                for call_id, reserved in self._open.items()
            },
            "settled": {
                call_id: [charge.tokens, charge.cost_micro]
                for call_id, charge in list(self._settled.items())[-MOST_KEPT:]
            },
        }

    def restore(self, kept: Json, now_s: float) -> None:
        """Go on where another process stopped; an account of another day is left out.

        What was set aside stays so: the run that made the call is taken up again, and settles it.

        Args:
            kept: from `to_json`.
            now_s: UTC seconds.

        Raises:
            CorruptRecord: it is no account.
        """
        self._turn(now_s)
        match kept:
            case {
                "day": int() as day,
                "tokens": int() as tokens,
                "cost_micro": int() as cost_micro,
                "agents": dict() as agents,
                "open": dict() as reserved,
                "settled": dict() as settled,
            }:
                if self._day <= day <= self._day + 1:  # a clock that was set back does not give a day's tokens anew
                    self._day, self._tokens, self._cost_micro = day, tokens, cost_micro
                    self._agents = {name: used for name, used in agents.items() if isinstance(used, int)}
                    self._open = {call_id: _read(value) for call_id, value in reserved.items()}
                    self._settled = {call_id: _charge(value) for call_id, value in settled.items()}
            case _:
                raise CorruptRecord(f"not an account of a day: {str(kept)[:200]!r}")

    def _reserved(self, but: str = "") -> tuple[Charge, dict[str, int]]:
        """What is set aside, in all and by agent, but for one call. Few calls are under way at once."""
        agents: dict[str, int] = {}
        tokens = cost_micro = 0
        for call_id, reserved in self._open.items():
            if call_id == but:
                continue
            tokens += reserved.charge.tokens
            cost_micro += reserved.charge.cost_micro or 0
            agents[reserved.agent] = agents.get(reserved.agent, 0) + reserved.charge.tokens
        return Charge(tokens, cost_micro), agents

    def _account(self, agent: str) -> str:
        return agent if agent in self._agents or len(self._agents) < MOST_AGENTS else ""

    def _turn(self, now_s: float) -> None:
        day = int(now_s) // DAY_S
        # A clock that was set back a little does not give a day's tokens anew; one that was far ahead is not believed.
        if day > self._day or self._day > day + 1:
            self._day, self._tokens, self._cost_micro, self._agents = day, 0, 0, {}
            # What is under way goes on into the new day; what an earlier process left open may never be settled.
            self._open = {call_id: reserved for call_id, reserved in self._open.items() if not reserved.restored}
            self._settled = {}


def _read(value: Json) -> _Reserved:
    match value:
        case [str() as agent, int() as tokens, None | int() as cost_micro]:
            return _Reserved(agent, Charge(tokens, cost_micro), restored=True)
    raise CorruptRecord(f"not what a call may take: {str(value)[:200]!r}")


def _charge(value: Json) -> Charge:
    match value:
        case [int() as tokens, None | int() as cost_micro]:
            return Charge(tokens, cost_micro)
    raise CorruptRecord(f"not what a call took: {str(value)[:200]!r}")
