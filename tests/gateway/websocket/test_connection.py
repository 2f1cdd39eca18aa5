from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from sulla.core.errors import QueueFull, StoreUnavailable, SullaError
from sulla.gateway.app import GatewayConfig, build_app
from sulla.gateway.commands import WaitingThread
from sulla.gateway.feed.feed import TEXT
from sulla.gateway.methods.observing import Done, Unobserved
from sulla.gateway.server.server import Server, bind, serve
from sulla.gateway.wire import QuestionRow, TurnSend
from sulla.host.system import SystemClock, random_id
from sulla.threads.log.family import child_thread
from tests.doubles.commands import MemoryCommands
from tests.doubles.tokens import MemoryTokens
from tests.gateway.conftest import Start, both_ways
from tests.gateway.peer import PATIENCE_S, Peer, Raw, masked, until

Connect = Callable[..., Awaitable[Peer]]
OpenRaw = Callable[..., Awaitable[Raw]]
THREAD = "thr_1"


@pytest.fixture(autouse=True)
def thread(commands: MemoryCommands) -> None:
    commands.make(THREAD)


def asked(commands: MemoryCommands, name: str) -> list[tuple[object, ...]]:
    return [call[1:] for call in commands.calls if call[0] == name]


# ---------------------------------------------------------------------------------------------------------- requests


@both_ways
async def test_a_turn_is_sent_and_acknowledged(connect: Connect, commands: MemoryCommands) -> None:
    peer = await connect()
    thread_id = (await peer.call("thread.create", agent="sulla", title="Trip", project="rome"))["thread_id"]
    sent = await peer.call("turn.send", thread_id=thread_id, message_id="m1", text="hé 🦉", mode="interrupt")
    assert sent["seq"] == 1
    assert asked(commands, "create_thread") == [("sulla", "Trip", "rome", None, "")]
    message = TurnSend(thread_id=thread_id, message_id="m1", text="hé 🦉", mode="interrupt")
    assert asked(commands, "send") == [(message, "owner")]


async def test_the_same_message_again_gets_the_same_answer_and_another_text_is_refused(connect: Connect) -> None:
    peer = await connect()
    first = await peer.call("turn.send", thread_id=THREAD, message_id="m1", text="hi")
    assert await peer.call("turn.send", thread_id=THREAD, message_id="m1", text="hi") == first
    error = await peer.fail("turn.send", thread_id=THREAD, message_id="m1", text="other")
    assert (error["code"], error["data"]["code"]) == (-32009, "message_id_reused")


async def test_turns_are_stopped_and_continued(connect: Connect, commands: MemoryCommands) -> None:
    peer = await connect()
    assert await peer.call("turn.stop", thread_id=THREAD, request_id="r1") == {"seq": 1}
    assert await peer.call("turn.continue", thread_id=THREAD) == {"seq": 2}
    assert asked(commands, "stop") == [(THREAD, "r1")]
    assert asked(commands, "resume_turns") == [(THREAD, None)]


async def test_threads_are_listed_page_by_page(connect: Connect, commands: MemoryCommands) -> None:
    for number in range(2, 6):
        commands.make(f"thr_{number}", title=f"T{number}")
    peer = await connect()
    page = await peer.call("thread.list", limit=3)
    assert [row["thread_id"] for row in page["threads"]] == ["thr_1", "thr_2", "thr_3"]
    assert page["threads"][1]["created_at"] == "2027-01-15T08:00:00.000Z"
    page = await peer.call("thread.list", limit=3, after=page["next"])
    assert [row["title"] for row in page["threads"]] == ["T4", "T5"]
    assert page["next"] is None


async def test_history_is_read_page_by_page(connect: Connect, commands: MemoryCommands) -> None:
    for _ in range(7):
        commands.add(THREAD, "INPUT", text="x")
    peer = await connect()
    page = await peer.call("thread.history", thread_id=THREAD, after=1, before=6, limit=3)
    assert ([event["seq"] for event in page["events"]], page["more"]) == ([2, 3, 4], True)
    page = await peer.call("thread.history", thread_id=THREAD, after=4, before=6, limit=3)
    assert ([event["seq"] for event in page["events"]], page["more"]) == ([5], False)


async def test_a_page_of_history_is_cut_by_size_but_never_empty(connect: Connect, commands: MemoryCommands) -> None:
    for _ in range(4):
        commands.add(THREAD, "INPUT", text="x" * 500_000)
    peer = await connect()
    page = await peer.call("thread.history", thread_id=THREAD)
    assert ([event["seq"] for event in page["events"]], page["more"]) == ([1], True)


async def test_a_thread_is_deleted(connect: Connect) -> None:
    peer = await connect()
    assert await peer.call("thread.delete", thread_id=THREAD) == {"thread_id": THREAD}
    assert (await peer.fail("thread.delete", thread_id=THREAD))["data"]["code"] == "not_found"


async def test_questions_are_listed_page_by_page_and_answered(connect: Connect, commands: MemoryCommands) -> None:
    for number in range(3):
        thread_id = commands.make(f"thr_q{number}")
        question = QuestionRow(thread_id, "run_1", f"review:tool_{number}", "Did it run?")
        commands.questions.append(WaitingThread(thread_id, (question,)))
    peer = await connect()
    page = await peer.call("approval.list", limit=2)
    assert [row["id"] for row in page["questions"]] == ["review:tool_0", "review:tool_1"]
    page = await peer.call("approval.list", limit=2, after=page["next"])
    assert ([row["thread_id"] for row in page["questions"]], page["next"]) == (["thr_q2"], None)
    answer = {"thread_id": "thr_q2", "id": "review:tool_2", "verdict": "run_again"}
    assert await peer.call("approval.answer", **answer) == {"seq": 1, "rule": None}
    assert asked(commands, "answer") == [("thr_q2", "review:tool_2", "run_again", "")]


async def test_what_can_be_chosen_comes_with_the_question(connect: Connect, commands: MemoryCommands) -> None:
    thread_id = commands.make("thr_q")
    asks = QuestionRow(thread_id, "run_1", "answer:1", "Which?", choices=("red", "blue"))
    commands.questions.append(WaitingThread(thread_id, (asks, QuestionRow(thread_id, "run_1", "human:1", "Shall I?"))))
    page = await (await connect()).call("approval.list")
    assert [row["choices"] for row in page["questions"]] == [["red", "blue"], []]


async def test_status_is_passed_on(connect: Connect) -> None:
    assert (await (await connect()).call("system.status"))["model"] == "scripted"


@both_ways
async def test_requests_are_carried_out_in_the_order_they_came(connect: Connect, commands: MemoryCommands) -> None:
    peer = await connect()
    for number in range(20):
        params = {"thread_id": THREAD, "message_id": f"m{number}", "text": "x"}
        await peer.say({"jsonrpc": "2.0", "id": number, "method": "turn.send", "params": params})
    assert [(await peer.frame())["id"] for _ in range(20)] == list(range(20))
    sent = [call[0] for call in asked(commands, "send")]
    assert [message.message_id for message in sent if isinstance(message, TurnSend)] == [
        f"m{number}" for number in range(20)
    ]


@pytest.mark.parametrize("error", [QueueFull("full", retry_after_s=2.0), StoreUnavailable("away")])
async def test_what_the_daemon_refuses_goes_to_the_client(
    connect: Connect, commands: MemoryCommands, error: SullaError
) -> None:
    commands.failures["send"] = error
    peer = await connect()
    found = await peer.fail("turn.send", thread_id=THREAD, message_id="m1", text="hi")
    assert found["data"] == {"code": error.code, "retryable": True, "retry_after_s": error.retry_after_s}


async def test_a_defect_of_ours_is_answered_without_its_details(connect: Connect, commands: MemoryCommands) -> None:
    commands.failures["send"] = ZeroDivisionError("secret detail")
    peer = await connect()
    found = await peer.fail("turn.send", thread_id=THREAD, message_id="m1", text="hi")
    assert (found["code"], found["data"]["code"]) == (-32603, "internal")
    assert "secret" not in found["message"]
    await peer.call("system.status")


async def test_a_request_that_takes_too_long_is_answered(
    start: Start, connect: Connect, commands: MemoryCommands
) -> None:
    commands.gates["send"] = asyncio.Event()
    peer = await connect(await start(call_s=0.05))
    found = await peer.fail("turn.send", thread_id=THREAD, message_id="m1", text="hi")
    assert (found["data"]["code"], found["data"]["retryable"]) == ("unavailable", True)
    await peer.call("system.status")


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("turn.sned", {}, -32601),
        ("speech.flush", {}, -32602),
        ("speech.flush", {"thread_id": "nobody"}, -32004),
        ("turn.send", {"thread_id": THREAD, "message_id": "m", "text": "x" * 100_001}, -32602),
        ("turn.send", {"thread_id": THREAD, "message_id": "m", "text": 5}, -32602),
        ("turn.send", {"thread_id": THREAD, "message_id": "m", "text": "x", "said_chars": 2}, -32602),
        ("turn.send", {"thread_id": "../etc", "message_id": "m", "text": "x"}, -32602),
        ("turn.send", {"thread_id": "nobody", "message_id": "m", "text": "x"}, -32004),
        ("thread.history", {"thread_id": "nobody"}, -32004),
        ("events.subscribe", {"thread_id": "nobody"}, -32004),
        ("events.subscribe", {"thread_id": THREAD, "after_children": {THREAD: 0}}, -32602),
        ("events.subscribe", {"thread_id": THREAD, "children": True, "after_children": {THREAD: 1}}, -32602),
        ("events.subscribe", {"thread_id": THREAD, "children": True, "after_children": {"a b": 1}}, -32602),
        ("hello", {"client": {"name": "t", "version": "1"}, "protocol": 1, "token": "reader"}, -32009),
    ],
)
async def test_a_mistake_is_answered_and_changes_nothing(
    connect: Connect, commands: MemoryCommands, method: str, params: dict[str, object], code: int
) -> None:
    peer = await connect()
    assert (await peer.fail(method, **params))["code"] == code
    assert (await peer.call("thread.history", thread_id=THREAD))["events"] == []
    assert [row["thread_id"] for row in (await peer.call("thread.list"))["threads"]] == [THREAD]


@pytest.mark.parametrize("text", ["", "nonsense", "[" * 50_000, '{"a":' * 50_000, "[]", "null", "\u0000"])
async def test_garbage_is_answered_and_the_connection_goes_on(connect: Connect, text: str) -> None:
    peer = await connect()
    await peer.say(text)
    frame = await peer.frame()
    assert frame["id"] is None
    assert frame["error"]["code"] in (-32700, -32600)
    await peer.call("system.status")


async def test_a_reader_may_read_and_nothing_else(connect: Connect, commands: MemoryCommands) -> None:
    peer = await connect(token="reader")
    await peer.call("thread.list")
    await peer.call("events.subscribe", thread_id=THREAD)
    for method, params in (
        ("thread.create", {}),
        ("thread.delete", {"thread_id": THREAD}),
        ("turn.send", {"thread_id": THREAD, "message_id": "m", "text": "x"}),
        ("turn.stop", {"thread_id": THREAD}),
    ):
        assert (await peer.fail(method, **params))["data"]["code"] == "forbidden"
    assert asked(commands, "send") == asked(commands, "delete_thread") == asked(commands, "create_thread") == []


# ------------------------------------------------------------------------------------------------------------ closing


@both_ways
async def test_a_binary_frame_ends_the_connection(connect: Connect) -> None:
    peer = await connect()
    await peer.say(b"{}")
    assert (await peer.closed())[0] == 1003


async def test_too_large_a_frame_ends_the_connection(connect: Connect) -> None:
    peer = await connect()
    await peer.say("x" * (1024 * 1024 + 1))
    assert (await peer.closed())[0] == 1009


async def test_the_largest_frame_is_read(connect: Connect) -> None:
    peer = await connect()
    await peer.say("x" * (1024 * 1024))
    assert (await peer.frame())["error"]["code"] == -32700


async def test_before_hello_frames_have_to_be_small(server: Server) -> None:
    async with Peer.connect(server) as peer:
        await peer.say("x" * (64 * 1024 + 1))
        code, reason = await peer.closed()
        assert code == 1009
        assert "exceeds limit of 65536" in reason


async def test_text_that_is_no_utf8_ends_the_connection(raw: OpenRaw) -> None:
    peer = await raw()
    await peer.upgrade()
    await peer.hello()
    await peer.send(masked(0x81, b'{"\xff\xfe":1}'))
    assert await peer.close_code() == 1007


async def test_who_says_nothing_is_closed(start: Start) -> None:
    async with Peer.connect(await start(hello_s=0.05)) as peer:
        assert (await peer.closed()) == (4408, "no hello within 0.05 s")


@both_ways
async def test_a_client_that_leaves_leaves_nothing_behind(connect: Connect, commands: MemoryCommands) -> None:
    peer = await connect()
    await peer.call("events.subscribe", thread_id=THREAD)
    other = await connect()
    await other.call("events.subscribe", thread_id=THREAD)
    await peer.socket.close()
    await until(lambda: commands.listeners(THREAD) == 1)


# ---------------------------------------------------------------------------------------------------------- following


@both_ways
async def test_a_subscriber_gets_what_it_missed_and_then_what_happens(
    connect: Connect, commands: MemoryCommands
) -> None:
    for _ in range(300):
        commands.add(THREAD, "INPUT", text="x")
    peer = await connect()
    assert await peer.call("events.subscribe", thread_id=THREAD, after=10) == {"seq": 300}
    await peer.call("turn.send", thread_id=THREAD, message_id="m1", text="hi")
    assert [event["seq"] for event in await peer.events(291)] == list(range(11, 302))


@both_ways
async def test_a_reply_streams_as_it_is_written(connect: Connect, commands: MemoryCommands) -> None:
    peer = await connect()
    await peer.call("events.subscribe", thread_id=THREAD)
    commands.add(THREAD, "MODEL_STARTED", message_id="m1")
    assert (await peer.event())["seq"] == 1
    for offset, piece in ((0, "Hé"), (2, "🦉"), (3, "!")):
        commands.show(THREAD, TEXT, message_id="m1", offset=offset, delta=piece)
        event = await peer.event()
        assert (event["seq"], event["data"]) == (None, {"message_id": "m1", "offset": offset, "delta": piece})
    commands.add(THREAD, "TEXT_MESSAGE_END", message_id="m1", text="Hé🦉!")
    assert (await peer.event())["data"]["text"] == "Hé🦉!"


async def test_who_comes_back_in_the_middle_of_a_reply_gets_its_text_so_far(
    connect: Connect, commands: MemoryCommands
) -> None:
    def retell(thread_id: str) -> None:
        for offset, piece in ((0, "Hel"), (3, "lo ")):
            commands.show(thread_id, TEXT, message_id="m1", offset=offset, delta=piece)

    commands.retell = retell
    commands.add(THREAD, "INPUT")
    commands.add(THREAD, "MODEL_STARTED", message_id="m1")
    peer = await connect()
    await peer.call("events.subscribe", thread_id=THREAD, after=2)
    text = ""
    while text != "Hello ":
        event = await peer.event()
        assert event["data"]["offset"] == len(text)
        text += event["data"]["delta"]
    commands.show(THREAD, TEXT, message_id="m1", offset=6, delta="you")
    assert (await peer.event())["data"]["offset"] == 6


async def test_a_place_beyond_the_end_is_refused(connect: Connect, commands: MemoryCommands) -> None:
    commands.add(THREAD, "INPUT")
    peer = await connect()
    error = await peer.fail("events.subscribe", thread_id=THREAD, after=2)
    assert "ends at 1" in error["message"]
    await peer.call("events.subscribe", thread_id=THREAD, after=1)


async def test_after_leaving_a_thread_nothing_more_comes_of_it(connect: Connect, commands: MemoryCommands) -> None:
    peer = await connect()
    await peer.call("events.subscribe", thread_id=THREAD)
    commands.add(THREAD, "INPUT")
    await peer.event()
    assert await peer.call("events.unsubscribe", thread_id=THREAD) == {"ended": True}
    assert commands.listeners(THREAD) == 0
    commands.add(THREAD, "INPUT")
    await peer.call("system.status")
    assert peer.ahead == []
    await peer.call("events.subscribe", thread_id=THREAD, after=1)
    assert (await peer.event())["seq"] == 2


async def test_every_request_is_told_to_whoever_counts_them(commands: MemoryCommands, tokens: MemoryTokens) -> None:
    counted: list[tuple[str, str]] = []

    class Counting(Unobserved):
        def done(self, done: Done) -> None:
            counted.append((done.asked.method, done.code))

    clock = SystemClock()
    app = build_app(commands, tokens, GatewayConfig("1"), clock, Counting(), make_id=random_id)
    server = await serve(app, bind("127.0.0.1", 0), clock)
    async with Peer.connect(server) as peer:
        await peer.hello()
        await peer.call("events.subscribe", thread_id=THREAD)
        await peer.call("events.unsubscribe", thread_id=THREAD)
        await peer.call("events.unsubscribe", thread_id=THREAD)
        await peer.fail("events.subscribe", thread_id="thr_9")
    await server.stop(1.0)
    assert counted == [
        ("events.subscribe", "ok"),
        ("events.unsubscribe", "ok"),
        ("events.unsubscribe", "ok"),
        ("events.subscribe", "not_found"),
    ]


@both_ways
async def test_sub_agents_are_followed_with_their_thread_and_what_was_told_of_them_is_not_told_again(
    connect: Connect, commands: MemoryCommands
) -> None:
    children = [commands.make(child_thread(name)) for name in ("a", "b")]
    for name, child in zip("ab", children, strict=True):
        commands.add(THREAD, "CHILD_STARTED", id=name, thread_id=child)
        commands.add(child, "INPUT", text=name)
    peer = await connect()
    await peer.call(
        "events.subscribe", thread_id=THREAD, after=2, children=True, after_children={children[0]: 1, "thr_0": 3}
    )
    event, frame = sorted([await peer.notice(), await peer.notice()], key=lambda one: str(one["method"]))
    assert (event["params"]["thread_id"], event["params"]["data"]["text"]) == (children[1], "b")
    assert (frame["method"], frame["params"]["thread_id"]) == ("events.ended", "thr_0")
    commands.add(children[0], "RUN_STARTED")
    event = await peer.event()
    assert (event["thread_id"], event["seq"]) == (children[0], 2)
    assert await peer.call("events.unsubscribe", thread_id=THREAD) == {"ended": True}
    assert [commands.listeners(one) for one in (THREAD, *children)] == [0, 0, 0]


async def test_a_thread_that_does_not_work_for_the_followed_one_is_not_shown_as_its_sub_agent(
    connect: Connect, commands: MemoryCommands
) -> None:
    near, below, strange = (commands.make(child_thread(name)) for name in ("a", "b", "c"))
    commands.make("thr_9")
    commands.add(THREAD, "CHILD_STARTED", id="a", run_id="run_1", thread_id=near)
    commands.add(near, "CHILD_STARTED", id="b", run_id="run_1", thread_id=below)
    commands.add("thr_9", "CHILD_STARTED", id="c", thread_id=strange)
    peer = await connect()
    for named in (strange, "thr_9", THREAD):
        asked = {"thread_id": THREAD, "children": True, "after_children": {below: 0, named: 0}}
        error = await peer.fail("events.subscribe", **asked)
        assert (error["code"], "does not work for" in error["message"]) == (-32602, True), named
    await peer.call("events.subscribe", thread_id=THREAD, after=1, children=True, after_children={near: 0, below: 0})


async def test_two_threads_are_followed_side_by_side(connect: Connect, commands: MemoryCommands) -> None:
    commands.make("thr_2")
    peer = await connect()
    for thread_id in (THREAD, "thr_2"):
        await peer.call("events.subscribe", thread_id=thread_id)
        commands.add(thread_id, "INPUT")
    assert sorted([event["thread_id"] for event in await peer.events(2)]) == [THREAD, "thr_2"]


@both_ways
async def test_a_thread_that_goes_away_ends_its_subscription(
    start: Start, connect: Connect, commands: MemoryCommands
) -> None:
    peer = await connect(await start(heal_s=0.02))
    await peer.call("events.subscribe", thread_id=THREAD)
    await peer.call("thread.delete", thread_id=THREAD)
    notice = await peer.notice()
    assert notice["method"] == "events.ended"
    assert (notice["params"]["thread_id"], notice["params"]["error"]["data"]["code"]) == (THREAD, "not_found")
    commands.make(THREAD)
    await peer.call("events.subscribe", thread_id=THREAD)


async def test_a_lost_wake_up_only_costs_time(start: Start, connect: Connect, commands: MemoryCommands) -> None:
    peer = await connect(await start(heal_s=0.02))
    await peer.call("events.subscribe", thread_id=THREAD)
    commands.deaf = True
    commands.add(THREAD, "INPUT")
    assert (await peer.event())["seq"] == 1


@both_ways
async def test_a_defect_while_following_closes_the_connection(connect: Connect, commands: MemoryCommands) -> None:
    peer = await connect()
    commands.failures["history"] = ZeroDivisionError("secret detail")
    await peer.call("events.subscribe", thread_id=THREAD)
    code, reason = await peer.closed()
    assert code == 1011
    assert "secret" not in reason


# --------------------------------------------------------------------------------------------------------- slow peers

BIG = "x" * 50_000


async def stuck(raw: OpenRaw, server: Server, commands: MemoryCommands) -> Raw:
    """A client that subscribes to more than fits anywhere, and reads nothing."""
    for _ in range(400):
        commands.add(THREAD, "INPUT", text=BIG)
    peer = await raw(server)
    await peer.upgrade()
    await peer.hello()
    await peer.text({"jsonrpc": "2.0", "id": 1, "method": "events.subscribe", "params": {"thread_id": THREAD}})
    return peer


@both_ways
async def test_who_reads_nothing_is_cut_off(
    start: Start, raw: OpenRaw, commands: MemoryCommands, caplog: pytest.LogCaptureFixture
) -> None:
    server = await start(queue_bytes=100_000, stall_s=0.1, close_s=0.1)
    await stuck(raw, server, commands)
    await until(lambda: not server.connections)
    assert "a client reads too slowly" in caplog.text
    assert commands.listeners(THREAD) == 0


@both_ways
async def test_who_reads_nothing_and_breaks_a_rule_is_cut_off(
    start: Start, raw: OpenRaw, commands: MemoryCommands
) -> None:
    server = await start(queue_bytes=100_000, stall_s=PATIENCE_S, close_s=0.05)
    peer = await stuck(raw, server, commands)
    await until(lambda: commands.listeners(THREAD))
    await peer.send(masked(0x82, b"binary"))
    await until(lambda: not server.connections)
    assert commands.listeners(THREAD) == 0


@both_ways
async def test_who_reads_again_in_time_learns_why_it_was_closed(
    start: Start, raw: OpenRaw, commands: MemoryCommands, caplog: pytest.LogCaptureFixture
) -> None:
    peer = await stuck(raw, await start(queue_bytes=100_000, stall_s=0.1, close_s=PATIENCE_S), commands)
    await until(lambda: "too slowly" in caplog.text)
    assert await peer.close_code() == 1013


@both_ways
async def test_who_is_slow_but_reads_on_gets_everything(start: Start, raw: OpenRaw, commands: MemoryCommands) -> None:
    peer = await stuck(raw, await start(queue_bytes=100_000, stall_s=PATIENCE_S), commands)
    for _ in range(2 + 400):
        opcode, _ = await peer.message()
        assert opcode == 1


@both_ways
async def test_beside_a_stuck_reader_others_are_served(
    start: Start, raw: OpenRaw, connect: Connect, commands: MemoryCommands
) -> None:
    server = await start(queue_bytes=100_000, stall_s=PATIENCE_S)
    await stuck(raw, server, commands)
    peer = await connect(server)
    await peer.call("events.subscribe", thread_id=THREAD, after=400)
    await peer.call("turn.send", thread_id=THREAD, message_id="m1", text="hi")
    assert (await peer.event())["seq"] == 401


@both_ways
async def test_a_client_that_takes_everything_at_once_has_nobody_who_writes(connect: Connect, direct: bool) -> None:
    peer = await connect()
    await peer.call("events.subscribe", thread_id=THREAD)
    works = [getattr(task.get_coro(), "__qualname__", "") for task in asyncio.all_tasks()]
    assert works.count("Connection._write") == (0 if direct else 1)


async def test_always_has_a_time_of_its_own_and_is_answered_with_the_rule(
    connect: Connect, commands: MemoryCommands
) -> None:
    asks = QuestionRow(THREAD, "run_1", "approval:1:d:0", "May it?", tool="post", target="host:h", agent="sulla")
    commands.questions = [WaitingThread(THREAD, (asks,))]
    peer = await connect()
    refused = await peer.fail("approval.answer", thread_id=THREAD, id=asks.id, verdict="approve", for_s=60)
    assert "for_s: got 60" in refused["message"]
    assert asked(commands, "answer") == []
    answered = await peer.call("approval.answer", thread_id=THREAD, id=asks.id, verdict="always", for_s=60)
    rule = answered["rule"]
    assert (rule["agent"], rule["tool"], rule["target"]) == ("sulla", "post", "host:h")
    assert (await peer.call("approval.answer", thread_id=THREAD, id="review:1", verdict="give_up"))["rule"] is None
