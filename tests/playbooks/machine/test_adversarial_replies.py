"""Two hundred replies of a model that was to choose and did not: none of them routes anything.

The whole way: a provider's reply, what the decider makes of it, what the machine takes it for.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from sulla.agent.model.decider import Decider
from sulla.core.control import Control
from sulla.core.ids import CallId
from sulla.core.jsontypes import Json
from sulla.core.message import ToolCall
from sulla.playbooks.definition import ConditionStep, Kind, RouterStep, Template
from sulla.playbooks.machine.decide import NO, YES, Chosen, NoAnswer, choices_of
from sulla.playbooks.machine.records import StepCompleted, StepFailed, StepReasked
from sulla.testing.clock import ManualClock
from sulla.testing.provider import Say, ScriptedProvider
from sulla.testing.world import scripted_model
from tests.playbooks.machine.play import Play, playbook, step

ROUTES = {"sales": "wants to buy", "support": "needs help"}
ROUTER = RouterStep(Template("What is this about?"), ROUTES)
CAREFUL = RouterStep(Template("What is this about?"), ROUTES, default="support")
CONDITION = ConditionStep(question=Template("Is it urgent?"))
QUESTION = "Not sales, they said, but support: yes or no?"


@dataclass(frozen=True, slots=True)
class Told:
    """What a model replied."""

    label: str
    say: Say


def text(said: str, **more: str) -> Told:
    return Told(repr(said), Say(said, **more))  # type: ignore[arg-type]  # a reason to stop


def calls(label: str, *made: tuple[str, dict[str, Json]], said: str = "") -> Told:
    uses = (ToolCall(CallId(f"c{number}"), name, args) for number, (name, args) in enumerate(made))
    return Told(label, Say(said, calls=tuple(uses)))


def chose(choice: Json, said: str = "") -> Told:
    return calls(f"choose({choice!r})", ("choose", {"choice": choice}), said=said)


_TEXTS = (
    "not {0}, it is {1}", "Definitely not {0}… {1}", "{1} rather than {0}", "{0} or {1}", "{0}, {1}", "{0} {1}",
    "{0}\n{1}", "{0}/{1}", "both {0} and {1}", "neither {0} nor {1}", "I cannot tell {0} from {1}", "{0}? {1}?",
    "{0}, because it says so", "{0} because…", "I would say {0}", "The answer is {0}", "{0} is the answer", "It's {0}",
    "{0}..", "{0}!", "{0}?", "{0},", "{0};", ":{0}", "{0}…", "-{0}", "- {0}", "1. {0}", "#{0}", "@{0}",
    '"{0}', "'{0}\"", "\"{0}\" '{1}'", "**{0}**", "_{0}_", "“{0}", "({0})", "[{0}]", "<{0}>", "{{{0}}}",
    '{{"choice": "{0}"}}', '{{"choice":"{0}","why":"{1}"}}', 'choose({{"choice": "{0}"}})', "```\n{0}\n{1}\n```",
    "```{0}",
    "```\n{0}\n``` it is",
    "<choose>{0}</choose>", "choose: {0}", "choice={0}", "<tool_call>{0}</tool_call>", "[\"{0}\"]",
    "un{0}", "{0}s", "{0}_1", "{0}{0}", "{0} {0}", "pre-{0}", "{0}-ish", "whole{0}man",
)  # fmt: skip
"""Said in the place of a call; each with the two names in both orders."""

_ODD = (
    "", " ", "\n\t", "none", "None", "null", "N/A", "other", "default", "both", "unknown", "I do not know.", "?", "0",
    "1", "2", "true", "True, because…", "False", "choose", "choice", "yeah", "nope", "ok", "Sure!", "y", "n",
)  # fmt: skip

_CYRILLIC = str.maketrans("aeops", "аеорѕ")  # noqa: RUF001  - look-alikes are what this is about
_WIDE = {code: code + 0xFEE0 for code in range(0x21, 0x7F)}


def _near(name: str) -> list[str]:
    """Names that a careless comparison would let pass."""
    return [
        name[:-1], name + name[-1], name[1:], name[::-1],
        name.translate(_CYRILLIC), name.translate(_WIDE), f"{name}\u200b", f"\ufeff{name}", f"{name}\u0301",
        f"\u202e{name}", f"{name}\u0000", "\u200d".join(name), f"{name}\\n",
    ]  # fmt: skip


def _table(one: str, two: str) -> list[Told]:
    """All that a model says which is to choose one of two names, and does not."""
    told = [text(line.format(*pair)) for line in _TEXTS for pair in ((one, two), (two, one))]
    told += [text(said) for name in (one, two) for said in _near(name)]
    told += [chose(value) for name in (one, two) for value in _near(name)]
    told += [text(said) for said in _ODD] + [chose(said) for said in _ODD]
    values: tuple[Json, ...] = (None, 0, 1, 1.0, [], {}, [one], [one, two], {"choice": one}, {one: True})
    told += [chose(value) for value in values]
    for name in (one, two):
        told += [
            chose(f"not {name}"), chose(f"{name} or not"),
            chose("", said=name), chose(None, said=name),
            text(name, stop="max_tokens"), text(name, stop="refused"),
            calls(f"chose({name})", ("chose", {"choice": name})),
            calls(f"Choose({name})", ("Choose", {"choice": name})),
            calls(f"choose(Choice={name})", ("choose", {"Choice": name})),
            calls(f"choose({name}=true)", ("choose", {name: True})),
            calls(f"choose() and {name}", ("choose", {}), said=name),
            calls(f"{name}()", (name, {})),
            calls(f"choose({name}) twice", ("choose", {"choice": name}), ("choose", {"choice": name})),
            calls(f"choose({name}) and another tool", ("choose", {"choice": name}), ("read_file", {"path": "x"})),
        ]  # fmt: skip
    told.append(calls("choose both", ("choose", {"choice": one}), ("choose", {"choice": two})))
    return told


ABOUT_ROUTES = _table("sales", "support")
ABOUT_TRUTH = _table(YES, NO)


@dataclass
class Asker:
    """A step that asks, as a runner would have it answered."""

    does: RouterStep | ConditionStep
    says: Sequence[Say]
    play: Play = field(init=False)
    asked: int = 0

    def __post_init__(self) -> None:
        self.play = Play(playbook(step("ask", self.does), step("then", None, "ask")))
        self.play.turn()

    async def run(self) -> str:
        """How the step ended: the names of its facts and the way that it took."""
        choices = self.does.routes if isinstance(self.does, RouterStep) else {YES: "", NO: ""}
        provider, clock, again = ScriptedProvider(self.says), ManualClock(), ""
        decider = Decider(scripted_model(provider))
        while True:
            decided = await decider.decide(
                QUESTION, choices, again=again, call_id="q", agent="sulla", clock=clock, control=Control()
            )
            self.asked += 1
            (fact,) = self.play.book.decide("ask", decided.answer)
            if not isinstance(fact, StepReasked):
                break
            again = fact.reason
        assert isinstance(fact, StepCompleted | StepFailed)
        return fact.route if isinstance(fact, StepCompleted) else fact.failure.reason


async def _ends(does: RouterStep | ConditionStep, table: list[Told]) -> list[tuple[str, str, int]]:
    """Of each reply, given twice: what it was, how the step ended, and how often was asked."""
    ends = []
    for told in table:
        asker = Asker(does, [told.say, told.say])
        ends.append((told.label, await asker.run(), asker.asked))
    return ends


@pytest.mark.parametrize(
    ("does", "table"), [(ROUTER, ABOUT_ROUTES), (CONDITION, ABOUT_TRUTH)], ids=["router", "condition"]
)
async def test_each_is_asked_once_more_and_then_fails_and_none_is_routed_by_guess(
    does: RouterStep | ConditionStep, table: list[Told], capsys: pytest.CaptureFixture[str]
) -> None:
    ends = await _ends(does, table)
    guesses = [one for one in ends if one[1:] != ("no_answer", 2)]
    with capsys.disabled():
        sys.stdout.write(f"\n{type(does).__name__}: {len(ends)} adversarial replies, {len(guesses)} routed by guess\n")
    assert len({label for label, *_ in ends}) >= 200
    assert guesses == []


async def test_with_a_default_each_is_asked_once_more_and_then_takes_it() -> None:
    assert {end[1:] for end in await _ends(CAREFUL, ABOUT_ROUTES)} == {("support", 2)}


def _careless(does: Kind, answer: Json) -> Chosen | NoAnswer:
    """Takes the first name that stands somewhere in an answer, as many do."""
    names = [name for name in choices_of(does) if name in str(answer).casefold()]
    return Chosen(names[0], names[0]) if names else NoAnswer("no name in it")


async def test_a_careless_reader_would_be_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sulla.playbooks.machine.ends.read_answer", _careless)
    routed = [end for end in await _ends(ROUTER, ABOUT_ROUTES) if end[1] != "no_answer"]
    assert len(routed) > 150


def dressed(name: str) -> list[str]:
    """A name with what models put around it."""
    return [
        *(f"{name}\n", f" {name} ", f"{name}.", name.upper(), name.capitalize(), f"{name.title()}.", f'"{name}"'),
        *(f"'{name}'", f"`{name}`", f"“{name}”", f'"{name}."', f'"{name}".', f"```\n{name}\n```"),
        *(f'```json\n"{name}"\n```', f"```{name}```"),
    ]


@pytest.mark.parametrize("does", [ROUTER, CAREFUL, CONDITION])
async def test_an_exact_name_routes_at_once_and_after_any_of_them(does: RouterStep | ConditionStep) -> None:
    names, table = (("sales", "support"), ABOUT_ROUTES) if isinstance(does, RouterStep) else ((YES, NO), ABOUT_TRUTH)
    for name in names:
        for said in (chose(name), chose(name, said="I hesitate."), text(name), *map(text, dressed(name))):
            asker = Asker(does, [said.say])
            assert (await asker.run(), asker.asked) == (name, 1)
            asker = Asker(does, [table[0].say, said.say])
            assert (await asker.run(), asker.asked) == (name, 2)
