"""Whose words the steps of a run work with: followed from step to step (decision 041). Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import field
from typing import Final, NamedTuple

from sulla.agent.spec import SULLA
from sulla.core.dataclass import dataclass
from sulla.core.ids import CallId
from sulla.core.jsontypes import Json
from sulla.core.words import Author, agent
from sulla.playbooks.definition import Template, ToolStep
from sulla.playbooks.machine.data_flow import EVERYTHING, INPUTS, PAYLOAD, READ_AGAIN, DataFlow, reached_by
from sulla.playbooks.machine.plan import Plan
from sulla.playbooks.records import Played
from sulla.playbooks.run.orders import RunOrder
from sulla.threads.log.plays import Play

_BEGUN_BY: Final = ("manual", "chat", "schedule", "webhook", "event")
"""What begins a run as its author or a person has it. An agent that does may have been told to by a page."""
_GIVEN_BY_FILES: Final = ("webhook", "event")
"""Triggers whose inputs stand in the playbook: what comes from outside is the payload."""

_OVER: Final = ("STEP_COMPLETED", "STEP_FAILED", "STEP_SKIPPED", "STEP_CANCELLED")
_MOST_NAMED: Final = 3
"""Steps that a question names."""


class _FirstTry(NamedTuple):
    """The first attempt at an address: what decided that its call is made was there by then."""

    args: Json
    outside: frozenset[str]
    """What held words from outside when it began."""
    again: bool = False
    """Whether another attempt at the very same call is under way."""


@dataclass(slots=True)
class RunTrust:
    """What of a run is from outside. It lives as long as what is in memory of the run."""

    plan: Plan
    flow: DataFlow
    owners: bool
    """Whether nobody but the owner can have written the playbook."""
    begun_outside: bool
    """Whether it was begun by what nobody trusts."""
    outside: set[str]
    """What holds words from outside, as `DataFlow` calls it."""
    begun_by: str = ""
    """What began the outermost of the runs that it is within, as `TriggerKind` says it."""
    allowed: dict[str, tuple[CallId, str]] = field(default_factory=dict, init=False)
    """The last call of each step, by its address, that a person said yes to in this run, and the yes's digest."""
    _passes: dict[str, set[str]] = field(default_factory=dict, init=False)
    """The addresses at which each step came to words from outside: in a loop it has one for each pass."""
    _tries: dict[str, _FirstTry] = field(default_factory=dict, init=False)
    """Of the tool steps that are under way, by address."""

    @property
    def by_agent(self) -> bool:
        """Whether an agent has begun it, which may have been told to by a page."""
        return self.begun_by not in _BEGUN_BY

    def askers(self, agent: str) -> tuple[str, ...]:
        """The agents that ask for what its agents do: whose permissions count beside theirs.

        Args:
            agent: whose run it is.
        """
        if self.by_agent:
            return (agent,)
        # A client's model has begun it (`from_model` of `workflow.start`), and chosen whose run it is.
        return (SULLA.id,) if self.begun_by == "manual" and self.begun_outside else ()

    def named(self, at: str) -> str:
        """A step as rules name it that people make for its calls; empty where they can make none for it.

        Such a rule is good for the file as it is now and for the same beginning alone. There is none where somebody
        else than the file's author may have chosen what is called: an agent that confirms the arguments or began the
        run, or whoever wrote a file that is not the owner's. Nor is there one where a request's header fields have
        names that do not stand in the file: a name alone may make another request of it. Fields with values from
        elsewhere are named, for people to see that these are free.

        Args:
            at: the step's address.
        """
        step, definition = _step_of(at), self.plan.definition
        does = self.plan.nodes[step].step.does
        if not self.owners or self.by_agent or not isinstance(does, ToolStep) or does.check != "schema":
            return ""
        fields = does.args.get("headers")
        if isinstance(fields, Template):
            return ""
        fields = fields if isinstance(fields, Mapping) else {}
        free = sorted(name for name, value in fields.items() if self.flow.varies(value, step))
        whatever = f", whatever its header fields {', '.join(free)} say" if free else ""
        begun = f"{definition.digest[:16]}, begun by {self.begun_by}"
        return f"the step {step} of the playbook {definition.name} ({begun}){whatever}"

    def whose(self, at: str, by: Author, *, reads: bool = False) -> Author:
        """Whose words a step works with.

        What only reads is known by what flows into it; an agent also by what had it set to work. What takes effect
        counts with all that the run holds: that it is done at all may be what somebody outside wanted. Another attempt
        at the same call counts as the first one did: what came from outside since then cannot have had it made, for
        the file alone says how often it is tried. Another pass of a loop is no other attempt: what the passes before it
        came to counts.

        Args:
            at: the step's address.
            by: whose words there are in the run.
            reads: whether it is a call that changes nothing.
        """
        step = _step_of(at)
        does = self.plan.nodes[step].step.does
        if not by.tainted or not self.owners:
            return by
        if isinstance(does, ToolStep):
            if does.check != "schema":  # an agent that confirms a call may have read anything
                return by
            if not reads:  # what nobody has noted down is from outside all the same: the run holds it
                return agent(tainted=self.begun_outside or not self.outside or bool(self._apart(at)))
            return agent(tainted=bool(reached_by(self.flow.into(step), self.outside)))
        outside = self.outside if isinstance(does, READ_AGAIN) else self._apart(at)
        return agent(tainted=self.begun_outside or bool(reached_by(self.flow.behind(step), outside)))

    def gives_own(self, at: str, by: Author) -> bool:
        """Whether nothing from outside flows into what a playbook within is given.

        Args:
            at: the address of its step.
            by: whose words there are in the run.
        """
        return not by.tainted or (self.owners and not reached_by(self.flow.into(_step_of(at)), self.outside))

    def told(self, at: str, *, reads: bool) -> str:
        """What from outside counts for a call, for people; empty where nothing does, or nobody knows.

        Args:
            at: the step's address.
            reads: whether it is a call that changes nothing.
        """
        step = _step_of(at)
        into = self.flow.into(step)
        found = reached_by(into, self.outside) if reads else self._apart(at)
        behind = found - into if reads and EVERYTHING in into else set[str]()
        hangs = self._listed(behind, step)
        named = (self._listed(found - behind, step), f"how the run went, which hangs on {hangs}" if hangs else "")
        return ", and ".join(part for part in named if part)

    def _listed(self, found: Set[str], step: str) -> str:
        said = {PAYLOAD: "what began the run", INPUTS: "its inputs", step: f"what {step!r} came to before"}
        steps = sorted(name for name in found if name in said or name in self.plan.nodes)
        names = [said.get(name, f"what {name!r} came to") for name in steps[:_MOST_NAMED]]
        more = f" and {len(steps) - _MOST_NAMED} more" if len(steps) > _MOST_NAMED else ""
        return ", ".join(names) + more

    def _apart(self, at: str) -> set[str]:
        """What holds words from outside, but for what earlier attempts at an address came to; of another attempt at the
        same call, what did when the first one began.
        """
        step, first = _step_of(at), self._tries.get(at)
        if first is not None and first.again:
            return set(first.outside)
        return self.outside - {step} if self._passes.get(step, set()) <= {at} else self.outside

    def note(self, facts: Iterable[Played]) -> None:
        """Remember which steps came to words from outside, and what was known of it when calls were begun."""
        for fact in facts:
            if fact.what == "STEP_STARTED":
                self._note_try(fact)
            elif fact.what in _OVER:
                self._tries.pop(fact.at, None)
            if fact.tainted and fact.at:
                step = _step_of(fact.at)
                self.outside.add(step)
                self._passes.setdefault(step, set()).add(fact.at)

    def _note_try(self, fact: Played) -> None:
        does, given = self.plan.nodes[_step_of(fact.at)].step.does, fact.detail.get("given")
        args = given.get("args") if isinstance(does, ToolStep) and isinstance(given, Mapping) else None
        if not isinstance(does, ToolStep) or does.check != "schema":
            return
        if fact.detail.get("attempt") == 1:
            self._tries.pop(fact.at, None)
            self._tries[fact.at] = _FirstTry(args, frozenset(self._apart(fact.at)))
        elif (first := self._tries.pop(fact.at, None)) is not None and first.args == args:
            self._tries[fact.at] = first._replace(again=True)


def trust_in(plan: Plan, play: Play | None, order: RunOrder, facts: Iterable[Played]) -> RunTrust:
    """What of a run is from outside, by its log.

    Args:
        plan: what it walks.
        play: what its thread began with.
        order: what it was begun with.
        facts: what has happened in it.
    """
    owners, begun_by = order.own or not order.by.tainted, order.begun or (play.trigger if play is not None else "")
    trust = RunTrust(plan, DataFlow(plan.definition), owners, order.by.tainted, set(), begun_by)
    if order.by.tainted and order.do == "fork":
        trust.outside.add(EVERYTHING)  # of what the other run came to
    elif order.by.tainted:
        given = order.inputs_own or (play is not None and play.trigger in _GIVEN_BY_FILES)
        trust.outside.update((PAYLOAD,) if given else (PAYLOAD, INPUTS))
    trust.note(facts)
    return trust


def _step_of(at: str) -> str:
    """The id of the step at an address."""
    return at.partition("@")[0]
