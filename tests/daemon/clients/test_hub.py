"""The original desktop client against a real daemon, with tickets, tools, questions, kills, playbooks, failures."""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from tests.daemon.running import Daemon, Place, Service, service
from tests.gateway.dialects.desktop import Desktop
from tests.gateway.peer import Peer
from tests.kits.in_turn import in_turn
from tests.servers.script import Reply, Rule, Script, ToolUse
from tests.servers.stores.redis import RedisServer, redis_server

pytestmark = in_turn(3)

__all__ = ["redis_server"]
ANSWER = "one two three four five six seven eight"
NOTE = "note.txt"
TEA = """
name: tea
on: [manual]
steps:
  - id: approve
    human: Pour it?
  - id: pour
    needs: [approve.yes]
    respond: poured
"""


@pytest.fixture
def model() -> Iterator[Service]:
    done = "<AGENT_DONE/>"
    rules = (
        ("(look)", 0, Reply("Let me look.", tools=(ToolUse("list_dir", {"path": "."}),))),
        ("(look)", 1, Reply(f"It is empty.{done}")),
        ("(write)", 0, Reply(tools=(ToolUse("bash", {"command": f"echo written >> {NOTE}", "timeout_s": 30}),))),
        ("(write)", 1, Reply(f"That is that.{done}")),
        ("(tea)", 0, Reply("I begin.", tools=(ToolUse("run_playbook", {"playbook": "tea"}),))),
        ("(tell)", 0, Reply(tools=(ToolUse("notify_user", {"text": "Over here."}),))),
        ("(slow)", None, Reply(ANSWER + done, pieces=8, hold="gate", hold_after=4)),
        ("(break)", None, Reply(ANSWER, pieces=8, broken="no line of this protocol\n")),
        ("", None, Reply(f"Well.{done}")),
    )
    with service(Script([Rule(reply, text=text, results=results) for text, results, reply in rules])) as found:
        yield found


@pytest.fixture
def place(tmp_path: Path, model: Service) -> Place:
    asking = {"SULLA_SHELL__SANDBOX": "false", "SULLA_LIMITS__MESSAGE_INTERVAL_MS": "0"}
    return Place(tmp_path / "home", **model.environ, **asking, SULLA_DAEMON__LOG_LEVEL="debug")


def header(place: Place) -> str:
    return f"Bearer {(place.home / 'token').read_text().strip()}"


async def ticket(place: Place, daemon: Daemon) -> str:
    """Its path."""
    code, out, err = await asyncio.to_thread(place.run, "token", "ticket", "--json")
    assert code == 0, err
    url: str = json.loads(out)["url"]
    assert url.startswith(daemon.url.replace("http", "ws", 1))
    return url.removeprefix(daemon.url.replace("http", "ws", 1))


def written(place: Place) -> list[str]:
    path = place.home / "workspace" / NOTE
    return path.read_text().splitlines() if path.exists() else []


async def test_what_people_are_told_in_other_conversations_shows_once_and_counts_as_seen_when_acknowledged(
    place: Place,
) -> None:
    async def run(*words: str) -> str:
        return (await asyncio.to_thread(place.run, *words))[1]

    def told(desktop: Desktop) -> list[object]:
        return [one["data"]["content"] for one in desktop.frames if (one.get("data") or {}).get("kind") == "notice"]

    beats, talk, deaf = Desktop("heartbeat"), Desktop(), Desktop("heartbeat", acking=False)
    with place.up() as daemon:
        await run("ask", "(tell)")
        async with deaf.connected(daemon, header(place)):
            await deaf.until(lambda: told(deaf) == ["Over here."])
        async with talk.connected(daemon, header(place)), beats.connected(daemon, header(place)):
            await beats.until(lambda: told(beats) == ["Over here."])
            await talk.say("(tell)")
            await talk.rest()
            await run("ask", "(tell)")
            await beats.until(lambda: len(told(beats)) == 2)
            assert told(talk) == ["Over here."]
            await beats.settled()
        unseen = await run("notices", "--json")
    shown = {one["data"]["thread_id"] for one in beats.frames if (one.get("data") or {}).get("kind") == "notice"}
    assert len(shown) == 2
    assert unseen == "", "the one that stood in the conversation itself is seen too"


async def test_a_turn_with_a_tool_over_a_ticket_that_no_log_shows(place: Place) -> None:
    with place.up() as daemon:
        path = await ticket(place, daemon)
        desktop = Desktop()
        async with desktop.connected(daemon, None, path):
            await desktop.say("(look)")
            await desktop.rest()
        assert desktop.said == ["Let me look.", "It is empty."]
        (card,) = desktop.tools.values()
        assert (card["name"], card["args"], card["status"]) == ("list_dir", {"path": "."}, "success")
        assert desktop.tokens > 0
        with pytest.raises(InvalidStatus) as refused:
            async with Desktop().connected(daemon, None, path):
                pass
        assert refused.value.response.status_code == 401
        daemon.ended(signal.SIGTERM)
        said = daemon.said + daemon.complaints
    secret = path.rpartition("/")[2].encode()
    assert secret not in said.encode()
    files = [file for file in place.home.parent.rglob("*") if file.is_file()]
    assert any(b"token.ticket" in file.read_bytes() for file in files)
    assert [file for file in files if secret in file.read_bytes()] == []


@pytest.mark.parametrize(("answer", "lines"), [("yes", ["written"]), ("No.", [])])
async def test_a_question_that_outlives_its_daemon_is_answered_by_the_next_message(
    place: Place, answer: str, lines: list[str]
) -> None:
    desktop = Desktop()
    with place.up() as daemon:
        async with desktop.connected(daemon, header(place)):
            await desktop.say("(write)")
            await desktop.rest()
            assert desktop.waiting
            assert f"echo written >> {NOTE}" in desktop.said[-1]
            await desktop.settled()
            assert daemon.ended(signal.SIGKILL) == -signal.SIGKILL
    assert written(place) == []
    with place.up() as daemon:
        async with desktop.connected(daemon, header(place)):
            await desktop.say(answer)
            await desktop.until(lambda: desktop.said[-1] == "That is that.")
            await desktop.rest()
    assert written(place) == lines


async def test_a_client_that_vanishes_and_a_daemon_that_is_killed_cost_nothing(place: Place, model: Service) -> None:
    desktop = Desktop()
    with place.up() as first:
        async with desktop.connected(first, header(place)):
            await desktop.say("(slow)")
            await desktop.until(lambda: not desktop.pending)
            await desktop.vanish()
        assert first.ended(signal.SIGKILL) == -signal.SIGKILL
    model.release("gate")
    with place.up() as second:
        async with desktop.connected(second, header(place)):
            await desktop.rest()
    assert desktop.said == [ANSWER]
    assert desktop.completed == 1


async def test_what_was_never_acknowledged_is_sent_again_and_answered_once(place: Place) -> None:
    desktop = Desktop()
    with place.up() as first:
        async with desktop.connected(first, header(place)):
            await desktop.say("(look)")
            first.ended(signal.SIGKILL)
            with pytest.raises(ConnectionClosed):
                await desktop.rest()
    with place.up() as second:
        async with desktop.connected(second, header(place)):
            await desktop.rest()
    assert desktop.said == ["Let me look.", "It is empty."]


async def test_a_model_that_breaks_off_is_told_and_the_turn_ends(place: Place) -> None:
    desktop = Desktop()
    with place.up() as daemon:
        async with desktop.connected(daemon, header(place)):
            await desktop.say("(break)")
            await desktop.rest()
    assert desktop.stop_reason == "error"
    assert desktop.messages[-1]["kind"] == "agent_error"


async def test_stop_ends_the_turn(place: Place) -> None:
    desktop = Desktop()
    with place.up() as daemon:
        async with desktop.connected(daemon, header(place), "/hub?stream=1"):
            await desktop.say("(slow)")
            await desktop.until(lambda: not desktop.pending)
            await desktop.ask("stop_run")
            await desktop.rest()
    assert desktop.stop_reason == "aborted"


async def test_a_playbook_parks_and_ends(place: Place) -> None:
    (place.home / "workflows").mkdir(parents=True)
    (place.home / "workflows" / "tea.yaml").write_text(TEA)
    desktop = Desktop()
    with place.up() as daemon:
        async with desktop.connected(daemon, header(place)):
            await desktop.say("(tea)")
            await desktop.until(lambda: desktop.waiting)
            assert "Pour it?" in desktop.said[-1]
            await desktop.say("yes")
            await desktop.until(lambda: ("workflow_completed", "") in desktop.nodes)
            await desktop.rest()
    assert [node for node in desktop.nodes if node[0] == "node_completed"] == [
        ("node_completed", "approve"),
        ("node_completed", "pour"),
    ]


async def test_a_daemon_that_stops_says_good_bye(place: Place) -> None:
    desktop = Desktop()
    with place.up() as daemon:
        async with desktop.connected(daemon, header(place)):
            await desktop.say("(slow)")
            await desktop.until(lambda: not desktop.pending)
            daemon.process.send_signal(signal.SIGTERM)
            assert (await desktop.closed())[0] == 1012


async def test_an_unknown_agent_is_named(place: Place) -> None:
    desktop = Desktop("sula")
    with place.up() as daemon:
        async with desktop.connected(daemon, header(place)):
            await desktop.say("hello")
            await desktop.rest()
    assert "'sula'" in desktop.said[0]


async def test_of_two_daemons_on_one_store_one_takes_the_ticket(
    tmp_path: Path, model: Service, redis_server: RedisServer
) -> None:
    url = redis_server.new_url()
    one, two = (Place(tmp_path / name, **model.environ, REDIS_URL=url) for name in ("one", "two"))
    with one.up() as first, two.up() as second:
        code, out, err = await asyncio.to_thread(
            one.run, "token", "create", "app", "--scope", "write", "--scope", "read"
        )
        assert code == 0, err
        for _ in range(5):
            async with Peer.connect(first) as peer:
                await peer.hello(out.strip())
                path = (await peer.call("token.ticket"))["path"]

            async def knock(daemon: Daemon, path: str = path) -> int:
                try:
                    async with Desktop().connected(daemon, None, path) as desktop:
                        await desktop.hear()
                except InvalidStatus as error:
                    return error.response.status_code
                return 101

            came = await asyncio.gather(*(knock(daemon) for daemon in (first, second) * 3))
            assert sorted(came) == [101, *[401] * 5]
