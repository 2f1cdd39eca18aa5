"""What a sub-agent asks reaches whoever waits for its conversation, in every protocol that streams, and is answered by
the id that stands there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from sulla.terminal.exits import Exit
from tests.daemon.clients.asking import NOTE, written
from tests.daemon.running import PATIENCE_S, Daemon, Place, Service, service
from tests.gateway.dialects.desktop import Desktop
from tests.kits.in_turn import in_turn
from tests.servers.script import Reply, Rule, Script, ToolUse

pytestmark = in_turn(3)

DONE = "<AGENT_DONE/>"
WRITE = ToolUse("bash", {"command": f"echo written >> {NOTE}", "timeout_s": 30})
RULES = (
    Rule(Reply(tools=(ToolUse("spawn_sub_agent", {"task": "(write)"}),)), text="(send)", results=0),
    Rule(Reply(tools=(WRITE,)), text="(write)", results=0),
    Rule(Reply(f"That is that.{DONE}")),
)
_ASKED = re.compile(r"The sub-agent sulla asks: May bash be called with .*?`sulla approvals`, (approval:[\w:]+)")
_ROW = re.compile(r"(?:\\n|\n)(?:data: )? {4}")
"""Where the block of code in which a question stands goes on in another line."""


def asked_in(shown: str) -> re.Match[str] | None:
    """The question of the sub-agent, in whatever lines."""
    return _ASKED.search(_ROW.sub("", shown))


STREAMS: dict[str, dict[str, Any]] = {
    "/v1/chat/completions": {"model": "sulla", "stream": True, "messages": [{"role": "user", "content": "(send)"}]},
    "/agents/sulla/stream-completion": {"prompt": "(send)"},
    "/api/chat/sulla": {"message": "(send)"},
    "/agui": {
        "threadId": "t1",
        "runId": "r1",
        "messages": [{"id": "m1", "role": "user", "content": "(send)"}],
        "state": {},
        "tools": [],
        "context": [],
        "forwardedProps": {},
    },
}


@pytest.fixture(scope="module")
def model() -> Iterator[Service]:
    with service(Script(RULES)) as found:
        yield found


@pytest.fixture
def place(tmp_path: Path, model: Service) -> Place:
    asking = {"SULLA_SHELL__SANDBOX": "false", "SULLA_LIMITS__MESSAGE_INTERVAL_MS": "0"}
    return Place(tmp_path / "home", **model.environ, **asking)


def told(daemon: Daemon, place: Place, path: str) -> str:
    """All that a client is sent, which answers what it is asked as it is told to."""
    token, shown = (place.home / "token").read_text().strip(), ""
    headers = {"X-API-Key": token, "Authorization": f"Bearer {token}"}
    with (
        httpx2.Client(base_url=daemon.url, headers=headers, trust_env=False, timeout=PATIENCE_S) as http,
        http.stream("POST", path, json=STREAMS[path]) as answer,
    ):
        assert answer.status_code == 200, answer.read()
        asked = False
        for piece in answer.iter_text():
            shown += piece
            if not asked and (found := asked_in(shown)) is not None:
                asked = True
                assert place.run("approvals", "answer", found[1], "approve")[0] == Exit.OK
    return shown


@pytest.mark.parametrize("path", STREAMS)
def test_a_stream_says_who_asks_what_and_goes_on_when_that_is_answered(place: Place, path: str) -> None:
    with place.up() as daemon:
        shown = told(daemon, place, path)
    assert asked_in(shown) is not None
    assert shown.index("asks: May bash") < shown.index("That is that.")
    assert written(place) == ["written"]


async def test_the_desktop_client_is_told_by_a_notice(place: Place) -> None:
    with place.up() as daemon:
        desktop = Desktop()
        authorization = f"Bearer {(place.home / 'token').read_text().strip()}"
        async with desktop.connected(daemon, authorization):
            await desktop.say("(send)")
            await desktop.until(lambda: any(one.get("kind") == "notice" for one in desktop.messages))
            (notice,) = [str(one["content"]) for one in desktop.messages if one.get("kind") == "notice"]
            found = asked_in(notice)
            assert found is not None
            assert place.run("approvals", "answer", found[1], "approve")[0] == Exit.OK
            await desktop.rest()
            assert desktop.said[-1] == "That is that."
    assert written(place) == ["written"]


def test_a_command_without_a_terminal_tells_how_it_is_answered(place: Place) -> None:
    with place.up():
        code, _, said = place.run("ask", "(send)")
        assert code == Exit.BLOCKED
        (command,) = [line.split() for line in said.splitlines() if "approvals answer" in line]
        assert place.run(*command[command.index("approvals") :])[0] == Exit.OK
        assert place.run("ask", "--last", "and?")[:2] == (Exit.OK, "That is that.\n")
    assert written(place) == ["written"]
