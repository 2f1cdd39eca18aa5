from __future__ import annotations

from pathlib import Path

import pytest

from sulla.core.errors import SettingsError, SullaError
from sulla.daemon.settings.config import load_settings
from sulla.schedules.build import wanted_by
from sulla.schedules.hours import parse_hours
from sulla.schedules.spec import BeatAction, Cron, Every, Spec
from sulla.terminal.client import open_client
from sulla.terminal.place import door
from tests.daemon.running import Place


def wanted(home: Path, text: str, *agents: str) -> dict[str, Spec]:
    home.mkdir(exist_ok=True)
    (home / "sulla.toml").write_text(text)
    return wanted_by(load_settings({}, {}, home), ["sulla", *agents])


def test_nobody_works_by_itself_unless_that_is_asked_for(tmp_path: Path) -> None:
    assert wanted(tmp_path, "") == {}
    assert wanted(tmp_path, "[heartbeat]\nperiod_s = 60") == {}


def test_the_usual_beat_is_every_half_hour(tmp_path: Path) -> None:
    assert wanted(tmp_path, "[heartbeat]\nenabled = true") == {
        "heartbeat_sulla": Spec(Every(1800, jitter_s=30), BeatAction("sulla"))
    }


def test_what_is_not_said_of_one_is_as_it_is_said_of_all(tmp_path: Path) -> None:
    text = """
        [heartbeat]
        enabled = true
        agent = "coder"
        cron = "@hourly"
        active_hours = "mon-fri 09:00-18:00"
        zone = "Europe/Berlin"
        missed = "once"
        [heartbeat.schedules.garden]
        project = "garden"
        [heartbeat.schedules.quick]
        period_s = 60
        jitter_s = 0
        active_hours = "10:00-11:00"
        zone = "UTC"
        missed = "skip"
    """
    hours = parse_hours("mon-fri 09:00-18:00")
    hourly = (Cron("@hourly"), "Europe/Berlin", hours, "once")
    found = wanted(tmp_path, text, "coder")
    assert {name: spec.action for name, spec in found.items()} == {
        "heartbeat_coder": BeatAction("coder"),
        "heartbeat.garden": BeatAction("sulla", "garden"),
        "heartbeat.quick": BeatAction("sulla"),
    }
    for name in ("heartbeat_coder", "heartbeat.garden"):
        assert (found[name].when, found[name].zone, found[name].hours, found[name].missed) == hourly
    quick = found["heartbeat.quick"]
    assert (quick.when, quick.zone, quick.hours, quick.missed) == (Every(60), "UTC", parse_hours("10:00-11:00"), "skip")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('agent = "nobody"', "heartbeat.agent: no agent 'nobody'"),
        ('cron = "often"', "heartbeat: cron: got 'often'"),
        ('zone = "Mars"', "heartbeat: zone: nobody knows 'Mars'"),
        ('active_hours = "days"', "heartbeat: active hours"),
        ("period_s = 60\njitter_s = 60", "heartbeat: jitter"),
        ('[heartbeat.schedules.x]\ncron = "often"', "heartbeat.schedules.x: cron"),
        ("period_s = 59", "greater than or equal to 60"),
    ],
)
def test_what_cannot_be_is_refused_at_the_start_in_words(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(SettingsError) as refused:
        wanted(tmp_path, f"[heartbeat]\nenabled = true\n{text}")
    assert said in refused.value.message


async def _rows(home: Path) -> dict[str, dict[str, object]]:
    async with open_client(door(home)) as client:
        return {row["schedule"]: row for row in (await client.call("schedule.list"))["schedules"]}


async def _listed(home: Path, *names: str) -> dict[str, dict[str, object]]:
    """What there is, once exactly those are there."""
    while set(rows := await _rows(home)) != set(names):
        pass
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
                pass
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
                pass
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
