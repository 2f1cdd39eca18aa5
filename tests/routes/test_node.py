"""A turn goes along its route, whatever its model does: one that obeys, that skips the call, that makes things up, that
fails.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import pytest

from sulla.agent.calls.taint import asking
from sulla.core.errors import ProviderProtocol, ProviderTransient, ProviderUnauthorized, SettingsError
from sulla.core.ids import CallId, MessageId, ThreadId
from sulla.core.message import ToolCall
from sulla.core.run import Run
from sulla.core.words import ours
from sulla.models.base import PromptSection
from sulla.routes.node import EMPTY, NOT_NOW, NOTHING_KNOWN
from sulla.routes.plan import Gate, GateFacts, RouteTable, route_from
from sulla.routes.slice import RouteEnded, RouteTaken
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock
from sulla.testing.provider import Say, ScriptedProvider, Step
from sulla.threads.bus import live_channel
from sulla.threads.log.records import Input, RunFinished
from sulla.threads.log.state import ThreadState
from sulla.tools.base import Done, Result, Tool, ToolContext
from sulla.tools.define import define
from tests.routes.world import RouteWorld

FACTS = "Paris has 2.1 million people [cities.md#France]."
HELP = "Call 112."
FIXED = "Please call 112 now. I cannot look anything up at the moment."
WITH_HELP = f"{FIXED}\n\n{HELP}"


@pytest.fixture
async def store() -> AsyncIterator[MemoryStore]:
    store = MemoryStore(ManualClock(), lambda prefix: f"{prefix}_mem")
    await store.open()
    yield store
    await store.close()


def look_up(name: str, answers: Sequence[Result], asked: list[str] | None = None) -> Tool:
    """A tool that gives one answer after the other; the last one again and again."""
    given = list(answers)

    async def run(context: ToolContext, *, question: str) -> Result:
        """Look it up.

        Args:
            question: what is wanted.
        """
        if asked is not None:
            asked.append(question)
        return given.pop(0) if len(given) > 1 else given[0]

    return replace(define(run, effect="pure", reach="inward", timeout_s=10.0), name=name)


def table(**more: Any) -> RouteTable:
    """Routes of each kind; `more` is said of the route of the same kind."""
    said: dict[str, dict[str, Any]] = {
        "incident": {
            "require": "helplines",
            "args": {"question": "{message}"},
            "fixed_text": FIXED,
            "instructions": "Give the number first.",
        },
        "clarify": {"instructions": "Ask one short question, and nothing else.", "without": ["helplines"]},
        "grounded": {},
        "memory": {},
        "default": {},
    }
    routes = {kind: route_from({"name": kind, "kind": kind, **own, **more.get(kind, {})}) for kind, own in said.items()}
    gates = (
        Gate("fire", "incident", any=("on fire",)),
        Gate("smell", "clarify", any=("smells odd",)),
        Gate("cities", "grounded", any=("how many people",)),
    )
    return RouteTable(MappingProxyType(routes), gates)


def world(store: MemoryStore, *steps: Step, answers: Sequence[Result] = (), routes: RouteTable | None = None) -> Any:
    tools = (
        look_up("grounded_lookup", answers or (Done(ours(FACTS)),)),
        look_up("helplines", answers or (Done(ours(HELP)),)),
        look_up("recall", (Done(ours("She likes tea.")),)),
    )
    return RouteWorld(store, routes or table(), ScriptedProvider(steps), tools)


async def last_fault(home: RouteWorld, thread: ThreadId) -> str:
    return [entry.fact.fault for entry in await home.log(thread) if isinstance(entry.fact, RouteTaken)][-1]


def calls(name: str, **args: Any) -> Say:
    return Say("", (ToolCall(CallId("c1"), name, args or {"question": "how many?"}),))


async def test_a_grounded_route_answers_with_what_the_tool_says_and_nothing_else(store: MemoryStore) -> None:
    home = world(store, calls("grounded_lookup"))
    thread = await home.thread()
    await home.say(thread, "How many people live in Paris?")
    assert await home.shown(thread) == [FACTS]
    (request,) = home.provider.requests
    assert (request.force, [tool.name for tool in request.tools]) == ("grounded_lookup", ["grounded_lookup"])
    assert await home.went(thread) == [("taken", "grounded"), ("called", ""), ("ended tool", "grounded")]


@pytest.mark.parametrize(
    "said",
    [
        pytest.param("Paris has nine million people.", id="it makes something up"),
        pytest.param("", id="it says nothing"),
        pytest.param(Say("As you know", (ToolCall(CallId("c"), "recall", {"question": "x"}),)), id="another tool"),
        pytest.param(Say("", (ToolCall(CallId("c"), "grounded_lookup", {"q": 1}),)), id="a call that cannot be made"),
        pytest.param(ProviderUnauthorized("no key"), id="it fails"),
    ],
)
async def test_a_call_that_a_model_does_not_make_is_made_in_its_place(store: MemoryStore, said: Step) -> None:
    home = world(store, said)
    thread = await home.thread()
    await home.say(thread, "How many people live in Paris?")
    assert await home.shown(thread) == [FACTS]
    assert "made" in dict(await home.went(thread))
    assert (await home.status(thread))[0] == "done"


async def test_nothing_that_a_model_says_beside_the_call_is_shown_live(store: MemoryStore) -> None:
    home = world(store, Say("Nine million, I think.", (ToolCall(CallId("c"), "grounded_lookup", {"question": "x"}),)))
    thread = await home.thread()
    heard: list[bytes | None] = []
    async with store.subscribe(live_channel(thread)) as live:
        live.attach(heard.append)
        await home.say(thread, "How many people live in Paris?")
    assert await home.shown(thread) == [FACTS]
    assert not [one for one in heard if b"Nine" in (one or b"")]


@pytest.mark.parametrize("called", [True, False])
async def test_nothing_that_a_model_says_in_the_place_of_a_call_or_beside_it_is_written_down(
    store: MemoryStore, called: bool
) -> None:
    calls = (ToolCall(CallId("c"), "grounded_lookup", {"question": "x"}),) if called else ()
    home = world(store, Say("Nine million, I think.", calls))
    thread = await home.thread()
    await home.say(thread, "How many people live in Paris?")
    assert await home.shown(thread) == [FACTS]
    assert "Nine" not in str(await home.log(thread))


async def test_the_message_is_what_a_call_in_the_models_place_asks_for(store: MemoryStore) -> None:
    asked: list[str] = []
    home = RouteWorld(
        store, table(), ScriptedProvider(["No."]), (look_up("grounded_lookup", (Done(ours(FACTS)),), asked),)
    )
    thread = await home.thread()
    await home.say(thread, "How many people live in Paris?")
    assert asked == ["How many people live in Paris?"]


async def test_what_an_application_says_before_the_message_leads_nowhere_and_is_looked_up_nowhere(
    store: MemoryStore,
) -> None:
    asked: list[str] = []
    tools = (look_up("grounded_lookup", (Done(ours(FACTS)),), asked),)
    home = RouteWorld(store, table(), ScriptedProvider(["Hello!", "No."]), tools)
    thread = await home.thread()
    for said in ("Good morning.", "How many people live in Paris?"):
        await home.offer(thread, f"If the kitchen is on fire, say sorry.\n\n{said}", said_chars=len(said))
        await home.work()
    assert asked == ["How many people live in Paris?"]
    assert [route for what, route in await home.went(thread) if what == "taken"] == ["default", "grounded"]


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(Done(ours("   ")), id="nothing"),
        pytest.param(Done(ours("Nothing was found. There is cities.md."), is_error=True), id="an error"),
    ],
)
async def test_a_grounded_route_that_finds_nothing_is_an_error_that_says_so(store: MemoryStore, answer: Result) -> None:
    home = world(store, "Nine million.", answers=(answer,))
    thread = await home.thread()
    await home.say(thread, "How many people live in Atlantis?")
    assert await home.shown(thread) == []
    status, why = await home.status(thread)
    assert status == "failed"
    assert why == NOTHING_KNOWN
    assert "grounded_lookup" in dict(await home.went(thread))["failed"]


async def test_an_incident_looks_up_and_then_answers_without_that_tool(store: MemoryStore) -> None:
    home = world(store, calls("helplines"), "Call 112 at once.")
    thread = await home.thread()
    await home.say(thread, "The kitchen is on fire!")
    assert await home.shown(thread) == ["Call 112 at once."]
    first, second = home.provider.requests
    assert (first.force, first.certain) == ("helplines", True)
    assert (second.force, second.certain) == ("", True)
    assert "helplines" not in [tool.name for tool in second.tools]
    assert second.system[-1] == PromptSection("route", ours("Give the number first."))
    assert (await home.went(thread))[-1] == ("ended model", "incident")


async def test_an_incident_whose_model_fails_has_its_fixed_text_and_what_was_found_at_once(store: MemoryStore) -> None:
    home = world(store, ProviderTransient("overloaded"), "Nobody waits for this.")
    thread = await home.thread()
    await home.say(thread, "The kitchen is on fire!")
    assert await home.shown(thread) == [WITH_HELP]
    assert len(home.provider.requests) == 1
    assert (await home.went(thread))[-2:] == [("fixed", "provider_transient"), ("ended fixed", "incident")]
    assert (await home.status(thread))[0] == "done"


async def test_a_model_that_writes_a_call_badly_is_asked_for_it_once_and_then_for_its_reply(store: MemoryStore) -> None:
    home = world(store, ProviderProtocol("the arguments are no JSON"), "Call 112 at once.")
    thread = await home.thread()
    await home.say(thread, "The kitchen is on fire!")
    assert await home.shown(thread) == ["Call 112 at once."]
    assert [request.force for request in home.provider.requests] == ["helplines", ""]


async def test_a_forced_call_of_any_route_is_asked_for_once_and_not_waited_for(store: MemoryStore) -> None:
    home = world(store, ProviderTransient("overloaded"))
    thread = await home.thread()
    await home.say(thread, "How many people live in Paris?")
    assert await home.shown(thread) == [FACTS]
    (request,) = home.provider.requests
    assert (request.certain, request.timeout_s) == (True, 30.0)


async def test_an_incident_whose_model_cannot_be_made_has_its_fixed_text(store: MemoryStore) -> None:
    home = world(store, calls("helplines"), SettingsError("no provider in the model name 'foo'"))
    thread = await home.thread()
    await home.say(thread, "The kitchen is on fire!")
    assert await home.shown(thread) == [WITH_HELP]
    assert ("fixed", "settings_invalid") in await home.went(thread)


async def test_an_incident_whose_model_says_nothing_has_its_fixed_text(store: MemoryStore) -> None:
    home = world(store, calls("helplines"), "")
    thread = await home.thread()
    await home.say(thread, "The kitchen is on fire!")
    assert await home.shown(thread) == [WITH_HELP]


async def test_an_incident_whose_model_breaks_off_has_its_fixed_text_and_what_was_found(store: MemoryStore) -> None:
    home = world(store, calls("helplines"), Say("Call 555-", error=ProviderTransient("reset")))
    thread = await home.thread()
    await home.say(thread, "The kitchen is on fire!")
    assert await home.shown(thread) == [WITH_HELP]


@pytest.mark.parametrize("said", [calls("helplines"), "Call 555-0199."])
async def test_an_incident_of_text_alone_asks_no_model(store: MemoryStore, said: Step) -> None:
    asked: list[str] = []
    routes = table(incident={"text_only": True})
    home = RouteWorld(store, routes, ScriptedProvider([said]), (look_up("helplines", (Done(ours(HELP)),), asked),))
    thread = await home.thread()
    await home.say(thread, "The kitchen is on fire!")
    assert await home.shown(thread) == [WITH_HELP]
    assert (home.provider.requests, asked) == ([], ["The kitchen is on fire!"])
    assert await home.went(thread) == [
        ("taken", "incident"),
        ("made", ""),
        ("called", ""),
        ("ended tool", "incident"),
    ]


async def test_an_incident_of_text_alone_that_finds_nothing_has_its_fixed_text(store: MemoryStore) -> None:
    home = world(store, answers=(Done(ours("nothing"), is_error=True),), routes=table(incident={"text_only": True}))
    thread = await home.thread()
    await home.say(thread, "The kitchen is on fire!")
    assert (await home.shown(thread), home.provider.requests) == ([FIXED], [])


@pytest.mark.parametrize("said", ["", "  \n", Say("", reasoning="Hm.")])
async def test_a_reply_of_a_route_that_is_empty_is_no_success(store: MemoryStore, said: Step) -> None:
    home = world(store, said, said, "Good morning.")
    thread = await home.thread()
    await home.say(thread, "Hello.")
    assert await home.status(thread) == ("failed", EMPTY)
    assert ("failed", "nothing_said") in await home.went(thread)
    await home.say(thread, "Hello?")
    assert await home.shown(thread) == ["Good morning."]


async def test_what_is_said_beside_a_call_that_leads_to_the_memory_is_taken_back(store: MemoryStore) -> None:
    home = world(store, Say("You like gin.", (ToolCall(CallId("c"), "recall", {"question": "x"}),)), "You like tea.")
    thread = await home.thread()
    await home.say(thread, "What do I drink?")
    assert ("ended model", "memory") in await home.went(thread)
    assert await home.shown(thread) == ["You like tea."]


async def test_who_was_told_something_beside_a_call_has_a_reply(store: MemoryStore) -> None:
    home = world(store, Say("I look.", (ToolCall(CallId("c"), "helplines", {"question": "x"}),)), "")
    thread = await home.thread()
    await home.say(thread, "Hello.")
    assert ((await home.status(thread))[0], await home.shown(thread)) == ("done", ["I look."])


async def test_without_routes_it_is_asked_for_once_more_as_with_them(store: MemoryStore) -> None:
    home = world(store, "", "Good morning.")
    home.table = None
    thread = await home.thread()
    await home.say(thread, "Hello.")
    assert ((await home.status(thread))[0], await home.shown(thread)) == ("done", ["Good morning."])


async def test_an_incident_whose_tool_is_not_there_has_its_fixed_text(store: MemoryStore) -> None:
    home = RouteWorld(store, table(), ScriptedProvider(), ())
    thread = await home.thread()
    await home.say(thread, "The kitchen is on fire!")
    assert await home.shown(thread) == [FIXED]


async def test_a_tool_that_is_not_there_fails_a_route_without_a_fixed_text_and_names_it(store: MemoryStore) -> None:
    home = RouteWorld(store, table(), ScriptedProvider(), ())
    thread = await home.thread()
    await home.say(thread, "How many people live in Paris?")
    status, why = await home.status(thread)
    assert status == "failed"
    assert why == NOT_NOW
    assert "the route 'grounded' requires the tool 'grounded_lookup'" in dict(await home.went(thread))["failed"]


@pytest.mark.parametrize("said", [calls("helplines"), "Call 555-1234."])
async def test_a_lookup_that_fails_in_an_incident_has_its_fixed_text_and_no_words_of_the_models(
    store: MemoryStore, said: Step
) -> None:
    home = world(store, said, "Call 555-1234.", answers=(Done(ours("no line"), is_error=True),))
    thread = await home.thread()
    await home.say(thread, "The kitchen is on fire!")
    assert await home.shown(thread) == [FIXED]
    assert "555" not in str(await home.log(thread))
    assert (await home.went(thread))[-1] == ("ended fixed", "incident")


@pytest.mark.parametrize("fixed", ["", "We don't know."])
async def test_a_call_of_the_models_own_that_finds_nothing_leads_to_the_grounded_route_all_the_same(
    store: MemoryStore, fixed: str
) -> None:
    routes = table(grounded={"fixed_text": fixed}) if fixed else table()
    made_up = Say("Nine million.", (ToolCall(CallId("c"), "grounded_lookup", {"question": "x"}),))
    home = world(store, made_up, "Nine.", answers=(Done(ours("nothing"), is_error=True),), routes=routes)
    thread = await home.thread()
    await home.say(thread, "And Atlantis?")
    assert await home.shown(thread) == ([fixed] if fixed else [])
    assert (await home.status(thread))[0] == ("done" if fixed else "failed")
    assert "Nine" not in str(await home.log(thread))
    assert len(home.provider.requests) == 1


async def test_words_beside_the_models_own_call_of_a_grounded_tool_are_taken_back(store: MemoryStore) -> None:
    made_up = Say("Nine million, I think.", (ToolCall(CallId("c"), "grounded_lookup", {"question": "x"}),))
    home = world(store, made_up)
    thread = await home.thread()
    await home.say(thread, "And Paris?")
    assert await home.shown(thread) == [FACTS]
    assert "Nine" not in str(await home.log(thread))


async def test_a_clarification_is_asked_without_a_lookup(store: MemoryStore) -> None:
    home = world(store, "Do you see smoke?")
    thread = await home.thread()
    await home.say(thread, "It smells odd in here.")
    assert await home.shown(thread) == ["Do you see smoke?"]
    (request,) = home.provider.requests
    assert request.system[-1] == PromptSection("route", ours("Ask one short question, and nothing else."))
    assert "helplines" not in [tool.name for tool in request.tools]


async def test_what_the_agent_calls_leads_to_another_route_grounded_before_memory(store: MemoryStore) -> None:
    both = (
        ToolCall(CallId("a"), "recall", {"question": "x"}),
        ToolCall(CallId("b"), "grounded_lookup", {"question": "y"}),
    )
    home = world(store, calls("recall"), Say("", both))
    thread = await home.thread()
    await home.say(thread, "What do you know of Paris?")
    assert await home.shown(thread) == [FACTS]
    went = await home.went(thread)
    assert [what for what, _ in went] == ["taken", "rerouted", "rerouted", "called", "ended tool"]
    assert went[-1] == ("ended tool", "grounded")


async def test_a_turn_that_recalls_ends_as_one_about_memory(store: MemoryStore) -> None:
    home = world(store, calls("recall"), "You like tea.")
    thread = await home.thread()
    await home.say(thread, "What do I like?")
    assert await home.shown(thread) == ["You like tea."]
    assert (await home.went(thread))[-1] == ("ended model", "memory")


async def test_what_no_gate_decides_is_the_agents_own_turn(store: MemoryStore) -> None:
    home = world(store, "Hello!")
    thread = await home.thread()
    await home.say(thread, "Good morning.")
    assert await home.shown(thread) == ["Hello!"]
    (request,) = home.provider.requests
    assert (request.force, request.certain) == ("", False)
    assert await home.went(thread) == [("taken", "default"), ("ended model", "default")]


async def test_a_home_without_routes_writes_nothing_of_them(store: MemoryStore) -> None:
    home = RouteWorld(store, None, ScriptedProvider(["Hello!"]), ())
    thread = await home.thread()
    await home.say(thread, "The kitchen is on fire!")
    assert await home.went(thread) == []
    assert await home.shown(thread) == ["Hello!"]


async def test_nothing_else_takes_up_a_message_that_a_gate_has_decided(store: MemoryStore) -> None:
    async def opening(state: ThreadState, run: Run) -> str:
        return "I am an intent."

    home = RouteWorld(
        store,
        table(),
        ScriptedProvider([calls("helplines"), "Call 112."]),
        (look_up("helplines", (Done(ours(HELP)),)),),
        opening=opening,
    )
    thread = await home.thread()
    await home.say(thread, "The kitchen is on fire!")
    await home.say(thread, "Good morning.")
    assert await home.shown(thread) == ["Call 112.", "I am an intent."]


async def test_a_route_names_who_answers_for_its_turn_alone(store: MemoryStore) -> None:
    home = world(store, calls("helplines"), "Call 112.", "Hello.", routes=table(incident={"agent": "helper"}))
    thread = await home.thread()
    await home.say(thread, "The kitchen is on fire!")
    await home.say(thread, "Good morning.")
    told = [request.system[0].text for request in home.provider.requests]
    assert ["Helper" in text or "You help" in text for text in told] == [True, True, False]


async def test_an_agent_that_is_gone_fails_the_route_and_is_named(store: MemoryStore) -> None:
    home = world(store, routes=table(grounded={"agent": "nobody"}))
    thread = await home.thread()
    await home.say(thread, "How many people live in Paris?")
    assert (await home.status(thread))[1] == NOT_NOW
    assert "the agent 'nobody'" in str(await last_fault(home, thread))


async def test_the_reply_is_written_in_the_style_of_a_skill(store: MemoryStore) -> None:
    style = PromptSection("style", ours("Be brief."))
    home = RouteWorld(
        store, table(clarify={"style": "brief"}), ScriptedProvider(["Smoke?"]), (), styles={"brief": style}
    )
    thread = await home.thread()
    await home.say(thread, "It smells odd.")
    assert style in home.provider.requests[0].system


@pytest.mark.parametrize(("there", "told"), [(True, "brief"), (False, "brief (not there)")])
async def test_a_turn_without_the_style_of_its_route_is_answered_and_recorded_so(
    store: MemoryStore, *, there: bool, told: str
) -> None:
    styles = {"brief": PromptSection("style", ours("Be brief."))} if there else {}
    home = RouteWorld(store, table(clarify={"style": "brief"}), ScriptedProvider(["Smoke?"]), (), styles=styles)
    thread = await home.thread()
    await home.say(thread, "It smells odd.")
    assert await home.shown(thread) == ["Smoke?"]
    ends = [entry.fact.style for entry in await home.log(thread) if isinstance(entry.fact, RouteEnded)]
    assert ends == [told]


async def test_the_turn_before_is_known_to_gates(store: MemoryStore) -> None:
    routes = table()
    more = (*routes.gates, Gate("again", "clarify", facts=GateFacts(last_route=("incident",))))
    home = world(store, calls("helplines"), "Call 112.", "Is it out?", routes=RouteTable(routes.routes, more))
    thread = await home.thread()
    await home.say(thread, "The kitchen is on fire!")
    await home.say(thread, "I did.")
    assert ("ended model", "clarify") in await home.went(thread)
    assert isinstance((await home.log(thread))[-1].fact, RunFinished)


@pytest.mark.parametrize(
    ("text", "about", "taken"),
    [
        ("What do you know of me?", {}, ["memory"]),
        ("What do you know of me?", {"quoted": "a mail"}, []),
        ("What do you know of me?", {"tainted": True}, []),
        ("The kitchen is on fire!", {"quoted": "a mail"}, ["incident"]),
        ("The kitchen is on fire!", {"tainted": True}, ["incident"]),
        ("The kitchen is on fire!", {"origin": "web"}, []),
    ],
)
async def test_words_that_may_be_somebody_elses_lead_to_what_must_not_wait_alone(
    store: MemoryStore, text: str, about: dict[str, Any], taken: list[str]
) -> None:
    routes = table()
    gates = (*routes.gates, Gate("of me", "memory", any=("know of me",)))
    script = [calls("helplines"), "Call 112."] if taken == ["incident"] else ["Hello."]
    home = world(store, *script, routes=RouteTable(routes.routes, gates))
    thread = await home.thread()
    await home.threads.send(thread, Input(MessageId("m1"), text, **about))
    await home.work()
    assert [name for what, name in await home.went(thread) if what == "taken" and name != "default"] == taken


async def test_the_agent_of_a_route_has_no_more_rights_than_whose_conversation_it_is(store: MemoryStore) -> None:
    home = world(store, calls("helplines"), "Call 112.", "Hello.", routes=table(incident={"agent": "helper"}))
    thread = await home.thread()
    await home.say(thread, "The kitchen is on fire!")
    (taken,) = [entry.fact for entry in await home.log(thread) if isinstance(entry.fact, RouteTaken)]
    _, state = await home.threads.get(thread)
    assert state is not None
    assert (taken.behalf, state.walk.behalf) == ("sulla", "sulla")
    assert "sulla" in asking(state)


async def test_a_call_that_may_not_be_repeated_is_made_in_the_models_place_without_a_question(
    store: MemoryStore,
) -> None:
    tool = replace(look_up("helplines", (Done(ours(HELP)),)), effect="once")
    home = RouteWorld(store, table(), ScriptedProvider(["I need no number.", "Call 112."]), (tool,))
    thread = await home.thread()
    await home.say(thread, "The kitchen is on fire!")
    assert "SUSPENDED" not in [entry.kind for entry in await home.log(thread)]
    assert await home.shown(thread) == ["Call 112."]


async def test_a_default_route_is_answered_by_its_own_agent(store: MemoryStore) -> None:
    home = world(store, "Hello.", "Again.", routes=table(default={"agent": "helper"}))
    thread = await home.thread()
    await home.say(thread, "Good morning")
    assert await home.shown(thread) == ["Hello."]
    assert "You help at once." in home.provider.requests[0].system[0].words.text


async def test_a_default_route_whose_agent_is_not_there_is_answered_by_no_other(
    store: MemoryStore, caplog: pytest.LogCaptureFixture
) -> None:
    home = world(store, "Nobody says this.", routes=table(default={"agent": "nobody"}))
    thread = await home.thread()
    await home.say(thread, "Good morning")
    status, why = await home.status(thread)
    assert status == "failed"
    assert why == "This cannot be answered here at the moment."
    assert "'nobody', which is not there" in caplog.text
