"""What all agents together, and each of them, used today (design §4.8, §8). Pure.

A call is reserved before it is made, at the most it may take, and settled afterwards at what it took. What a run and a
thread used stands in the thread's own log; this is the part that no single log knows. Each daemon counts what it used
itself; what the other homes on the same store have written down counts beside it (`ledger_homes`).
"""

from __future__ import annotations

from sulla.agent.limits.ledger_homes import MOST_AGENTS, Others, Part, Reserved, greater, is_of, read_part, sum_up
from sulla.agent.limits.limits import Charge, refuse_over
from sulla.core.dataclass import dataclass
from sulla.core.jsontypes import Json, JsonObject
from sulla.core.limit import LimitHit
from sulla.core.units import DAY_S

MOST_SETTLED = 4_096
"""Calls that are known to be settled, so that none is charged twice."""

MOST_KEPT = 256
"""How many of them outlive the process."""


@dataclass(frozen=True, slots=True)
class DayLimits:
    """What may be used from midnight to midnight, UTC."""

    tokens: int = 5_000_000
    """Of all agents together."""
    agent_tokens: int = 4_000_000
    """Of one agent, over all its threads."""
    cost_micro: int | None = None
    """Money, in millionths of the currency's unit, as far as models have prices; None for no limit."""


class Ledger:
    """One home's account of one day; a new day begins with an empty one.

    Args:
        limits: the bounds.
    """

    __slots__ = (
        "_agents",
        "_cost_micro",
        "_day",
        "_limits",
        "_open",
        "_others",
        "_others_day",
        "_parts",
        "_settled",
        "_tokens",
        "changes",
    )

    def __init__(self, limits: DayLimits) -> None:
        self._limits = limits
        self._day = 0
        self._tokens = 0
        self._cost_micro = 0
        self._agents: dict[str, int] = {}
        self._open: dict[str, Reserved] = {}
        self._settled: dict[str, Charge] = {}
        self._parts: list[Part] = []
        self._others = Others()
        self._others_day = 0
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
        self._open[call_id] = Reserved(self._account(agent), charge)
        self.changes += 1

    def check(self, call_id: str, agent: str, charge: Charge, now_s: float) -> None:
        """See whether `reserve` would be refused; nothing is set aside.

        Raises:
            LimitReached: it would.
        """
        self.turn(now_s)
        limits = self._limits
        in_all, agents = self._in_all(but=call_id)
        account = self._account(agent)
        used = self._agents.get(account, 0) + agents.get(account, 0)
        used += sum(self._others.agents.get(name, 0) for name in {agent, account})
        hits = [
            LimitHit("agent_day_tokens", "agent", "tokens", limits.agent_tokens, used, charge.tokens),
            LimitHit("day_tokens", "day", "tokens", limits.tokens, in_all.tokens, charge.tokens),
        ]
        if limits.cost_micro is not None:
            used_micro, wanted = in_all.cost_micro or 0, charge.cost_micro or 0
            hits.append(LimitHit("day_cost", "day", "micro", limits.cost_micro, used_micro, wanted))
        for hit in hits:
            refuse_over(hit, now_s, agent)

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
        self.turn(now_s)
        self._open.pop(call_id, None)
        # Another home may have written it off, if it took up the run while this one was away.
        before = greater(self._settled.pop(call_id, None), self._others.settled.get(call_id))
        agent = self._account(agent)
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
        self.turn(now_s)
        in_all, _ = self._in_all()
        return in_all

    def heed(self, parts: list[Part], now_s: float) -> None:
        """Count what other homes have written down, in the place of what was known of them.

        Args:
            parts: of all other homes.
            now_s: UTC seconds.
        """
        self.turn(now_s)
        self._parts, self._others = parts, sum_up(parts, self._others_day)
        self._give_up_settled()

    def forget(self, part: Part, now_s: float) -> None:
        """Leave out what is counted elsewhere by now: it was kept, and its part had to make room.

        Args:
            part: what was kept.
            now_s: UTC seconds.
        """
        self.turn(now_s)
        self.changes += 1
        if part.day == self._day:
            self._tokens = max(0, self._tokens - part.tokens)
            self._cost_micro = max(0, self._cost_micro - part.cost_micro)
            self._agents = {name: max(0, used - part.agents.get(name, 0)) for name, used in self._agents.items()}

    def turn(self, now_s: float) -> None:
        """Begin a new day if it is time."""
        day = int(now_s) // DAY_S
        # A clock that was set back a little does not give a day's tokens anew; one that was far ahead is not believed.
        if day > self._others_day or self._others_day > day + 1:
            self._others_day, self._others = day, sum_up(self._parts, day)
        if day > self._day or self._day > day + 1:
            self._day, self._tokens, self._cost_micro, self._agents = day, 0, 0, {}
            # What is under way goes on into the new day; what an earlier process left open may never be settled.
            self._open = {call_id: reserved for call_id, reserved in self._open.items() if not reserved.restored}
            self._settled = {}
            if self._open:
                self.changes += 1  # for the others: what was kept counts for them on its own day alone

    def is_at_work(self) -> bool:
        """Whether calls of this process are under way."""
        return any(not reserved.restored for reserved in self._open.values())

    def to_json(self) -> JsonObject:
        """The account of this home as it is kept."""
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
        """Go on where another process of this home stopped; an account of another day is left out.

        What was set aside stays so: the run that made the call is taken up again, and settles it.

        Args:
            kept: from `to_json`.
            now_s: UTC seconds.

        Raises:
            CorruptRecord: it is no account.
        """
        self.turn(now_s)
        part = read_part(kept)
        if is_of(self._day, part.day):  # a clock that was set back does not give a day's tokens anew
            self._day, self._tokens, self._cost_micro = part.day, part.tokens, part.cost_micro
            self._agents, self._open, self._settled = part.agents, part.open, part.settled
            self._give_up_settled()

    def _give_up_settled(self) -> None:
        """Whoever took up the run has settled its call. Should its answer come here all the same, it is settled by what
        it took beyond that.
        """
        for call_id in self._open.keys() & self._others.settled.keys():
            del self._open[call_id]
            self.changes += 1

    def _in_all(self, but: str = "") -> tuple[Charge, dict[str, int]]:
        """What is used and set aside in all, and what is set aside by agent, but for one call.

        Few calls are under way at once.
        """
        agents: dict[str, int] = {}
        tokens, cost_micro = self._tokens + self._others.tokens, self._cost_micro + self._others.cost_micro
        for call_id, reserved in (self._others.open | self._open).items():
            if call_id == but or self._is_settled_elsewhere(call_id):
                continue
            tokens += reserved.charge.tokens
            cost_micro += reserved.charge.cost_micro or 0
            agent = self._account(reserved.agent)
            agents[agent] = agents.get(agent, 0) + reserved.charge.tokens
        return Charge(tokens, cost_micro), agents

    def _is_settled_elsewhere(self, call_id: str) -> bool:
        """Whether a call that is set aside at one home is used already at another one."""
        return call_id in (self._others.settled if call_id in self._open else self._settled)

    def _account(self, agent: str) -> str:
        return agent if agent in self._agents or len(self._agents) < MOST_AGENTS else ""
