from __future__ import annotations

from pathlib import Path

import pytest

from sulla.core.errors import SullaError
from sulla.terminal.client import open_client
from sulla.terminal.place import door
from tests.daemon.running import Place
from tests.soon import a_pause


async def _rows(home: Path) -> dict[str, dict[str, object]]:
    async with open_client(door(home)) as client:
        return {row["schedule"]: row for row in (await client.call("schedule.list"))["schedules"]}


async def _listed(home: Path, *names: str) -> dict[str, dict[str, object]]:
    """What there is, once exactly those are there."""
    while set(rows := await _rows(home)) != set(names):
        await a_pause()
    return rows


async def test_settings_make_change_and_end_schedules_and_a_pause_stays(tmp_path: Path) -> None:
    place = Place(tmp_path / "home", SULLA_MODEL="offline", SULLA_HEARTBEAT__ENABLED="true")
    with place.up():
        await _listed(place.home, "heartbeat_sulla")
        async with open_client(door(place.home)) as client:
            await client.call("schedule.pause", schedule="heartbeat_sulla")
            await client.call("schedule.add", schedule="mine", every_s=3600, message="hi")
    place.environ["SULLA_HEARTBEAT__PERIOD_S"] = "600"
    with place.up():
        while (rows := await _listed(place.home, "heartbeat_sulla", "mine"))["heartbeat_sulla"]["explain"] != (
            "Every 10m, up to 30s later"
        ):
            pass
        assert rows["heartbeat_sulla"]["status"] == "paused"
        assert rows["mine"]["status"] == "active"
    place.environ["SULLA_HEARTBEAT__ENABLED"] = "false"
    with place.up():
        await _listed(place.home, "mine")


async def test_a_message_gets_its_turn_in_a_thread_of_the_schedules_own(tmp_path: Path) -> None:
    place = Place(tmp_path / "home", SULLA_MODEL="offline")
    with place.up():
        async with open_client(door(place.home)) as client:
            await client.call("schedule.add", schedule="s", every_s=3600, message="list files")
            for request in ("one", "two", "one"):
                await client.call("schedule.run", schedule="s", request_id=request)
            while not (threads := (await client.call("thread.list"))["threads"]):
                await a_pause()
            (thread,) = threads
            await client.call("events.subscribe", thread_id=thread["thread_id"], after=0)
            said: list[str] = []
            ended = 0
            async for event in client.events():
                if event["type"] == "INPUT":
                    said.append(event["data"]["text"])
                ended += event["type"] in ("RUN_FINISHED", "RUN_ERROR")
                if ended == 2:
                    break
    assert thread["title"] == "schedule s"
    assert said == ["list files", "list files"]


async def test_a_tool_is_called_by_the_policy_and_without_a_model(tmp_path: Path) -> None:
    place = Place(tmp_path / "home", SULLA_MODEL="offline")
    with place.up():
        async with open_client(door(place.home)) as client:
            with pytest.raises(SullaError, match="did you mean 'list_dir'"):
                await client.call("schedule.add", every_s=3600, tool="list_dirs")
            await client.call("schedule.add", schedule="s", every_s=3600, tool="list_dir", args={"path": "."})
            await client.call("schedule.run", schedule="s", request_id="one")
            while not (threads := (await client.call("thread.list"))["threads"]):
                await a_pause()
            await client.call("events.subscribe", thread_id=threads[0]["thread_id"], after=0)
            kinds: list[str] = []
            async for event in client.events():
                kinds.append(event["type"])
                if event["type"] in ("RUN_FINISHED", "RUN_ERROR"):
                    break
    assert kinds[-1] == "RUN_FINISHED"
    assert event["data"]["outcome"]["status"] == "done"
    assert kinds.count("TOOL_CALL_START") == kinds.count("TOOL_CALL_RESULT") == 1
    assert "MODEL_STARTED" not in kinds
