"""A run of a playbook in which nothing is done: what steps come to is handed in, and time jumps to what is next. Pure.

The machine is the one that real runs have. Playbooks within it are rehearsed with it, and so is one that takes over.
The orchestrator always agrees here: it lets steps go, approves what comes of them, and confirms arguments.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field, replace
from heapq import heappop, heappush
from itertools import count

from sulla.core.dataclass import dataclass
from sulla.core.errors import InvalidInput, SullaError
from sulla.core.jsontypes import FrozenJson
from sulla.playbooks.definition import (
    Definition,
    LoopStep,
    ParallelStep,
    PlaybookStep,
    RespondStep,
    Step,
    ToolStep,
    TransferStep,
    WaitStep,
)
from sulla.playbooks.machine.machine import Playbook
from sulla.playbooks.machine.needs import playbook_failure
from sulla.playbooks.machine.records import (
    NOTHING,
    Fact,
    Failure,
    RunEnded,
    Spent,
    StepCancelled,
    StepCompleted,
    StepFailed,
    StepReasked,
    StepRetry,
    StepSkipped,
    StepStarted,
)
from sulla.playbooks.rehearsal.base import (
    MAX_FACTS,
    MAX_TRANSFERS,
    Answers,
    ModelCall,
    RehearsalSetting,
    Rehearsed,
    RehearsedAnswer,
    RehearsedAsk,
    RehearsedCall,
    RehearsedStep,
    Status,
    as_it_comes,
    check_failure,
    in_time,
    is_repeatable,
    kind_of_step,
    models_of,
    names_of,
    result_as_it_comes,
    wrong_args,
)

_ENDS = (StepCompleted, StepFailed, StepSkipped, StepCancelled)


def rehearse(definition: Definition, inputs: FrozenJson, answers: Answers, setting: RehearsalSetting) -> Rehearsed:
    """Walk a playbook to its end, or until it waits for something that never comes.

    Args:
        definition: what to walk.
        inputs: what it is started with.
        answers: say what steps come to.
        setting: what it takes place in.

    Raises:
        InvalidInput: the inputs are not what it asks for; an answer is missing or cannot be; or it does not end.
        NotFound: a playbook in it is not there.
    """
    return _Stage(answers, setting).play(definition, inputs)


@dataclass(slots=True, eq=False)
class _Scene:
    """A run of a playbook: the first one, one within it, or one that took over."""

    book: Playbook
    definition: Definition
    prefix: str
    """What its steps' addresses begin with."""
    within: _Scene | None
    stack: tuple[str, ...]
    open: dict[str, int] = field(default_factory=dict)
    """The attempts that are under way, by address."""
    given: dict[str, FrozenJson] = field(default_factory=dict)
    """What they work with."""
    left: bool = False
    """Whether nobody waits for it any more: it does what it does at its end."""


@dataclass(slots=True)
class _Seen:
    """What a rehearsal has shown so far."""

    rows: dict[str, RehearsedStep] = field(default_factory=dict)
    calls: list[RehearsedCall] = field(default_factory=list)
    models: list[ModelCall] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    spent: Spent = NOTHING


class _Stage:
    def __init__(self, answers: Answers, setting: RehearsalSetting) -> None:
        self._answers = answers
        self._setting = setting
        self._now_ms = setting.now_ms
        self._scenes: list[_Scene] = []
        self._coming: list[tuple[int, int, _Scene, str, int, RehearsedAnswer]] = []
        self._numbers = count()
        self._facts = 0
        self._transfers = 0
        self._ended: RunEnded | None = None
        self._seen = _Seen()

    def play(self, definition: Definition, inputs: FrozenJson) -> Rehearsed:
        self._begin(definition, inputs, "", None, self._setting.trigger)
        while self._ended is None or any(scene.left for scene in self._scenes):
            moved = False
            for scene in tuple(self._scenes):
                moved |= self._take(scene, scene.book.next())
            if not moved and not self._go_on():
                break
        ended = self._ended
        for scene in self._scenes:
            self._spend(scene.book.spent)
        status: Status = "waiting"
        if ended is not None and ended.status != "transferred":
            status = ended.status
        return Rehearsed(
            status,
            ended.outputs if ended is not None else {},
            ended.failure if ended is not None else None,
            tuple(self._seen.rows.values()),
            tuple(self._seen.calls),
            tuple(self._seen.models),
            tuple(self._seen.told),
            (ended.at_ms if ended is not None else self._now_ms) - self._setting.now_ms,
            self._seen.spent,
        )

    def _begin(
        self, definition: Definition, inputs: FrozenJson, prefix: str, within: _Scene | None, trigger: str
    ) -> None:
        stack = (*within.stack, within.definition.name) if within is not None else ()
        names = names_of(definition, self._setting, self._now_ms, trigger)
        scene = _Scene(Playbook(definition, self._setting.evaluate, names=names), definition, prefix, within, stack)
        facts = scene.book.start(inputs, self._now_ms, stack=stack)
        self._scenes.append(scene)
        self._take(scene, facts)

    # ------------------------------------------------------------------------------------------------------------ time

    def _go_on(self) -> bool:
        """Let the next thing happen, as late as it is; False if nothing ever does."""
        due = [scene.book.due_ms for scene in self._scenes]
        times = [time for time in (*due, *(first[0] for first in self._coming[:1])) if time is not None]
        if not times:
            return False
        self._now_ms = max(self._now_ms, min(times))
        for scene in tuple(self._scenes):
            if scene in self._scenes:
                self._take(scene, scene.book.tick(self._now_ms))
        if self._coming and self._coming[0][0] <= self._now_ms:
            self._arrive()
        return True

    def _arrive(self) -> None:
        """What a step was said to come to is there, unless it is not waited for any more."""
        _, _, scene, at, attempt, came = heappop(self._coming)
        if scene not in self._scenes or scene.open.get(at) != attempt:
            return
        book, step = scene.book, _step(scene, at)
        if came.failure is not None:
            may_repeat = is_repeatable(step, self._setting.known)
            self._take(scene, book.fail(at, came.failure, repeatable=may_repeat, spent=came.spent))
            return
        try:
            facts = book.complete(at, came.value, came.spent, came.result)
        except InvalidInput as error:
            raise InvalidInput(f"{scene.prefix}{error.message}") from None
        self._take(scene, facts)

    # ----------------------------------------------------------------------------------------------------------- facts

    def _take(self, scene: _Scene, facts: Iterable[Fact]) -> bool:
        """See what has happened, and do what is to be done for it; whether anything has."""
        moved = False
        for fact in facts:
            moved = True
            self._setting.go_on()
            self._facts += 1
            if self._facts > MAX_FACTS:
                raise InvalidInput(f"it does not end: {MAX_FACTS:,} things have happened, the last: {fact!r:.100}")
            match fact:
                case StepStarted():
                    self._started(scene, fact)
                case StepReasked(at):
                    self._ask(scene, at, scene.open[at], scene.given[at])
                case StepRetry():
                    scene.open.pop(fact.at, None)
                    self._leave(f"{scene.prefix}{fact.at}/")
                case RunEnded():
                    self._end(scene, fact)
                case _ if isinstance(fact, _ENDS):
                    self._ended_step(scene, fact)
        return moved

    def _started(self, scene: _Scene, fact: StepStarted) -> None:
        row = self._row(scene, fact.at)
        row.tries, row.status = fact.attempt, "running"
        step = _step(scene, fact.at)
        if isinstance(step.does, ParallelStep | LoopStep | WaitStep):
            return
        given = fact.given if fact.given is not None else {}
        scene.open[fact.at], scene.given[fact.at] = fact.attempt, given
        if isinstance(step.does, RespondStep):
            self._seen.told.append(str(given.get("text", "")))
        if isinstance(step.does, ToolStep):
            args = given.get("args")
            self._seen.calls.append(RehearsedCall(row.at, step.does.tool, args if isinstance(args, dict) else {}))
        self._seen.models += models_of(row.at, step, given)
        self._ask(scene, fact.at, fact.attempt, given)

    def _ask(self, scene: _Scene, at: str, attempt: int, given: FrozenJson) -> None:
        step = _step(scene, at)
        ask = RehearsedAsk(scene.prefix + at, step, given, attempt)
        came: RehearsedAnswer | None = None
        if isinstance(step.does, ToolStep):
            args = given.get("args")
            wrong = wrong_args(step.does.tool, args if isinstance(args, dict) else {}, self._setting.known)
            came = RehearsedAnswer(failure=wrong) if wrong is not None else None
        if came is None:
            came = self._answers.answer(ask)
        if came is None and isinstance(step.does, PlaybookStep):
            self._within(scene, at, step.does.playbook, given)
            return
        if came is None:
            raise InvalidInput(f"nobody says what {ask.at!r} comes to")
        if came.failure is not None:
            check_failure(ask, came.failure, self._setting.known)
        came = in_time(ask, came, self._setting.known)
        if came.failure is None and came.after_ms is not None:  # of what never comes nobody has to say what it is
            came = result_as_it_comes(ask, came, self._setting.known)
            came = replace(came, value=as_it_comes(ask, came.value))
        if came.after_ms is not None:
            due_ms = self._now_ms + came.after_ms
            heappush(self._coming, (due_ms, next(self._numbers), scene, at, attempt, came))

    def _within(self, scene: _Scene, at: str, name: str, given: FrozenJson) -> None:
        """Begin the playbook of a step."""
        args = given.get("args")
        try:
            definition = self._setting.find(name)
            inputs = self._setting.fit(definition, args if isinstance(args, dict) else {})
            self._begin(definition, inputs, f"{scene.prefix}{at}/", scene, "playbook")
        except SullaError as error:
            failure = Failure("permanent", "invalid_input", error.message)
            self._take(scene, scene.book.fail(at, failure, repeatable=False))

    def _ended_step(self, scene: _Scene, fact: StepCompleted | StepFailed | StepSkipped | StepCancelled) -> None:
        row = self._row(scene, fact.at)
        row.ended_ms = self._now_ms
        scene.open.pop(fact.at, None)
        match fact:
            case StepCompleted():
                seen = scene.book.look(fact.at) or {}
                row.status, row.route, row.output = "completed", fact.route, seen.get("output", fact.value)
            case StepFailed():
                row.status, row.why, row.reason = "failed", fact.failure.message, fact.failure.reason
            case StepSkipped():
                row.status, row.why = "skipped", fact.why
            case StepCancelled():
                row.status = "cancelled"
        self._leave(f"{scene.prefix}{fact.at}/")

    def _leave(self, prefix: str) -> None:
        """Nobody waits any more for the playbook of a step: it is cancelled, and does what it does at its end."""
        for scene in [scene for scene in self._scenes if scene.prefix == prefix and not scene.left]:
            scene.left = True
            self._take(scene, scene.book.cancel())

    def _end(self, scene: _Scene, ended: RunEnded) -> None:
        if scene not in self._scenes:
            return
        self._scenes.remove(scene)
        if scene.left:
            self._spend(scene.book.spent)
            return
        if scene.within is None:
            self._spend(scene.book.spent)
            if ended.status == "transferred":
                self._hand_over(scene, ended)
            else:
                self._ended = ended
            return
        at = scene.prefix.removeprefix(scene.within.prefix).removesuffix("/")
        book, spent = scene.within.book, scene.book.spent
        if ended.status == "completed":
            self._take(scene.within, book.complete(at, dict(ended.outputs), spent))
            return
        why = ended.failure.message if ended.failure is not None else f"it was {ended.status}"
        failure = playbook_failure(scene.definition.name, why)
        again = _step(scene.within, at).retry is not None
        self._take(scene.within, book.fail(at, failure, repeatable=again, spent=spent))

    def _hand_over(self, scene: _Scene, ended: RunEnded) -> None:
        self._transfers += 1
        if self._transfers > MAX_TRANSFERS:
            raise InvalidInput(f"playbooks hand over more than {MAX_TRANSFERS} times, the last time to {ended.to!r}")
        at = next(
            id_
            for id_, node in scene.book.plan.nodes.items()
            if isinstance(node.step.does, TransferStep) and self._row(scene, id_).status == "completed"
        )
        definition = self._setting.find(ended.to)
        inputs = self._setting.fit(definition, ended.outputs)
        self._begin(definition, inputs, f"{scene.prefix}{at}/", None, "transfer")

    def _row(self, scene: _Scene, at: str) -> RehearsedStep:
        full = scene.prefix + at
        row = self._seen.rows.get(full)
        if row is None:
            step = _step(scene, at)
            row = self._seen.rows[full] = RehearsedStep(full, kind_of_step(step), step.title, self._now_ms)
        return row

    def _spend(self, spent: Spent) -> None:
        self._seen.spent = Spent(self._seen.spent.tokens + spent.tokens, self._seen.spent.cost_micro + spent.cost_micro)


def _step(scene: _Scene, at: str) -> Step:
    return scene.book.plan.nodes[at.partition("@")[0]].step
