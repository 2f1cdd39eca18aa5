"""The original desktop client over a real socket."""

from __future__ import annotations

import asyncio
import json

import pytest
from websockets.exceptions import InvalidStatus

from sulla.access.principal import Principal
from sulla.core.errors import Forbidden, NotFound, StoreUnavailable
from sulla.gateway.dialects.hub.places import HubPlace, HubPlaces, MessageMeaning
from sulla.gateway.server.server import Server
from tests.doubles.bookmarks import MemoryBookmarks
from tests.doubles.tokens import MemoryTokens
from tests.gateway.conftest import Start
from tests.gateway.dialects.desktop import Desktop
from tests.gateway.dialects.playing import Played, Run, says
from tests.gateway.peer import Peer


def works(run: Run) -> None:
    run.say("Let me ", "look.")
    run.call("list_dir", "note.txt")
    run.say("One file.")
    run.finish()


def asks(run: Run) -> None:
    run.say("I would post it.")
    run.ask()


def fails(run: Run) -> None:
    run.say("Let me see.")
    run.fail("provider_transient", "the model's service is down", retryable=True)


async def test_a_message_of_a_new_conversation_is_answered(server: Server, commands: Played) -> None:
    commands.turns = [works, says("Still one.")]
    async with Desktop().connected(server) as desktop:
        await desktop.say("what is here?")
        await desktop.rest()
        (thread_id,) = commands.threads
        assert desktop.thread == thread_id
        assert desktop.said == ["Let me look.", "One file."]
        assert desktop.tools == {
            "call_1": {"name": "list_dir", "args": {"at": "home"}, "status": "success", "result": "note.txt"}
        }
        assert (desktop.waiting, desktop.stop_reason, desktop.tokens) == (False, None, 18)
        assert desktop.types[0] == "thread_created"
        assert desktop.types[-1] == "transfer_data"

        await desktop.say("and now?")
        await desktop.rest()
        assert desktop.said[2:] == ["Still one."]
        assert commands.threads == [thread_id, thread_id]
        assert commands.texts == ["what is here?", "and now?"]


async def test_a_conversation_that_the_client_names_is_the_same_whenever_it_names_it(
    server: Server, commands: Played
) -> None:
    commands.turns = [says("One."), says("Two.")]
    for answer in ("One.", "Two."):
        desktop = Desktop()
        desktop.thread = "thread_1700000000000_1"
        async with desktop.connected(server):
            await desktop.say("hello")
            await desktop.rest()
        assert desktop.said[-1:] == [answer]
    assert len(set(commands.threads)) == 1


async def test_the_same_frame_does_the_same_thing_once_however_often_it_comes(server: Server, commands: Played) -> None:
    commands.turns = [says("Hello."), says("Again.")]
    async with Desktop().connected(server) as desktop:
        id_ = await desktop.say("hello")
        frame = desktop.pending[id_]
        await desktop.again(id_, frame)
        await desktop.rest()
        await desktop.again(id_, frame)
        await desktop.until(lambda: not desktop.pending)
    async with Desktop().connected(server) as other:
        await other.again(id_, frame)
        await other.until(lambda: not other.pending)
    assert len(commands.runs) == 1
    assert len(set(commands.threads)) == 1


async def test_a_question_is_answered_by_the_next_message(server: Server, commands: Played) -> None:
    commands.turns = [asks, says("Posted."), says("Gladly.")]
    async with Desktop().connected(server) as desktop:
        await desktop.say("post it")
        await desktop.rest()
        assert desktop.waiting
        assert desktop.messages[-1]["kind"] == "tool_approval"
        assert "**yes**" in desktop.said[-1]

        await desktop.say("what would you post?")
        await desktop.rest()
        assert desktop.said[-1].startswith("(This was not passed on")

        id_ = await desktop.say("Yes.")
        frame = desktop.pending[id_]
        await desktop.rest()
        assert (desktop.said[-1], desktop.waiting) == ("Posted.", False)

        # Come again, it is no message that begins a turn.
        await desktop.again(id_, frame)
        await desktop.until(lambda: not desktop.pending)
        await desktop.say("thanks")
        await desktop.rest()
        assert desktop.said[-1] == "Gladly."
    assert commands.texts == ["post it", "thanks"]
    assert {call[1:] for call in commands.calls if call[0] == "answer"} == {
        (commands.threads[0], "approval:call_1", "approve", "")
    }


async def test_an_answer_that_comes_again_on_another_connection_is_still_that_answer(
    server: Server, commands: Played
) -> None:
    commands.turns = [asks, says("Posted.")]
    async with Desktop().connected(server) as desktop:
        await desktop.say("post it")
        await desktop.rest()
        id_ = await desktop.say("yes")
        frame = desktop.pending[id_]
        await desktop.rest()
    async with desktop.connected(server):
        await desktop.again(id_, frame)
        await desktop.until(lambda: not desktop.pending)
    assert commands.texts == ["post it"]


async def test_a_question_waits_for_a_client_that_comes_back(server: Server, commands: Played) -> None:
    commands.turns = [asks, says("Posted.")]
    async with Desktop().connected(server) as desktop:
        await desktop.say("post it")
        await desktop.rest()
    again = Desktop()
    again.thread = desktop.thread
    async with again.connected(server):
        await again.until(lambda: again.waiting)
        assert "May I post this?" in again.said[-1]
        await again.say("yes")
        await again.rest()
        assert again.said[-1] == "Posted."


async def test_a_yes_that_comes_before_the_question_is_told_again_answers_it_if_it_was_seen(
    server: Server, commands: Played
) -> None:
    commands.turns = [asks, says("Posted.")]
    async with Desktop().connected(server) as desktop:
        await desktop.say("post it")
        await desktop.rest()
        await desktop.settled()
    async with desktop.connected(server):
        await desktop.say("yes")
        await desktop.until(lambda: desktop.said[-1] == "Posted.")
    assert commands.texts == ["post it"]


async def test_nothing_is_approved_without_the_scope(server: Server, commands: Played, tokens: MemoryTokens) -> None:
    tokens.tokens += MemoryTokens({"writer": ["read", "write"]}).tokens
    commands.turns = [asks]
    commands.failures["answer"] = AssertionError("it was answered")
    async with Desktop().connected(server, "Bearer writer") as desktop:
        await desktop.say("post it")
        await desktop.rest()
        assert "whose token may approve" in desktop.said[-1]
        await desktop.say("yes")
        await desktop.rest()
        assert desktop.messages[-1]["content"].startswith("Error: ")
        assert "'approve'" in desktop.messages[-1]["content"]


async def test_a_client_that_vanishes_is_told_the_rest_when_it_comes_back(server: Server, commands: Played) -> None:
    commands.turns = [lambda run: run.say("First.")]
    desktop = Desktop()
    async with desktop.connected(server):
        await desktop.say("tell me")
        await desktop.until(lambda: desktop.said == ["First."] and not desktop.pending)
        await desktop.settled()
        await desktop.vanish()
    (run,) = commands.runs
    run.say("Second.")
    run.finish()
    desktop.pending.clear()
    async with desktop.connected(server):
        await desktop.rest()
    assert desktop.said == ["First.", "Second."]
    assert desktop.completed == 1


async def test_what_was_not_acknowledged_is_told_again_under_the_same_id(server: Server, commands: Played) -> None:
    commands.turns = [says("Hello.")]
    first, second = Desktop(acking=False), Desktop()
    async with first.connected(server):
        await first.say("hello")
        await first.rest()
    second.thread = first.thread
    second.running = True
    async with second.connected(server):
        await second.rest()
    ids = [{one["id"] for one in desktop.frames if one["type"] == "assistant_message"} for desktop in (first, second)]
    assert ids[0] == ids[1] != set()


async def test_a_turn_that_fails_is_told_and_ends(server: Server, commands: Played) -> None:
    commands.turns = [fails]
    async with Desktop().connected(server) as desktop:
        await desktop.say("hello")
        await desktop.rest()
        assert desktop.said == ["Let me see.", "Agent error: the model's service is down"]
        assert desktop.messages[-1]["kind"] == "agent_error"
        assert desktop.stop_reason == "error"


async def test_stop_ends_the_run_of_the_channel_and_continue_lets_what_waits_go_on(
    server: Server, commands: Played
) -> None:
    commands.turns = [lambda run: run.say("One, two")]
    async with Desktop().connected(server) as desktop:
        await desktop.say("count")
        await desktop.until(lambda: desktop.said)
        id_ = await desktop.ask("stop_run")
        await desktop.until(lambda: not desktop.pending)
        (thread_id,) = commands.threads
        assert ("stop", thread_id, id_) in commands.calls
        commands.runs[0].add("RUN_FINISHED", outcome={"status": "cancelled", "reason": "stopped"})
        await desktop.rest()
        assert (desktop.said[-1], desktop.stop_reason) == ("Execution stopped.", "aborted")

        id_ = await desktop.ask("continue_run")
        await desktop.until(lambda: not desktop.pending)
        assert ("resume_turns", thread_id, id_) in commands.calls


async def test_stop_of_another_channel_ends_nothing_here(server: Server, commands: Played) -> None:
    commands.turns = [lambda run: run.say("One, two")]
    async with Desktop().connected(server) as here, Desktop("workbench").connected(server) as there:
        await here.say("count")
        await here.until(lambda: here.said)
        await there.ask("stop_run")
        await there.until(lambda: not there.pending)
    assert "stop" not in [call[0] for call in commands.calls]


async def test_continue_behind_a_limit_asks_the_agent_to_go_on(server: Server, commands: Played) -> None:
    commands.turns = [lambda run: run.fail("limit_reached", "40 loops"), says("Done.")]
    async with Desktop().connected(server) as desktop:
        await desktop.say("count")
        await desktop.rest()
        assert desktop.stop_reason == "max_loops"
        desktop.running = True
        await desktop.ask("continue_run")
        await desktop.rest()
        assert desktop.said[-1] == "Done."
    assert commands.texts == ["count", "Go on."]


async def test_an_injected_message_joins_the_turn(server: Server, commands: Played) -> None:
    async with Desktop().connected(server) as desktop:
        await desktop.say("count")
        await desktop.until(lambda: not desktop.pending)
        await desktop.say("in French", "inject_message")
        await desktop.until(lambda: not desktop.pending)
    modes = [sent.mode for sent in commands.sent]
    assert modes == ["queue", "steer"]


async def test_what_the_calendar_says_is_heard_once_though_it_asks_twice(server: Server, commands: Played) -> None:
    commands.turns = [says("Off you go.")]
    async with Desktop().connected(server) as desktop, Desktop("heartbeat").connected(server) as other:
        await desktop.say("The dentist, at ten.", origin="scheduler", eventId=7)
        await desktop.rest()
        assert {"eventId": 7} in [frame["data"] for frame in desktop.frames if frame["type"] == "scheduler_ack"]
        await other.say("The dentist, at ten.", origin="scheduler", eventId=7)
        await other.until(lambda: "scheduler_ack" in other.types)
    assert len(commands.runs) == 1


async def test_the_calendar_s_own_frames_are_passed_on_to_the_same_client_alone(
    server: Server, tokens: MemoryTokens
) -> None:
    tokens.tokens += MemoryTokens({"bob": ["read", "write"]}).tokens
    one, other, stranger = Desktop("calendar_event"), Desktop("calendar_event"), Desktop("calendar_event")
    async with one.connected(server), other.connected(server), stranger.connected(server, "Bearer bob"):
        for desktop in (one, other, stranger):
            await desktop.hear()  # it is subscribed
        await one.ask("scheduled", event={"id": 7, "start": "2027-01-15T10:00:00Z"})
        await one.until(lambda: not one.pending)
        heard = await other._socket.recv()  # type: ignore[union-attr]  # it has fields of its own
        assert json.loads(heard)["event"] == {"id": 7, "start": "2027-01-15T10:00:00Z"}
        await stranger.settled()
        assert stranger.types == ["pong"]


async def test_a_channel_is_its_agent(server: Server, commands: Played) -> None:
    async with Desktop("researcher").connected(server) as desktop:
        await desktop.say("hello")
        await desktop.until(lambda: not desktop.pending)
    assert next(call[1] for call in commands.calls if call[0] == "create_thread") == "researcher"


@pytest.mark.parametrize("channel", ["sulla-desktop", "workbench", "researcher"])
async def test_a_conversation_keeps_the_channel_that_it_was_begun_on(
    server: Server, commands: Played, channel: str
) -> None:
    async with Desktop(channel).connected(server) as desktop:
        await desktop.say("hello")
        await desktop.until(lambda: not desktop.pending)
    assert next(call[-1] for call in commands.calls if call[0] == "create_thread") == channel


async def test_an_unknown_agent_is_said_and_nothing_is_waited_for(server: Server, commands: Played) -> None:
    commands.failures["create_thread"] = NotFound("no agent 'nobody': there is sulla")
    async with Desktop("nobody").connected(server) as desktop:
        await desktop.say("hello")
        await desktop.rest()
        assert desktop.said == ["Error: no agent 'nobody': there is sulla"]


async def test_what_may_succeed_later_is_not_acknowledged(server: Server, commands: Played) -> None:
    commands.turns = [says("Here.")]
    async with Desktop().connected(server) as desktop:
        await desktop.until(lambda: desktop.frames)
        commands.failures["send"] = StoreUnavailable("the store does not answer", retry_after_s=60.0)
        id_ = await desktop.say("hello")
        await desktop.until(lambda: desktop.said)
        assert id_ in desktop.pending
        del commands.failures["send"]
        await desktop.again(id_, desktop.pending[id_])
        await desktop.rest()
        assert desktop.said[-1] == "Here."
    assert len(commands.runs) == 1


async def test_replies_are_shown_as_they_are_written_if_the_address_says_so(server: Server, commands: Played) -> None:
    pieces = [f"This is sentence number {number}. " for number in range(40)]
    commands.turns = [says(*pieces)]
    async with Desktop().connected(server, path="/hub?stream=1") as desktop:
        await desktop.say("tell me")
        await desktop.rest()
    shown = [one["data"]["content"] for one in desktop.frames if one["data"] and one["data"].get("kind") == "streaming"]
    assert shown
    assert all("".join(pieces).startswith(one) for one in shown)
    assert desktop.said == ["".join(pieces)]


async def test_a_conversation_that_is_left_is_not_told_of_any_more(server: Server, commands: Played) -> None:
    commands.turns = [says("Hello.")]
    async with Desktop().connected(server) as desktop:
        await desktop.say("hello")
        await desktop.rest()
        (thread_id,) = commands.threads
        await desktop.ask("new_conversation", {"threadId": desktop.thread})
        await desktop.until(lambda: not desktop.pending)
        assert commands.listeners(thread_id) == 0
    async with desktop.connected(server):
        await desktop.settled()
        assert commands.listeners(thread_id) == 0


# ------------------------------------------------------------------------------------------------------- who comes in


async def test_a_ticket_opens_the_door_once(server: Server, commands: Played) -> None:
    commands.turns = [says("Hello.")]
    async with Peer.connect(server) as peer:
        await peer.hello()
        made = await peer.call("token.ticket")
    assert made["path"] == f"/hub/{made['ticket']}"
    async with Desktop().connected(server, None, made["path"]) as desktop:
        await desktop.say("hello")
        await desktop.rest()
        assert desktop.said == ["Hello."]
    with pytest.raises(InvalidStatus) as refused:
        async with Desktop().connected(server, None, made["path"]):
            pass
    assert refused.value.response.status_code == 401


async def test_a_ticket_s_token_that_is_revoked_closes_what_it_opened(server: Server, tokens: MemoryTokens) -> None:
    tokens.tokens += MemoryTokens({"app": ["read", "write"]}).tokens
    async with Peer.connect(server) as peer:
        await peer.hello("app")
        made = await peer.call("token.ticket")
    async with Desktop().connected(server, None, made["path"]) as desktop:
        await desktop.until(lambda: desktop.frames)
        await tokens.revoke("app", tokens.tokens[0].principal)
        assert await desktop.closed() == (4401, "the token 'app' was revoked")


@pytest.mark.parametrize(
    ("authorization", "path", "status"),
    [
        (None, "/hub", 401),
        ("Bearer wrong", "/hub", 401),
        (None, "/hub/ticket_9", 401),
        ("Bearer owner", "/hub?token=owner", 400),
        ("Bearer owner", "/hub?stream=2", 400),
    ],
)
async def test_who_does_not_come_in_is_told_why(
    server: Server, authorization: str | None, path: str, status: int
) -> None:
    with pytest.raises(InvalidStatus) as refused:
        async with Desktop().connected(server, authorization, path):
            pass
    assert refused.value.response.status_code == status
    assert json.loads(refused.value.response.body or b"")["error"]["message"]


async def test_a_page_from_elsewhere_does_not_come_in(server: Server) -> None:
    with pytest.raises(InvalidStatus) as refused:
        async with Desktop().connected(server, Origin="https://evil.example"):
            pass
    assert refused.value.response.status_code == 403


async def test_tickets_that_are_guessed_lock_the_address(server: Server) -> None:
    async with Peer.connect(server) as peer:
        await peer.hello()
        made = await peer.call("token.ticket")
    for number in range(10):
        with pytest.raises(InvalidStatus):
            async with Desktop().connected(server, None, f"/hub/guess_{number}"):
                pass
    for authorization, path in (("Bearer guess", "/hub"), (None, "/hub/guess_10")):
        with pytest.raises(InvalidStatus) as refused:
            async with Desktop().connected(server, authorization, path):
                pass
        assert "too many" in json.loads(refused.value.response.body or b"")["error"]["message"]
    for authorization, path in (("Bearer owner", "/hub"), (None, made["path"])):
        async with Desktop().connected(server, authorization, path) as desktop:
            await desktop.until(lambda: desktop.frames)


async def test_a_frame_that_is_too_large_ends_the_connection(start: Start, commands: Played) -> None:
    server = await start(frame_bytes=4096)
    async with Desktop().connected(server) as desktop:
        await desktop.say("x" * 5000)
        assert (await desktop.closed())[0] == 1009
    assert commands.texts == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "not JSON"),
        ("[]", "expected an object"),
        ('{"id":"1"}', "type: got None"),
        ('{"type":"user_message"}', "id: got None"),
        ('{"type":"user_message","id":"1","channel":7}', "channel: got 7"),
        ('{"type":"user_message","id":"1","data":{"content":7}}', "data.content: got 7"),
        ('{"type":"user_message","id":"1","data":{"content":" "}}', "expected some text"),
        ('{"type":"user_message","id":"1","data":{"content":"a","threadId":7}}', "data.threadId: got 7"),
    ],
)
async def test_a_frame_that_is_wrong_is_answered_with_what_is_wrong(server: Server, text: str, words: str) -> None:
    async with Desktop().connected(server) as desktop:
        await desktop.until(lambda: desktop.frames)
        await desktop.raw(text)
        await desktop.until(lambda: desktop.said)
        assert words in desktop.said[0]


async def test_a_token_that_may_only_read_is_told_so(server: Server, commands: Played) -> None:
    async with Desktop().connected(server, "Bearer reader") as desktop:
        await desktop.say("hello")
        await desktop.rest()
        assert "'write'" in desktop.said[0]
    assert commands.texts == []
    assert Forbidden.code in [frame["data"].get("code") for frame in desktop.frames if frame["data"]]


class Meanwhile(MemoryBookmarks):
    """Another connection of the same client notes something new just after this one has looked, as often as it may."""

    left = 0

    async def get(self, key: str) -> str | None:
        found = await super().get(key)
        if self.left:
            self.left -= 1
            other = HubPlaces()
            other.enter(HubPlace(f"thr_other_{self.left}", "other", 3))
            other.give(f"m-other-{self.left}", MessageMeaning("thr_other", "approval:1"))
            self.kept[key] = other.noted(found)
        return found


async def test_what_two_connections_of_a_client_note_at_once_is_all_kept(server: Server, commands: Played) -> None:
    commands.turns, commands.bookmarks = [says("Here."), says("There.")], (meanwhile := Meanwhile())
    async with Desktop().connected(server) as desktop:
        meanwhile.left = 3
        for words in ("hello", "and again"):
            await desktop.say(words)
            await desktop.rest()
        await desktop.until(lambda: not meanwhile.left)
    (noted,) = meanwhile.kept.values()
    places = HubPlaces()
    places.learn(noted)
    assert set(places.all) == {"thr_other_0", "thr_other_1", "thr_other_2", *commands.threads}
    assert {"m-other-0", "m-other-1", "m-other-2"} <= set(places.given)


class Silent:
    """Notes that nobody ever gets an answer about."""

    async def get(self, key: str) -> str | None:
        await asyncio.Event().wait()
        raise AssertionError(key)

    async def put(self, key: str, value: str) -> None:
        raise AssertionError(key)


async def test_a_store_that_says_nothing_is_not_waited_for_for_ever(start: Start, commands: Played) -> None:
    server = await start(call_s=0.1)
    commands.turns, noted = [says("Here.")], commands.bookmarks
    commands.bookmarks = Silent()  # type: ignore[assignment]  # a store that hangs
    async with Desktop().connected(server) as desktop:
        id_ = await desktop.say("hello")
        await desktop.until(lambda: desktop.said)
        assert "no answer within 0.1 s" in desktop.said[0]
        commands.bookmarks = noted
        await desktop.again(id_, desktop.pending[id_])
        await desktop.rest()
        assert desktop.said[-1] == "Here."
    assert len(commands.runs) == 1


async def test_a_ticket_that_nobody_looks_up_is_not_waited_for_for_ever(
    start: Start, tokens: MemoryTokens, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def hang(ticket: str) -> Principal:
        await asyncio.Event().wait()
        raise AssertionError(ticket)

    monkeypatch.setattr(tokens, "redeem", hang)
    server = await start(call_s=0.1)
    with pytest.raises(InvalidStatus) as refused:
        async with Desktop().connected(server, None, "/hub/ticket_1"):
            pass
    assert refused.value.response.status_code == 503
