"""What a tool hides of a call stands in no question about it, and a yes is good for exactly that all the same."""

from __future__ import annotations

from dataclasses import replace

from sulla.agent.approvals.approvals import question
from sulla.core.ids import CallId
from sulla.core.message import ToolCall
from sulla.store.memory import MemoryStore
from sulla.testing.provider import Say
from sulla.threads.log.records import Answer
from tests.agent.approvals.test_approvals import DONE, Desk

POSTS = Say("", (ToolCall(CallId("p"), "post", {"url": "https://b.example/x", "body": "pw-of-mine"}),))


async def test_the_question_lacks_what_is_hidden_and_the_call_made_on_a_yes_has_it(store: MemoryStore) -> None:
    desk = Desk(store, posts=POSTS)
    desk.post = replace(desk.post, hides=lambda args, context: ("body",))
    world = desk.boot()
    thread, wait = await desk.asked(world)
    assert "pw-of-mine" not in wait.prompt
    assert "pw-of-mine" not in wait.whole
    assert '"body": "(10 characters, not shown)"' in wait.prompt
    desk.provider.add(DONE)
    await desk.say(world, thread, Answer(wait.wait_id, "", "approve"))
    assert desk.hooks.done[-1] == ("post", {"url": "https://b.example/x", "body": "pw-of-mine"})


def test_a_tools_own_half_of_a_question_shows_what_was_typed_apart_from_what_is_there() -> None:
    call = ToolCall(CallId("c"), "bash", {"command": "x"})
    asked = {
        said: question(call, f"Run this: {said}", "d" * 64)[0] for said in ("a\n", "a\\n", "\u202e", "\\u202e", "\\\n")
    }
    assert [one.partition("Run this: ")[2].partition(". (call")[0] for one in asked.values()] == [
        r"a\n",
        r"a\\n",
        r"\u202e",
        r"\\u202e",
        r"\\\n",
    ]
