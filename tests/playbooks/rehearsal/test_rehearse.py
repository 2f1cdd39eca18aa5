"""A rehearsal goes as the real run would, without doing anything and without time passing."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from sulla.core.errors import InvalidInput, NotFound
from sulla.core.jsontypes import Json
from sulla.playbooks.definition import Definition
from sulla.playbooks.expression.expression import evaluate
from sulla.playbooks.file.check import check_playbook
from sulla.playbooks.file.check_known import KnownNames, KnownTool
from sulla.playbooks.machine.records import Failure, Spent
from sulla.playbooks.rehearsal import rehearse as module
from sulla.playbooks.rehearsal.base import RehearsalSetting, Rehearsed, RehearsedAnswer, RehearsedAsk
from sulla.playbooks.rehearsal.rehearse import rehearse
from tests.playbooks.homes import known_nowhere

DAY_MS = 86_400_000
BOOM = RehearsedAnswer(failure=Failure("transient", "tool", "it broke"))


def playbook(steps: str, more: str = "", name: str = "test") -> Definition:
    text = f"name: {name}\n{more}\nsteps:\n" + "".join(f"  {line}\n" for line in steps.strip("\n").splitlines())
    checked = check_playbook(text)
    assert checked.definition is not None, checked.faults
    return checked.definition


class Said:
    """Says what steps come to, by address or place; what is not named comes to its address."""

    def __init__(self, **came: RehearsedAnswer | Json | Callable[[RehearsedAsk], RehearsedAnswer]) -> None:
        self.came = came
        self.asked: list[str] = []

    def answer(self, ask: RehearsedAsk) -> RehearsedAnswer | None:
        self.asked.append(ask.at)
        found = self.came.get(ask.place.replace("/", "__"), ask.at)
        if callable(found):
            return found(ask)
        if found is None:
            return None
        return found if isinstance(found, RehearsedAnswer) else RehearsedAnswer(found)


def played(definition: Definition, said: Said, *others: Definition, inputs: dict[str, Json] | None = None) -> Rehearsed:
    by_name = {one.name: one for one in others}

    def find(name: str) -> Definition:
        if name not in by_name:
            raise NotFound(f"there is no playbook {name!r}")
        return by_name[name]

    return rehearse(definition, inputs or {}, said, RehearsalSetting(find, evaluate))


def ends(found: Rehearsed) -> dict[str, str]:
    return {row.at: row.status for row in found.rows}


def test_a_wait_of_thirty_days_and_an_approval_after_three_take_no_time() -> None:
    definition = playbook(
        """
- {id: sleep, wait: 30d}
- {id: ok, human: May I?, expires: 4d}
- {id: say, respond: "${{ steps.ok.output }}"}
"""
    )
    begun = time.process_time()
    found = played(definition, Said(ok=RehearsedAnswer("yes", after_ms=3 * DAY_MS)))
    assert time.process_time() - begun < 1.0
    assert (found.status, found.told) == ("completed", ("true",))
    assert found.took_ms == 33 * DAY_MS


def test_side_by_side_the_slowest_counts() -> None:
    definition = playbook(
        "- {id: a, needs: [], tool: t}\n- {id: b, needs: [], tool: t}\n- {id: m, needs: [a, b], merge: all}"
    )
    found = played(definition, Said(a=RehearsedAnswer("1", after_ms=5000), b=RehearsedAnswer("2", after_ms=9000)))
    assert found.took_ms == 9000


def test_a_late_answer_of_an_attempt_that_was_given_up_is_not_taken_for_the_next_one() -> None:
    definition = playbook("- {id: a, tool: t, timeout: 10s, retry: {tries: 2, backoff: 1s}}")

    def slow_then_quick(ask: RehearsedAsk) -> RehearsedAnswer:
        return (
            RehearsedAnswer("first", after_ms=12_000) if ask.attempt == 1 else RehearsedAnswer("second", after_ms=5_000)
        )

    found = played(definition, Said(a=slow_then_quick))
    assert [(row.output, row.tries) for row in found.rows] == [("second", 2)]
    assert found.took_ms == 16_000


def test_a_silent_person_and_a_hung_agent_are_ended_by_their_limits() -> None:
    never = RehearsedAnswer(after_ms=None)
    found = played(playbook("- {id: ok, human: May I?, expires: 3d}"), Said(ok=never))
    assert (found.status, found.rows[0].reason, found.took_ms) == ("failed", "expired", 3 * DAY_MS)
    found = played(playbook("- {id: a, agent: x, prompt: Do, timeout: 10m}"), Said(a=never))
    assert (found.status, found.rows[0].reason) == ("failed", "timeout")
    found = played(playbook("- {id: ok, human: May I?, expires: never}"), Said(ok=never))
    assert (found.status, found.outputs) == ("waiting", {})


def test_a_playbook_within_is_rehearsed_with_its_own_names_and_its_failure_is_the_steps() -> None:
    inner = playbook(
        '- {id: look, agent: x, prompt: "${{ inputs.q }} in ${{ run.playbook }} by ${{ run.trigger }}"}',
        'inputs: {q: string}\noutputs: {r: "${{ steps.look.output }}"}',
        "inner",
    )
    outer = playbook(
        "- {id: look, playbook: inner, with: {q: hi}}\n"
        '- {id: say, respond: "${{ steps.look.output.r }} ${{ run.trigger }}"}'
    )
    found = played(outer, Said(look=None, look__look="found"), inner)
    assert found.told == ("found manual",)
    assert [(model.at, model.text) for model in found.models] == [("look/look", "hi in inner by playbook")]
    failed = played(
        outer, Said(look=None, look__look=RehearsedAnswer(failure=Failure("permanent", "tool", "it broke"))), inner
    )
    assert ends(failed) == {"look": "failed", "look/look": "failed", "say": "failed"}
    assert failed.rows[0].why == "the playbook 'inner' failed: step 'look' failed: it broke"


def test_a_playbook_within_that_is_not_there_or_is_given_the_wrong_inputs_fails_its_step() -> None:
    outer = playbook("- {id: a, playbook: inner}")
    found = played(outer, Said(a=None))
    assert (found.status, found.rows[0].why) == ("failed", "there is no playbook 'inner'")
    found = played(outer, Said(a=None), playbook("- {id: b, wait: 3s}", "inputs: {q: string}", "inner"))
    assert "the input 'q' is missing" in found.rows[0].why


def test_what_is_within_a_step_that_is_given_up_is_given_up_too() -> None:
    inner = playbook("- {id: long, wait: 30d}\n- {id: after, tool: t}", name="inner")
    found = played(playbook("- {id: a, playbook: inner, timeout: 1h}"), Said(a=None), inner)
    assert (found.status, found.took_ms, found.calls) == ("failed", 3_600_000, ())
    assert ends(found)["a"] == "failed"


TIDY = 'finally:\n  - {id: tidy, tool: clean, with: {how: "${{ run.status }}"}}\n'


@pytest.mark.parametrize(
    ("steps", "took_ms"),
    [
        (
            (
                "  - {id: p, needs: [], playbook: inner}\n"
                "  - {id: q, needs: [], wait: 1s}\n"
                "  - {id: m, needs: [p, q], merge: first}\n"
            ),
            1_000,
        ),
        ("  - {id: p, playbook: inner, timeout: 2s, on_failure: go_on}\n", 2_000),
    ],
)
def test_a_playbook_within_that_nobody_waits_for_any_more_does_what_it_does_at_its_end(
    steps: str, took_ms: int
) -> None:
    inner = playbook("  - {id: w, wait: 1h}\n", TIDY, name="inner")
    found = played(playbook(steps), Said(p=None, p__tidy=RehearsedAnswer("clean", after_ms=5_000)), inner)
    assert (found.status, found.took_ms) == ("completed", took_ms)
    assert [(call.at, call.args) for call in found.calls] == [("p/tidy", {"how": "cancelled"})]
    assert (ends(found)["p/w"], ends(found)["p/tidy"]) == ("cancelled", "completed")


def test_a_playbook_that_takes_over_goes_on_in_its_place() -> None:
    second = playbook(
        '- {id: end, respond: "${{ inputs.n }}"}', 'inputs: {n: integer}\noutputs: {n: "${{ inputs.n }}"}', "second"
    )
    found = played(playbook("- {id: go, transfer: second, with: {n: 3}}"), Said(), second)
    assert (found.status, found.outputs, found.told) == ("completed", {"n": 3}, ("3",))
    assert ends(found) == {"go": "completed", "go/end": "completed"}


def test_playbooks_that_hand_over_to_each_other_for_ever_are_refused() -> None:
    ping = playbook("- {id: go, transfer: pong}", name="ping")
    pong = playbook("- {id: go, transfer: ping}", name="pong")
    with pytest.raises(InvalidInput, match="hand over more than 8 times"):
        played(ping, Said(), ping, pong)


def test_what_happens_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_FACTS", 50)
    with pytest.raises(InvalidInput, match="it does not end: 50 things have happened"):
        played(playbook("- {id: l, loop: {count: 100, steps: [{id: a, tool: t}]}}"), Said())


def test_calls_are_noted_with_their_arguments_and_never_with_a_secret() -> None:
    definition = playbook(
        "- {id: l, loop: {for_each: [a, b], steps: [{id: send, tool: t,"
        ' with: {to: "${{ item }}", key: "${{ secrets.key }}"}}]}}',
        "secrets: [key]",
    )
    found = played(definition, Said())
    assert [(call.at, call.tool, call.args) for call in found.calls] == [
        ("send@0", "t", {"to": "a", "key": "<secret key>"}),
        ("send@1", "t", {"to": "b", "key": "<secret key>"}),
    ]


def test_a_known_tool_refuses_arguments_that_it_does_not_take_and_once_is_once() -> None:
    definition = playbook('- {id: a, tool: t, with: {n: "${{ inputs.n }}"}}', "inputs: {n: {type: string}}")
    schema: dict[str, Json] = {"type": "object", "properties": {"n": {"type": "integer"}}}
    setting = RehearsalSetting(lambda name: definition, evaluate, KnownNames(tools={"t": KnownTool(schema, "once")}))
    found = rehearse(definition, {"n": "many"}, Said(), setting)
    assert (found.rows[0].status, found.rows[0].reason) == ("failed", "refused")
    plain = playbook("- {id: a, tool: t}")
    assert rehearse(plain, {}, Said(a=BOOM), setting).rows[0].tries == 1
    again = replace(setting, known=KnownNames(tools={"t": KnownTool(schema, "pure")}))
    assert rehearse(plain, {}, Said(a=BOOM), again).rows[0].tries > 1


def test_an_output_that_is_not_what_the_step_asks_for_is_refused() -> None:
    definition = playbook(
        "- {id: a, agent: x, prompt: Do, output: {type: object, properties: {n: {type: integer}}, required: [n]}}"
    )
    with pytest.raises(InvalidInput, match="what 'a' is said to come to is not what it asks for"):
        played(definition, Said(a={"n": "many"}))
    assert played(definition, Said(a={"n": 3})).status == "completed"


def test_what_a_real_run_would_never_come_to_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"'a' comes to text, and is said to come to \{'n': 3\}"):
        played(playbook("- {id: a, tool: t}"), Said(a={"n": 3}))
    with pytest.raises(InvalidInput, match="'a' comes to the outputs of a playbook"):
        played(playbook("- {id: a, playbook: inner}"), Said(a="text"))
    nothing = played(
        playbook("- {id: a, tool: t}\n- {id: b, respond: hi}"), Said(a=RehearsedAnswer(), b=RehearsedAnswer("hi"))
    )
    assert [row.output for row in nothing.rows] == ["", "hi"]


def test_a_playbook_within_is_tried_again_where_its_step_says_so() -> None:
    inner = playbook("- {id: look, tool: t}", name="inner")
    answers = iter([RehearsedAnswer(failure=Failure("permanent", "tool", "it broke")), RehearsedAnswer("fine")])
    said = Said(a=None, a__look=lambda ask: next(answers))
    found = played(playbook("- {id: a, playbook: inner, retry: {tries: 2, backoff: 5s}}"), said, inner)
    assert (found.status, found.took_ms, len(found.calls)) == ("completed", 5000, 2)


def test_a_person_cannot_answer_what_was_not_offered() -> None:
    with pytest.raises(InvalidInput, match="expected exactly one of 'yes', 'no'"):
        played(playbook("- {id: ok, human: May I?}"), Said(ok="perhaps"))


def test_a_model_that_names_no_way_is_asked_once_more() -> None:
    definition = playbook("- {id: kind, router: What?, routes: {a: x, b: y}}")
    answers = iter(["a or b", "b"])
    said = Said(kind=lambda ask: RehearsedAnswer(next(answers)))
    found = played(definition, said)
    assert (found.rows[0].route, said.asked) == ("b", ["kind", "kind"])


def test_a_budget_ends_it() -> None:
    definition = playbook("- {id: a, agent: x, prompt: Do}\n- {id: b, agent: x, prompt: More}", "budget: {tokens: 100}")
    found = played(definition, Said(a=RehearsedAnswer("x", spent=Spent(150))))
    assert (found.status, found.spent.tokens) == ("failed", 150)
    assert found.failure is not None
    assert found.failure.reason == "limit_tokens"


def test_everything_that_asks_a_model_is_counted() -> None:
    definition = playbook(
        """
- {id: kind, router: What?, routes: {a: x, b: y}, needs: []}
- {id: good, condition: {ask: Good?}, needs: []}
- {id: plain, condition: "${{ true }}", needs: []}
- {id: do, agent: x, prompt: Do, before: Before?, after: After?, needs: []}
- {id: ask, prompt: And now?, needs: []}
"""
    )
    found = played(definition, Said(kind="a", good="yes"))
    assert [(model.at, model.what) for model in found.models] == [
        ("kind", "choose"),
        ("good", "choose"),
        ("do", "agent"),
        ("do", "conversation"),
        ("do", "conversation"),
        ("ask", "conversation"),
    ]


def test_a_way_that_a_failure_takes_along_is_named_where_the_failure_itself_was_dealt_with() -> None:
    definition = playbook(
        """
- {id: ok, human: May I?, expires: 1h}
- {id: late, needs: [{ok: failure}], respond: Nobody said anything}
- {id: not_so, needs: [ok.no], respond: It was not wanted}
- {id: more, respond: More}
"""
    )
    found = played(definition, Said(ok=RehearsedAnswer("yes", after_ms=None)))
    assert (found.status, found.told) == ("failed", ("Nobody said anything",))
    assert found.failure is not None
    assert found.failure.message == (
        "'more' was not done, and nothing deals with that: step 'ok' failed: nobody answered in time"
    )


# ---------------------------------------------------------------------------------------------- as tools really fail


def called(step: str, came: RehearsedAnswer) -> Rehearsed:
    definition = playbook(f"- {{id: a, {step}}}")
    setting = RehearsalSetting(lambda name: definition, evaluate, known_nowhere())
    return rehearse(definition, {}, Said(a=came), setting)


@pytest.mark.parametrize(
    ("step", "after_s", "status", "took_s", "said"),
    [
        ("tool: http, with: {url: 'https://a.example/x'}, retry: 1", 30, "completed", 30, ""),
        (
            "tool: http, with: {url: 'https://a.example/x'}, retry: 1",
            45,
            "failed",
            30,
            "a.example did not answer in full",
        ),
        ("tool: http, with: {url: 'https://a.example/x'}, timeout: 20s", 45, "failed", 20, "longer than it may"),
        ("tool: http, with: {url: 'https://a.example/x'}, retry: 1", None, "failed", 30, "did not answer in full"),
        ("tool: bash, with: {command: make}", 130, "failed", 120, "killed after 120 s, its time limit"),
        ("tool: bash, with: {command: make, timeout_s: 300}", 130, "completed", 130, ""),
    ],
)
def test_a_tool_gives_up_after_its_own_time(
    step: str, after_s: int | None, status: str, took_s: int, said: str
) -> None:
    found = called(step, RehearsedAnswer("", after_ms=None if after_s is None else after_s * 1000))
    assert (found.status, found.took_ms) == (status, took_s * 1000)
    assert said in (found.failure.message if found.failure is not None else "")


def test_a_service_that_does_not_answer_is_asked_as_often_as_in_a_real_run() -> None:
    found = called("tool: http, with: {url: 'https://a.example/x'}", RehearsedAnswer("", after_ms=45_000))
    assert (found.rows[0].tries, found.took_ms) == (4, (4 * 30 + 10 + 30 + 90) * 1000)


@pytest.mark.parametrize(
    ("step", "failure", "said"),
    [
        (
            "tool: http, with: {url: 'https://a.example'}",
            ("tool_error", "tool"),
            "http never fails as 'tool_error': what may",
        ),
        (
            "tool: http, with: {url: 'https://a.example'}",
            ("context_limit", "fixture"),
            "never fails as 'context_limit'",
        ),
        (
            "tool: bash, with: {command: make}",
            ("tool_error", "no_shell"),
            "with the reason 'no_shell'; reasons of that kind: tool",
        ),
        (
            "tool: bash, with: {command: make}",
            ("permanent", "rejected"),
            "with the reason 'rejected'; reasons of that kind: tool, refused",
        ),
    ],
)
def test_a_failure_that_no_real_run_has_is_refused(step: str, failure: tuple[Any, str], said: str) -> None:
    with pytest.raises(InvalidInput, match=re.escape(said)):
        called(step, RehearsedAnswer(failure=Failure(*failure, "it broke")))
