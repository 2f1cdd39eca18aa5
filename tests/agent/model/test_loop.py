"""What an agent does next follows from the conversation alone."""

from __future__ import annotations

from sulla.agent.model.loop import AwaitAnswers, CallModel, Finished, RunCalls, next_action
from sulla.core.ids import CallId, MessageId, RunId
from sulla.core.message import Message, Text, ToolCall, ToolResult
from sulla.threads.log.open_run import OpenRun, RunCourse, RunMessage, RunModelCalls
from sulla.threads.log.transcript import Transcript
from sulla.threads.log.waits import Wait

HI = Message(MessageId("u"), "user", (Text("hi"),))
SAID = Message(MessageId("a"), "assistant", (Text("hello"),))
ONE, TWO = ToolCall(CallId("c1"), "t", {}), ToolCall(CallId("c2"), "t", {})
ASKED = Message(MessageId("a"), "assistant", (Text("let me look"), ONE, TWO))


def script(*messages: Message, results: tuple[str, ...] = ()) -> Transcript:
    made = Transcript(lambda message: 1)
    for message in messages:
        made.push(message)
    for call_id in results:
        made.add_result(MessageId("r"), ToolResult(CallId(call_id), "out"), ASKED.calls)
    return made


def run(*waiting_for: str, replied: bool = False) -> OpenRun:
    waits = {f"w:{call_id}": Wait(f"w:{call_id}", CallId(call_id)) for call_id in waiting_for}
    made = OpenRun(RunId("run"), RunMessage(1), RunCourse(0), model=RunModelCalls(replied))
    made.waits = waits
    return made


def test_a_persons_word_wants_a_reply() -> None:
    assert next_action(script(HI), run()) == CallModel(after_tools=False)


def test_a_reply_without_calls_is_the_end() -> None:
    assert next_action(script(HI, SAID), run(replied=True)) == Finished()


def test_a_reply_that_said_nothing_is_the_end_too() -> None:
    assert next_action(script(HI, ASKED, results=("c1", "c2")), run(replied=True)) == Finished()


def test_calls_run_in_the_models_order() -> None:
    assert next_action(script(HI, ASKED), run()) == RunCalls((ONE, TWO), ASKED.id)


def test_only_calls_without_a_result_run() -> None:
    assert next_action(script(HI, ASKED, results=("c1",)), run()) == RunCalls((TWO,), ASKED.id)


def test_all_results_make_a_tool_boundary() -> None:
    assert next_action(script(HI, ASKED, results=("c2", "c1")), run()) == CallModel(after_tools=True)


def test_other_calls_run_while_one_waits() -> None:
    assert next_action(script(HI, ASKED), run("c1")) == RunCalls((TWO,), ASKED.id)


def test_waiting_for_all_that_is_left_ends_the_work() -> None:
    assert next_action(script(HI, ASKED, results=("c2",)), run("c1")) == AwaitAnswers()


def test_a_message_that_joined_wants_a_reply() -> None:
    later = script(HI, ASKED, results=("c1", "c2"))
    later.push(HI)
    assert next_action(later, run()) == CallModel(after_tools=False)
