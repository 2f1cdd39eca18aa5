"""What a playbook would do, without models, tools and people: each way that it can go, with placeholders. Pure.

What nobody can know beforehand is assumed, and the assumption is told: a model's choice, a condition on an output, how
many entries a list has. Every way of a choice is shown once, in the order in which they come up.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import field, replace
from typing import Final, cast

from sulla.core.cut import cut
from sulla.core.dataclass import dataclass
from sulla.core.errors import InvalidInput, SullaError
from sulla.core.jsontypes import FrozenJson, Json
from sulla.playbooks.definition import (
    AgentStep,
    ConditionStep,
    Definition,
    HumanStep,
    LoopStep,
    PlaybookStep,
    RespondStep,
    SetStep,
    Template,
    ToolStep,
    WaitStep,
)
from sulla.playbooks.expression.expression import ExpressionSpot, split
from sulla.playbooks.expression.grammar import parse
from sulla.playbooks.file.check_known import NOTHING_KNOWN
from sulla.playbooks.file.check_within import every_step
from sulla.playbooks.machine.data_flow import templates_in
from sulla.playbooks.machine.decide import NO, YES, choices_of
from sulla.playbooks.machine.scope import Scope
from sulla.playbooks.rehearsal.base import (
    RehearsalSetting,
    Rehearsed,
    RehearsedAnswer,
    RehearsedAsk,
    gives_text,
    kind_of_step,
    wrong_args,
)
from sulla.playbooks.rehearsal.placeholders import Guesses, holds_guess, is_guess, is_settled, looked_up
from sulla.playbooks.rehearsal.races import Race, cut_off, first_of, races_of, winners
from sulla.playbooks.rehearsal.rehearse import rehearse
from sulla.playbooks.rehearsal.roles import ArgumentRoles, TemplateRole
from sulla.playbooks.rehearsal.samples import fitted, input_sample, is_wanted, sample
from sulla.tools.nearest import did_you_mean

MAX_WAYS: Final = 16
"""That are shown."""
_YES_NO: Final = (YES, NO)
_MADE: Final = frozenset({"set", "for_each", "count"})
"""What a template may be for that decides what its step comes to."""
_SHOWN_CHARS: Final = 80
_INSTEAD: Final = {
    "merge": ": it waits for more than the first",
    **dict.fromkeys(("tool", "agent", "prompt", "human"), ": say with --output what it comes to"),
}
"""What is told of steps that have no ways, by what they are."""


@dataclass(frozen=True, slots=True)
class Way:
    """One way that it can go."""

    chosen: Mapping[str, str]
    """What was assumed, by step."""
    assumed: tuple[str, ...]
    """What else was."""
    rehearsed: Rehearsed


@dataclass(frozen=True, slots=True)
class DryRun:
    """Everything that a playbook would do, as far as one can say."""

    ways: tuple[Way, ...]
    is_cut: bool
    """Whether there are more."""


def with_payload(definition: Definition, setting: RehearsalSetting) -> RehearsalSetting:
    """A setting in which nobody knows what a message or an event brings along, if that may begin the playbook.

    Args:
        definition: what is to be walked.
        setting: the setting, in which nothing is said of it.
    """
    kinds = {setting.trigger, *(trigger.kind for trigger in definition.on)}
    return replace(setting, payload="<input payload>") if kinds & {"webhook", "event", "chat"} else setting


def dry_run(
    definition: Definition,
    inputs: FrozenJson,
    setting: RehearsalSetting,
    *,
    choose: Mapping[str, str] | None = None,
    outputs: Mapping[str, Json] | None = None,
) -> DryRun:
    """Walk each way of a playbook.

    Args:
        definition: what to walk.
        inputs: what it is started with; placeholders stand for what is missing.
        setting: what it takes place in.
        choose: ways of steps that are settled, by id.
        outputs: what steps come to, by id, where a placeholder is not enough.

    Raises:
        InvalidInput: an input, a settled way or an output is none that there is.
        NotFound: a playbook in it is not there.
    """
    settled = dict(choose or {})
    complete = {
        **{name: input_sample(name, spec) for name, spec in definition.inputs.items() if is_wanted(spec)},
        **inputs,
    }
    ahead: list[dict[str, str]] = [settled]
    seen: set[tuple[str, str]] = set()
    ways: list[Way] = []
    while ahead and len(ways) < MAX_WAYS:
        forced = ahead.pop(0)
        guess = _Guess(definition, setting, forced, outputs or {})
        guessing = replace(setting, find=guess.find, evaluate=guess.evaluate, known=NOTHING_KNOWN, fit=guess.fit)
        rehearsed = rehearse(definition, complete, guess, guessing)
        guess.take_races(rehearsed, settled)
        guess.check_names()
        if any(guess.taken.get(name, first) != first for name, first in forced.items() if name in guess.races):
            continue  # somebody else comes first there, whatever is answered
        ways.append(Way(dict(guess.taken), tuple(guess.assumed), rehearsed))
        seen.update(guess.taken.items())
        before: dict[str, str] = {}
        for step, way in guess.taken.items():
            for other in guess.options[step]:
                if step not in settled and (step, other) not in seen:
                    seen.add((step, other))
                    ahead.append({**settled, **before, step: other})
            before[step] = way
    return DryRun(tuple(ways), bool(ahead))


@dataclass(slots=True)
class _Guess:
    """Says what steps come to where nobody does, and what expressions come to that hang on it."""

    definition: Definition
    setting: RehearsalSetting
    forced: Mapping[str, str]
    outputs: Mapping[str, Json]
    taken: dict[str, str] = field(default_factory=dict, init=False)
    options: dict[str, tuple[str, ...]] = field(default_factory=dict, init=False)
    assumed: dict[str, None] = field(default_factory=dict, init=False)
    guesses: Guesses = field(default_factory=Guesses, init=False)
    roles: dict[int, TemplateRole] = field(default_factory=dict, init=False)
    known: dict[str, Definition] = field(default_factory=dict, init=False)
    races: dict[str, Race] = field(default_factory=dict, init=False)
    args: ArgumentRoles = field(default_factory=ArgumentRoles, init=False)

    def __post_init__(self) -> None:
        self._learn(self.definition)

    def find(self, name: str) -> Definition:
        if name not in self.known:
            self._learn(self.setting.find(name))
        return self.known[name]

    def fit(self, definition: Definition, given: FrozenJson) -> FrozenJson:
        """What a playbook within is begun with."""
        found, assumed = fitted(definition, given)
        for said in assumed:
            self._assume(said)
        return found

    def check_names(self) -> None:
        """Refuse ways and outputs of steps that there are not, or that have no such way."""
        steps = {step.id: step for definition in self.known.values() for step in every_step(definition.all_steps)}
        for name, way in self.forced.items():
            if name not in steps:
                raise InvalidInput(f"there is no step {name[:60]!r} to choose for.{did_you_mean(name, steps)}")
            race = self.races.get(name)
            known = self.options.get(name) or choices_of(steps[name].does) or (tuple(race.lines) if race else ())
            if known and way not in known:
                raise InvalidInput(f"the step {name!r} has no way {way[:60]!r}; it has {', '.join(known)}")
            if not known and steps[name].when is None and not isinstance(steps[name].does, ConditionStep):
                kind = kind_of_step(steps[name])
                told = f"the step {name!r} ({kind}) goes no way that could be chosen"
                raise InvalidInput(f"{told}{_INSTEAD.get(kind, '')}")
        for name in self.outputs:
            if name not in steps:
                raise InvalidInput(f"there is no step {name[:60]!r} with an output.{did_you_mean(name, steps)}")

    def take_races(self, found: Rehearsed, settled: Mapping[str, str]) -> None:
        """Who came first at each merge where others might have.

        Raises:
            InvalidInput: it was settled that another one does, and nothing that is answered could make it so.
        """
        for name in cut_off(found):
            self.taken.pop(name, None)  # it was asked, and nobody waited for its answer
        for name, (first, all_) in winners(self.races.values(), found).items():
            self.taken[name], self.options[name] = first, all_
            if settled.get(name, first) in all_ and first != settled.get(name, first):
                said = f"{first!r} comes first at {name!r}, whatever is answered: {settled[name]!r} takes longer"
                raise InvalidInput(said)

    # ----------------------------------------------------------------------------------------------------------- steps

    def answer(self, ask: RehearsedAsk) -> RehearsedAnswer | None:
        came = self._came(ask)
        around = ask.place.split("/")
        late = [
            race.late_ms(name, first_of(self.races, self.forced, race.merge))
            for race in self.races.values()
            for name in around
        ]
        return replace(came, after_ms=max(late, default=0)) if came is not None else None

    def _came(self, ask: RehearsedAsk) -> RehearsedAnswer | None:
        step = ask.step
        if isinstance(step.does, ToolStep) and isinstance(args := ask.given.get("args"), dict):
            wrong = wrong_args(step.does.tool, args, self.setting.known, self.args.unknown.get(step.id, ()))
            if wrong is not None:
                return RehearsedAnswer(failure=wrong)
        if step.id in self.outputs:
            given = self.outputs[step.id]
            is_other = gives_text(step) and not isinstance(given, str)
            return RehearsedAnswer(json.dumps(given, ensure_ascii=False) if is_other else given)
        if isinstance(step.does, PlaybookStep):
            return None
        if isinstance(step.does, RespondStep):
            return RehearsedAnswer(ask.given.get("text"))
        names = choices_of(step.does)
        if names:
            return RehearsedAnswer(self._choose(step.id, names))
        self.guesses.note(step.id)
        match step.does:
            case AgentStep(output=dict() as schema) | HumanStep(input=dict() as schema):
                return RehearsedAnswer(sample(schema, f"<output of {step.id}>"))
            case ToolStep(tool) if self.setting.known.tools is not None and tool in self.setting.known.tools:
                gives = self.setting.known.tools[tool].gives
                values = sample({"type": "object", "properties": dict(gives)}, f"<output of {step.id}>")
                return RehearsedAnswer(f"<output of {step.id}>", values if isinstance(values, dict) else None)
        return RehearsedAnswer(f"<output of {step.id}>")

    def _choose(self, step: str, names: tuple[str, ...]) -> str:
        way = self.forced.get(step, "")
        if way not in names:
            if way:
                raise InvalidInput(f"the step {step!r} has no way {way[:60]!r}; it has {', '.join(names)}")
            way = self.taken.get(step, names[0])
        self.taken[step], self.options[step] = way, names
        return way

    # ----------------------------------------------------------------------------------------------------- expressions

    def evaluate(self, template: Template, scope: Scope) -> Json:
        role = self.roles.get(id(template))
        if id(template) in self.args.of and self._is_guessed(template, scope):
            self.args.note(template)
        if role is not None and self._is_open(role, template, scope):
            if role.what in _MADE:
                self.guesses.note(role.step)
            if role.what != "set":
                return self._guessed(role, template, scope)
        try:
            value = self.setting.evaluate(template, scope)
            return self._told(template, scope, value) if role is None else value
        except SullaError:
            if self._fails_anyway(template, scope):
                raise
            if role is not None and role.what != "set":
                return self._guessed(role, template, scope)
            self.args.note(template)
            self._assume(f"{_short(template)} has a value")
            return self._in_parts(template, scope)

    def _is_open(self, role: TemplateRole, template: Template, scope: Scope) -> bool:
        """Whether it is settled otherwise, or looks at something that a placeholder stands for."""
        if role.what in ("when", "test") and role.step in self.forced:
            return True
        return self._is_guessed(template, scope, is_list=role.what == "for_each")

    def _told(self, template: Template, scope: Scope, value: Json) -> Json:
        """A value with a placeholder for what was reckoned with one: nobody knows yet that a table has 0 rows."""
        parts = split(template.source)
        if not self._is_guessed(template, scope) or (len(parts) == 1 and holds_guess(value)):
            return value
        return self._in_parts(template, scope)

    def _in_parts(self, template: Template, scope: Scope) -> str:
        """A text with a placeholder for each of its expressions of which nobody knows what it comes to."""
        parts = split(template.source)
        if len(parts) == 1:
            return _unknown(template)
        said = list[str]()
        for part in parts:
            if not isinstance(part, ExpressionSpot):
                said.append(part)
                continue
            alone = Template(template.source[part.start : part.end])
            try:
                text = str(self.setting.evaluate(replace(alone, source=f"|{alone.source}"), scope))[1:]
            except SullaError:  # nobody knows it: `_fails_anyway` has looked
                said.append(_unknown(alone))
                continue
            is_open = self._looks_at_guess(part, scope) and not holds_guess(text)
            said.append(_unknown(alone) if is_open else text)
        return "".join(said)

    def _is_guessed(self, template: Template, scope: Scope, *, is_list: bool = False) -> bool:
        """Whether it looks at something that a placeholder stands for."""
        spots = (part for part in split(template.source) if isinstance(part, ExpressionSpot))
        return any(self._looks_at_guess(spot, scope, is_list=is_list) for spot in spots)

    def _looks_at_guess(self, spot: ExpressionSpot, scope: Scope, *, is_list: bool = False) -> bool:
        return any(
            is_guess(path, scope, self.guesses.whole if is_whole else self.guesses.any, is_whole=is_whole)
            for path, is_whole in looked_up(parse(spot.source), is_whole=is_list)
        )

    def _fails_anyway(self, template: Template, scope: Scope) -> bool:
        """Whether it has no value in a real run either: all that it looks at is known."""
        given, guessed = self._given(scope), self.guesses.any | self.guesses.within
        for part in split(template.source):
            if isinstance(part, ExpressionSpot) and is_settled(parse(part.source), scope, guessed, given):
                try:
                    self.setting.evaluate(Template(template.source[part.start : part.end]), scope)
                except SullaError:
                    return True
        return False

    def _given(self, scope: Scope) -> set[str]:
        """The inputs that are no placeholders; none of a playbook within, whose steps make them."""
        if cast("Mapping[str, Json]", scope["run"])["playbook"] != self.definition.name:
            return set()
        values, specs = cast("Mapping[str, Json]", scope["inputs"]), self.definition.inputs
        return {name for name, spec in specs.items() if not is_wanted(spec) or values[name] != input_sample(name, spec)}

    def _guessed(self, role: TemplateRole, template: Template, scope: Scope) -> Json:
        match role.what:
            case "when" | "test":
                return self._choose(role.step, _YES_NO) == YES
            case "while":
                if cast("Mapping[str, Json]", scope["loop"])["index"] == 0:
                    return self._choose(role.step, _YES_NO) == YES  # without a pass it comes to an empty list
                self.guesses.note(role.step)
                self._assume(f"{role.step!r} has no further pass: {_short(template)}")
                return False
            case "for_each":
                self._assume(f"{role.step!r} has one entry: {_short(template)}")
                return [f"<entry of {role.step}>"]
            case "count":
                self._assume(f"{role.step!r} has one pass: {_short(template)}")
                return 1
            case "seconds":
                self._assume(f"{role.step!r} waits for no time: {_short(template)}")
                return 0
        self._assume(f"{role.step!r} waits for no time: {_short(template)}")
        return cast("Mapping[str, Json]", scope["run"])["started_at"]

    def _assume(self, said: str) -> None:
        self.assumed[said] = None

    def _learn(self, definition: Definition) -> None:
        """What the templates of a playbook are for, where text would not do."""
        self.known[definition.name] = definition
        self.races |= {race.merge: race for race in races_of(definition.all_steps)}
        for step in every_step(definition.all_steps):
            does = step.does
            found: dict[str, Template | None] = {"when": step.when}
            match does:
                case ConditionStep():
                    found["test"] = does.test
                case LoopStep():
                    found |= {"while": does.while_, "for_each": does.for_each, "count": does.count}
                    lists = [it for it in (does.matrix or {}).values() if isinstance(it, Template)]
                    self.roles |= {id(it): TemplateRole(step.id, "for_each") for it in lists}
                case WaitStep():
                    found |= {"seconds": does.seconds, "until": does.until}
                case SetStep(values):
                    self.roles |= {id(it): TemplateRole(step.id, "set") for it in templates_in(values)}
                case ToolStep(args=args):
                    self.args.learn(step.id, args)
            self.guesses.learn(step)
            self.roles |= {id(it): TemplateRole(step.id, what) for what, it in found.items() if it is not None}


def _unknown(template: Template) -> str:
    return f"<text of {_short(template)}>"


def _short(template: Template) -> str:
    said = " ".join(template.source.split())
    return cut(said, _SHOWN_CHARS)
